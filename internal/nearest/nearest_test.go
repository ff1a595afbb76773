package nearest

import "testing"

func TestWord(t *testing.T) {
	known := []string{"latency", "map", "name", "sync_limit", "load_in_game"}
	for word, want := range map[string]string{
		"latencyy": "latency", "latnecy": "latency", "synclimit": "sync_limit", "load_game": "load_in_game", "": "map", "nmae": "name",
	} {
		if got := Word(word, known); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
	if got := Word("x", nil); got != "" {
		t.Errorf("nothing known: %q", got)
	}
}
