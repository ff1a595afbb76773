package bots

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
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

// A kill that is due while no host is there meets the next one, and is not left out.
func TestKillMeetsTheNextHost(t *testing.T) {
	host := exec.Command("sleep", "60")
	if err := host.Start(); err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	file := filepath.Join(t.TempDir(), "pid")
	synctest.Test(t, func(t *testing.T) {
		write := func(text string) {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Error(err)
			}
		}
		write("")
		time.AfterFunc(1400*time.Millisecond, func() { write(strconv.Itoa(host.Process.Pid)) })
		ctx, cancel := context.WithTimeout(t.Context(), 1900*time.Millisecond)
		defer cancel()
		r := &run{opts: Options{Kill: file, KillEvery: time.Second, Log: zerolog.Nop()}, base: time.Now()}
		if kills := r.kill(ctx); kills != 1 {
			t.Errorf("%d kills", kills)
		}
	})
	if err := host.Wait(); err == nil {
		t.Error("the host has ended by itself")
	}
}
