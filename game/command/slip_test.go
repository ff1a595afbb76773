package command

import (
	"strings"
	"testing"
)

var secretTable = Table[*target]{
	{Name: "login", Aliases: []string{"auth"}, Usage: "<password>", Help: "h", Secret: true, Phase: Always},
	{Name: "lang", Help: "h", Phase: Always},
}

// A login that is mistyped in any way that people have is found; what people say is not.
func TestSlip(t *testing.T) {
	for line, want := range map[string]bool{
		" !login hunter22": true, ".login hunter22": true, "/login hunter22": true, "-login hunter22": true,
		"！login hunter22": true, "!ｌｏｇｉｎ hunter22": true, "!login\thunter22": true, "!login　hunter22": true,
		"　!login hunter22": true, "\t!login x": true, "!loginhunter22": true, "!LOGINx": true, ". login x": true,
		"!!login x": true, "1login x": true, "|cFFFF0000!login x": true, "||cFF4080C0cFF4080C0!login x": true, "!lo|rgin x": true, "!log\u200bin x": true,
		"\u2026login x": true, "login hunter22": true, "loginhunter22": true, "Login　hunter22": true,
		"!logn hunter22": true, ".lgoin hunter22": true, "!logon hunter22": true, "-authhunter22": true, "/auth x": true,

		"!login": false, "login": false, "hello": false, "": false, "!": false, "logins are": false,
		"login to it": false, "-ap hunter22": false, "!lock hunter22": false, "!logn short": false,
		"join my clan please": false, "what is my login here": false, "-clear everything": false,
	} {
		bare, triggered := Bare(line)
		if got := secretTable.Slip(bare, triggered); got != want {
			t.Errorf("%q (%q, triggered %v): %v, want %v", line, bare, triggered, got, want)
		}
	}
}

// The look costs no more for a long word: everybody can make the loop take it, also
// when muted.
func TestSlipOfLongWords(t *testing.T) {
	looks := func(word string) float64 {
		return testing.AllocsPerRun(100, func() { secretTable.Slip(word+" yyyyyyyyyyyyyyy", true) })
	}
	if long, short := looks(strings.Repeat("x", 230)), looks("xxxxx"); long > short {
		t.Errorf("a word of 230 letters costs %v allocations, one of 5 %v", long, short)
	}
}
