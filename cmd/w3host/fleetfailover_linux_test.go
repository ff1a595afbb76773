package main

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"w3host/bots"
	"w3host/internal/testkit"
	"w3host/internal/tier"
	"w3host/protocol/w3gs"
	"w3host/storage"
	"w3host/storage/storagetest"
)

// A standby that lags takes the place of Postgres: it does not know of a lobby that has gone over to another
// host, nor of a game that has begun. Games go on, who sits in a lobby stays, and no entry ever has two
// lobbies. The end of the game is in the game log, which has lost its beginning.
func TestFleetFailover(t *testing.T) {
	tier.All(t, "needs processes")
	t.Parallel()
	f := newFleetHosts(t, 3, "[[autohost]]\nname = \"arena\"\nlobbies = 1\nautostart = 3\ncountdown = 0\n")
	start := time.Now()
	holder := map[string]string{}
	for _, entry := range strings.Fields("dota melee tower arena") {
		holder[entry] = f.watch.Await(t, entry, start, "")
	}
	standby := f.db.Standby()
	standby.Stop()

	bob := f.sit(holder["tower"], "tower", "Bobby")
	game := f.arena(holder["arena"])
	at := time.Now()
	f.signal(holder["dota"], syscall.SIGTERM) // it ends after its game, if it has one
	next := f.watch.Await(t, "dota", at, holder["dota"])
	f.watch.Await(t, "arena", at, holder["dota"])
	t.Logf("the lobby of dota has gone over to %s, which the standby does not know", next)

	f.watch.Away(func() { f.db.FailOver(standby) })
	back := time.Now()
	for entry := range holder {
		f.watch.Await(t, entry, back.Add(time.Second), "")
	}
	t.Logf("each entry has a lobby %v after the failover", time.Since(back))
	f.ctl(f.runs[holder["tower"]].cmd.Dir, "say who is still here")
	bob.UntilChat("who is still here")
	if verdict := <-game; !strings.HasPrefix(verdict, "all went well") {
		t.Errorf("the game: %s", verdict)
	}
	f.verdict(25 * time.Second)
	db := storagetest.Open(t, f.db.URL)
	testkit.Eventually(t, "the game is in the log", func() bool {
		games, err := db.Games(t.Context(), storage.GameFilter{Limit: 50})
		for _, g := range games {
			if g.Ended == storage.EndFinished {
				return true
			}
		}
		return err != nil
	})
}

// sit has somebody join the lobby of an entry, and stay.
func (f *fleetHosts) sit(host, entry, name string) *testkit.Client {
	f.t.Helper()
	return enter(f.t, f.runs[host].addr, f.lobby(host, entry), name)
}

func (f *fleetHosts) lobby(host, entry string) *w3gs.GameInfo {
	f.t.Helper()
	for _, info := range f.watch.Lobbies(f.t.Context(), f.runs[host].addr) {
		if strings.HasPrefix(info.Name, entry) {
			return &info
		}
	}
	f.t.Fatalf("%s has no lobby of %s", host, entry)
	return nil
}

// arena has three bots play on a host. It returns when the entry has another lobby; what came of the game is sent.
func (f *fleetHosts) arena(host string) <-chan string {
	f.t.Helper()
	lobby, verdict, from := f.lobby(host, "arena"), make(chan string, 1), time.Now()
	f.watch.Quiet("arena", true) // who comes and goes keeps it from starting
	go func() {                  // ends with the game
		report, err := bots.Run(context.Background(), bots.Options{
			Addr: f.runs[host].addr, GameID: lobby.GameID, EntryKey: lobby.EntryKey, Players: 3, Games: 1, Play: 40 * time.Second, LoadTime: 100 * time.Millisecond, NoStart: true, Patience: 20 * time.Second,
		})
		if err != nil {
			verdict <- err.Error()
			return
		}
		verdict <- report.Verdict()
	}()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if f.lobbyElsewhere("arena", lobby.GameID, host) {
			break
		}
		if time.Now().After(end) {
			f.t.Fatalf("no game: %s", <-verdict)
		}
	}
	f.watch.Quiet("arena", false)
	f.t.Logf("a game runs on %s after %v", host, time.Since(from))
	return verdict
}

// lobbyElsewhere reports whether an entry has another lobby than that one.
func (f *fleetHosts) lobbyElsewhere(entry string, id uint32, on string) bool {
	for name, p := range f.runs {
		for _, info := range f.watch.Lobbies(f.t.Context(), p.addr) {
			if strings.HasPrefix(info.Name, entry) && (name != on || info.GameID != id) {
				return true
			}
		}
	}
	return false
}
