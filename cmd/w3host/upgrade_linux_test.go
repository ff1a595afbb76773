package main

import (
	"bytes"
	"context"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"w3host/bots"
	"w3host/internal/fleetwatch"
	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
	"w3host/storage/storagetest"
)

// otherRules is a program that says something else in a countdown, as a new version may.
func otherRules(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	const said, other = "%d…", "%d.." + "." // of the countdown
	if !bytes.Contains(program, []byte(said)) {
		t.Fatalf("the program never says %q", said)
	}
	path := filepath.Join(t.TempDir(), "w3host")
	if err := os.WriteFile(path, bytes.ReplaceAll(program, []byte(said), []byte(other)), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "w3host")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// upgrade gives the order and returns the process that hosts then.
func upgrade(t *testing.T, dir, pidFile string, wantRefused string, path ...string) int {
	t.Helper()
	before, err := hostOf(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	out, err := processCommand(t, dir, append([]string{"ctl", "upgrade"}, path...)...).CombinedOutput()
	if wantRefused != "" {
		if err == nil || !strings.Contains(string(out), wantRefused) {
			t.Errorf("upgrade %v: %v, %s", path, err, out)
		}
		if now, err := hostOf(pidFile); now != before || err != nil {
			t.Errorf("after an upgrade that was refused %d hosts, and not %d (%v)", now, before, err)
		}
		return before
	}
	if err != nil || !strings.Contains(string(out), "Upgraded: the new version hosts") {
		t.Fatalf("upgrade %v: %v, %s", path, err, out)
	}
	now := before
	testkit.Eventually(t, "another process hosts", func() bool {
		now, err = hostOf(pidFile)
		return err == nil && now != before && processCommand(t, dir, "ctl", "games").Run() == nil
	})
	return now
}

// count is how often the program has said something.
func (p *process) count(text string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, line := range p.lines {
		if message, _ := line["message"].(string); strings.Contains(message, text) {
			n++
		}
	}
	return n
}

func runs(pid int) bool { return syscall.Kill(pid, 0) == nil }

// Another program goes on with the games, at the end of a turn. Those that it plays by other rules
// stay where they are; one that does not start is refused; and back again.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, pidFile := startHold(t, dir)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	done, leave := make(chan bots.Report, 1), make(chan struct{})
	go func() {
		report, err := bots.Run(t.Context(), bots.Options{
			Addr: p.addr, Players: 4, Games: 2, NoStart: true, OwnAddresses: true, LoadTime: 200 * time.Millisecond,
			Play: 10 * time.Minute, Leave: leave, ChatEvery: time.Second,
			Conduct: func(_, seat int) (c bots.Conduct) {
				switch seat {
				case 2:
					c.StallAfter, c.StallFor = 500*time.Millisecond, 2*time.Second
				case 3:
					c.LeaveAfter = 3 * time.Second
				}
				return c
			},
		})
		if err != nil {
			t.Error(err)
		}
		done <- report
	}()
	testkit.Eventually(t, "both games are played", func() bool { return p.count("all have loaded") == 2 })
	first, _ := hostOf(pidFile)
	second := upgrade(t, dir, pidFile, "")
	testkit.Eventually(t, "the first process has ended", func() bool { return !runs(first) })
	upgrade(t, dir, pidFile, "has ended before it was ready (exit code 3)", script(t, "exit 3"))
	upgrade(t, dir, pidFile, "no such file", filepath.Join(dir, "nowhere"))
	third := upgrade(t, dir, pidFile, "", otherRules(t))
	p.await("a game stays in the process before")
	if !runs(second) {
		t.Error("games of other rules have not stayed where they were")
	}
	upgrade(t, dir, pidFile, "", self)
	testkit.Eventually(t, "the processes before have ended", func() bool { return !runs(second) && !runs(third) })
	close(leave)

	report := <-done
	if !report.OK || report.ActionsSent != report.ActionsSeen || report.Outcomes[bots.OutcomeDropped]+report.Misbehaved[bots.OutcomeDropped] > 0 {
		t.Errorf("%s; %d of %d actions seen, %v, %v", report.Verdict(), report.ActionsSeen, report.ActionsSent, report.Outcomes, report.Faults)
	}
	t.Logf("%s; the longest interval is %v", report.Verdict(), report.Interval.Max)
	for _, wrong := range []string{"closed as crashed", "cannot be taken over", "cannot be made again", "are lost"} {
		if n := p.count(wrong); n > 0 {
			t.Errorf("the log says %d times that something is %s", n, wrong)
		}
	}
	stopHold(t, p)
	checkReplays(t, dir, 2)
	checkJournals(t, dir, 2)
	checkGameLog(t, dir, 2)
}

// A program that hangs is refused, and the host plays on; SIGUSR2 is the same order.
func TestUpgradeToAProgramThatHangs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, pidFile := startHold(t, dir)
	upgrade(t, dir, pidFile, "the new program hangs", script(t, "exec sleep 1000"))
	before, err := hostOf(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Process.Signal(syscall.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "another process hosts", func() bool {
		now, err := hostOf(pidFile)
		return err == nil && now != before && !runs(before)
	})
	p.await("the host was upgraded")
	stopHold(t, p)
}

// playOne returns when a game is played. The bots in it play on until leave is called, or the test ends.
func playOne(t *testing.T, p *process) (leave func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = bots.Run(ctx, bots.Options{Addr: p.addr, Players: 4, NoStart: true, OwnAddresses: true, Play: time.Minute})
	}()
	t.Cleanup(func() { cancel(); <-done })
	testkit.Eventually(t, "the game is played", func() bool { return p.count("all have loaded") == 1 })
	return cancel
}

// A game that stays in the process before is listed by the one that hosts, and can be ended there.
func TestGameThatStays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, pidFile := startHold(t, dir)
	playOne(t, p)
	first, _ := hostOf(pidFile)
	ctl := func(line, want string) {
		t.Helper()
		if out, _ := processCommand(t, dir, "ctl", line).CombinedOutput(); !strings.Contains(string(out), want) {
			t.Errorf("%s answers %s", line, out)
		}
	}
	if out, err := processCommand(t, dir, "ctl", "upgrade", otherRules(t)).CombinedOutput(); err != nil || !strings.Contains(string(out), "1 game stays in the old process to the end: #1") {
		t.Fatalf("upgrade: %v, %s", err, out)
	}
	p.await("a game stays in the process before")
	ctl("eg 1 end", "runs in the old process until it ends")
	testkit.Eventually(t, "the game is listed", func() bool {
		out, _ := processCommand(t, dir, "ctl", "games").Output()
		return strings.Contains(string(out), "game, 4 players") && strings.Contains(string(out), "in the old process")
	})
	ctl("exit nice", "will stop once 1 game has ended")
	time.Sleep(time.Second)
	if !runs(first) {
		t.Error("the host did not wait for the game that stays")
	}
	ctl("unhost 1", "will end game #1")
	if err := p.wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	if p.count("game over") != 1 {
		t.Error("the game was not ended")
	}
	testkit.Eventually(t, "the process before has ended", func() bool { return !runs(first) })
}

// The process of a game that stays has time for its last records: the database may not answer at the
// game's end.
func TestLastRecordsOfAGameThatStays(t *testing.T) {
	t.Parallel()
	server, dir := storagetest.NewServer(t), t.TempDir()
	database := "W3HOST_DATABASE_URL=" + server.URL
	p, pidFile := startHold(t, dir, database)
	leave := playOne(t, p)
	first, _ := hostOf(pidFile)
	upgrade(t, dir, pidFile, "", otherRules(t))
	p.await("a game stays in the process before")
	time.Sleep(3 * time.Second) // longer than the process would take to stop
	server.Pause()
	leave()
	p.await("game over")
	time.Sleep(time.Second)
	server.Resume()
	testkit.Eventually(t, "the process before has ended", func() bool { return !runs(first) })
	checkGameLog(t, dir, 1, database)
	stopHold(t, p)
}

// slowLobbies makes a countdown last long enough to be met by an upgrade.
var slowLobbies = []string{"W3HOST_LOBBY_COUNTDOWN=5"}

// A lobby of which the new program does not make the same stays where it is, too: those who are in may
// start it, nobody else comes in, and another one opens.
func TestLobbyThatStays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, pidFile := startHold(t, dir, slowLobbies...)
	first := onlyLobby(t, p.addr, 0)
	ann, bob := enter(t, p.addr, &first, "Ann"), enter(t, p.addr, &first, "Bob")
	ann.Say("!start force")
	ann.UntilChat("5…")
	ann.Say("!abort")
	before, _ := hostOf(pidFile)
	upgrade(t, dir, pidFile, "", otherRules(t))
	p.await("a game stays in the process before")
	next := onlyLobby(t, p.addr, first.GameID)
	stranger := testkit.Dial(t, netip.MustParseAddrPort(p.addr))
	if _, err := stranger.Join(first.GameID, first.EntryKey, "Cid"); err == nil {
		t.Error("somebody new came into the lobby that stays")
	}
	enter(t, p.addr, &next, "Dan")
	ann.Say("!start force")
	for _, c := range []*testkit.Client{ann, bob} {
		c.Until(byte(w3gs.OpCountdownEnd))
		_ = c.Conn.Close()
	}
	testkit.Eventually(t, "the process before has ended", func() bool { return !runs(before) })
	stopHold(t, p)
}

// onlyLobby is the lobby that a host lists, as soon as it is one and not that which was before.
func onlyLobby(t *testing.T, addr string, before uint32) (lobby w3gs.GameInfo) {
	t.Helper()
	watch := fleetwatch.New()
	testkit.Eventually(t, "a lobby is listed", func() bool {
		open := watch.Lobbies(t.Context(), addr)
		if len(open) == 1 {
			lobby = open[0]
		}
		return len(open) == 1 && lobby.GameID != before
	})
	return lobby
}

// enter takes a seat in a lobby.
func enter(t *testing.T, addr string, lobby *w3gs.GameInfo, name string) *testkit.Client {
	t.Helper()
	c := testkit.Dial(t, netip.MustParseAddrPort(addr))
	check, err := c.Join(lobby.GameID, lobby.EntryKey, name)
	if err == nil {
		err = c.HaveMap(check)
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Conn.SetReadDeadline(time.Time{})
	go c.Listen() // ends with the connection
	return c
}
