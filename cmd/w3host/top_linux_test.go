package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"w3host/bots"
	"w3host/control"
	"w3host/internal/terminal"
	"w3host/internal/testkit"
)

const steeringName = "\x1b[2J\x1b]0;owned\a\u202eevil\u2066"

// manyGames are a thousand, some with names that would like to steer the terminal.
func manyGames(n int) (games []control.Game) {
	for id := range n {
		g := control.Game{ID: uint32(id + 1), Name: fmt.Sprintf("game %d", id+1), Map: "map.w3x", State: "running", Stage: "playing", Since: time.Now(), Slots: 10, Players: []control.Player{}}
		if id%7 == 0 {
			g.Name, g.Map = steeringName, "回声群岛回声群岛回声群岛"+steeringName
			g.Players = append(g.Players, control.Player{Name: steeringName, PingMS: 40})
		}
		if id%10 == 0 {
			g.State, g.Stage, g.Waits = "lobby", "lobby", "Waiting for 2 more players."
		} else {
			g.LateMS = &control.Late{Turns: 10, Median: 0.2, Max: float64(id)}
		}
		games = append(games, g)
	}
	return games
}

// A host answers on a socket with games, until it is told to be silent.
func gamesSocket(t *testing.T, games []control.Game, silent *atomic.Bool) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() { // ends with the listener
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			var order control.Order
			if err := json.NewDecoder(conn).Decode(&order); err == nil && !silent.Load() {
				_ = json.NewEncoder(conn).Encode(control.Answer{Data: games})
			}
			_ = conn.Close()
		}
	}()
	return path
}

// top starts w3host top in the foreground of the terminal.
func (p *pty) top(slave *os.File, args ...string) *exec.Cmd {
	p.t.Helper()
	cmd := processCommand(p.t, p.t.TempDir(), append([]string{"top"}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd
}

// A thousand games scroll at 80 by 24 and 200 by 60 without a row that is empty for a
// moment, no name steers the terminal, and the terminal is left as it was.
func TestTopOnAScreen(t *testing.T) {
	t.Parallel()
	var silent atomic.Bool
	path := gamesSocket(t, manyGames(1000), &silent)
	p, slave := openPTY(t)
	before, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	cmd := p.top(slave, "--socket", path)
	p.awaitRow(`^w3host top .* lobbies 100   games 900   players 143$`)
	p.awaitRow(`^    1|^1 .*\\u001b\[2J`)
	p.awaitRow(`^sorted by STATE`)
	p.awaitRow(`Waiting for 2 m…$`)
	holes := make(chan string, 1)
	p.watchRows(func(rows []string) {
		for i, row := range rows {
			if row == "" || strings.Contains(row, "\x1b") {
				select {
				case holes <- fmt.Sprintf("row %d of:\n%s", i, strings.Join(rows, "\n")):
				default:
				}
			}
		}
	})
	p.press("sssss") // by lateness: PLAYERS, AGE, LATE, PING, #
	p.awaitRow(`^sorted by #`)
	for range 60 {
		p.press("\x1b[6~")
	}
	p.awaitRow(`^1000 +playing .* 999\.0 `)
	p.press("\x1b[1~\x1b[B\x1b[B")
	p.awaitRow(`^1 `)
	p.press("ssss") // STATE, PLAYERS, AGE, LATE
	p.awaitRow(`^sorted by LATE`)
	p.press("\x1b[H")
	p.awaitRow(`^1000 `)
	p.press("r\x1b[H")
	p.awaitRow(`^991 .*lobby`)
	p.press("r\x1b[H")
	select {
	case hole := <-holes:
		t.Error("a row was empty while games were scrolled:", hole)
	default:
	}
	p.watchRows(nil)
	p.resize(200, 60)
	p.awaitRow(`^#.*NAME {20,}MAP {20,}WAITS FOR$`)
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		rows := p.rows()
		if len(rows) == 60 && strings.HasPrefix(rows[59], "sorted by") && strings.Contains(rows[58], "playing") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("at 200 by 60:\n%s", strings.Join(rows, "\n"))
		}
	}
	p.resize(40, 10)
	p.awaitRow(`^# +STATE +PLAYERS +NAME$`)
	p.press("s\x1b[H\r") // by ping: the first has a player
	p.resize(80, 24)
	p.awaitRow(`^PLAYER +PING`)
	p.awaitRow(`\\u001b\[2J.*40`)
	p.press("c")
	p.awaitRow(`^Chat or !command to #\d+: ▏`)
	p.press("!kick 回\r")
	p.awaitRow(`^Send "kick 回" to #\d+\? y yes`)
	p.press("y")
	p.awaitRow(`^Done\.$`)
	silent.Store(true)
	p.awaitRow(`^No answer: no host answers at`)
	p.press("q")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	testkit.Eventually(t, "the cursor is shown again", func() bool { // what was written at the end is still on its way
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.vt.CursorVisible()
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	if title := p.vt.Title(); title != "" {
		t.Errorf("a name has set the title: %q", title)
	}
	if after, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS); err != nil || *after != *before {
		t.Errorf("the terminal is not as it was: %+v, was %+v, %v", after, before, err)
	}
}

// A signal leaves the terminal as it was, too.
func TestTopIsEnded(t *testing.T) {
	t.Parallel()
	path := gamesSocket(t, manyGames(3), new(atomic.Bool))
	p, slave := openPTY(t)
	before, _ := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	fmt.Fprint(slave, "what was there\r\n")
	p.awaitRow(`^what was there$`)
	cmd := p.top(slave, "--socket", path)
	p.awaitRow(`lobbies 1 `)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	p.awaitRow(`^what was there$`)
	if after, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS); err != nil || *after != *before {
		t.Errorf("the terminal is not as it was: %+v, was %+v, %v", after, before, err)
	}
}

// Of a host with a lobby and a running game, the socket and the API tell the same: what the
// lobby waits for, how late turns are.
func TestTopOfAHost(t *testing.T) {
	dir := t.TempDir()
	h := startProcess(t, dir, "--listen", "127.0.0.1:0", "--lan=false", "--autostart", "2")
	said, _ := h.await("web console (one-time login link)")["message"].(string)
	window := regexp.MustCompile(`http://[^/]+`).FindString(said)
	h.await("lobby open")
	ctx, stop := context.WithCancel(t.Context())
	played := make(chan error, 1)
	go func() {
		_, err := bots.Run(ctx, bots.Options{Addr: h.addr, GameID: 1, Players: 2, Play: time.Minute, LoadTime: 100 * time.Millisecond, NoStart: true})
		played <- err
	}()
	defer func() { stop(); <-played }()
	t.Setenv("W3HOST_HOST_DATA_DIR", filepath.Join(dir, "data"))
	code, token, errs := shell(t, "web", "token", "add", "top", "--role", "viewer")
	if code != exitOK {
		t.Fatal(errs)
	}
	file := filepath.Join(dir, "token")
	write(t, file, token)
	for _, args := range [][]string{{"top"}, {"top", "--url", window, "--token-file", file}} {
		want := regexp.MustCompile(`(?s)^# +STATE .*1 +playing +2/\d+ +\S+ +\d+\.\d.*2 +lobby +0/\d+ .*Waiting for 2 more players\.\n$`)
		for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
			code, out, errs := shell(t, args...)
			if code == exitOK && want.MatchString(out) {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s: %d %s%s", args, code, out, errs)
			}
		}
	}
	for who, o := range map[string]topOptions{"": {file: ""}, "viewer": {url: window, tokenFile: file}} {
		host, err := o.source()
		if err != nil {
			t.Fatal(err)
		}
		lines, err := host.order(t.Context(), topOrder{1, "say hello"})
		if (err != nil) != (who == "viewer") {
			t.Errorf("an order of %q: %q, %v", who, lines, err)
		}
	}
	for _, args := range [][]string{{"top", "--once"}, {"top", "--json"}} {
		if code, out, errs := shell(t, args...); code != exitOK || !strings.Contains(out, "w3host game") {
			t.Errorf("%s: %d %s%s", args, code, out, errs)
		}
	}
	for line, want := range map[string]string{
		"top --socket " + filepath.Join(dir, "none"):                          "w3host top: no host answers at ",
		"top --url " + window:                                                 "w3host top: --url needs --token-file",
		"top --url ftp://x --token-file x":                                    `w3host top: --url "ftp://x": must be http:// or https://`,
		"top --url " + window + " --token-file " + filepath.Join(dir, "none"): "no such file",
		"top --url " + window + " --token-file /dev/null":                     "401 Unauthorized this needs a login or a token",
		"top --token-file x":                                                  "--token-file needs --url",
		"top --url x --socket y":                                              "use either --url or --socket",
	} {
		if code, _, errs := shell(t, strings.Fields(line)...); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: %d %s", line, code, errs)
		}
	}
}

// Every size has as many lines as it has, none wider.
func TestTopFits(t *testing.T) {
	s := topScreen{now: time.Now(), sort: byStage}
	for _, games := range [][]control.Game{nil, manyGames(30)} {
		s.update(games, nil)
		for _, keys := range []string{"end", "enter", "esc"} {
			s.press(keys)
			for s.width = 2; s.width < 210; s.width += 3 {
				for s.height = 1; s.height < 40; s.height += 4 {
					lines := s.lines()
					if len(lines) != s.height {
						t.Fatalf("%d lines in %d", len(lines), s.height)
					}
					for _, line := range lines {
						if terminal.Columns(line.text) >= s.width {
							t.Fatalf("%d by %d: %q", s.width, s.height, line.text)
						}
					}
				}
			}
		}
	}
}

// No name steers the terminal or turns others round: what is no letter is shown as what it is.
func TestTopShowsHostileNames(t *testing.T) {
	for _, name := range testkit.Hostile() {
		sent, _ := json.Marshal(name)
		_ = json.Unmarshal(sent, &name) // as it comes
		g := control.Game{ID: 1, Name: name, Map: name, Entry: name, State: "lobby", Waits: name, Players: []control.Player{{Name: name, Realm: name, Address: name}}}
		for _, width := range []int{80, 200} {
			s := topScreen{now: time.Now(), sort: byStage, width: width, height: 24}
			s.update([]control.Game{g}, nil)
			for _, key := range []string{"end", "enter"} {
				s.press(key)
				for _, line := range s.lines() {
					if terminal.Columns(line.text) >= width || !utf8.ValidString(line.text) ||
						strings.ContainsFunc(line.text, func(r rune) bool { return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) }) {
						t.Errorf("%q at %d: %q", name, width, line.text)
					}
				}
			}
		}
	}
}

func TestTopKeys(t *testing.T) {
	for sent, want := range map[string]string{
		"\x1b[A": "up", "\x1bOB": "down", "\x1b[5~\x1b[6~": "pgup pgdn", "\x1b": "esc", "\r": "enter", "qs": "q s",
		"\x1b[1;5Aq": " q", "\x1b[15~q": " q", "\x1b[": "", "\x03": "ctrl-c",
	} {
		var keys []string
		for rest := sent; rest != ""; {
			var key string
			key, rest = keyOf(rest)
			keys = append(keys, key)
		}
		if got := strings.Join(keys, " "); got != want {
			t.Errorf("%q: %q, want %q", sent, got, want)
		}
	}
}

// What is typed at the bottom: a filter, chat, and commands, which are asked about first.
func TestTopTyped(t *testing.T) {
	s := topScreen{now: time.Now(), sort: byNumber, width: 100, height: 24}
	games := manyGames(30)
	games[4].Stage, games[9].Players = "lagging", []control.Player{{Name: "Rook", PingMS: 400}}
	s.update(games, nil)
	press := func(keys ...string) {
		t.Helper()
		for _, key := range keys {
			if !s.press(key) {
				t.Fatalf("%q ends it", key)
			}
		}
	}
	last := func() string { lines := s.lines(); return lines[len(lines)-1].text }
	letters := func(text string) []string { return strings.Split(text, "") }

	press("/")
	press(letters("rOOkq")...)
	press("backspace")
	if len(s.games) != 1 || s.games[0].ID != 10 || s.selected != 10 || !strings.Contains(last(), "rOOk") {
		t.Errorf("a player is looked for: %d games, #%d, %q", len(s.games), s.selected, last())
	}
	press("enter")
	s.update(games, nil) // a second later
	if len(s.games) != 1 || !strings.Contains(s.lines()[0].text, "games 27   players 6   shown 1") {
		t.Errorf("%d games, %q", len(s.games), s.lines()[0].text)
	}
	press("/", "esc", "p")
	var bad []uint32
	for i := range s.games {
		bad = append(bad, s.games[i].ID)
	}
	if fmt.Sprint(bad[:2], len(bad)) != "[5 10] 11" { // and those that are late by 20 ms and more
		t.Errorf("in trouble: %v", bad)
	}
	press("p", "home", "enter", "c")
	press(letters("hi 回")...)
	if press("enter"); !s.typed.given || s.typed.order != (topOrder{1, "say hi 回"}) {
		t.Errorf("chat: %+v", s.typed)
	}
	s.typed.given = false
	press("x")
	press(letters("rook")...)
	if press("enter"); s.typed.given || last() != `Send "kick rook" to #1? y yes, any other key no` {
		t.Errorf("a kick: %+v, %q", s.typed, last())
	}
	if press("n"); s.typed.given {
		t.Error("a kick that was not wanted is given")
	}
	press("d")
	if press("y"); !s.typed.given || s.typed.order != (topOrder{1, "drop"}) {
		t.Errorf("a drop: %+v", s.typed)
	}
	if s.answered([]string{"nobody\x1b[2J lags"}, nil); strings.Contains(last(), "\x1b") || !strings.Contains(last(), "lags") {
		t.Errorf("the answer: %q", last())
	}
	for _, what := range []string{"/", "c", "x", "d"} { // the keys of lists are letters then
		if press(what, "esc"); s.typed.what != notTyping {
			t.Errorf("%s does not end", what)
		}
	}
}
