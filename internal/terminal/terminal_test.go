package terminal

import (
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
