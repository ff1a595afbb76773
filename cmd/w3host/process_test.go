package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"w3host/bots"
	"w3host/config"
	"w3host/internal/terminal"
	"w3host/internal/testkit"
)

// asProgram makes the test binary behave as w3host, so that tests run the real
// program with its signals and exit codes.
const asProgram = "W3HOST_TEST_RUN"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	terminal.Program = "w3host"
	_ = os.Setenv(config.EnvName("web.listen"), "127.0.0.1:0") // hosts of tests run side by side
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil { // they wait for other processes most of the time
		panic(err)
	}
	os.Exit(m.Run())
}

// write writes a file that a test needs.
func write[T string | []byte](t testing.TB, path string, text T) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// process is a running w3host.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	addr string

	mu    sync.Mutex
	lines []map[string]any
	said  chan struct{} // a line has come
	ended chan struct{} // the last has
}

// processCommand is w3host in dir, for tests that may start processes. As for env(1), W3HOST_X=value among args sets a variable.
func processCommand(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	needsProcess(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asProgram+"=1")
	for _, arg := range args {
		if strings.HasPrefix(arg, "W3HOST_") {
			cmd.Env = append(cmd.Env, arg)
		} else {
			cmd.Args = append(cmd.Args, arg)
		}
	}
	return cmd
}

// startProcess runs w3host in dir until the test ends and waits until it hosts.
func startProcess(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	return start(t, processCommand(t, dir, args...))
}

func start(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{t: t, cmd: cmd, said: make(chan struct{}, 1), ended: make(chan struct{})}
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		if t.Failed() {
			p.show()
		}
	})
	go p.listen(stderr) // ends with the process
	p.addr, _ = p.await("hosting")["listen"].(string)
	return p
}

func (p *process) listen(r io.Reader) {
	defer close(p.ended)
	scanner := bufio.NewScanner(r)
	for scanner.Scan() {
		line := map[string]any{}
		if json.Unmarshal(scanner.Bytes(), &line) != nil {
			line["message"] = scanner.Text()
		}
		p.mu.Lock()
		p.lines = append(p.lines, line)
		p.mu.Unlock()
		select {
		case p.said <- struct{}{}:
		default:
		}
	}
}

// show logs the end of what the program has said.
func (p *process) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	const most = 500
	for _, line := range p.lines[max(0, len(p.lines)-most):] {
		text, _ := json.Marshal(line)
		p.t.Logf("%s", text)
	}
}

// wait returns when the program has ended, with all that it has started, and what it has said is read.
func (p *process) wait() error {
	<-p.ended
	return p.cmd.Wait()
}

// await returns the first log line whose message contains the text.
func (p *process) await(text string) map[string]any {
	p.t.Helper()
	late := time.After(60 * time.Second)
	for seen := 0; ; {
		p.mu.Lock()
		lines := p.lines[seen:]
		seen = len(p.lines)
		p.mu.Unlock()
		for _, line := range lines {
			if message, _ := line["message"].(string); strings.Contains(message, text) {
				return line
			}
		}
		select {
		case <-p.said:
		case <-late:
			p.t.Fatalf("the program never said %q", text)
		}
	}
}

// The whole way of a first-time user, with the real program: it hosts, bots
// play, it is stopped in the middle of a game, and the game log knows of it.
func TestStopInTheMiddleOfAGame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := startProcess(t, dir, "--listen", "127.0.0.1:0", "--lan=false", "--autostart", "4")
	done := make(chan bots.Report, 1)
	go func() {
		report, err := bots.Run(context.Background(), bots.Options{
			Addr: p.addr, Players: 4, Play: time.Minute, LoadTime: 100 * time.Millisecond, NoStart: true,
		})
		if err != nil {
			t.Error(err)
		}
		done <- report
	}()
	p.await("all have loaded")
	time.Sleep(500 * time.Millisecond) // some turns

	began := time.Now() // the game would last a minute
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	if took := time.Since(began); took > testkit.Patience {
		t.Errorf("it took %v to stop", took)
	}
	report := <-done
	if report.Outcomes[bots.OutcomeEnded] != 4 || report.FaultCount > 0 {
		t.Errorf("players were not told: %v %v", report.Outcomes, report.Faults)
	}

	out, err := processCommand(t, dir, "game", "list", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(out, []byte(`"shutdown"`)) {
		t.Errorf("the game log does not say how the game ended:\n%s", out)
	}
}

// Every fault of the command line, the file and the environment is printed at
// once, and the exit code is 2.
func TestFaultsAreReportedTogether(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "w3host.toml")
	write(t, file, "[game]\nlatncy = \"80ms\"\n")
	cmd := processCommand(t, dir, "--config", file, "--latency", "5ms", "--autostart", "many")
	cmd.Env = append(cmd.Env, "W3HOST_LAN_PORT=0")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != exitUsage {
		t.Errorf("exit %v", err)
	}
	for _, want := range []string{
		`unknown key "game.latncy"; did you mean "game.latency"?`, "game.latency = 5ms: must be from 20ms to 500ms",
		"--autostart=many: write a whole number", "lan.port = 0: must be from 1 to 65535",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("missing %q in:\n%s", want, out)
		}
	}
	cmd = processCommand(t, dir, "--check", "--config", file)
	if again, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != exitUsage || !strings.Contains(string(again), "game.latncy") {
		t.Errorf("--check: exit %d:\n%s", cmd.ProcessState.ExitCode(), again)
	}
	cmd = processCommand(t, dir, "--check")
	if sound, err := cmd.Output(); err != nil || !strings.HasPrefix(string(sound), "The configuration has no faults.") {
		t.Errorf("--check without a fault: %v\n%s", err, sound)
	}
}

func TestPortInUse(t *testing.T) {
	p := startProcess(t, t.TempDir(), "--listen", "127.0.0.1:0", "--lan=false")
	cmd := processCommand(t, t.TempDir(), "--listen", p.addr, "--lan=false")
	out, _ := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != exitFailed || !strings.Contains(string(out), "choose another with --listen") {
		t.Errorf("exit %d:\n%s", cmd.ProcessState.ExitCode(), out)
	}
}

func TestUnknownMapAndCommand(t *testing.T) {
	for args, want := range map[string]string{
		"--map nowhere":   `lobby.map = \"nowhere\"`,
		"sevre":           `unknown command "sevre"`,
		"--listne 1":      "listne",
		"serve something": `unexpected argument "something"`,
	} {
		cmd := processCommand(t, t.TempDir(), strings.Fields(args)...)
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() == exitOK || !strings.Contains(string(out), want) {
			t.Errorf("%s: exit %d, want %q in:\n%s", args, cmd.ProcessState.ExitCode(), want, out)
		}
	}
}

// A database that is another program's is a mistake in the configuration: exit 2,
// after which systemd does not try again.
func TestForeignDatabase(t *testing.T) {
	dir := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, "other.db"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), "CREATE TABLE games (id integer)")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"serve --listen 127.0.0.1:0 --lan=false --database sqlite:other.db", "games --database sqlite:other.db"} {
		cmd := processCommand(t, dir, strings.Fields(line)...)
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != exitUsage || !strings.Contains(string(out), "is not w3host's") {
			t.Errorf("%s: exit %d:\n%s", line, cmd.ProcessState.ExitCode(), out)
		}
	}
	unit, err := os.ReadFile("../../deploy/w3host.service")
	if err != nil || !bytes.Contains(unit, []byte(fmt.Sprintf("RestartPreventExitStatus=%d %d\n", exitUsage, exitNoMap))) {
		t.Errorf("the unit restarts what is asked wrongly: %v", err)
	}
}

func TestMissingMaps(t *testing.T) {
	dir := t.TempDir()
	for args, want := range map[string]string{
		"--map echo":          "maps.dir = \\\"maps\\\", which is " + filepath.Join(dir, "maps") + ": no such file or directory); create the folder",
		"--map nope/echo.w3x": "there is no file " + filepath.Join(dir, "nope", "echo.w3x"),
		"--map .":             "is a folder: name a map in it",
	} {
		cmd := processCommand(t, dir, strings.Fields(args)...)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); !strings.Contains(string(out), want) || code != exitNoMap {
			t.Errorf("%s: exit %d, want %s in\n%s", args, code, want, out)
		}
	}
}
