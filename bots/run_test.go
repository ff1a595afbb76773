package bots

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/internal/tier"
	"w3host/protocol/w3gs"

	"w3host/internal/testkit"
)

func crcOf(b []byte) uint32 { return crc32.ChecksumIEEE(b) }

// eachPoller runs a test with both pollers.
func eachPoller(t *testing.T, test func(t *testing.T, base Options)) {
	t.Parallel()
	t.Run("default", func(t *testing.T) { t.Parallel(); test(t, Options{}) })
	t.Run("portable", func(t *testing.T) { t.Parallel(); test(t, Options{Portable: true}) })
}

// runBots plays a short game at a fake host, or one until the host says that it
// has seen enough: what a test waits for must not depend on how fast the machine is.
func runBots(t *testing.T, h *fakeHost, opts Options) Report {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if h.Enough != nil {
		opts.Play = time.Minute
		go func() {
			select {
			case <-h.Over:
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	opts.Addr = h.Addr
	opts.Players = h.Players
	opts.LoadTime = cmp.Or(opts.LoadTime, 50*time.Millisecond)
	opts.Play = cmp.Or(opts.Play, 700*time.Millisecond)
	report, err := Run(ctx, opts)
	if err != nil {
		t.Errorf("Run: %v", err)
	}
	return report
}

func wantOK(t *testing.T, r Report) {
	t.Helper()
	for _, f := range r.Faults {
		t.Error(f)
	}
	if !r.OK {
		r.Faults, r.Players = nil, nil
		t.Errorf("not OK: %+v", r)
	}
}

func TestGame(t *testing.T) {
	eachPoller(t, func(t *testing.T, base Options) {
		h := startFakeHost(t, &fakeHost{Players: 4})
		base.Actions, base.ChatEvery = 20, 100*time.Millisecond
		r := runBots(t, h, base)
		wantOK(t, r)
		g := h.Game(0)
		for _, c := range g.Conns {
			turns := r.Players[c.PID-1].Turns
			if n := len(c.Hashes); n != turns && n != turns-1 { // the last may cross the goodbye
				t.Errorf("%s: %d answers to %d turns", c.Name, n, turns)
			}
			if n := min(len(c.Hashes), len(g.Conns[0].Hashes)); !slices.Equal(c.Hashes[:n], g.Conns[0].Hashes[:n]) {
				t.Errorf("%s: hashes %x, others %x", c.Name, c.Hashes, g.Conns[0].Hashes)
			}
			if first, last := c.Frames[0].Op(), c.Frames[len(c.Frames)-1].Op(); first != w3gs.OpMapSize || last != w3gs.OpLeaveGame {
				t.Errorf("%s: began with %v, ended with %v", c.Name, first, last)
			}
		}
		if r.Turns == 0 || r.Interval.Count != r.Turns || r.ActionsSeen == 0 || r.Players[0].LinesHeard == 0 {
			t.Errorf("figures: %d turns, %d intervals, %d actions, %d lines heard", r.Turns, r.Interval.Count, r.ActionsSeen, r.Players[0].LinesHeard)
		}
	})
}

func TestManyGamesOneLobbyAtATime(t *testing.T) {
	eachPoller(t, func(t *testing.T, base Options) {
		h := startFakeHost(t, &fakeHost{Players: 3})
		base.Games, base.Loops = 4, 2
		r := runBots(t, h, base)
		wantOK(t, r)
		if r.GamesRun != 4 || r.Joined != 12 {
			t.Errorf("%d games, %d bots", r.GamesRun, r.Joined)
		}
	})
}

func TestHostThatAnswersNoSearch(t *testing.T) {
	t.Parallel()
	h := startFakeHost(t, &fakeHost{Players: 2, NoLAN: true})
	wantOK(t, runBots(t, h, Options{Games: 2}))
}

func TestGameByID(t *testing.T) {
	t.Parallel()
	h := startFakeHost(t, &fakeHost{Players: 2, Lobbies: 3})
	wantOK(t, runBots(t, h, Options{GameID: 2, EntryKey: fakeKey}))
	if n := len(h.Game(1).Conns); n != 2 {
		t.Errorf("%d players in game 2", n)
	}
}

// Without searches the bots guess ids, and pass over games that have started.
func TestGuessesPastStartedGames(t *testing.T) {
	tier.All(t, "waits for real time")
	t.Parallel()
	h := startFakeHost(t, &fakeHost{Players: 2, NoLAN: true})
	wantOK(t, runBots(t, h, Options{}))
	wantOK(t, runBots(t, h, Options{}))
}

func TestWrongEntryKey(t *testing.T) {
	t.Parallel()
	h := startFakeHost(t, &fakeHost{Players: 2})
	r := runBots(t, h, Options{GameID: 1, EntryKey: 1, Patience: time.Second})
	if r.OK || r.Outcomes[OutcomeRefused] != 2 || !strings.Contains(r.Players[0].Why, "wrong entry key") {
		t.Errorf("%+v", r)
	}
}

func TestNoHost(t *testing.T) {
	t.Parallel()
	r, err := Run(t.Context(), Options{Addr: "127.0.0.1:9", Players: 2})
	if err == nil || !strings.Contains(err.Error(), "no host at 127.0.0.1:9: start one with `w3host`") || r.OK {
		t.Errorf("error %v, report %+v", err, r)
	}
}

func TestTooFewSlots(t *testing.T) {
	t.Parallel()
	h := startFakeHost(t, &fakeHost{Players: 2})
	_, err := Run(t.Context(), Options{Addr: h.Addr, Players: 3, Patience: time.Second})
	if err == nil || !strings.Contains(err.Error(), "use --players 2") {
		t.Errorf("error %v", err)
	}
}

func TestInterrupted(t *testing.T) {
	eachPoller(t, func(t *testing.T, base Options) {
		h := &fakeHost{Players: 2}
		ctx, cancel := context.WithCancel(t.Context())
		h.Turn = func(_ *fakeGame, n int) {
			if n == 5 {
				cancel()
			}
		}
		startFakeHost(t, h)
		base.Addr, base.Players, base.Play, base.LoadTime = h.Addr, 2, time.Hour, time.Millisecond
		r, err := Run(ctx, base)
		if err != nil || r.Outcomes[OutcomeLeft] != 2 || r.Elapsed > 10*time.Second {
			t.Errorf("error %v, report %+v", err, r)
		}
	})
}

// TestLeave: bots that are told to leave do so as at the end of their time, when their actions have come back.
func TestLeave(t *testing.T) {
	t.Parallel()
	leave := make(chan struct{})
	h := &fakeHost{Players: 2, Turn: func(_ *fakeGame, n int) {
		if n == 20 {
			close(leave)
		}
	}}
	startFakeHost(t, h)
	r, err := Run(t.Context(), Options{Addr: h.Addr, Players: 2, Play: time.Hour, LoadTime: time.Millisecond, Leave: leave, Actions: 20})
	if err != nil || r.Outcomes[OutcomeLeft] != 2 || r.ActionsSent == 0 || r.ActionsSent != r.ActionsSeen {
		t.Errorf("error %v, report %+v", err, r)
	}
}

func TestSaysStart(t *testing.T) {
	t.Parallel()
	h := startFakeHost(t, &fakeHost{Players: 2, NoStart: true})
	wantOK(t, runBots(t, h, Options{}))
	if said := h.Game(0).Said; !slices.Contains(said, "!start") {
		t.Errorf("said %q", said)
	}
}

// The lobby belongs to whoever joins first, and the host takes the joins of
// connections that are made at once in any order.
func TestTheOwnerSaysStart(t *testing.T) {
	eachPoller(t, func(t *testing.T, base Options) {
		h := startFakeHost(t, &fakeHost{Players: 3, NoStart: true, Owner: "first", BeforeJoin: func(name string) {
			if name == "bot-1" {
				time.Sleep(200 * time.Millisecond)
			}
		}})
		base.Patience = 20 * time.Second
		wantOK(t, runBots(t, h, base))
		if said := h.Game(0).Said; slices.Contains(said, "!start force") {
			t.Errorf("the first !start did not count: %q", said)
		}
	})
}

// A lobby may belong to any of them, if somebody was there before.
func TestEveryBotAsksForTheStart(t *testing.T) {
	tier.All(t, "waits for real time")
	t.Parallel()
	wantOK(t, runBots(t, startFakeHost(t, &fakeHost{Players: 2, NoStart: true, Owner: "bot-2"}), Options{Patience: 20 * time.Second}))
}

// A bot that is not let in does not keep the others from starting.
func TestStartsWithoutTheRefused(t *testing.T) {
	t.Parallel()
	h := startFakeHost(t, &fakeHost{Players: 3, NoStart: true, Refuses: "bot-3", BeforeJoin: func(name string) {
		if name == "bot-3" {
			time.Sleep(200 * time.Millisecond)
		}
	}})
	r, err := Run(t.Context(), Options{Addr: h.Addr, Players: 3, Play: 300 * time.Millisecond, LoadTime: 50 * time.Millisecond, Patience: 20 * time.Second})
	if err != nil || r.GamesRun != 1 || r.Outcomes[OutcomeRefused] != 1 || r.OK {
		t.Errorf("%v, %+v", err, r)
	}
	if want := "not well: 1 bot could not stay to the end: refused: the lobby is full"; r.Verdict() != want {
		t.Errorf("verdict %q, want %q", r.Verdict(), want)
	}
}

func TestMorePlayersThanSlotsIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	for _, h := range []*fakeHost{{Players: 3}, {Players: 3, NoLAN: true}} {
		startFakeHost(t, h)
		r, err := Run(t.Context(), Options{Addr: h.Addr, Players: 5})
		want := fmt.Sprintf("has room for %s, 5 want in: use --players %d", counted(h.Players, "bot"), h.Players)
		if err == nil || !strings.Contains(err.Error(), want) || r.Elapsed > 30*time.Second {
			t.Errorf("after %v: %v", r.Elapsed, err)
		}
		if want = "not well: no game was played: gave up: the lobby at " + h.Addr + " " + want; r.Verdict() != want || r.Outcomes[""] > 0 {
			t.Errorf("verdict %q, want %q; %v", r.Verdict(), want, r.Outcomes)
		}
	}
}

// Who looks at the bots while nothing happens is told what they wait for.
func TestNarrates(t *testing.T) {
	t.Parallel()
	h := startFakeHost(t, &fakeHost{Players: 2, NoStart: true})
	var log testkit.Log
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = Run(ctx, Options{Addr: h.Addr, Players: 2, NoStart: true, Log: zerolog.New(&log)})
	}()
	defer func() { stop(); <-done }()
	log.Await(t, "(waiting in the lobby for the host to start)")
}

func TestGivesUpWhenNothingStarts(t *testing.T) {
	t.Parallel()
	h := startFakeHost(t, &fakeHost{Players: 2, NoStart: true})
	r := runBots(t, h, Options{NoStart: true, Patience: time.Second})
	if r.OK || r.Outcomes[OutcomeGaveUp] != 2 || len(h.Game(0).Said) > 4 {
		t.Errorf("%+v, said %q", r, h.Game(0).Said)
	}
}

func TestBurstOfLongActions(t *testing.T) {
	eachPoller(t, func(t *testing.T, base Options) {
		h := startFakeHost(t, &fakeHost{
			Players: 4, Period: 20 * time.Millisecond,
			Enough: func(g *fakeGame) bool { return len(g.Pending) == 0 && g.Answered(burstTurn+20, 1, 2, 3, 4) },
		})
		base.Burst, base.ActionBytes, base.Actions = 200, 500, -1
		r := runBots(t, h, base)
		wantOK(t, r)
		if r.ActionsSeen != 200 || r.LargestTurnPacket > segment || r.OverflowParts < 4*20 {
			t.Errorf("%d actions seen, largest packet %d, %d overflow parts", r.ActionsSeen, r.LargestTurnPacket, r.OverflowParts)
		}
	})
}

// A host that does not read for a while must still get everything, in order,
// and without a turn that makes the bot try again: the burst is more than any
// socket buffer holds.
func TestHostThatReadsSlowly(t *testing.T) {
	const burst = 20_000
	eachPoller(t, func(t *testing.T, base Options) {
		var slow atomic.Bool
		arrived := 0
		h := &fakeHost{Players: 1, Period: 20 * time.Millisecond}
		h.Turn = func(g *fakeGame, n int) {
			slow.Store(n == burstTurn)
			g.Quiet = n > burstTurn && arrived < burst
		}
		h.OnFrame = func(_ *fakeGame, _ *fakeConn, f w3gs.Frame) bool {
			if f.Op() == w3gs.OpOutgoingAction {
				arrived++
			}
			return false
		}
		h.Enough = func(g *fakeGame) bool { return arrived == burst && g.Answered(burstTurn+2, 1) }
		h.OnRead = func() {
			if slow.CompareAndSwap(true, false) {
				time.Sleep(500 * time.Millisecond)
			}
		}
		startFakeHost(t, h)
		base.Burst, base.ActionBytes, base.Actions = burst, 1000, -1
		base.ChatEvery = time.Hour // a line would make the bot write again
		r := runBots(t, h, base)
		wantOK(t, r)
		if r.ActionsSeen != burst {
			t.Errorf("%d actions came back", r.ActionsSeen)
		}
	})
}

// The fake host lets one player see another turn: the bots must notice among
// themselves, and their answers must differ. It ends before they compare a second time, when
// another bot may be the first.
func TestHostThatForgetsAnAction(t *testing.T) {
	t.Parallel()
	h := &fakeHost{Players: 3, Period: 20 * time.Millisecond}
	h.Enough = func(g *fakeGame) bool { return g.Answered(compareEvery+8, 1, 2, 3) }
	h.Turn = func(g *fakeGame, n int) {
		if n == 10 {
			t := w3gs.IncomingAction{IncrementMillis: 20, Actions: action(1, 0x66)}
			for _, c := range g.Conns {
				c.Write(t.AppendTo(nil))
				t.Actions = nil
			}
			g.Turns++
		}
	}
	startFakeHost(t, h)
	r := runBots(t, h, Options{Actions: -1})
	diverged := 0
	for _, p := range r.Players {
		if p.Diverged {
			diverged++
		}
	}
	g := h.Game(0)
	if r.OK || diverged == 0 || diverged == 3 {
		t.Errorf("ok %v, %d diverged", r.OK, diverged)
	}
	if a, b := g.Conn(1).Hashes[20], g.Conn(2).Hashes[20]; a == b {
		t.Errorf("both answer %08x", a)
	}
}

func TestHostThatDropsAPlayer(t *testing.T) {
	eachPoller(t, func(t *testing.T, base Options) {
		h := &fakeHost{Players: 3}
		h.Enough = func(g *fakeGame) bool { return g.Answered(12, 1) }
		h.Turn = func(g *fakeGame, n int) {
			switch n {
			case 5:
				g.Kick(g.Conn(2), w3gs.LeaveLost)
			case 8:
				g.Conn(3).Write((&w3gs.KickPlayer{Reason: w3gs.LeaveLost}).AppendTo(nil))
				g.Kick(g.Conn(3), w3gs.LeaveLost)
			}
		}
		startFakeHost(t, h)
		r := runBots(t, h, base)
		if r.OK || r.FaultCount != 0 || r.Players[1].Outcome != OutcomeDropped || r.Players[2].Outcome != OutcomeKicked || r.Players[0].Outcome != OutcomeLeft {
			t.Errorf("ok %v, faults %v, players %+v", r.OK, r.Faults, r.Players)
		}
	})
}

func TestLagScreenAndVotes(t *testing.T) {
	eachPoller(t, func(t *testing.T, base Options) {
		h := &fakeHost{Players: 3}
		h.Enough = func(g *fakeGame) bool { return g.Answered(10, 1, 2, 3) }
		h.Turn = func(g *fakeGame, n int) {
			switch {
			case n == 5 && !g.Quiet:
				g.Quiet = true
				g.Send(&w3gs.StartLag{Laggers: []w3gs.Lagger{{PID: 3, LagMillis: 1234}}})
			case g.Quiet && g.Votes == 2:
				g.Quiet = false
				g.Votes = 0
				g.Send(&w3gs.StopLag{Lagger: w3gs.Lagger{PID: 3, LagMillis: 1500}})
			}
		}
		startFakeHost(t, h)
		base.VoteAfter, base.Record = 200*time.Millisecond, true
		r := runBots(t, h, base)
		wantOK(t, r)
		for i, want := range []int{1, 1, 0} {
			if p := r.Players[i]; p.Votes != want || p.LagScreens != 1 {
				t.Errorf("%s: %d votes, %d lag screens", p.Name, p.Votes, p.LagScreens)
			}
		}
		var seen []string
		for _, e := range r.Players[0].Events {
			if e.Packet == w3gs.OpStartLag || e.Packet == w3gs.OpStopLag {
				seen = append(seen, e.Packet.String())
				if e.PID != 3 || e.Turn != 4 {
					t.Errorf("event %+v", e)
				}
			}
		}
		if len(seen) != 2 {
			t.Errorf("events %v", seen)
		}
		if r.StoodStill < 200*time.Millisecond {
			t.Errorf("stood still for %v", r.StoodStill)
		}
	})
}

func TestMisbehaviour(t *testing.T) {
	one := func(c Conduct) func(int, int) Conduct {
		return func(_, seat int) Conduct {
			if seat == 1 {
				return c
			}
			return Conduct{}
		}
	}
	eachPoller(t, func(t *testing.T, base Options) {
		t.Run("desync", func(t *testing.T) {
			h := startFakeHost(t, &fakeHost{
				Players: 3, Period: 20 * time.Millisecond,
				Enough: func(g *fakeGame) bool { return g.Answered(desyncTurn+1, 1, 2, 3) },
			})
			base := base
			base.Conduct = one(Conduct{Desync: true})
			wantOK(t, runBots(t, h, base))
			g := h.Game(0)
			c := []*fakeConn{g.Conn(1), g.Conn(2), g.Conn(3)}
			if c[1].Hashes[desyncTurn-2] != c[0].Hashes[desyncTurn-2] || c[1].Hashes[desyncTurn] == c[0].Hashes[desyncTurn] || c[2].Hashes[desyncTurn] != c[0].Hashes[desyncTurn] {
				t.Error("hashes are not wrong where they should be")
			}
		})
		t.Run("stall", func(t *testing.T) {
			h := &fakeHost{Players: 3}
			most := 0 // turns that the stalled bot is behind the others
			h.Turn = func(g *fakeGame, _ int) {
				most = max(most, len(g.Conn(1).Hashes)-len(g.Conn(2).Hashes))
			}
			h.Enough = func(g *fakeGame) bool { return most > 5 && g.Answered(30, 1, 2, 3) }
			startFakeHost(t, h)
			base := base
			base.Conduct = one(Conduct{StallAfter: 300 * time.Millisecond, StallFor: time.Second})
			wantOK(t, runBots(t, h, base))
		})
		t.Run("never read", func(t *testing.T) {
			h := startFakeHost(t, &fakeHost{Players: 3, Enough: func(g *fakeGame) bool { return g.Answered(10, 1, 3) }})
			base := base
			base.Conduct = one(Conduct{NeverRead: true})
			wantOK(t, runBots(t, h, base))
			if n := len(h.Game(0).Conn(2).Hashes); n != 0 {
				t.Errorf("%d answers", n)
			}
		})
		t.Run("leaves early", func(t *testing.T) {
			h := startFakeHost(t, &fakeHost{Players: 3, Enough: func(g *fakeGame) bool { return g.Conn(2).Gone && g.Turns > 10 }})
			base := base
			base.Conduct = one(Conduct{LeaveAfter: 300 * time.Millisecond})
			r := runBots(t, h, base)
			wantOK(t, r)
			if early, late := r.Players[1].Turns, r.Players[0].Turns; early == 0 || early >= late {
				t.Errorf("left after %d turns, another after %d", early, late)
			}
		})
	})
	t.Run("garbage", func(t *testing.T) {
		t.Parallel()
		h := startFakeHost(t, &fakeHost{Players: 3, Enough: func(g *fakeGame) bool { return g.Conn(2).Gone }})
		r := runBots(t, h, Options{Conduct: one(Conduct{Garbage: true})})
		wantOK(t, r)
		if r.Elapsed > time.Minute || r.Outcomes[OutcomeLeft] != 2 {
			t.Errorf("%v, %v, %v", r.Elapsed, r.Misbehaved, r.Outcomes)
		}
	})
}

func TestStrangers(t *testing.T) {
	t.Parallel()
	h := startFakeHost(t, &fakeHost{Players: 2, JoinWithin: time.Second})
	r := runBots(t, h, Options{Strangers: 10, Play: 2 * time.Second})
	wantOK(t, r)
	if len(r.Strangers) != len(strangers) {
		t.Fatalf("%+v", r.Strangers)
	}
	for _, s := range r.Strangers {
		if s.Count != 2 || s.Closed != 2 || s.Slowest > 25*time.Second || s.Kind == "" {
			t.Errorf("%+v", s)
		}
	}
}

// fakeMap makes the fake host send parts to whoever lacks the map.
func fakeMap(h *fakeHost, size int) []byte {
	rng := rand.New(rand.NewPCG(3, 4))
	h.MapData = make([]byte, size)
	for i := range h.MapData {
		h.MapData[i] = byte(rng.Uint32())
	}
	const window = 16 * w3gs.MapPartLen
	type transfer struct{ sent, acked int }
	transfers := map[*fakeConn]*transfer{}
	h.OnFrame = func(g *fakeGame, c *fakeConn, f w3gs.Frame) bool {
		x := transfers[c]
		p, err := w3gs.Decode(f, w3gs.FromClient)
		if err != nil {
			return false
		}
		switch q := p.(type) {
		case *w3gs.MapSize:
			if x == nil && int(q.Size) < size {
				x = &transfer{sent: int(q.Size)}
				transfers[c] = x
				c.Write((&w3gs.StartDownload{From: virtualPID}).AppendTo(nil))
			}
			if x != nil {
				x.acked = int(q.Size)
			}
		case *w3gs.MapPartOK:
			x.acked = int(q.Size)
		case *w3gs.MapPartNotOK:
			x.sent = x.acked
		}
		for x != nil && x.sent < size && x.sent-x.acked < window {
			data := h.MapData[x.sent:min(size, x.sent+w3gs.MapPartLen)]
			c.Write((&w3gs.MapPart{To: c.PID, From: virtualPID, Offset: uint32(x.sent), CRC32: crcOf(data), Data: data}).AppendTo(nil))
			x.sent += len(data)
		}
		return false
	}
	sum := sha256.Sum256(h.MapData)
	return sum[:]
}

func TestDownload(t *testing.T) {
	rows := map[string]Conduct{
		"plain":             {},
		"refuses parts":     {RefuseParts: 0.05},
		"acknowledges 0x42": {AckSizes: true},
		"late to answer":    {AckDelay: 5 * time.Millisecond},
		"stalls at 50 %":    {StallAtPercent: 50, StallFor: 300 * time.Millisecond},
	}
	for name, conduct := range rows {
		t.Run(name, func(t *testing.T) {
			eachPoller(t, func(t *testing.T, base Options) {
				dir := t.TempDir()
				h := &fakeHost{Players: 2}
				sum := fakeMap(h, 400_000)
				startFakeHost(t, h)
				base.Conduct = func(_, seat int) Conduct {
					c := conduct
					c.Download = dir
					if seat == 1 {
						c = Conduct{Download: dir, JoinAtPercent: 50}
					}
					return c
				}
				r := runBots(t, h, base)
				wantOK(t, r)
				if len(r.Downloads) != 2 {
					t.Fatalf("downloads %+v", r.Downloads)
				}
				for _, d := range r.Downloads {
					file, err := os.ReadFile(d.Path)
					if err != nil || string(file) != string(h.MapData) {
						t.Errorf("%s: %d bytes, %v", d.Path, len(file), err)
					}
					if !d.Intact || d.SHA256 != hex.EncodeToString(sum) || d.Time <= 0 {
						t.Errorf("%+v", d)
					}
				}
				if conduct.RefuseParts > 0 && r.Players[0].PartsRefused < 3 {
					t.Errorf("%d parts refused", r.Players[0].PartsRefused)
				}
			})
		})
	}
}

// A bot that leaves half way leaves a part, and goes on from it the next time.
func TestDownloadIsResumed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := &fakeHost{Players: 1, Lobbies: 2}
	fakeMap(h, 400_000)
	startFakeHost(t, h)
	r := runBots(t, h, Options{GameID: 1, EntryKey: fakeKey, Conduct: func(int, int) Conduct { return Conduct{Download: dir, LeaveAtPercent: 50} }})
	if r.Outcomes[OutcomeLeft] != 1 || r.FaultCount != 0 || len(r.Downloads) != 0 {
		t.Fatalf("%+v", r)
	}
	part, err := os.Stat(filepath.Join(dir, "bot-1-fake.w3x.part"))
	if err != nil || part.Size() < 200_000 || part.Size() > 210_000 {
		t.Fatalf("part: %v, %v", part, err)
	}
	r = runBots(t, h, Options{GameID: 2, EntryKey: fakeKey, Conduct: func(int, int) Conduct { return Conduct{Download: dir} }})
	wantOK(t, r)
	if d := r.Downloads[0]; d.Resumed != part.Size() || !d.Intact || d.Bytes != 400_000 {
		t.Errorf("%+v", d)
	}
}

// A host that damages parts, or sends them in the wrong order, is found out.
func TestDownloadFaults(t *testing.T) {
	t.Parallel()
	part := func(offset int, data []byte) *w3gs.MapPart {
		return &w3gs.MapPart{To: 1, From: 12, Offset: uint32(offset), CRC32: crcOf(data), Data: data}
	}
	for fault, does := range map[string]func(r *rig){
		"before 0x3F":             func(r *rig) { r.hear(part(0, rigMap[:1442])) },
		"offset 1442 where 0 was": func(r *rig) { r.hear(&w3gs.StartDownload{From: 12}, part(1442, rigMap[1442:2884])) },
		"for player 2":            func(r *rig) { r.hear(&w3gs.StartDownload{From: 12}, &w3gs.MapPart{To: 2, From: 12}) },
		"a second time":           func(r *rig) { r.hear(&w3gs.StartDownload{From: 12}, &w3gs.StartDownload{From: 12}) },
		"wrong CRC at offset 0":   func(r *rig) { p := part(0, rigMap[:1442]); p.CRC32++; r.hear(&w3gs.StartDownload{From: 12}, p) },
		"the map arrived with CRC": func(r *rig) {
			r.hear(&w3gs.StartDownload{From: 12}, part(0, make([]byte, 1442)), part(1442, rigMap[1442:2884]), part(2884, rigMap[2884:]))
		},
	} {
		r := newRig(t, Options{NoStart: true, Conduct: func(int, int) Conduct { return Conduct{Download: t.TempDir()} }})
		r.toLobby()
		does(r)
		r.complains(fault)
		r.closeDownload()
	}
}
