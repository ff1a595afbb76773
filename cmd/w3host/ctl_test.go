package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"w3host/bots"
	"w3host/control"
	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
)

// ctl runs w3host ctl in dir.
func ctl(t *testing.T, dir string, args ...string) (code int, out string) {
	t.Helper()
	cmd := processCommand(t, dir, append([]string{"ctl"}, args...)...)
	b, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(b)
}

// A shell script drives a lobby from its creation to the start and the end of the
// game by w3host ctl; bots play.
func TestCtlDrivesALobby(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if code, out := ctl(t, dir, "games"); code != exitUsage || !strings.Contains(out, "no host answers") {
		t.Errorf("without a host: exit %d: %s", code, out)
	}
	maps, _ := mapFolder(t)
	p := startProcess(t, dir, "--listen", "127.0.0.1:0", "--lan=false", "--autostart", "-1", "--map", filepath.Join(maps, "one.w3x"))
	if key, _ := p.await("lobby open")["key"].(string); len(key) != 36 {
		t.Errorf("the log's lines have the key %q", key)
	}
	if info, err := os.Stat(filepath.Join(dir, "data/control.sock")); err != nil || info.Mode().Perm() != 0o600 || info.Mode().Type() != fs.ModeSocket {
		t.Errorf("socket: %v %v", info, err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := func(lines string) {
		t.Helper()
		cmd := exec.Command("sh", "-e", "-x", "-c", `ctl() { "$W3HOST" ctl "$@"; }
`+lines)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), asProgram+"=1", "W3HOST="+self)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	script(`
ctl games | grep -q '#1 "w3host game": lobby, 0 of 10, one.w3x'
if ctl 'host two night' 2>refused; then exit 9; fi
grep -q "there is no maps folder" refused
ctl close 1 --game 1
ctl --game 1 open 1
ctl rename 'apes only' --game 1
ctl game 1 | grep -q apes
for try in $(seq 300); do "$W3HOST" game show 1 >game 2>&1 && break; sleep 0.1; done # until it is in the game log
"$W3HOST" game show 1 | grep -q 'lobby$'
"$W3HOST" game show '#1' --json | grep -q '"key"'
if "$W3HOST" game show 77 2>refused; then exit 9; fi
grep -q 'no lobby or game #77 now' refused
"$W3HOST" db hosts --csv | head -1 | grep -q '^host_id,\|^id,'
if ctl start --game 1; then exit 9; fi
ctl --json kick nobody --game 1 && exit 9 || test $? = 1
if ctl nonsense; then exit 9; fi
if ctl games --game 77; then exit 9; fi
# What the database answers is waited for, with a game and without.
ctl bans | grep -q 'There are no bans'
ctl bans --game 1 | grep -q 'There are no bans'
ctl 'stats nobody' | grep -q 'nobody has not played here yet'
ctl 'ban Mallory 2d flames' | grep -q 'Mallory is banned until'
ctl 'checkban Mallory' --game 1 | grep -q flames
ctl --json 'checkban Mallory' --game 1 | grep -q '"reason": "flames"'
ctl unban Mallory
if ctl unban Mallory; then exit 9; fi
`)
	done := make(chan bots.Report, 1)
	go func() {
		report, err := bots.Run(context.Background(), bots.Options{Addr: p.addr, Players: 3, Play: 30 * time.Second, LoadTime: 100 * time.Millisecond, NoStart: true})
		if err != nil {
			t.Error(err)
		}
		done <- report
	}()
	testkit.Eventually(t, "three bots in the lobby", func() bool {
		_, out := ctl(t, dir, "game", "1")
		return strings.Contains(out, "lobby, 3 of")
	})
	script("ctl start now --game 1\n")
	p.await("all have loaded")
	script(`
ctl 'saygames gl hf'
if ctl exit; then exit 9; fi
ctl --json games | grep -q '"lines"'
ctl --json games | grep -q '"state": "lobby"'
ctl --json autohost | grep -q '"wanted": 1'
ctl exit nice
ctl eg 1 end
`)
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("exit nice: %v", err)
	}
	if report := <-done; report.FaultCount > 0 || report.Outcomes[bots.OutcomeEnded] != 3 {
		t.Errorf("%v %v", report.Outcomes, report.Faults)
	}
	if _, err := os.Stat(filepath.Join(dir, "data/control.sock")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket stays: %v", err)
	}
	storedGame(t, dir, "apes only", 3, "stopped")
	if !auditHas(t, dir, "control") {
		t.Error("the log does not know who commanded")
	}
}

// storedGame holds that the game log has a game that was played to an end.
func storedGame(t *testing.T, dir, name string, players int, ended string) {
	t.Helper()
	out, err := processCommand(t, dir, "game", "list", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var games []struct {
		Name, Ended string
		Players     int
		StartedAt   time.Time `json:"started_at"`
	}
	if err := json.Unmarshal(out, &games); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, g := range games {
		if g.Name == name && g.Players == players && g.Ended == ended && !g.StartedAt.IsZero() {
			return
		}
	}
	t.Errorf("the log has no game %q of %d players that ended by %q:\n%s", name, players, ended, out)
}

// auditHas looks for a way in the dossier of all games.
func auditHas(t *testing.T, dir, via string) bool {
	t.Helper()
	out, err := processCommand(t, dir, "game", "list", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var games []struct {
		Key string `json:"key"`
	}
	_ = json.Unmarshal(out, &games)
	for _, g := range games {
		if out, _ := processCommand(t, dir, "game", "show", g.Key, "--json").Output(); bytes.Contains(out, []byte(`"`+via+`"`)) {
			return true
		}
	}
	return false
}

// A configuration is read again by command and by SIGHUP: lobbies in which nobody
// is show it, what needs a restart is said, and one with faults changes nothing.
func TestReload(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "w3host.toml")
	put := func(text string) {
		t.Helper()
		write(t, file, "[host]\nlisten = \"127.0.0.1:0\"\n[lan]\nenabled = false\n"+text)
	}
	put("[lobby]\nname = \"first\"\n")
	p := startProcess(t, dir, "--config", file)
	p.await("lobby open")
	send := func(line string) control.Answer {
		t.Helper()
		a, err := control.Send(t.Context(), filepath.Join(dir, "data/control.sock"), control.Order{Command: line})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	await := func(want string) {
		t.Helper()
		testkit.Eventually(t, want, func() bool { return strings.Contains(strings.Join(send("games").Lines, "\n"), want) })
	}
	guest := testkit.Dial(t, netip.MustParseAddrPort(p.addr))
	if _, err := guest.Join(1, 0, "Ann"); err != nil {
		t.Fatal(err)
	}
	put("[[autohost]]\nname = \"second\"\nautostart = 3\n[limits]\nunjoined_per_ip = 1\nexempt = []\nshutdown_timeout = \"3s\"\n" +
		"[lobby]\nlan_admins = true\n[votes]\npercent = 60\n[log]\nlevel = \"warn\"\n")
	for range 2 { // it is said until the restart
		a := send("reload")
		said := strings.Join(a.Lines, "\n")
		if a.Refused != "" || len(a.Lines) != 3 || !strings.Contains(said, "limits.shutdown_timeout has changed") || !strings.Contains(said, "log.level has changed") {
			t.Fatalf("%+v", a)
		}
	}
	first := testkit.Dial(t, netip.MustParseAddrPort(p.addr))
	defer first.Conn.Close()
	second, err := net.DialTimeout("tcp", p.addr, patience) // may return the reset already
	var refusal []byte
	if err == nil {
		defer second.Close()
		_ = second.SetReadDeadline(time.Now().Add(patience))
		refusal, err = io.ReadAll(second)
	}
	if err != nil && !errors.Is(err, syscall.ECONNRESET) || len(refusal) > 1 && w3gs.Op(refusal[1]) != w3gs.OpRejectJoin {
		t.Errorf("a second connection without a join reads % x: %v", refusal, err)
	}
	await(`"second`)
	await(`#1 "first": lobby, 1 of`) // somebody is in it

	put("[[autohost]]\nname = \"third\"\nautostart = 300\nmap = \"nowhere\"\n[game]\nlatency = \"1ms\"\n")
	if a := send("reload"); !strings.Contains(a.Refused, "Nothing was changed") || !strings.Contains(a.Refused, "autohost entry 1: autostart = 300") || !strings.Contains(a.Refused, "game.latency = 1ms") {
		t.Errorf("%+v", a)
	}
	put("[[autohost]]\nname = \"third\"\nmap = \"nowhere\"\n")
	if a := send("reload"); !strings.Contains(a.Refused, "nowhere") {
		t.Errorf("%+v", a)
	}
	await(`"second`)

	put("[[autohost]]\nname = \"by signal\"\n[[autohost]]\nname = \"and this\"\n")
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	await(`"by signal"`)
	await(`"and this"`)
	if a := send("exit force"); a.Refused != "" {
		t.Error(a)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Error(err)
	}
}
