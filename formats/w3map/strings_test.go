package w3map

import (
	"maps"
	"slices"
	"testing"
)

func TestStrings(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		want stringTable
	}{
		"as the editor writes it": {
			"\xEF\xBB\xBFSTRING 1\r\n{\r\nOne\r\n}\r\n\r\nSTRING 2\r\n{\r\nTwo\r\n}\r\n",
			stringTable{1: "One", 2: "Two"},
		},
		"mark encoded twice":  {"\xC3\xAF\xC2\xBB\xC2\xBFSTRING 1\n{\nOne\n}\n", stringTable{1: "One"}},
		"line feeds, no mark": {"STRING 1\n{\nOne\n}\nSTRING 2\n{\nTwo\n}", stringTable{1: "One", 2: "Two"}},
		"only returns":        {"STRING 1\r{\rOne\r}\r", stringTable{1: "One"}},
		"comments":            {"// STRING 5\nSTRING 1\n// Name {of} the map\n\n{\nOne\n}\n", stringTable{1: "One"}},
		"odd spacing":         {"  string \t 007  \n\n  {  \n  One \n\t}\n", stringTable{7: "  One "}},
		"one line":            {"STRING 1 {One}\nSTRING 2 { Two }", stringTable{1: "One", 2: " Two "}},
		"many lines":          {"STRING 1\n{\nOne\n\nmore\n}\n", stringTable{1: "One\n\nmore"}},
		"braces in a text":    {"STRING 1\n{\nset {x} of } y\n}\nSTRING 2\n{\nTwo\n}\n", stringTable{1: "set {x} of } y", 2: "Two"}},
		"empty":               {"STRING 1\n{\n}\nSTRING 2\n{\n\n}\n", stringTable{1: "", 2: ""}},
		"no end":              {"STRING 1\n{\nOne", stringTable{1: "One"}},
		"no text":             {"STRING 1\nSTRING 2\n{\nTwo\n}\n", stringTable{2: "Two"}},
		"negative":            {"STRING -3\n{\nless\n}\n", stringTable{-3: "less"}},
		"twice":               {"STRING 1\n{\nold\n}\nSTRING 1\n{\nnew\n}\n", stringTable{1: "new"}},
		"too large a number":  {"STRING 99999999999999999999\n{\nx\n}\nSTRING 2\n{\nTwo\n}\n", stringTable{2: "Two"}},
		"nonsense":            {"\x00\xFFSTRINGS\n{}", stringTable{}},
		"nothing":             {"", stringTable{}},
	} {
		if got := parseStrings([]byte(c.file), nil); !maps.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestResolve(t *testing.T) {
	table := stringTable{1: "one", 12: "twelve", -3: "less", 0: "zero"}
	for s, want := range map[string]string{
		"TRIGSTR_1": "one", "TRIGSTR_001": "one", "TRIGSTR_00000012": "twelve", "TRIGSTR_12abc": "twelve",
		"TRIGSTR_-3": "less", "TRIGSTR_-003": "less", "TRIGSTR_000": "zero",
		"TRIGSTR_99": "TRIGSTR_99", "TRIGSTR_": "TRIGSTR_", "TRIGSTR_x": "TRIGSTR_x", "TRIGSTR_-": "TRIGSTR_-",
		"plain": "plain", "": "", "x TRIGSTR_1": "x TRIGSTR_1", "TRIGSTR_99999999999999999999": "TRIGSTR_99999999999999999999",
	} {
		if got := table.resolve(s); got != want {
			t.Errorf("%q resolves to %q, want %q", s, got, want)
		}
	}
}

func TestPlain(t *testing.T) {
	for s, want := range map[string]string{
		"|cFFFF0000Red|r Map": "Red Map", "|CFFff00ffa|Rb": "ab", "a|nb\r\nc": "a b c", "a||b": "a|b",
		"|c12": "|c12", "  x  ": "x", "|cff00": "|cff00",
	} {
		if got := Plain(s); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
}

func FuzzStrings(f *testing.F) {
	f.Add([]byte("\xEF\xBB\xBFSTRING 1\r\n{\r\nOne\r\n}\r\n"), "TRIGSTR_001")
	f.Add([]byte("STRING 1 {a}STRING 2\n// c\n{b"), "TRIGSTR_-2")
	f.Fuzz(func(t *testing.T, data []byte, s string) {
		table := parseStrings(slices.Clone(data), nil)
		n := 0
		for _, text := range table {
			n += len(text)
		}
		if n > len(data) {
			t.Fatalf("%d bytes of text out of %d", n, len(data))
		}
		Plain(table.resolve(s))
	})
}
