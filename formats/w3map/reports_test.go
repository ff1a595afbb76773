package w3map

import (
	"strings"
	"testing"
)

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
				f.scan([]byte(script[at:min(at+size, len(script))]))
			}
			if f.found != want {
				t.Errorf("%q in parts of %d: %+v, want %+v", script, size, f.found, want)
			}
		}
	}
}

// What a script writes is told if it lies beyond the game's folder or is a program, wherever the parts of the script end.
func TestWrites(t *testing.T) {
	for script, want := range map[string]string{
		`call PreloadGenEnd("Hero\\ann.txt")`:                                  "",
		`call PreloadGenEnd("Save..old\\ann.pld")`:                             "",
		`call PreloadGenEnd("")`:                                               "",
		`call PreloadGenEnd(s)` + "\r\n" + `call Preload("C:\\a.bat")`:         "",
		`call PreloadGenEnd("C:\\Start Menu\\a.txt")`:                          `C:\Start Menu\a.txt`,
		`call PreloadGenEnd ( "..\\a.txt" )`:                                   `..\a.txt`,
		`call PreloadGenEnd("Hero/../../a.txt")`:                               "Hero/../../a.txt",
		`call PreloadGenEnd("\\\\server\\a.txt")`:                              `\\server\a.txt`,
		`call PreloadGenEnd("Hero.MIX")`:                                       "Hero.MIX",
		`call PreloadGenEnd("a.exe. ")`:                                        "a.exe. ",
		`call PreloadGenEnd("a.txt")` + "\r\n" + `call PreloadGenEnd("b.exe")`: "b.exe",
		`call PreloadGenEnd("` + strings.Repeat("x", 240) + `.bat")`:           strings.Repeat("x", 240) + ".bat",
	} {
		for size := 1; size <= len(script); size++ {
			var f finder
			for at := 0; at < len(script); at += size {
				f.scan([]byte(script[at:min(at+size, len(script))]))
			}
			if f.writes != want {
				t.Errorf("%q in parts of %d: %q, want %q", script, size, f.writes, want)
			}
		}
	}
}
