package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/bncs"
	"w3host/bots"
	"w3host/internal/realmtest"
	"w3host/internal/testkit"
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
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The way of players: they find the lobby in the realm's list, join where it says,
// and the realm confirms who they are. It restarts while the lobby is open, and
// while the game is on: the lobby comes back, the game goes on.
func TestPublicLobby(t *testing.T) {
	s := realmtest.Start(t)
	dir := t.TempDir()
	p := startProcess(t, dir, "--config", realmConfig(t, dir, s.Addr()), "--autostart", "3")
	awaitLines(p, "lobby listed on the realm", 1)
	s.Down()
	awaitLines(p, "not on the realm", 1)
	s.Up()
	awaitLines(p, "lobby listed on the realm", 2)
	go func() {
		p.await("all have loaded")
		s.Down()
		s.Up()
	}()
	report, err := bots.Run(context.Background(), bots.Options{
		Realm: s.Addr(), Players: 3, Play: 4 * time.Second, LoadTime: 100 * time.Millisecond, NoStart: true, Log: zerolog.Nop(),
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
		if strings.Contains(strings.ToLower(fmt.Sprint(line)), strings.ToLower(realmPassword)) {
			t.Errorf("the log shows the password: %v", line)
		}
	}
	noSecretIn(t, dir)
}

// awaitLines waits until the log has so many lines with a message.
func awaitLines(p *process, message string, n int) (found []map[string]any) {
	p.t.Helper()
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		found = found[:0]
		p.mu.Lock()
		for _, line := range p.lines {
			if line["message"] == message {
				found = append(found, line)
			}
		}
		p.mu.Unlock()
		if len(found) >= n {
			return found
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("%q came %d times, not %d", message, len(found), n)
		}
	}
}

// People on the realm command by whisper and in the channel: what the realm says
// of their names counts. The owner commands the lobby that they are in.
func TestCommandsByTheRealm(t *testing.T) {
	s := realmtest.Start(t)
	dir := t.TempDir()
	p := startProcess(t, dir, "--config", realmConfig(t, dir, s.Addr()), "--autostart", "-1")
	awaitLines(p, "lobby listed on the realm", 1)
	hears := func(who *realmtest.Person, part string) {
		t.Helper()
		for {
			if e := who.Await(t, bncs.EventWhisper); strings.Contains(e.Text, part) {
				return
			}
		}
	}
	ann, bob := s.Person("Ann", "w3"), s.Person("Bob", "w3")
	ann.Say("/w hostbot games")
	hears(ann, "Lobbies: w3host game. Games running: 0.")
	ann.Say("/w hostbot !stats")
	hears(ann, "no statistics of Ann")
	bob.Say("/w hostbot !fakeplayer")
	hears(bob, "there is no command")

	// Ann joins as a player of the realm and is confirmed: the first owns the lobby.
	stat, err := bncs.ParseGameStat(s.Games()[0].Stat)
	if err != nil {
		t.Fatal(err)
	}
	addr := netip.MustParseAddrPort(p.addr)
	ann.Say("/w hostbot sc")
	hears(ann, "Thank you, Ann.")
	c := testkit.Dial(t, addr)
	go c.Listen()
	c.Send(testkit.JoinPacket(stat.GameID, 0, "Ann"))
	c.Until(0x04)
	bob.Say("/w hostbot !fakeplayer")
	hears(bob, "there is no command")
	ann.Say("/w hostbot !muteall")
	c.UntilText("muted")
	ann.Say("/w hostbot owner")
	hears(ann, "The owner is Ann.")
	if s.Refused() > 0 {
		t.Errorf("%d lines were over the quota", s.Refused())
	}
}

// noSecretIn looks through every file that the host has written, but for the
// configuration.
func noSecretIn(t *testing.T, dir string) {
	t.Helper()
	hash := bncs.PasswordHash(realmPassword)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "config.toml" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, secret := range []string{realmPassword, strings.ToLower(realmPassword), hex.EncodeToString(hash[:]), string(hash[:])} {
			if bytes.Contains(text, []byte(secret)) {
				t.Errorf("%s holds a credential", path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
