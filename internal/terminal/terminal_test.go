package terminal

import (
	"slices"
	"strings"
	"testing"
)

func TestTyped(t *testing.T) {
	hash := strings.Repeat("0f", 32)
	for arg0, want := range map[string]string{
		"w3host": "w3host", "./w3host": "./w3host", "/opt/w3 host/w3host": `"/opt/w3 host/w3host"`,
		"/tmp/go-build123/b001/exe/w3host":               "go run ./cmd/w3host",
		"/root/.cache/go-build/0f/" + hash + "-d/w3host": "go run ./cmd/w3host",
		"/build-cache/0f/" + hash + "-d/w3host":          "go run ./cmd/w3host",
	} {
		if got := typed(arg0); got != want {
			t.Errorf("%s: %s, want %s", arg0, got, want)
		}
	}
}

// Nothing that a stranger calls themselves steers a terminal.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"Ann":             "Ann",
		"当地 é":            "当地 é",
		"a\x1b[2Jb":       `a\u001b[2Jb`,
		"c1 \u009b31m":    `c1 \u009b31m`,
		"bidi \u202eback": `bidi \u202eback`,
		"\u2066x\u2069":   `\u2066x\u2069`,
		"tag \U000e0041":  `tag \udb40\udc41`,
		"del \x7f\n":      `del \u007f\u000a`,
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q is printed as %q, want %q", text, got, want)
		}
	}
}

// Chinese characters take two columns, combining ones none.
func TestColumns(t *testing.T) {
	for text, want := range map[string]int{"": 0, "Ann": 3, "回声群岛": 8, "e\u0301": 1, "｡": 1, "Ａ": 2, "é": 1, "🙂": 2} {
		if got := Columns(text); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
	}
	if got := Pad("回声", 6) + "|"; got != "回声  |" {
		t.Errorf("%q", got)
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    int
		want string
	}{
		{"one two three", 7, "one two/three"},
		{"one two three", 8, "one two/three"},
		{"one two three", 13, "one two three"},
		{"unbreakable", 4, "unbr/eaka/ble"},
		{"回声群岛 回", 8, "回声群岛/回"},
		{"回声群岛", 5, "回声/群岛"},
		{"回声", 0, "回/声"},
		{"  indented words", 10, "  indented/words"},
		{"", 5, ""},
	} {
		if got := strings.Join(Wrap(tt.text, tt.n), "/"); got != tt.want {
			t.Errorf("%q in %d columns: %q, want %q", tt.text, tt.n, got, tt.want)
		}
	}
}

func TestInColumns(t *testing.T) {
	words := strings.Fields("a bb ccc dddd e ff ggg")
	for width, want := range map[int]string{
		80: "a  bb  ccc  dddd  e  ff  ggg",
		20: "a   ccc   e   ggg/bb  dddd  ff",
		9:  "a     e/bb    ff/ccc   ggg/dddd",
		1:  "a/bb/ccc/dddd/e/ff/ggg",
	} {
		lines := InColumns(words, width)
		if got := strings.Join(lines, "/"); got != want {
			t.Errorf("in %d columns: %q, want %q", width, got, want)
		}
	}
	if lines := InColumns(nil, 80); len(lines) > 1 {
		t.Errorf("%q", lines)
	}
}

// A table that is wider than the terminal keeps its first and its last column whole.
func TestTableIn(t *testing.T) {
	heading := []string{"CREATED", "NAME", "MAP", "KEY"}
	rows := [][]string{{"2026-11-22 23:34", "回声群岛 of everybody", "(2)EchoIsles.w3x", "0123456789"}, {"2026-11-22 23:35", "b", "c", "key"}}
	if got, want := TableIn(heading, rows, 0), Table(heading, rows); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got, want := TableIn(heading, rows, 80), Table(heading, rows); !slices.Equal(got, want) {
		t.Errorf("in 80 columns %q", got)
	}
	want := []string{
		"CREATED           NAME         MAP", "  KEY",
		"2026-11-22 23:34  回声群岛 o…  (2)EchoIsl…", "  0123456789",
		"2026-11-22 23:35  b            c", "  key",
	}
	if got := TableIn(heading, rows, 42); !slices.Equal(got, want) {
		t.Errorf("in 42 columns:\n%s", strings.Join(got, "\n"))
	}
	for _, width := range []int{1, 20, 30, 50} {
		for _, line := range TableIn(heading, rows, width) {
			if columns := Columns(line); columns > max(width, 36) {
				t.Errorf("in %d columns: %q", width, line)
			}
		}
	}
}

func TestHang(t *testing.T) {
	for _, tt := range []struct {
		line  string
		width int
		want  string
	}{
		{"map  one two three\n", 0, "map  one two three\n"},
		{"map  one two three\n", 18, "map  one two three\n"},
		{"map  one two three\n", 17, "map  one two\n     three\n"},
		{"map  one two three", 12, "map  one two\n     three"},
		{"map  one two three four", 11, "map  one\n     two\n     three\n     four"},
		{"地图 回声群岛 回声群岛", 14, "地图 回声群岛\n     回声群岛"},
		{"map  one two three", 9, "map  one two three"}, // no room
	} {
		if got := Hang(tt.line, 5, tt.width); got != tt.want {
			t.Errorf("%q in %d columns: %q, want %q", tt.line, tt.width, got, tt.want)
		}
	}
}
