//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var restarts = flag.Int("restarts", 20, "how often a host is started in TestNothingLeaks")

// asHost makes the test binary a host that does what its value says.
const asHost = "HOLD_TEST_HOST"

// asHolder makes the test binary a supervisor of such hosts; its value is the socket of the fdstore.
const asHolder = "HOLD_TEST_FDSTORE"

func TestMain(m *testing.M) {
	if socket := os.Getenv(asHolder); socket != "" {
		_ = os.Unsetenv(asHolder)
		code, err := Serve(Options{
			FDStore: socket, Started: func(int) error { return nil },
			Command: func(program string) *exec.Cmd { return exec.Command(program) },
			Log:     func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) },
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(code)
	}
	if do := os.Getenv(asHost); do != "" {
		host(do, os.Getenv("HOLD_TEST_FILE"))
	}
	os.Exit(m.Run())
}

// host says what it was given, and goes on as it is told: words for its first start, its
// second and so on; the last holds for all further ones.
func host(do, file string) {
	s, err := Open()
	if err != nil {
		fmt.Println(err)
		os.Exit(9)
	}
	holder := s.(*client)
	seen, _ := os.ReadFile(file)
	runs := strings.Split(do, ";")
	n := strings.Count(string(seen), "\n")
	if next := os.Getenv("HOLD_TEST_NEXT"); next != "" && s.StandsBy() {
		do = next
		runs, n = []string{do}, 0
	}
	note, _ := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	fmt.Fprintln(note, len(holder.left))
	for word := range strings.FieldsSeq(runs[min(n, len(runs)-1)]) {
		verb, rest, _ := strings.Cut(word, ":")
		number, _ := strconv.Atoi(rest)
		switch verb {
		case "put": // so many descriptors, with something in each
			for i := range number {
				mem, err := holder.Memory("test", 100)
				if err == nil {
					mem.SetWord(1, uint64(i))
					err = holder.put(Name(i+1), mem.FD())
				}
				if err != nil {
					fmt.Fprintln(note, err)
				}
				_ = mem.Close()
			}
		case "has":
			for name, fd := range holder.left {
				if mem, err := holder.Map(fd); err != nil || mem.Word(1) != uint64(name-1) {
					fmt.Fprintln(note, "wrong", name, err)
				}
			}
		case "drop":
			holder.Drop(Name(number))
		case "serve":
			holder.Serving()
		case "end":
			holder.Ending()
		case "pause":
			time.Sleep(time.Duration(number) * time.Millisecond)
		case "upgrade":
			if err := holder.Upgrade(os.Getenv("HOLD_TEST_PATH")); err != nil {
				fmt.Fprintln(note, err)
			}
		case "standby":
			holder.KeepStandby()
		case "ready":
			holder.Ready(true)
		case "news": // until so many have come; put and drop are counted
			for range number {
				e := <-holder.News()
				fmt.Fprintf(note, "%s%d", map[Verb]string{Held: "+", Dropped: "-", GoOn: "go", Refused: "refused", HandOver: "handover"}[e.Verb], e.Name)
				if e.Why != "" {
					fmt.Fprintf(note, ":%s", strings.ReplaceAll(e.Why, " ", "_"))
				}
				fmt.Fprintln(note)
			}
		case "done":
			_ = holder.Done()
		case "wait":
			time.Sleep(time.Hour)
		case "kill":
			_ = unix.Kill(os.Getpid(), unix.SIGKILL)
		case "exit":
			os.Exit(number)
		}
	}
	os.Exit(0)
}

// put has patience: the tests put more at once than a host does.
func (s *client) put(name Name, fd int) error {
	for {
		err := s.Put(name, fd)
		if err != unix.EAGAIN {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

// serve holds for such hosts until one ends; it returns what each was given.
func serve(t *testing.T, do string, signals chan os.Signal, env ...string) (code int, given []string, err error) {
	t.Helper()
	file := t.TempDir() + "/given"
	h := newHolder(Options{
		Program: "/proc/self/exe",
		Signals: signals,
		Started: func(int) error { return nil },
		Command: func(program string) *exec.Cmd {
			cmd := exec.Command(program)
			cmd.Env = append(os.Environ(), asHost+"="+do, "HOLD_TEST_FILE="+file)
			cmd.Env = append(cmd.Env, env...)
			return cmd
		},
		Log: t.Logf,
	})
	h.good, h.beat = 0, 200*time.Millisecond
	h.launcher = &system{command: h.Command}
	code, err = h.serve("/proc/self/exe")
	text, _ := os.ReadFile(file)
	return code, strings.Fields(string(text)), err
}

func TestServe(t *testing.T) {
	for name, c := range map[string]struct {
		do    string
		code  int
		given string
	}{
		"a host that never served is not started again":   {"put:1 exit:3", 3, "0"},
		"one that served is, whatever its code":           {"put:2 serve exit:2;end exit:7", 7, "0 2"},
		"one that ends in order is not":                   {"put:1 serve end exit:0", 0, "0"},
		"what fails later is tried again, with a pause":   {"put:1 serve kill;exit:1;exit:1;end exit:5", 5, "0 1 1 1"},
		"what is put under a name again replaces the old": {"put:3 put:3 serve kill;end", 0, "0 3"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakes{do: c.do, beat: time.Second}
			code, err := serveFakes(t, f, nil)
			if err != nil || code != c.code || strings.Join(f.given, " ") != c.given {
				t.Errorf("exit code %d, given %v, %v", code, f.given, err)
			}
		})
	}
}

// A real process that was killed is replaced by one that has everything that it held.
func TestServeProcess(t *testing.T) {
	code, given, err := serve(t, "put:2000 serve kill;has drop:1 serve kill;has end", nil)
	if err != nil || code != 0 || strings.Join(given, " ") != "0 2000 1999" {
		t.Errorf("exit code %d, given %v, %v", code, given, err)
	}
}

// SIGTERM is passed on, and the host that it ends is the last.
func TestSignals(t *testing.T) {
	signals := make(chan os.Signal, 1)
	signals <- syscall.SIGTERM
	if code, given, err := serve(t, "serve wait", signals); code != -1 || len(given) > 1 || err != nil {
		t.Errorf("exit code %d, given %v, %v", code, given, err)
	}
}

// A holder keeps nothing of hosts that are gone.
func TestNothingLeaks(t *testing.T) {
	_, _, _ = serve(t, "end", nil) // what the runtime opens once, it has opened then
	before := openFiles(t)
	do := strings.Repeat("put:20 serve kill;", *restarts) + "end"
	_, given, err := serve(t, do, nil)
	if n := len(given); err != nil || n != *restarts+1 || given[n-1] != "20" {
		t.Fatalf("%d hosts were given %v, %v", len(given), slices.Compact(given), err)
	}
	after := openFiles(t)
	for range 1000 { // the socket of the last host is closed behind the report of its end
		if after <= before {
			return
		}
		time.Sleep(time.Millisecond)
		after = openFiles(t)
	}
	t.Errorf("%d descriptors, %d before", after, before)
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// The counts are those of the process in each state that a connection comes to.
func TestCount(t *testing.T) {
	if err := checkCounts(); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for state, end := range map[string]func(client, host *net.TCPConn){
		"open":             func(_, _ *net.TCPConn) {},
		"client has left":  func(client, _ *net.TCPConn) { _ = client.CloseWrite() },
		"host has closed":  func(_, host *net.TCPConn) { _ = host.CloseWrite() },
		"both, it is over": func(client, host *net.TCPConn) { _ = client.CloseWrite(); _ = host.CloseWrite() },
	} {
		client, err := net.Dial("tcp4", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		host, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		_, _ = client.Write(make([]byte, 500))
		_, _ = host.Read(make([]byte, 200))
		_, _ = host.Write(make([]byte, 70))
		end(client.(*net.TCPConn), host.(*net.TCPConn))
		raw, _ := host.(*net.TCPConn).SyscallConn()
		want, c := Counts{Read: 200, Written: 70}, Counts{}
		for range 1000 { // the end of a stream takes its time
			_ = raw.Control(func(fd uintptr) { c, err = count(int(fd)) })
			if c.Over && strings.HasSuffix(state, "over") {
				c = want // nobody asks how far it had come
			}
			if c == want && err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if c != want {
			t.Errorf("%s: %+v, %v", state, c, err)
		}
		_, _ = client.Close(), host.Close()
	}
}

// Memory that is full says so, and what was stored is there for whoever maps it.
func TestMemory(t *testing.T) {
	s := new(client)
	m, err := s.Memory("test", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if !m.Store(1<<20-headLen-4, []byte("last")) || m.Store(1<<20, []byte("x")) {
		t.Error("the end is elsewhere")
	}
	m.SetWord(511, 7)
	fd, _ := unix.Dup(m.FD())
	other, err := s.Map(fd)
	if err != nil || other.Word(511) != 7 || string(other.Bytes()[1<<20-headLen-4:][:4]) != "last" {
		t.Errorf("%v", err)
	}
	if err := unix.Ftruncate(fd, 10); err == nil {
		t.Error("the memory can be made smaller")
	}
	_, _ = m.Close(), other.Close()
}

// The first process of a container inherits children. It takes note of their end, and
// leaves that of its host to who waits for it.
func TestReap(t *testing.T) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	parent := exec.Command("sh", "-c", "sleep 0 & echo $!")
	parent.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := parent.Output()
	if err != nil {
		t.Fatal(err)
	}
	own := exec.Command("true")
	if err := own.Start(); err != nil {
		t.Fatal(err)
	}
	orphan := "/proc/" + strings.TrimSpace(string(out))
	for range 5000 {
		reap()
		if _, err = os.Stat(orphan); err != nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err == nil {
		t.Error("nobody has taken note of the end of an orphan")
	}
	if err := own.Wait(); err != nil {
		t.Errorf("the end of a child that somebody waits for: %v", err)
	}
}
