package host

import (
	"sync/atomic"
	"testing"
	"time"

	"w3host/fleet"
	"w3host/game/autohost"
	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
)

// leased has all leases, or none.
type leased struct{ none atomic.Bool }

func (l *leased) Acting(fleet.Lease) bool { return !l.none.Load() }
func (*leased) Session() string           { return "session" }

// leasedRig is a host whose entry has two lobbies, each under a lease.
func leasedRig(t *testing.T) (r *rig, leases []fleet.Lease) {
	t.Helper()
	r = newRig(t, func(o *Options) {
		o.Leases = &leased{}
		o.Autohost = oneEntry(2, 4, func(string, []w3gs.Version) (*Map, error) { return testMap(3), nil })
	})
	for i := range int64(2) {
		l := fleet.Lease{Name: "entry/game/" + string(rune('1'+i)), Pool: autohost.Pool("game"), Term: 1 + i, Number: 1 + i}
		leases = append(leases, l)
		r.h.Keep(func(k *autohost.Keeper) { k.Grant(l) })
	}
	r.stands(2)
	return r, leases
}

// stands waits until there are so many lobbies and games.
func (r *rig) stands(n int) {
	r.t.Helper()
	testkit.Eventually(r.t, "as many lobbies and games as are wanted", func() bool { return len(r.h.Games()) == n })
}

// refused knocks at a lobby that takes nobody.
func (r *rig) refused(g *Game) {
	r.t.Helper()
	if b := r.knock(g, "Stranger", nil).Next(); b != nil && b[1] == 0x04 {
		r.t.Error("a stranger was let in")
	}
}

// timeIsOver does what comes when the time of a drain is over, the first being 1, and what comes of that.
func (r *rig) timeIsOver(g *Game, drain int) {
	r.h.endDrained(g, drain)
	r.h.shard.Wait(func() {})
}

// The people of a lobby whose lease is another host's stay, and may start the game. Nobody new comes in, and an
// empty lobby closes.
func TestLostLeasePeopleStay(t *testing.T) { inBubble(t, testLostLeasePeopleStay) }

func testLostLeasePeopleStay(t *testing.T) {
	r, leases := leasedRig(t)
	g := r.h.Game(1)
	c := r.join(g, "Alice", player)
	for _, l := range leases {
		r.h.Lose(l)
	}
	r.stands(1)
	r.refused(g)
	r.begin(c)
	c.Until(0x0C)
	if c.Ending() != nil {
		t.Errorf("who was in the lobby: %v", c.Ending())
	}
}

// Lobbies of a host that drains close if nobody is in them. Who is in one may start the game within a time; then
// the others close, and games go on. Nothing opens any more.
func TestDrain(t *testing.T) { inBubble(t, testDrain) }

func testDrain(t *testing.T) {
	r, leases := leasedRig(t)
	g := r.h.Game(1)
	c := r.join(g, "Alice", player)
	r.h.Drain(time.Minute)
	r.stands(1)
	var gives []fleet.Lease
	r.h.Keep(func(k *autohost.Keeper) { gives = k.Gives(time.Now()) })
	if len(gives) != len(leases) {
		t.Errorf("given back: %v", gives)
	}
	r.refused(g)
	r.begin(c)
	c.Until(0x0C)
	r.h.Drain(0)
	r.timeIsOver(g, 2)
	if c.Ending() != nil || len(r.h.Games()) != 1 {
		t.Errorf("the game: %v, %d games", c.Ending(), len(r.h.Games()))
	}
}

// A lobby that is not started in time closes, also one whose lease was lost before.
func TestDrainedLobbyCloses(t *testing.T) { inBubble(t, testDrainedLobbyCloses) }

func testDrainedLobbyCloses(t *testing.T) {
	r, leases := leasedRig(t)
	first, second := r.join(r.h.Game(1), "Alice", player), r.join(r.h.Game(2), "Bob", player)
	r.h.Lose(leases[1])
	r.h.Drain(200 * time.Millisecond)
	r.stands(0)
	for name, c := range map[string]*client{"a lobby": first, "one whose lease was lost": second} {
		if c.Ended() == nil {
			t.Errorf("who was in %s is still there", name)
		}
	}
}

// disable is what the commands enable and disable do.
func disable(h *Host, yes bool) { h.Keep(func(k *autohost.Keeper) { k.Disable(yes) }) }

// A drain that is called off closes no lobby with people, also when the host opens no lobbies later.
func TestDrainCalledOff(t *testing.T) { inBubble(t, testDrainCalledOff) }

func testDrainCalledOff(t *testing.T) {
	r, _ := leasedRig(t)
	g := r.h.Game(1)
	c := r.join(g, "Alice", player)
	r.h.Drain(time.Hour)
	disable(r.h, false)
	r.timeIsOver(g, 1)
	disable(r.h, true)
	r.timeIsOver(g, 1)
	if c.Ending() != nil || r.h.Game(1) == nil {
		t.Errorf("who is in the lobby: %v", c.Ending())
	}
}

// Of two drains the newer one says until when a lobby may start.
func TestDrainedAgain(t *testing.T) { inBubble(t, testDrainedAgain) }

func testDrainedAgain(t *testing.T) {
	for name, again := range map[string]func(*Host){
		"at once":                 func(*Host) {},
		"after it was called off": func(h *Host) { disable(h, false) },
	} {
		r, _ := leasedRig(t)
		g := r.h.Game(1)
		c := r.join(g, "Alice", player)
		r.h.Drain(time.Hour)
		again(r.h)
		r.h.Drain(time.Hour)
		r.timeIsOver(g, 1)
		if c.Ending() != nil || r.h.Game(1) == nil {
			t.Errorf("%s, in the time of the second: who is in the lobby: %v", name, c.Ending())
		}
		r.timeIsOver(g, 2)
		r.stands(0)
	}
}
