package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hinshun/vt10x"
	"golang.org/x/sys/unix"

	"w3host/bots"
	"w3host/internal/testkit"
)

// pty is a terminal with a program in its foreground.
type pty struct {
	t      *testing.T
	master *os.File
	env    []string // further variables of the program

	mu     sync.Mutex
	screen strings.Builder
	vt     vt10x.Terminal // what a person sees
	astray []string       // lines that began where none should; see tidy
	each   func([]string) // sees the screen after each piece that was written; nil: nobody does
}

// openPTY makes a terminal; slave is the program's side.
func openPTY(t *testing.T) (p *pty, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here:", err)
	}
	t.Cleanup(func() { _ = master.Close() })
	conn, err := master.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	number := 0
	err = conn.Control(func(fd uintptr) {
		if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err == nil {
			number, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	p = &pty{t: t, master: master, vt: vt10x.New(vt10x.WithSize(80, 24))}
	p.resize(80, 24)
	go func() { // ends with the terminal
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			p.mu.Lock()
			p.screen.Write(buf[:n])
			_, _ = p.vt.Write(buf[:n]) // never fails
			p.tidy()
			if p.each != nil {
				p.each(p.visible())
			}
			p.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return p, slave
}

func (p *pty) press(keys string) {
	p.t.Helper()
	if _, err := p.master.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// await waits until the screen shows a pattern behind what it showed before, and
// returns its group.
func (p *pty) await(pattern string) (group string) {
	p.t.Helper()
	re := regexp.MustCompile(pattern)
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		p.mu.Lock()
		all := p.screen.String()
		at := re.FindStringSubmatchIndex(all)
		if at != nil {
			p.screen.Reset()
			p.screen.WriteString(all[at[1]:])
		}
		p.mu.Unlock()
		if at != nil {
			return all[at[len(at)-2]:at[len(at)-1]]
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("the terminal does not show %s:\n%q", pattern, all)
		}
	}
}

// The console drives the host on a terminal: commands with completion and history,
// answers above the line that is typed; Ctrl-D does nothing, Ctrl-C stops the host
// and gives the terminal back.
func TestConsoleOnATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	maps, _ := mapFolder(t)
	p, slave := openPTY(t)
	before, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	cmd := processCommand(t, dir, "--listen", "127.0.0.1:0", "--lan=false", "--autostart", "-1", "--map", filepath.Join(maps, "one.w3x"))
	cmd.Env = append(cmd.Env, "W3HOST_MAPS_DIR="+maps, "NO_COLOR=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	addr := p.await(`hosting on (\S+)`)
	p.await(`lobby "w3host game" is open`)
	p.press("gam\ts\r") // games and game begin alike
	p.await(`#1 "w3host game": lobby, 0 of 10, one.w3x`)
	p.press("host two \"\x7fsecond one\r") // the quote is rubbed out
	p.await(`Lobby #2 "second one" is open: two.w3x`)
	p.press("eg 2 clo\talla\x7fl\r")
	p.press("\x1b[A\r") // once more
	p.press("unh\t2\r")
	p.await("Lobby #2 is closed.")
	p.press("nonsense\r")
	p.await(`There is no command "nonsense"`)
	// A lobby from its creation to the end of its game.
	p.press("host two from the console\r")
	id := p.await(`Lobby #(\d+) "from the console" is open: two.w3x`)
	played := make(chan bots.Report, 1)
	go func() {
		number, _ := strconv.ParseUint(id, 10, 32)
		report, err := bots.Run(context.Background(), bots.Options{
			Addr: addr, GameID: uint32(number), Players: 2, Play: time.Minute, LoadTime: 100 * time.Millisecond, NoStart: true,
		})
		if err != nil {
			t.Error(err)
		}
		played <- report
	}()
	for joined := false; !joined; time.Sleep(50 * time.Millisecond) {
		p.press("game " + id + "\r")
		joined = p.await(`"from the console": lobby, (\d) of`) == "2"
	}
	p.press("eg " + id + " start now\r")
	p.await("#" + id + " all have loaded")
	p.press("eg " + id + " end\r")
	p.await("#" + id + " over")
	if report := <-played; report.FaultCount > 0 || report.Outcomes[bots.OutcomeEnded] != 2 {
		t.Errorf("%v %v", report.Outcomes, report.Faults)
	}
	p.press("\x04")
	p.await("type exit to stop the host")
	p.press("half a line\x03")
	if err := cmd.Wait(); err != nil {
		t.Errorf("Ctrl-C: %v", err)
	}
	if after, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS); err != nil || *after != *before {
		t.Errorf("the terminal is not as it was: %+v, was %+v, %v", after, before, err)
	}
	_ = slave.Close()
	storedGame(t, dir, "from the console", 2, "stopped")
}

// Without a terminal the console reads lines.
func TestConsoleReadsLines(t *testing.T) {
	t.Parallel()
	cmd := processCommand(t, t.TempDir(), "--listen", "127.0.0.1:0", "--lan=false")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out testkit.Log
	cmd.Stderr = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	out.Await(t, `(lobby open)`)
	fmt.Fprint(in, "\ndisable\nexit\n")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"No new lobbies will be opened.\n", "The host is shutting down.\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, out.String())
		}
	}
}
