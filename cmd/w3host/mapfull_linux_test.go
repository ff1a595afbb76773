package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An output that takes nothing is named once, and not as a fault of the files.
func TestMapInfoWhereTheDiskIsFull(t *testing.T) {
	dir, scripts := mapFolder(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("SKIPPED: no /dev/full:", err)
	}
	defer full.Close()
	var errs bytes.Buffer
	cmd := processCommand(t, t.TempDir(), "map", "info", filepath.Join(dir, "one.w3x"), filepath.Join(dir, "two.w3x"), "--scripts", scripts)
	cmd.Stdout, cmd.Stderr = full, &errs
	if err := cmd.Run(); err == nil || strings.Count(errs.String(), "\n") != 1 || !strings.Contains(errs.String(), "output: ") || strings.Contains(errs.String(), "one.w3x") {
		t.Errorf("%v: %s", err, errs.String())
	}
}
