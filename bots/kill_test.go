package bots

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Who starts the host may empty the file before the number of the next one is in it: that is no fault.
func TestKillBetweenTwoHosts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := killOnce(file); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("got %v", err)
	}
}
