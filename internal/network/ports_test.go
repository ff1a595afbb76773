package network

import (
	"strings"
	"testing"
)

func TestPorts(t *testing.T) {
	for text, want := range map[string]string{
		":6112":             ":6112",
		"0.0.0.0:6112-6114": "0.0.0.0:6112 0.0.0.0:6113 0.0.0.0:6114",
		"[::]:7-7":          "[::]:7",
		":0-5":              "",
		":9-8":              "",
		":1-65536":          "",
		":1-1001":           "",
		":a-b":              "",
		"6112-6114":         "",
	} {
		got, err := Ports(text)
		if strings.Join(got, " ") != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}
