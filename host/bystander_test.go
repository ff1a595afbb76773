package host

import (
	"net"
	"testing"
	"time"

	"w3host/internal/testkit"
	"w3host/internal/tier"
)

// A client that floods must hurt nobody but itself, not even those on thin
// lines, who cannot read what a flood makes of a game. lines gives a connection
// to the host over a line of so many bytes a second.
type lines func(t *testing.T, r *rig, rate int64) *net.TCPConn

// relayed lines are emulated. The kernel of the loopback takes more from the host
// than a real network would; TestBystanderInNamespaces has one.
func relayed(t *testing.T, r *rig, rate int64) *net.TCPConn {
	line := testkit.NewRelay(t, r.h.Addr().String(), testkit.Line{}, testkit.Line{Rate: rate, Buffer: 32 << 10})
	nc, err := net.Dial("tcp4", line.Addr())
	if err != nil {
		t.Fatal(err)
	}
	return nc.(*net.TCPConn)
}

func TestBystander(t *testing.T) {
	tier.All(t, "judges lateness in real time")
	t.Parallel()
	bystanders(t, relayed)
}

func bystanders(t *testing.T, over lines) {
	t.Run("lobby", func(t *testing.T) { lobbyBystander(t, over) })
	t.Run("lag screen", func(t *testing.T) { lagsAndStays(t, over) })
	for _, tc := range []struct {
		name          string
		rate          int64
		actions, turn int // of 1,000 bytes, and how often
		stays         bool
	}{
		{"burst on 100 kB/s", 100_000, 220, 8, false},
		{"burst on 500 kB/s", 500_000, 220, 8, false},
		{"stream on 100 kB/s", 100_000, 16, 100, false},
		{"within the budget on 100 kB/s", 100_000, 1, 50, true},
	} {
		t.Run(tc.name, func(t *testing.T) { gameBystander(t, over, tc.rate, tc.actions, tc.turn, tc.stays) })
	}
}

func bystanderRig(t *testing.T, change func(*Options)) *rig {
	return newRig(t, func(o *Options) {
		defer change(o)
		o.Listeners, o.Game.Turns.Period, o.Limits.OutQueue = listenOn(t, o, "0.0.0.0:0", ""), 100*time.Millisecond, 4<<20
		o.Game.Lobby.Pace.SlotRequests = 8
	})
}

// gameBystander: one player sends actions, turn after turn.
func gameBystander(t *testing.T, over lines, rate int64, actions, rounds int, stays bool) {
	r := bystanderRig(t, func(*Options) {})
	g := r.lobby(3)
	other, flooder := r.join(g, "Other", player), r.join(g, "Flooder", player)
	thin := r.letIn(r.knockOn(clientOn(t, over(t, r, rate)), g, "Thin", player))
	r.begin(other, flooder, thin)
	thin.Until(0x0C)
	burst := repeat(action(make([]byte, 1000)), actions)
	for range rounds {
		if flooder.Send(burst); flooder.Ending() != nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	// All that was let through has to pass the line before this turn.
	mark := other.Count(0x0C)
	testkit.Eventually(t, "turns of the other", func() bool { return other.Count(0x0C) > mark+20 })
	testkit.Eventually(t, "turns of the bystander", func() bool { return thin.Count(0x0C) >= other.Count(0x0C)-5 })
	for _, c := range []*client{other, thin} {
		if err := c.Ending(); err != nil {
			t.Errorf("%s lost the connection: %v", c.Name, err)
		}
	}
	if gone := flooder.Ending() != nil; gone == stays {
		t.Errorf("the flooder is gone: %v", gone)
	}
	if !stays && r.logged("player dropped")["reason"] != "sent far more actions than a player may" {
		t.Errorf("logged %v", r.logged("player dropped"))
	}
	if stays && other.Count(0x10) > 0 {
		t.Error("a lag screen for what the budget allows")
	}
	checkSameStream(t, []*client{other, thin})
}

// lagsAndStays: where the operator allows more than a line carries, whose it is
// gets the lag screen, and comes back, again and again; they never lose their place.
func lagsAndStays(t *testing.T, over lines) {
	r := bystanderRig(t, func(o *Options) {
		o.Game.Turns.ActionRate, o.Game.Turns.ActionBurst, o.Game.Turns.SyncLimit = 1<<20, 1<<20, 10
	})
	g := r.lobby(3)
	other, busy := r.join(g, "Other", player), r.join(g, "Busy", player)
	thin := r.letIn(r.knockOn(clientOn(t, over(t, r, 100_000)), g, "Thin", player))
	r.begin(other, busy, thin)
	thin.Until(0x0C)
	for range 8 {
		busy.Send(repeat(action(make([]byte, 1000)), 90))
		time.Sleep(100 * time.Millisecond)
	}
	other.Until(0x10)
	if b := other.Until(0x11); b[4] != thin.PID {
		t.Errorf("%X comes back", b)
	}
	mark := other.Count(0x0C)
	testkit.Eventually(t, "turns of all", func() bool { return min(other.Count(0x0C), thin.Count(0x0C)) > mark+10 })
	for _, c := range []*client{other, busy, thin} {
		if err := c.Ending(); err != nil || len(r.log.find("player dropped")) > 0 {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	checkSameStream(t, []*client{other, busy, thin})
}

// lobbyBystander: three players change their handicaps as often as they can,
// while a fourth downloads the map.
func lobbyBystander(t *testing.T, over lines) {
	r := bystanderRig(t, func(*Options) {})
	g := r.lobby(5)
	flooders := []*client{r.join(g, "A", player), r.join(g, "B", player), r.join(g, "C", player)}
	thin := r.letIn(r.knockOn(clientOn(t, over(t, r, 60_000)), g, "Thin", nil))
	thin.Until(0x3D)
	thin.Send(packet(0x42, uint32(1), byte(1), uint32(0)))
	thin.Until(0x3F)
	before, begin := thin.Count(0x09), time.Now()
	for _, c := range flooders {
		var burst []byte
		for i := range 1900 {
			burst = append(burst, packet(0x28, byte(1), byte(255), c.PID, byte(0x14), byte(50+10*(i%6)))...)
		}
		c.Send(burst)
	}
	flooders[0].Say("are you there?", thin.PID)
	thin.UntilText("are you there?")
	time.Sleep(time.Second)
	took := time.Since(begin)
	if n, most := thin.Count(0x09)-before, int(took/(50*time.Millisecond))+2; n == 0 || n > most {
		t.Errorf("%d slot tables in %v, want 1 to %d", n, took, most)
	}
	for _, c := range append(flooders, thin) {
		if err := c.Ending(); err != nil {
			t.Errorf("%s lost the connection: %v", c.Name, err)
		}
	}
}
