package main

import (
	"errors"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"w3host/internal/testkit"
	"w3host/storage/storagetest"
)

// stopBeside starts a host at a database, makes that hang if wanted, sends SIGTERM and gives the
// process and the time of the signal.
func stopBeside(t *testing.T, server *storagetest.Server, hangs bool, environment ...string) (*process, time.Time) {
	t.Helper()
	p := startProcess(t, t.TempDir(), append(environment, "W3HOST_DATABASE_URL="+server.URL, "--listen", "127.0.0.1:0", "--lan=false", "--log-json")...)
	time.Sleep(time.Second) // the lobby is recorded, bans are listened for
	if hangs {
		server.Pause()
		t.Cleanup(server.Resume)
	}
	began := time.Now()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	return p, began
}

// Stopping takes limits.shutdown_timeout and a second, whatever the database does.
func TestStopWithHangingDatabase(t *testing.T) {
	server := storagetest.NewServer(t)
	stop := func(hangs bool) time.Duration {
		p, began := stopBeside(t, server, hangs)
		if err := p.cmd.Wait(); err != nil {
			t.Errorf("exit: %v", err)
		}
		return time.Since(began)
	}
	usual := stop(false) // what a stop takes on this machine now, which may be busy
	took := stop(true)
	t.Logf("stopped after %v, with a healthy database after %v", took.Round(time.Millisecond), usual.Round(time.Millisecond))
	if took > 3*time.Second+500*time.Millisecond+usual {
		t.Errorf("it took %v to stop", took)
	}
}

// A second signal stops at once.
func TestSecondSignal(t *testing.T) {
	p, _ := stopBeside(t, storagetest.NewServer(t), true, "W3HOST_LIMITS_SHUTDOWN_TIMEOUT=1m")
	time.Sleep(time.Second)
	if p.cmd.ProcessState != nil || p.cmd.Process.Signal(syscall.Signal(0)) != nil {
		t.Fatal("it stopped by itself: this shows nothing")
	}
	began := time.Now()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	exit, ok := errors.AsType[*exec.ExitError](p.cmd.Wait())
	if took := time.Since(began); took > testkit.Patience || !ok {
		t.Errorf("exit %v after %v", exit, took)
	}
}
