package main

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"w3host/bots"
	"w3host/internal/testkit"
	"w3host/storage"
)

// How often the host is killed; the long run is
//
//	go test ./cmd/w3host -run TestGamesOutliveTheHost -kills 1000 -timeout 40m -v
var kills = flag.Int("kills", 3, "how often TestGamesOutliveTheHost kills the host")

const holdConfig = `
[log]
keep_journals = "all"
[web]
enabled = false
[lobby]
countdown = 1
[limits]
lobby_leaves = 0
[replays]
enabled = true
`

// startHold runs w3host serve --supervise until the test ends.
func startHold(t *testing.T, dir string, flags ...string) (p *process, pidFile string) {
	t.Helper()
	write(t, filepath.Join(dir, "config.toml"), holdConfig)
	pidFile = filepath.Join(dir, "pid")
	p = startProcess(t, dir, append([]string{"serve", "--supervise", "--pid-file", pidFile, "--listen", "127.0.0.1:0", "--lan=false", "--autostart", "4"}, flags...)...)
	t.Cleanup(func() {
		if pid, err := hostOf(pidFile); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	return p, pidFile
}

func hostOf(pidFile string) (int, error) {
	text, err := os.ReadFile(pidFile)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

// A new process number takes the place of the old one: who has opened the file meanwhile reads the old one.
func TestPIDFileIsReplaced(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pid")
	if err := writePID(name, 123456); err != nil {
		t.Fatal(err)
	}
	old, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if err := writePID(name, 7); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(old); err != nil || string(text) != "123456\n" {
		t.Errorf("who has the file open reads %q, %v", text, err)
	}
	if pid, err := hostOf(name); err != nil || pid != 7 {
		t.Errorf("the file has %d, %v", pid, err)
	}
	if err := writePID(filepath.Dir(name), 8); err == nil {
		t.Error("a folder has become a file")
	}
	for _, folder := range []string{filepath.Dir(name), filepath.Dir(filepath.Dir(name))} {
		if left, _ := filepath.Glob(filepath.Join(folder, "*.new")); left != nil {
			t.Errorf("left behind: %v", left)
		}
	}
}

// The host is killed again and again while games are played, with a player whose line stands
// still, one who leaves, and chat. Nobody is dropped, no action is lost, replays are
// whole, journals run to the same sum, and the game log has everything once.
func TestGamesOutliveTheHost(t *testing.T) {
	t.Parallel()
	outliveKills(t)
}

// The same with a standby.
func TestStandby(t *testing.T) {
	t.Parallel()
	p := outliveKills(t, withStandby)
	if p.count("the standby goes on") == 0 { // it is ready a second after the last death, or two
		t.Error("the standby has never gone on")
	}
	for _, wrong := range []string{"cannot run this game along", "are lost", "standby has ended"} {
		if p.count(wrong) > 0 {
			t.Errorf("the log says: %s", wrong)
		}
	}
}

const withStandby = "W3HOST_HOST_STANDBY=on"

func outliveKills(t *testing.T, flags ...string) *process {
	t.Helper()
	dir := t.TempDir()
	p, pidFile := startHold(t, dir, flags...)
	const every = 1500 * time.Millisecond
	needs, began := watchNeeds(t, p.cmd.Process.Pid, pidFile), time.Now()
	report, err := bots.Run(t.Context(), bots.Options{
		Addr: p.addr, Players: 4, Games: 2, NoStart: true, OwnAddresses: true, LoadTime: 200 * time.Millisecond,
		Play: 2 * time.Duration(*kills) * every, Kill: pidFile, KillEvery: every, ChatEvery: time.Second,
		Conduct: func(_, seat int) (c bots.Conduct) {
			switch seat {
			case 2:
				c.StallAfter, c.StallFor = time.Second, 2*time.Second
			case 3:
				c.LeaveAfter = 3 * time.Second
			}
			return c
		},
	})
	if err != nil || !report.OK || report.Kills < *kills || report.ActionsSent != report.ActionsSeen || report.Outcomes[bots.OutcomeDropped]+report.Misbehaved[bots.OutcomeDropped] > 0 {
		t.Errorf("%v: %s; %d kills, %d of %d actions seen, %v, %v", err, report.Verdict(), report.Kills, report.ActionsSeen, report.ActionsSent, report.Outcomes, report.Faults)
	}
	t.Logf("%d kills, %d of %d actions seen, the longest interval is %v", report.Kills, report.ActionsSeen, report.ActionsSent, report.Interval.Max)
	checkNeeds(t, needs(), 2*time.Duration(*kills)*every)
	stopHold(t, p)
	p.mu.Lock()
	for _, line := range p.lines {
		if late, _ := line["host_late"].(string); late != "" {
			if d, err := time.ParseDuration(late); err != nil || d > time.Since(began) {
				t.Errorf("the clock of a game has jumped: it is later than the test has taken: %v", line)
			}
		}
	}
	p.mu.Unlock()
	checkReplays(t, dir, 2)
	checkJournals(t, dir, 2)
	checkGameLog(t, dir, 2)
	return p
}

func stopHold(t *testing.T, p *process) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
}

// checkGameLog finds so many games that were played to their end.
func checkGameLog(t *testing.T, dir string, want int, flags ...string) {
	t.Helper()
	out, err := processCommand(t, dir, append(flags, "game", "list", "--json", "--limit", "100000")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	played := 0
	var games []storage.Game
	if err := json.Unmarshal(out, &games); err != nil {
		t.Fatal(err)
	}
	for _, g := range games {
		if g.Players > 0 {
			if played++; g.Ended != storage.EndFinished {
				t.Errorf("the game log says of a game: %q", g.Ended)
			}
		}
	}
	if played != want {
		t.Errorf("%d games in the log:\n%s", played, out)
	}
}

func checkReplays(t *testing.T, dir string, want int) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "replays", "*.w3g"))
	if len(files) != want {
		t.Errorf("replays: %v", files)
	}
	if out, err := processCommand(t, dir, append([]string{"replay", "verify"}, files...)...).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// checkJournals runs the journals of games that were played again.
func checkJournals(t *testing.T, dir string, want int) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "data", "journals", "*.gz"))
	same := 0
	for _, f := range files {
		out, err := processCommand(t, dir, "game", "rerun", f).CombinedOutput()
		if err != nil {
			t.Errorf("%v: %s", err, out)
		}
		if info, err := os.Stat(f); err == nil && info.Size() > 1000 && strings.Contains(string(out), "identical output (checksum") {
			same++
		}
	}
	if same < want {
		t.Errorf("%d of %d journals run to their end", same, want)
	}
}

// A host that cannot start is not started again and again.
func TestHoldOfAHostThatCannotStart(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := processCommand(t, t.TempDir(), "serve", "--supervise", "--latency", "5ms")
	context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	out, _ := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != exitUsage || strings.Count(string(out), "must be from 20ms") != 1 {
		t.Errorf("exit %d:\n%s", code, out)
	}
}

// A standby goes on with the configuration of the moment when the host dies, and not of that when
// the standby started.
func TestStandbyReadsAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, pidFile := startHold(t, dir, withStandby)
	p.await("ready to take over from the running host")
	later := strings.Replace(holdConfig, "[lobby]", "[lobby]\nname = \"by the new configuration\"", 1)
	write(t, filepath.Join(dir, "config.toml"), later)
	host, err := hostOf(pidFile)
	if err == nil {
		err = syscall.Kill(host, syscall.SIGKILL)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.await("the standby goes on")
	testkit.Eventually(t, "the lobby has the new name", func() bool {
		out, _ := processCommand(t, dir, "ctl", "games").Output()
		return strings.Contains(string(out), "by the new configuration")
	})
	stopHold(t, p)
}
