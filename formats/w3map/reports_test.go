package w3map

import "testing"

// The names are found wherever the parts of a script end.
func TestReports(t *testing.T) {
	for script, want := range map[string]Reports{
		`constant string MMD__FILENAME="MMD.Dat"`:     {W3MMD: true},
		`set gc=InitGameCache("dr.x")`:                {DotA: true},
		`"dr.x" "MMD.Dat"`:                            {W3MMD: true, DotA: true},
		`dr.x MMD_Dat`:                                {},
		`function main takes nothing returns nothing`: {},
	} {
		for size := 1; size <= len(script); size++ {
			var f finder
			for at := 0; at < len(script); at += size {
				f.look([]byte(script[at:min(at+size, len(script))]))
			}
			if f.found != want {
				t.Errorf("%q in parts of %d: %+v, want %+v", script, size, f.found, want)
			}
		}
	}
}
