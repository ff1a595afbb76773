//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"w3host/hold/supervisor"
)

// failing fails the starts of those numbers.
func failing(why error, starts ...int) func(int, string) error {
	return func(start int, _ string) error {
		if slices.Contains(starts, start) {
			return fmt.Errorf("cannot start a host: %w", why)
		}
		return nil
	}
}

// A start that fails does not end what is held: it is repeated for a minute, whatever it is for.
func TestStartFails(t *testing.T) {
	for name, c := range map[string]struct {
		do, next string
		fail     func(int, string) error
		code     int
		given    string
	}{
		"at a crash":                     {"put:2 serve pause:2000 kill;serve end exit:5", "", failing(unix.EAGAIN, 2), 5, "0 2"},
		"several times":                  {"put:2 serve pause:2000 kill;serve end exit:5", "", failing(unix.EMFILE, 2, 3, 4, 5, 6, 7), 5, "0 2"},
		"the file is away for a moment":  {"put:2 serve pause:2000 kill;serve end exit:5", "", failing(unix.ENOENT, 2, 3), 5, "0 2"},
		"at a second try":                {"put:2 serve pause:2000 kill;exit:1;serve end exit:5", "", failing(unix.ENOMEM, 3), 5, "0 2 2"},
		"behind a standby that died too": {"put:2 serve standby pause:2000 kill;;serve end exit:5", "ready pause:1000 exit:3", failing(unix.EAGAIN, 3), 5, "0 2 2"},
		"by a process that hangs":        {"put:2 serve pause:2000 kill;wait;wait;serve end exit:5", "", nil, 5, "0 2 2 2"},
		"of a standby": {
			"put:1 serve standby pause:11000 standby pause:1000 kill", "ready news:1 serve end exit:5", failing(unix.EAGAIN, 2), 5, "0 1 go0",
		},
		"of the program before, after one that does not serve": {
			"put:2 serve pause:90000 upgrade news:1 done exit:0;;;;serve end exit:5", "ready news:1 exit:1", failing(unix.EAGAIN, 3), 5, "0 2 handover0 go0 2",
		},
		"of a new program": {
			"put:2 serve pause:90000 upgrade news:1 done exit:0", "ready news:1 serve end exit:5", failing(unix.ETXTBSY, 2, 3), 5, "0 2 handover0 go0",
		},
		"of a new program that is not there": {
			"serve upgrade news:1 end exit:6", "", failing(unix.ENOENT, 2), 6, "0 refused0:cannot_start_a_host:_no_such_file_or_directory",
		},
		"after the death of the new program, which has died while the host handed over": {
			"put:2 serve upgrade news:1 pause:1000 done exit:0;;;serve end exit:5", "ready pause:500 exit:1", failing(unix.EAGAIN, 3), 5, "0 2 handover0 2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakes{do: c.do, next: c.next, fail: c.fail}
			code, err := serveFakes(t, f, nil)
			if err != nil || code != c.code || strings.Join(f.given, " ") != c.given {
				t.Errorf("exit code %d, given %v, %v", code, f.given, err)
			}
		})
	}
}

// Starts are repeated for a minute, the last one at its end, and then the holder gives up. The first
// start of all is not repeated.
func TestStartsAreGivenUp(t *testing.T) {
	never := func(start int, _ string) error {
		if start > 1 {
			return unix.EAGAIN
		}
		return nil
	}
	f := &fakes{do: "put:1 serve pause:2000 kill", fail: never}
	code, err := serveFakes(t, f, nil)
	last := f.starts[len(f.starts)-1] - f.starts[1]
	if code != 1 || err == nil || !strings.Contains(err.Error(), "temporarily unavailable") || last != supervisor.Patience || len(f.starts) > 40 {
		t.Errorf("exit code %d, %v; %d starts, the last after %v", code, err, len(f.starts), last)
	}

	f = &fakes{fail: failing(unix.EAGAIN, 1)}
	if code, err := serveFakes(t, f, nil); code != 1 || err == nil || len(f.starts) != 1 {
		t.Errorf("the first start: exit code %d, %v, %d starts", code, err, len(f.starts))
	}

	upgrade := func(_ int, path string) error {
		if path == "new" {
			return unix.EAGAIN
		}
		return nil
	}
	f = &fakes{do: "serve upgrade news:1 end exit:6", fail: upgrade}
	if code, err := serveFakes(t, f, nil); code != 6 || err != nil || !strings.HasSuffix(strings.Join(f.given, " "), "temporarily_unavailable") {
		t.Errorf("an upgrade: exit code %d, %v, given %v", code, err, f.given)
	}
	if last := f.starts[len(f.starts)-1] - f.starts[1]; last != supervisor.Patience {
		t.Errorf("the last start of an upgrade after %v", last)
	}
}

// SIGTERM ends the attempts to start a host.
func TestStopBetweenStarts(t *testing.T) {
	f := &fakes{do: "put:1 serve pause:2000 kill", fail: failing(unix.EAGAIN, 2, 3, 4, 5, 6)}
	if code, err := serveFakes(t, f, map[time.Duration]os.Signal{2150 * time.Millisecond: syscall.SIGTERM}); code != -1 || err != nil || len(f.starts) != 3 {
		t.Errorf("exit code %d, %v, %d starts", code, err, len(f.starts))
	}
}

// Each upgrade gets one answer, and none that belongs to another.
func TestUpgradeAnswers(t *testing.T) {
	usr2 := func(at time.Duration) map[time.Duration]os.Signal {
		return map[time.Duration]os.Signal{at: syscall.SIGUSR2}
	}
	const ended = "refused0:the_new_program_has_ended_before_it_was_ready_(exit_code_3):_what_it_has_said_is_in_the_log"
	for name, c := range map[string]struct {
		do, next string
		signals  map[time.Duration]os.Signal
		code     int
		given    string
	}{
		"SIGUSR2 comes while the host's fails": {"serve upgrade news:1 end exit:6", "pause:1500 exit:3", usr2(time.Second), 6, "0 0 " + ended},
		"the host asks again": {
			"serve upgrade pause:100 upgrade news:2 end exit:6", "pause:1500 exit:3", nil, 6, "0 0 refused0:an_upgrade_is_already_under_way " + ended,
		},
		"the host asks while that of SIGUSR2 fails": {
			"serve pause:1000 upgrade news:1 pause:2000 upgrade news:1 end exit:6", "pause:1500 exit:3", usr2(500 * time.Millisecond), 6,
			"0 0 refused0:an_upgrade_is_already_under_way 0 " + ended,
		},
		"the host reads nothing at that moment": {
			"serve upgrade deaf:5000 news:1 end exit:6", "exit:3", nil, 6, "0 0 " + ended,
		},
		"the host does not serve yet":      {"upgrade news:1 end exit:6", "", nil, 6, "0 refused0:the_host_does_not_serve_yet,_or_not_any_more"},
		"SIGTERM while the new one starts": {"serve upgrade wait", "wait", map[time.Duration]os.Signal{time.Second: syscall.SIGTERM}, -1, "0 0"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakes{do: c.do, next: c.next}
			code, err := serveFakes(t, f, c.signals)
			if err != nil || code != c.code || strings.Join(f.given, " ") != c.given {
				t.Errorf("exit code %d, given %v, %v", code, f.given, err)
			}
		})
	}
}

// SIGTERM while the host hands over: the new program is killed, and the host ends its games in order. No
// other host is started, also when it says that it has handed over.
func TestStopDuringHandOver(t *testing.T) {
	f := &fakes{do: "put:2 serve stay upgrade news:1 pause:2000 done pause:1000 exit:6", next: "ready wait"}
	code, err := serveFakes(t, f, map[time.Duration]os.Signal{time.Second: syscall.SIGTERM})
	if want := []os.Signal{syscall.SIGKILL, syscall.SIGTERM}; code != 6 || err != nil || len(f.starts) != 2 || !slices.Equal(f.sent, want) {
		t.Errorf("exit code %d, %v; %d starts, signals %v", code, err, len(f.starts), f.sent)
	}
}

// Words that the holder has no room for are said later, in order. What is put does not overtake them.
func TestLateMessages(t *testing.T) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(pair[0]) }()
	s := &client{sock: pair[1], left: fdSet{}, news: make(chan News)}
	for ; err == nil; err = s.Put(1, 0) { // until the socket is full
	}
	s.Drop(2)
	s.Serving()
	s.Ending()
	if s.Flush(0) {
		t.Error("messages were sent without room for them")
	}
	said := func() (verbs []byte) {
		_ = unix.SetNonblock(pair[0], true)
		for {
			m, err := receive(pair[0])
			if err != nil {
				return verbs
			}
			if _ = unix.Close(append(m.fds, -1)[0]); m.verb != verbPut || m.names[0] == 2 {
				verbs = append(verbs, m.verb)
			}
		}
	}
	if verbs := said(); verbs != nil {
		t.Errorf("what was late has been said at once: %v", verbs)
	}
	err = s.Put(2, 0)
	if verbs, want := said(), []byte{verbDrop, verbServing, verbEnding, verbPut}; err != nil || !slices.Equal(verbs, want) {
		t.Errorf("said %v, want %v; %v", verbs, want, err)
	}
}

// A process that a signal has stopped is told from one that hangs.
func TestStopped(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &osProcess{Cmd: cmd}
	before := p.Stopped()
	p.signal(syscall.SIGSTOP)
	for range 5000 {
		if p.Stopped() {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if before || !p.Stopped() {
		t.Error("the process is not seen to be stopped")
	}
	p.signal(syscall.SIGKILL)
	_ = cmd.Wait()
}
