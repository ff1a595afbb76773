package host

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/bots"
	"w3host/game"
	"w3host/internal/testkit"
)

// returning lets players come back into running games.
func returning(o *Options) {
	o.Limits.Exempt = nil
	o.Game.Return = game.Return{
		On: true, Sign: time.Minute, Wait: time.Minute, CatchUp: time.Minute, Times: 3, Proof: game.Proof{Address: true, Realm: true, Login: true},
	}
}

// packetsOfGame are the 0x07, 0x0C and 0x48 that a client has been sent since its game began.
func packetsOfGame(c *client) (all [][]byte) {
	began := false
	for _, h := range c.All() {
		switch h.B[1] {
		case 0x0B:
			began = true
		case 0x07, 0x0C, 0x48:
			if began {
				all = append(all, h.B)
			}
		}
	}
	return all
}

// sameGame compares what two clients have been sent of their game.
func sameGame(t *testing.T, a, b *client) {
	t.Helper()
	one, other := packetsOfGame(a), packetsOfGame(b)
	n := min(len(one), len(other))
	if n == 0 || !slices.EqualFunc(one[:n], other[:n], bytes.Equal) {
		t.Errorf("%s and %s were sent different packets of the game", a.Name, b.Name)
	}
}

// crash ends a client as its process does.
func crash(t *testing.T, c *client) {
	t.Helper()
	if err := c.Conn.SetLinger(0); err != nil {
		t.Error(err)
	}
	_ = c.Conn.Close()
}

// TestReturn: a player whose client has crashed finds the running game in the list, joins it
// with a new client, is shown all of it, and plays on.
func TestReturn(t *testing.T) {
	t.Parallel()
	shown := make(adverts, 10)
	r := newRig(t, func(o *Options) {
		returning(o)
		o.Advertiser = shown
	})
	g, players := r.play(3)
	shown.next(t)
	ann, bob := players[0], players[1]
	bob.Send(action([]byte("before")))
	testkit.Eventually(t, "an action", func() bool { return seen(ann, "before") })
	crash(t, bob)
	ann.UntilChat("P2 has lost the connection and may join again")
	if ad := shown.next(t); ad.GameID != g.ID() || len(ad.Only) != 1 || ad.Only[0].String() != "127.0.0.1" || !ad.Requested {
		t.Errorf("listed %+v", ad)
	}
	again := r.join(g, "P2", player)
	if again.PID != bob.PID {
		t.Errorf("player %d comes back as %d", bob.PID, again.PID)
	}
	ann.UntilChat("P2 is back.")
	again.Send(action([]byte("behind")))
	testkit.Eventually(t, "an action", func() bool { return seen(ann, "behind") && seen(again, "behind") })
	sameGame(t, ann, again)
	if !seen(again, "before") {
		t.Error("what was done before the crash is missing")
	}
	// A stranger under another name, and one under the name of who is there.
	if stranger := r.knock(g, "Zoe", nil); !matches("F7 05 08 00 0A 00 00 00", stranger.Until(0x05)) {
		t.Error("a stranger is let in")
	}
	twin := r.join(g, "P3", player)
	if text := chatText(twin.Until(0x0F)); text != "P3 is still connected: try again in 2 seconds." {
		t.Errorf("the twin reads %q", text)
	}
}

// TestBotsReturn: simulated clients crash and come back, several at once, and all see one game.
func TestBotsReturn(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) {
		returning(o)
		o.Game.Return.Times = 100
	})
	g := r.lobby(4)
	report, err := bots.Run(t.Context(), bots.Options{
		Addr: r.h.Addr().String(), GameID: g.ID(), EntryKey: g.EntryKey(), Players: 4, Play: 5 * time.Second, Log: zerolog.Nop(),
		LoadTime: 100 * time.Millisecond,
		Conduct: func(_, seat int) (c bots.Conduct) {
			if seat > 1 {
				c.CrashEvery, c.CrashFor = time.Second, 200*time.Millisecond
			}
			return c
		},
	})
	if err != nil || !report.OK {
		t.Fatalf("%v: %s, %+v", err, report.Verdict(), report.Faults)
	}
	for _, p := range report.Players {
		if p.Crashes > 0 != (p.Seat > 1) || p.Returns < p.Crashes-1 {
			t.Errorf("%s: %d crashes, %d times back", p.Name, p.Crashes, p.Returns)
		}
	}
}

// TestReturnOff: without it the player leaves, and nobody joins.
func TestReturnOff(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	g, players := r.play(2)
	crash(t, players[1])
	players[0].Until(0x07)
	if again := r.knock(g, "P2", nil); !matches("F7 05 08 00 0A 00 00 00", again.Until(0x05)) {
		t.Error("a player is let in")
	}
}
