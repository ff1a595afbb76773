package w3gs

import "testing"

func TestCutTag(t *testing.T) {
	for tag, want := range map[string]string{
		"fluxxu#1815": "fluxxu", "Bob": "", "#1815": "", "Bob#": "", "Bob#12a": "", "a#1#22": "a#1",
		"Bob#123456789": "", "가나다라#31234": "가나다라", "": "",
	} {
		name, ok := CutTag(tag)
		if ok != (want != "") || ok && name != want || !ok && name != tag {
			t.Errorf("%q: %q, %v", tag, name, ok)
		}
	}
}
