package view

import "testing"

func TestFileSize(t *testing.T) {
	for bytes, want := range map[uint32]string{0: "0.0 KB", 7_400: "7.4 KB", 999_949: "999.9 KB", 1_000_000: "1.0 MB", 134_217_728: "134.2 MB"} {
		if got := FileSize(bytes); got != want {
			t.Errorf("%d bytes: %q, want %q", bytes, got, want)
		}
	}
}
