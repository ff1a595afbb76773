package bots

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A holder empties its file before it writes the number of the next host: that is no fault.
func TestKillBetweenTwoHosts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := killOnce(file); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("got %v", err)
	}
}
