package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/bots"
	"w3host/internal/realmtest"
	"w3host/internal/testkit"
	"w3host/internal/tier"
	"w3host/realm/bncs"
)

const realmPassword = "Hunter2-secret"

func realmConfig(t *testing.T, dir, address string) string {
	t.Helper()
	path := filepath.Join(dir, "config.toml")
	text := fmt.Sprintf(`
[host]
listen = "127.0.0.1:0"
[lan]
enabled = false
[lobby]
countdown = 0
[log]
json = true
level = "debug"
[[realm]]
name = "Home"
address = %q
account = "HostBot"
password = %q
create_account = true
channel = "w3"
`, address, realmPassword)
	write(t, path, text)
	return path
}

// The way of players: they find the lobby in the realm's list, join where it says,
// and the realm confirms who they are. It restarts while the lobby is open, and
// while the game is on: the lobby comes back, the game goes on.
func TestPublicLobby(t *testing.T) {
	t.Parallel()
	s := realmtest.Start(t)
	dir := t.TempDir()
	p := startProcess(t, dir, "--config", realmConfig(t, dir, s.Addr()), "--autostart", "3")
	awaitLines(p, "lobby listed on the realm", 1)
	s.Down()
	awaitLines(p, "not logged on to the realm", 1)
	s.Up()
	awaitLines(p, "lobby listed on the realm", 2)
	go func() {
		p.await("all have loaded")
		awaitLines(p, "name confirmed by the realm", 3) // the quota lets these wait; who is asked for at the restart stays unconfirmed
		s.Down()
		s.Up()
		noSecretIn(t, dir) // while the journal of the game is there
	}()
	report, err := bots.Run(context.Background(), bots.Options{
		Realm: s.Addr(), Players: 3, Play: 8 * time.Second, LoadTime: 100 * time.Millisecond, NoStart: true, Log: zerolog.Nop(),
	})
	if err != nil || !report.OK {
		t.Errorf("%s, %v", report.Verdict(), err)
	}
	for _, line := range awaitLines(p, "name confirmed by the realm", 3) {
		if line["realm"] != "Home" {
			t.Errorf("got %v", line)
		}
	}
	awaitLines(p, "logged on to the realm", 3)
	if s.Refused() > 0 || s.Kicked() > 0 {
		t.Errorf("%d lines were over the quota, %d kicks", s.Refused(), s.Kicked())
	}
	_ = p.cmd.Process.Signal(os.Interrupt)
	_ = p.cmd.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, line := range p.lines {
		noSecret(t, "the log", fmt.Appendf(nil, "%v", line))
	}
	noSecretIn(t, dir)
}

// awaitLines waits until the log has so many lines with a message.
func awaitLines(p *process, message string, n int) (found []map[string]any) {
	p.t.Helper()
	testkit.Eventually(p.t, fmt.Sprintf("%q %d times", message, n), func() bool {
		found = found[:0]
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, line := range p.lines {
			if line["message"] == message {
				found = append(found, line)
			}
		}
		return len(found) >= n
	})
	return found
}

// A realm that floods, then sends garbage, costs its own connection and no turn of a
// game: as many come late as of the game before, in which it was calm. A busy machine
// delays turns, too, but not of the second game each time.
func TestRaggedRealmCostsNoTurn(t *testing.T) {
	tier.All(t, "plays games in real time")
	s := realmtest.Start(t)
	dir := t.TempDir()
	p := startProcess(t, dir, "--config", realmConfig(t, dir, s.Addr()), "--autostart", "3")
	games := 0
	play := func(ragged bool) (late float64) {
		games++
		awaitLines(p, "lobby listed on the realm", games)
		done := make(chan struct{})
		go func() {
			defer close(done)
			awaitLines(p, "all have loaded", games)
			if ragged {
				s.Blast("hostbot", bytes.Repeat(bncs.Append(nil, bncs.Empty(bncs.IDNull)), 1000), 2*time.Second)
				s.Blast("hostbot", []byte("HTTP/1.1 400 Bad Request\r\n\r\n"), 2*time.Second)
			}
		}()
		report, err := bots.Run(context.Background(), bots.Options{
			Realm: s.Addr(), Players: 3, Play: 8 * time.Second, LoadTime: 100 * time.Millisecond, NoStart: true, Log: zerolog.Nop(),
		})
		if <-done; err != nil || !report.OK || report.Turns < 3*70 {
			t.Fatalf("%s, %d turns, %v", report.Verdict(), report.Turns, err)
		}
		return float64(report.MissedTurns) / float64(report.Turns)
	}
	for round := range 3 {
		calm, ragged := play(false), play(true)
		if ragged <= calm+0.1 {
			break
		}
		t.Logf("late turns: %.3f of all while the realm was calm, %.3f while it was not", calm, ragged)
		if round == 2 {
			t.Error("turns are late while the realm floods")
		}
	}
	reasons := fmt.Sprint(awaitLines(p, "not logged on to the realm", 2))
	for _, want := range []string{"thousands of packets per second", "frame does not begin with 0xFF"} {
		if !strings.Contains(reasons, want) {
			t.Errorf("the realm was not left because of %q: %s", want, reasons)
		}
	}
}

// TestCodesOfTheRealm: a player of a lobby is confirmed by a code that the host's account whispers and the player types in the
// lobby, or that the player reads in the lobby and whispers to the account.
func TestCodesOfTheRealm(t *testing.T) {
	tier.All(t, "waits for the realm's flood quota")
	t.Parallel()
	s, dir := realmtest.Start(t), t.TempDir()
	path := realmConfig(t, dir, s.Addr())
	for _, args := range [][]string{{"db", "migrate", "up"}, {"admin", "add", "Zed", "--realm", "Home"}} {
		if out, err := processCommand(t, dir, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	p := startProcess(t, dir, "--config", path, "--autostart", "-1")
	awaitLines(p, "lobby listed on the realm", 1)
	ann, zed := s.Person("Ann", "w3"), s.Person("Zed", "w3")
	stat, err := bncs.ParseGameStat(s.Games()[0].Stat)
	if err != nil {
		t.Fatal(err)
	}
	join := func(name string) *testkit.Client {
		c := testkit.Dial(t, netip.MustParseAddrPort(p.addr))
		c.Conduct = testkit.Lobbyist
		go c.Listen()
		c.Send(testkit.JoinPacket(stat.GameID, 0, name))
		b := c.Until(0x04)
		c.PID = b[6+(int(b[4])|int(b[5])<<8)]
		return c
	}
	whispered := func(who *realmtest.Person, part string) string {
		t.Helper()
		for {
			if line := who.Await(t, bncs.EventWhisper).Text; strings.Contains(line, part) {
				return line[strings.LastIndexByte(line, ' ')+1:]
			}
		}
	}
	c := join("Ann")
	ann.Say("/w hostbot sc")
	c.Say("!sc " + whispered(ann, "Type this in the lobby"))
	c.UntilText("Thank you, Ann.")
	c = join("Zed")
	c.Say("!sc")
	line := c.UntilText("Whisper this to HostBot on Home: sc ")
	zed.Say("/w hostbot sc " + line[strings.LastIndexByte(line, ' ')+1:])
	whispered(zed, "Thank you, Zed.")
}

// noSecretIn looks through every file that the host has written: database, spool,
// journals, replays. The configuration is left out.
func noSecretIn(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the host has removed it
		}
		if err != nil || !d.Type().IsRegular() || d.Name() == "config.toml" {
			return err
		}
		text, err := os.ReadFile(path)
		if noSecret(t, path, text); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// noSecret looks for the password and for its hash, by which anybody may log on, as
// programs write bytes.
func noSecret(t *testing.T, where string, text []byte) {
	t.Helper()
	hash := bncs.PasswordHash(realmPassword)
	text = bytes.ToLower(text)
	for _, form := range []string{
		realmPassword, string(hash[:]), hex.EncodeToString(hash[:]), base64.StdEncoding.EncodeToString(hash[:]),
		strings.Trim(fmt.Sprint(hash), "[]"), strings.ReplaceAll(strings.Trim(fmt.Sprint(hash), "[]"), " ", ","),
	} {
		if bytes.Contains(text, bytes.ToLower([]byte(form))) {
			t.Errorf("%s holds a credential, as %q", where, form)
		}
	}
}
