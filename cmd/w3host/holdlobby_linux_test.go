package main

import (
	"errors"
	"flag"
	"syscall"
	"testing"
	"time"

	"w3host/bots"
	"w3host/internal/testkit"
)

// The host is killed again and again while players wait in lobbies, two of them download the map and two are behind
// proxies, while the lobbies count down, while clients load, and in the games, where the
// connections of proxies break. Nobody is dropped, no action is lost, nothing is sent twice, and
// the game log has everything once.
func TestLobbiesOutliveTheHost(t *testing.T) {
	t.Parallel()
	lobbiesOutlive(t)
}

// The same with a standby.
func TestLobbiesOutliveTheHostWithAStandby(t *testing.T) {
	t.Parallel()
	p := lobbiesOutlive(t, withStandby)
	if p.count("the standby goes on") == 0 {
		t.Error("the standby has never gone on")
	}
}

// lobbyKills is reached by one round of two lobbies and their games; the long run is
//
//	go test ./cmd/w3host -run TestLobbiesOutliveTheHost -lobby-kills 200 -timeout 40m -v
var lobbyKills = flag.Int("lobby-kills", 3, "how often TestLobbiesOutliveTheHost kills the host in lobbies")

// With these a download and a countdown last long enough to be met by a kill.
var slowLobbies = []string{"W3HOST_TRANSFER_PLAYER_RATE=40 KB", "W3HOST_LOBBY_COUNTDOWN=5"}

func lobbiesOutlive(t *testing.T, flags ...string) *process {
	t.Helper()
	dir := t.TempDir()
	p, pidFile := startHold(t, dir, append(flags, slowLobbies...)...)
	inLobbies, inGames, rounds := 0, 0, 0
	for ; inLobbies < *lobbyKills && !t.Failed(); rounds++ {
		n, report := killLoaders(t, p, pidFile, *kills)
		if n == 0 {
			t.Error("no kill in lobbies")
		}
		inLobbies, inGames = inLobbies+n, inGames+report.Kills
	}
	t.Logf("%d kills in lobbies and %d in games, of %d rounds", inLobbies, inGames, rounds)
	stopHold(t, p)
	for _, wrong := range []string{"closed as crashed", "cannot be taken over", "cannot be made again", "are lost", "ends with the process", "reconnection rejected"} {
		if n := p.count(wrong); n > 0 {
			t.Errorf("the log says %d times that something is %s", n, wrong)
		}
	}
	checkReplays(t, dir, 2*rounds)
	checkJournals(t, dir, 2*rounds)
	checkGameLog(t, dir, 2*rounds)
	return p
}

// killLoaders has two lobbies filled and their games played, and kills the host all the time.
func killLoaders(t *testing.T, p *process, pidFile string, kills int) (inLobbies int, report bots.Report) {
	t.Helper()
	done := make(chan struct{})
	killed := make(chan int, 1)
	joined, loaded := p.count("player joined")+8, p.count("all have loaded")+2
	go func() { killed <- killInLobbies(t, p, pidFile, joined, loaded, done) }() // ends with done
	const every = 1500 * time.Millisecond
	o := loaders(p, t.TempDir())
	o.Play, o.Kill, o.KillEvery = time.Duration(kills)*every+every/2, pidFile, every
	report, err := bots.Run(t.Context(), o)
	close(done)
	inLobbies = <-killed
	if err != nil || !report.OK || report.Kills != kills || report.ActionsSent != report.ActionsSeen || report.Outcomes[bots.OutcomeDropped]+report.Misbehaved[bots.OutcomeDropped] > 0 {
		t.Errorf("%v: %s; %d kills, %d of %d actions seen, %v, %v", err, report.Verdict(), report.Kills, report.ActionsSeen, report.ActionsSent, report.Outcomes, report.Faults)
	}
	return inLobbies, report
}

// loaders are bots of whom some download the map, into a folder, and some are behind proxies.
func loaders(p *process, maps string) bots.Options {
	return bots.Options{
		Addr: p.addr, Players: 4, Games: 2, NoStart: true, OwnAddresses: true, LoadTime: time.Second, Patience: time.Minute, ChatEvery: time.Second,
		Conduct: func(_, seat int) (c bots.Conduct) {
			switch seat {
			case 1:
				c.Download = maps
			case 2:
				c.Proxy = &bots.ProxyConduct{Extended: true, CutEvery: 2 * time.Second, CutFor: 300 * time.Millisecond}
			case 3:
				c.Download = maps
				c.Proxy = &bots.ProxyConduct{CutEvery: 3 * time.Second, CutFor: 300 * time.Millisecond}
			}
			return c
		},
	}
}

const (
	// mostInLobbies leaves a busy machine time to come to the games.
	mostInLobbies = 15
	// mostEarly kills may meet a host that has not taken the games over. With more, a busy machine
	// has no host for longer than clients wait.
	mostEarly = 3
)

// killInLobbies kills the host once both lobbies are full, until both games are played: that is when the host has
// said so often that players have joined, and have loaded.
func killInLobbies(t *testing.T, p *process, pidFile string, joined, loaded int, done chan struct{}) (n int) {
	const here = "games taken over from the process before"
	for early, taken := 0, 0; ; {
		select {
		case <-done:
			return n
		case <-time.After(700 * time.Millisecond):
		}
		if now := p.count(here); now != taken {
			early, taken = 0, now
		}
		if p.count("player joined") < joined || early == mostEarly {
			continue
		}
		if n == mostInLobbies || p.count("all have loaded") >= loaded {
			return n
		}
		pid, err := hostOf(pidFile)
		if err == nil {
			err = syscall.Kill(pid, syscall.SIGKILL)
		}
		switch {
		case err == nil:
			n++
			early++
		case !errors.Is(err, syscall.ESRCH):
			t.Error(err)
			return n
		}
	}
}

// Another program goes on with lobbies, while players download the map and are behind proxies.
func TestUpgradeOfLobbies(t *testing.T) {
	t.Parallel()
	dir, maps := t.TempDir(), t.TempDir()
	p, pidFile := startHold(t, dir, slowLobbies...)
	o := loaders(p, maps)
	o.Play = 4 * time.Second
	done := make(chan bots.Report, 1)
	go func() {
		report, err := bots.Run(t.Context(), o)
		if err != nil {
			t.Error(err)
		}
		done <- report
	}()
	testkit.Eventually(t, "both lobbies are full", func() bool { return p.count("player joined") >= 8 })
	first, _ := hostOf(pidFile)
	second := upgrade(t, dir, pidFile, "")
	testkit.Eventually(t, "the first process has ended", func() bool { return !runs(first) })
	upgrade(t, dir, pidFile, "")
	testkit.Eventually(t, "the second process has ended", func() bool { return !runs(second) })
	if p.count("all have loaded") > 0 {
		t.Log("a game was played before the upgrades were over")
	}
	report := <-done
	if !report.OK || report.ActionsSent != report.ActionsSeen || report.Outcomes[bots.OutcomeDropped]+report.Misbehaved[bots.OutcomeDropped] > 0 {
		t.Errorf("%s; %d of %d actions seen, %v, %v", report.Verdict(), report.ActionsSeen, report.ActionsSent, report.Outcomes, report.Faults)
	}
	t.Log(report.Verdict())
	stopHold(t, p)
	checkReplays(t, dir, 2)
	checkJournals(t, dir, 2)
	checkGameLog(t, dir, 2)
}
