//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"w3host/hold/supervisor"
)

// fakes is a launcher whose processes are goroutines that obey words, as the hosts of TestServe do, in
// virtual time.
type fakes struct {
	do, next string                             // the words of hosts, and of processes that stand by
	fail     func(start int, path string) error // nil: every start works
	beat     time.Duration                      // of the watch, and no host lives too short; 0: as the holder has it
	began    time.Time
	starts   []time.Duration // when each start was tried
	sent     []os.Signal     // to any of them

	mu    sync.Mutex
	given []string // how many descriptors each process was given, and the news that they got
	lines []string // of the log
}

// fakeProcess is one of them.
type fakeProcess struct {
	*fakes
	path   string
	in     chan message
	killed chan struct{}
	end    func()
	hear   func(message)
	halted atomic.Bool // stopped by a signal
	deaf   atomic.Bool // it reads no messages
	stays  atomic.Bool // SIGTERM does not end it
}

// launch implements launcher.
func (f *fakes) launch(path string, hear func(message), ended func(code int)) (process, error) {
	f.starts = append(f.starts, time.Since(f.began))
	if f.fail != nil {
		if err := f.fail(len(f.starts), path); err != nil {
			return nil, err
		}
	}
	p := &fakeProcess{fakes: f, path: path, in: make(chan message, 1000), killed: make(chan struct{}), hear: hear}
	p.end = sync.OnceFunc(func() { close(p.killed) })
	go func() { ended(p.run()) }()
	return p, nil
}

func (p *fakeProcess) pid() int                    { return 1 }
func (p *fakeProcess) Program() supervisor.Program { return supervisor.Program{Path: p.path} }
func (p *fakeProcess) Stopped() bool               { return p.halted.Load() }

func (p *fakeProcess) signal(sig os.Signal) {
	if p.sent = append(p.sent, sig); sig != syscall.SIGTERM || !p.stays.Load() {
		p.end()
	}
}

func (p *fakeProcess) send(m message) error {
	if p.deaf.Load() {
		return unix.EAGAIN
	}
	p.in <- m
	return nil
}

// note adds a line to given, and returns how many there were.
func (f *fakes) note(line string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.given = append(f.given, line)
	return len(f.given) - 1
}

// sleep returns false if the process is killed meanwhile.
func (p *fakeProcess) sleep(d time.Duration) bool {
	select {
	case <-p.killed:
		return false
	case <-time.After(d):
		return true
	}
}

// run obeys the words, and returns the exit code.
func (p *fakeProcess) run() int {
	held, runs := map[Name]bool{}, strings.Split(p.do, ";")
	for verb := byte(0); verb != verbGo && verb != verbStandBy && verb != verbBeStandby; {
		select {
		case <-p.killed:
			return -1
		case m := <-p.in:
			for _, n := range m.names {
				held[n] = true
			}
			if verb = m.verb; verb != verbGo && verb != verbPut && p.next != "" {
				runs = []string{p.next}
			}
		}
	}
	n := p.note(strconv.Itoa(len(held)))
	for word := range strings.FieldsSeq(runs[min(n, len(runs)-1)]) {
		verb, rest, _ := strings.Cut(word, ":")
		number, _ := strconv.Atoi(rest)
		if verb == "exit" {
			return number
		}
		if verb == "kill" || !p.obey(verb, number) {
			return -1
		}
	}
	return 0
}

// obey obeys one word; false: the process is killed.
func (p *fakeProcess) obey(verb string, number int) bool {
	says := map[string]byte{
		"serve": verbServing, "end": verbEnding, "alive": verbAlive, "upgrade": verbUpgrade, "standby": verbKeepStandby, "ready": verbReady, "done": verbDone,
	}
	switch verb {
	case "put":
		for i := range number {
			fd, _ := unix.Dup(0)
			p.hear(message{verb: verbPut, names: []Name{Name(i + 1)}, fds: []int{fd}})
		}
	case "drop":
		p.hear(message{verb: verbDrop, names: []Name{Name(number)}})
	case "pause":
		return p.sleep(time.Duration(number) * time.Millisecond)
	case "stop":
		p.halted.Store(true)
		defer p.halted.Store(false)
		return p.sleep(time.Duration(number) * time.Millisecond)
	case "deaf":
		p.deaf.Store(true)
		defer p.deaf.Store(false)
		return p.sleep(time.Duration(number) * time.Millisecond)
	case "stay":
		p.stays.Store(true)
	case "wait":
		return p.sleep(time.Hour)
	case "news":
		for range number {
			select {
			case <-p.killed:
				return false
			case m := <-p.in:
				p.note(newsOf(m))
			case <-time.After(10 * time.Minute):
				p.note("none")
			}
		}
	default:
		p.hear(message{verb: says[verb]})
	}
	return true
}

// newsOf is the line that a host of serve writes for the same message.
func newsOf(m message) string {
	verb := map[byte]string{verbPut: "+", verbDrop: "-", verbGo: "go", verbRefused: "refused", verbHandOver: "handover"}[m.verb]
	if m.text != "" {
		m.text = ":" + strings.ReplaceAll(m.text, " ", "_")
	}
	return fmt.Sprintf("%s%d%s", verb, append(m.names, 0)[0], m.text)
}

// serveFakes is serve with such processes. Signals come at their times.
func serveFakes(t *testing.T, f *fakes, signals map[time.Duration]os.Signal) (code int, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		given := make(chan os.Signal, len(signals))
		f.began = time.Now()
		for at, sig := range signals {
			time.AfterFunc(at, func() { given <- sig })
		}
		h := newHolder(Options{Program: "new", Signals: given, Started: func(int) error { return nil }, Log: func(format string, args ...any) {
			f.lines = append(f.lines, fmt.Sprintf(format, args...))
			t.Logf("%8v %s", time.Since(f.began), f.lines[len(f.lines)-1])
		}})
		h.launcher = f
		if f.beat > 0 {
			h.good, h.beat = 0, f.beat
		}
		code, err = h.serve("old")
	})
	return code, err
}
