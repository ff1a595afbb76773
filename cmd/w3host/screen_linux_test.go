package main

import (
	"context"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"w3host/bots"
	"w3host/internal/testkit"
)

// resize gives the terminal another size.
func (p *pty) resize(columns, rows int) {
	p.t.Helper()
	p.mu.Lock()
	p.vt.Resize(columns, rows)
	p.mu.Unlock()
	conn, err := p.master.SyscallConn()
	if err != nil {
		p.t.Fatal(err)
	}
	if control := conn.Control(func(fd uintptr) {
		err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(columns), Row: uint16(rows)})
	}); control != nil || err != nil {
		p.t.Fatal(control, err)
	}
}

// rows are the lines on the screen, without spaces at their ends.
func (p *pty) rows() (rows []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.visible()
}

// watchRows has f see the screen after each piece that is written; nil ends it.
func (p *pty) watchRows(f func(rows []string)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.each = f
}

func (p *pty) visible() (rows []string) {
	for row := range strings.Lines(p.vt.String()) {
		rows = append(rows, strings.TrimRight(row, " \n"))
	}
	return rows
}

// indent matches where a line may begin: at the margin, or where the host indents it.
var indent = regexp.MustCompile(`^( {2}| {4}| {10})?[^ ]`)

// tidy notes lines that begin elsewhere.
func (p *pty) tidy() {
	for _, row := range p.visible() {
		if row != "" && !indent.MatchString(row) && len(p.astray) < 10 {
			p.astray = append(p.astray, row)
		}
	}
}

// awaitRow waits for a row of the screen.
func (p *pty) awaitRow(pattern string) {
	p.t.Helper()
	re := regexp.MustCompile(pattern)
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		rows := p.rows()
		for _, row := range rows {
			if re.MatchString(row) {
				return
			}
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("no row shows %s:\n%s", pattern, strings.Join(rows, "\n"))
		}
	}
}

// serve starts w3host in the foreground of the terminal and returns where it listens.
func (p *pty) serve(slave *os.File, dir string, args ...string) (addr string, cmd *exec.Cmd) {
	p.t.Helper()
	cmd = processCommand(p.t, dir, append([]string{"--listen", "127.0.0.1:0", "--lan=false"}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.Env = append(cmd.Env, p.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = cmd.Process.Kill() })
	addr = p.await(`on (127\.0\.0\.1:\d+)`)
	return addr, cmd
}

// Two hundred log lines neither move each other to the right nor touch the line that is
// being typed; they are as wide as the terminal, also after it was resized.
func TestConsoleOnAScreen(t *testing.T) {
	t.Parallel()
	p, slave := openPTY(t)
	addr, cmd := p.serve(slave, t.TempDir(), "--log-level", "debug", "--autostart", "-1")
	visit := func(n int) { // each visitor is a debug line
		t.Helper()
		for range n {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = conn.Write([]byte("not the game's protocol, so that the host says goodbye"))
			_ = conn.Close()
			p.await("(connection closed)")
		}
	}
	p.press("w nobody 这一行 no")
	p.awaitRow(`^> w nobody 这一行 no$`)
	visit(100)
	p.awaitRow(`^> w nobody 这一行 no$`)
	p.resize(50, 24)
	visit(100)
	p.awaitRow(`^> w nobody 这一行 no$`)
	widest := 0
	for _, row := range p.rows() {
		widest = max(widest, len(row))
	}
	if widest < 35 || widest > 50 {
		t.Errorf("the widest row has %d columns of 50:\n%s", widest, strings.Join(p.rows(), "\n"))
	}
	p.resize(80, 24)
	p.press("body here\r")
	p.awaitRow(`^[^>].*nobody 这一行 nobody`)
	for _, row := range p.astray {
		t.Errorf("a line begins in the middle: %q", row)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// What people type at the console is understood: help in columns, Tab lists, words of
// other programs; the log does not repeat the commands.
func TestConsoleManners(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	maps, _ := mapFolder(t)
	p, slave := openPTY(t)
	p.env = []string{"W3HOST_MAPS_DIR=" + maps}
	_, cmd := p.serve(slave, dir, "--autostart", "-1")
	p.awaitRow(`is open: 10 slots`)
	p.resize(80, 40) // the list has more than 24 rows
	for _, word := range []string{"help", "?", "!help"} {
		p.press("\x0c" + word + "\r") // on an empty screen
		p.awaitRow(`^help COMMAND explains one`)
		for _, want := range []string{`^The host:$`, `^  help +eg +hostsave `, `^A running game \(eg ID COMMAND\):$`} {
			p.awaitRow(want)
		}
	}
	p.press("\x0chost \t")
	p.awaitRow(`^.*one\.w3x +two\.w3x`)
	p.awaitRow(`^> host$`)
	p.press("tw\t second\r")
	p.awaitRow(`Lobby #2 "second" is open: two.w3x`)
	p.press("unhost \t2\r")
	p.awaitRow(`Lobby #2 is closed.`)
	if text := strings.Join(p.rows(), "\n"); strings.Contains(text, "by=console") || strings.Contains(text, "  command") {
		t.Errorf("the log repeats commands:\n%s", text)
	}
	for _, row := range p.astray {
		t.Errorf("a line begins in the middle: %q", row)
	}
	p.press("quit\r")
	p.await(`(The host is shutting down\.)`)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// SIGHUP reloads, also where there is a console; the first Ctrl-C names the games that
// it would end, the second ends them.
func TestConsoleSignals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, slave := openPTY(t)
	addr, cmd := p.serve(slave, dir, "--autostart", "2")
	p.awaitRow(`is open: 10 slots`)
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	p.awaitRow(`have been reloaded`)
	p.awaitRow(`#2 lobby "w3host game #2" is open`) // the empty one was opened again
	played := make(chan bots.Report, 1)
	go func() {
		report, err := bots.Run(context.Background(), bots.Options{
			Addr: addr, GameID: 2, Players: 2, Play: time.Minute, LoadTime: 100 * time.Millisecond, NoStart: true,
		})
		if err != nil {
			t.Error(err)
		}
		played <- report
	}()
	p.awaitRow(`#2 all have loaded`)
	p.press("half a li\x03")
	p.awaitRow(`^This would end 1 game with 2 players: #2 "w3host game #2"`)
	p.awaitRow(`^> half a li$`)
	select {
	case report := <-played:
		t.Fatalf("the first Ctrl-C has ended the game: %v", report.Outcomes)
	case <-time.After(500 * time.Millisecond):
	}
	p.press("\x03")
	if report := <-played; report.Outcomes[bots.OutcomeEnded] != 2 {
		t.Errorf("%v %v", report.Outcomes, report.Faults)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the second Ctrl-C: %v", err)
	}
	testkit.Eventually(t, "what was typed is gone", func() bool {
		rows := strings.TrimSpace(strings.Join(p.rows(), "\n"))
		return strings.HasSuffix(rows, "w3host has stopped")
	})
}

// A host whose terminal is closed stops.
func TestConsoleIsGone(t *testing.T) {
	t.Parallel()
	p, slave := openPTY(t)
	_, cmd := p.serve(slave, t.TempDir())
	p.awaitRow(`is open: 10 slots`)
	_ = slave.Close()
	_ = p.master.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
