package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rs/zerolog"

	"w3host/bots"
	"w3host/internal/realmtest"
	"w3host/internal/testkit"
	"w3host/internal/tier"
	"w3host/realm/bncs"
	"w3host/storage/storagetest"
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

// hears waits until somebody is whispered a part of a text.
func hears(t *testing.T, who *realmtest.Person, part string) {
	t.Helper()
	for {
		e := who.Await(t, bncs.EventWhisper)
		if !utf8.ValidString(e.Text) || len(e.Text) > 160 {
			t.Errorf("%q (%d bytes)", e.Text, len(e.Text))
		}
		if strings.Contains(e.Text, part) {
			return
		}
	}
}

// Who whispers is answered in the language that they have chosen, or else in that
// of the realm's entry.
func TestLanguageOnRealm(t *testing.T) {
	t.Parallel()
	home, far := realmtest.Start(t), realmtest.Start(t)
	dir := t.TempDir()
	path := realmConfig(t, dir, home.Addr())
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = fmt.Appendf(text, "locale = \"zhCN\"\n[[realm]]\nname = \"Far\"\naddress = %q\naccount = \"FarBot\"\npassword = %q\ncreate_account = true\nchannel = \"w3\"\n[autohost]\nlobbies = 0\n", far.Addr(), realmPassword)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := processCommand(t, dir, "db", "migrate", "up").CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	db := storagetest.Open(t, "sqlite:"+filepath.Join(dir, "data", "w3host.db"))
	for name, tag := range map[string]string{"Cid": "en", "Dee": "zh"} {
		if err := db.SetLanguage(t.Context(), name, tag); err != nil {
			t.Fatal(err)
		}
	}
	p := startProcess(t, dir, "--config", path)
	awaitLines(p, "joined a channel of the realm", 2)
	ann, cid := home.Person("Ann", "w3"), home.Person("Cid", "w3")
	bob, dee := far.Person("Bob", "w3"), far.Person("Dee", "w3")
	for _, c := range []struct {
		who         *realmtest.Person
		says, hears string
	}{
		{ann, "!games", "没有开放的房间"},
		{ann, "/w hostbot votekick Bob", "需要指定房间或游戏"},
		{cid, "!games", "No lobby is open"},
		{bob, "!games", "No lobby is open"},
		{dee, "!games", "没有开放的房间"},
		{bob, "/w farbot lang zh", "中文"},
		{bob, "/w farbot games", "没有开放的房间"},
		{ann, "!lang en", "The host now talks to you in English."},
		{ann, "/w hostbot games", "No lobby is open"},
		{bob, "/w farbot help autohost", "、名称"}, // its end: it takes two lines
	} {
		c.who.Say(c.says)
		hears(t, c.who, c.hears)
	}
}

// Commands come by whisper and in the channel, and are answered by whisper: those
// of the host for admins of the realm, those of a lobby for who is confirmed in it.
func TestCommandsByTheRealm(t *testing.T) {
	t.Parallel()
	s := realmtest.Start(t)
	dir := t.TempDir()
	maps, _ := mapFolder(t)
	path := realmConfig(t, dir, s.Addr())
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = fmt.Appendf(text, "[autohost]\nlobbies = 0\n[maps]\ndir = %q\n", maps)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"db", "migrate", "up"}, {"admin", "add", "Zed", "--realm", "Home"}} {
		if out, err := processCommand(t, dir, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	p := startProcess(t, dir, "--config", path, "--autostart", "-1")
	awaitLines(p, "joined a channel of the realm", 1)
	people := map[string]*realmtest.Person{}
	for _, name := range []string{"Ann", "Bob", "Zed"} {
		people[name] = s.Person(name, "w3")
	}
	lobby := func(named string, public bool) bncs.GameStat {
		t.Helper()
		found := s.Named(named)
		testkit.Eventually(t, "a lobby called "+named, func() bool { found = s.Named(named); return len(found) == 1 })
		if listed := s.Games(); public != (len(listed) == 1) {
			t.Errorf("%s: listed are %v", named, listed)
		}
		stat, err := bncs.ParseGameStat(found[0].Stat)
		if err != nil {
			t.Fatal(err)
		}
		return stat
	}
	// The flood quota lets 40 bytes of answers pass in 1.5 s: these are few and short.
	for _, c := range []struct{ who, says, hears string }{
		{"Ann", "!games", "No lobby is open"},
		{"Ann", "/w hostbot !stats", "Ann has not played here yet."},
		{"Ann", "!pub mine", "Only an admin can use pub."},
		{"Zed", "!host one Zed's game", `Lobby #1 "Zed's game" is open: one.w3x`},
		{"Ann", "/w hostbot games", `#1 "Zed's game": lobby, 0 of 10`},
		{"Zed", "/w hostbot unhost", "Lobby #1 is closed."},
		{"Zed", "!priv hidden", `Lobby #2 "hidden" is open (private): `},
	} {
		people[c.who].Say(c.says)
		hears(t, people[c.who], c.hears)
		switch c.says {
		case "!host one Zed's game":
			lobby("Zed's game", true)
		case "/w hostbot unhost": // without a lobby the account is in its channel
			testkit.Eventually(t, "the account back in its channel", func() bool { return s.Channel("hostbot") != "" })
		}
	}
	ann, bob, zed := people["Ann"], people["Bob"], people["Zed"]
	stat := lobby("hidden", false)
	bob.Say("/w hostbot games")
	hears(t, bob, "No lobby is open")
	zed.Say("/w hostbot games")
	hears(t, zed, `"hidden": lobby, 0 of 10`)

	// Who opened the lobby owns it, and is known once the realm has confirmed them.
	join := func(name string) *testkit.Client {
		c := testkit.Dial(t, netip.MustParseAddrPort(p.addr))
		c.Conduct = testkit.Lobbyist
		go c.Listen()
		c.Send(testkit.JoinPacket(stat.GameID, 0, name))
		b := c.Until(0x04)
		c.PID = b[6+(int(b[4])|int(b[5])<<8)]
		return c
	}
	annAtHome := join("Ann")
	ann.Say("/w hostbot sc")
	annAtHome.Say("!sc " + lastWord(ann.Await(t, bncs.EventWhisper).Text))
	annAtHome.UntilText("Thank you, Ann.")
	c := join("Zed")
	c.Say("!sc")
	zed.Say("/w hostbot sc " + lastWord(c.UntilText("Whisper this to HostBot on Home: sc ")))
	hears(t, zed, "Thank you, Zed.")
	c.UntilText("You own this lobby")
	ann.Say("/w hostbot !muteall")
	hears(t, ann, "Only the owner can use muteall")
	ann.Say("/w hostbot stats")
	hears(t, ann, "Ann has not played here yet.")
	bob.Say("/w hostbot fakeplayer")
	hears(t, bob, "Only the owner can use fakeplayer.")
	zed.Say("/w hostbot !muteall")
	hears(t, zed, "Done.")
	c.UntilText("muted")
	zed.Say("/w hostbot lang zh")
	hears(t, zed, "中文")
	zed.Say("/w hostbot !muteall")
	hears(t, zed, "已完成。")
	c.UntilText("公共发言已禁")
	zed.Say("/w hostbot pub for all")
	lobby("for all", true)
	zed.Say("/w hostbot unhost")
	testkit.Eventually(t, "the log of two lobbies", func() bool {
		out, _ := processCommand(t, dir, "game", "list", "--json").Output()
		var games []struct {
			Name, Realm, Owner string
			Private            bool
		}
		if err := json.Unmarshal(out, &games); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return fmt.Sprint(games) == "[{for all Home Zed false} {Zed's game Home Zed false}]"
	})
	if s.Refused() > 0 {
		t.Errorf("%d lines were over the quota", s.Refused())
	}
}

// lastWord is a code.
func lastWord(line string) string { return line[strings.LastIndexByte(line, ' ')+1:] }

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
