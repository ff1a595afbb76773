//go:build !portable && (amd64 || arm64)

package host

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/fleet"
	"w3host/game/autohost"
	"w3host/hold"
	"w3host/host/loop"
	"w3host/host/takeover"
	"w3host/internal/simnet"
	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
)

// leftBy is a lobby or game as the next process would find it if its host died now.
func leftBy(t *testing.T, g *Game) *hold.Memory {
	t.Helper()
	return ask(t, g, func(g *Game) *hold.Memory {
		mem := hold.Of(bytes.Clone(append(make([]byte, 4096), g.ledger.Memory().Bytes()...)))
		for word := range 20 {
			mem.SetWord(word, g.ledger.Memory().Word(word))
		}
		return mem
	})
}

// leaving is a supervisor on which an earlier process has left memory and sockets.
type leaving struct {
	fakeSupervisor
	left map[hold.Name]int
	mems map[int]*hold.Memory
}

func (l leaving) Inherited() map[hold.Name]int     { return l.left }
func (l leaving) Map(fd int) (*hold.Memory, error) { return l.mems[fd], nil }

// inherit has a host find a game that was left.
func inherit(o *Options, id uint32, mem *hold.Memory, open func(string, []w3gs.Version) (*Map, error)) *takeover.Inheritance {
	l := leaving{fakeSupervisor: supervisorOn(o), left: map[hold.Name]int{hold.GameName(id): firstMem}, mems: map[int]*hold.Memory{firstMem: mem}}
	in := Inherit(l, zerolog.Nop())
	in.OpenMap = Reopen(open)
	return in
}

// TestLobbyIsListedAgain: the next process lists a lobby as it was, under its number and key, and opens none
// beside it. Who was about to join when the host died is out.
func TestLobbyIsListedAgain(t *testing.T) { inBubble(t, testLobbyIsListedAgain) }

func testLobbyIsListedAgain(t *testing.T) {
	open := func(string, []w3gs.Version) (*Map, error) { return testMap(4), nil }
	before := make(adverts, 10)
	entry := func(o *Options) { o.Autohost = oneEntry(1, 5, open) }
	r := newRig(t, func(o *Options) {
		entry(o)
		o.Inherited, o.Advertiser = Inherit(supervisorOn(o), zerolog.Nop()), before
	})
	was := before.next(t)
	g := r.h.Game(was.GameID)
	r.join(g, "Ann", player) // whose socket no holder has
	typed(g, r.join(g, "Bob", player), "!swap 2 4")
	sv := leftBy(t, g)

	after := make(adverts, 10)
	next := newRig(t, func(o *Options) {
		entry(o)
		o.Inherited, o.Advertiser = inherit(o, was.GameID, sv, open), after
	})
	is := after.next(t)
	if is.GameID != was.GameID || is.EntryKey != was.EntryKey || is.Name != was.Name || fmt.Sprint(is.Variants) != fmt.Sprint(was.Variants) || is.Requested != was.Requested || is.Stat.MapPath != was.Stat.MapPath || is.Type != was.Type {
		t.Errorf("listed as %+v, and before as %+v", is, was)
	}
	testkit.Eventually(t, "those without a socket are out", func() bool { return len(next.h.Info(is.GameID).Players) == 0 })
	if games := next.h.Games(); len(games) != 1 || next.h.Info(is.GameID).Entry != "game" {
		t.Errorf("%d lobbies, the first of entry %q", len(games), next.h.Info(is.GameID).Entry)
	}
	c := next.join(next.h.Game(is.GameID), "Cid", player)
	next.begin(c)
	if again := after.next(t); again.GameID != was.GameID+1 || again.Name != "game #2" {
		t.Errorf("the next lobby is %d %q", again.GameID, again.Name)
	}
}

// keeping is a supervisor that has copies of the sockets.
type keeping struct {
	fakeSupervisor
	sockets map[hold.Name]int
}

func (k keeping) Put(name hold.Name, fd int) error {
	if game, link := name.Split(); game*link != 0 {
		k.n.File(fd).Copy()
		k.sockets[name] = fd
	}
	return nil
}

// TestLobbyUnderLease: the lease of a lobby ends with its process. Who is in the lobby stays in the next one, nobody
// new comes in, nobody sees it in a list, and the entry opens another.
func TestLobbyUnderLease(t *testing.T) { inBubble(t, testLobbyUnderLease) }

func testLobbyUnderLease(t *testing.T) {
	entry := func(o *Options) {
		o.Leases = &leased{}
		o.Autohost = oneEntry(1, 5, func(string, []w3gs.Version) (*Map, error) { return testMap(3), nil })
	}
	lease := func(term int64) func(*autohost.Keeper) {
		return func(k *autohost.Keeper) {
			k.Grant(fleet.Lease{Name: "entry/game/1", Pool: autohost.Pool("game"), Term: term, Number: term})
		}
	}
	held := keeping{sockets: map[hold.Name]int{}}
	r := newRig(t, func(o *Options) {
		entry(o)
		held.fakeSupervisor = supervisorOn(o)
		o.Inherited = Inherit(held, zerolog.Nop())
	})
	r.h.Keep(lease(1))
	r.stands(1)
	g := r.h.Game(1)
	ann := r.join(g, "Ann", player)
	var name hold.Name
	fd := ask(t, g, func(g *Game) int {
		name = g.seats[ann.PID].heldAs()
		return held.sockets[name]
	})
	sv := leftBy(t, g)
	ask(t, g, func(g *Game) bool { g.seats[ann.PID].Release(); return true })

	lists := make(adverts, 10)
	next := newRig(t, func(o *Options) {
		entry(o)
		process := loop.NewMemory(r.net)
		process.Give(fd)
		o.Network = process
		l := leaving{fakeSupervisor: fakeSupervisor{n: process.Net}, left: map[hold.Name]int{hold.GameName(1): firstMem, name: fd}, mems: map[int]*hold.Memory{firstMem: sv}}
		o.Inherited, o.Advertiser = Inherit(l, zerolog.Nop()), lists
		o.Inherited.Network, o.Inherited.OpenMap = process, Reopen(o.Autohost.Open)
	})
	next.h.Keep(lease(2))
	if is := lists.next(t); is.GameID != 2 || is.Name != "game #2" {
		t.Errorf("%d %q is listed", is.GameID, is.Name)
	}
	next.stands(2)
	next.refused(next.h.Game(1))
	next.begin(ann)
	ann.Until(0x0C)
	if ann.Ending() != nil {
		t.Errorf("who was in the lobby: %v", ann.Ending())
	}
}

// TestLobbyOfAnotherMap: a lobby whose map is another file by now is given up.
func TestLobbyOfAnotherMap(t *testing.T) { inBubble(t, testLobbyOfAnotherMap) }

func testLobbyOfAnotherMap(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Inherited = Inherit(supervisorOn(o), zerolog.Nop()) })
	g := r.lobby(3)
	sv := leftBy(t, g)
	next := newRig(t, func(o *Options) {
		o.Inherited = inherit(o, g.id, sv, func(string, []w3gs.Version) (*Map, error) {
			m := testMap(3)
			m.SHA1[0]++
			return m, nil
		})
	})
	if line := next.logged("a game cannot be made again: its players see a closed connection"); !strings.Contains(fmt.Sprint(line["error"]), "another file") {
		t.Errorf("logged %v", line)
	}
	testkit.Eventually(t, "it is forgotten", func() bool { return len(next.h.Games()) == 0 })
}

// TestLongJournal: an entry's lobby with a long journal closes once nobody is in it, and the next one opens.
func TestLongJournal(t *testing.T) { inBubble(t, testLongJournal) }

func testLongJournal(t *testing.T) {
	lists := make(adverts, 10)
	r := newRig(t, func(o *Options) {
		o.Autohost = oneEntry(1, 5, func(string, []w3gs.Version) (*Map, error) { return testMap(4), nil })
		o.Inherited, o.Advertiser = Inherit(supervisorOn(o), zerolog.Nop()), lists
	})
	g := r.h.Game(lists.next(t).GameID)
	bob := r.join(g, "Bob", player)
	_ = r.join(g, "Ann", player).Conn.Close()
	ask(t, g, func(g *Game) bool {
		g.ledger.Write(make([]byte, len(g.ledger.Memory().Bytes())/renewShare))
		return true
	})
	typed(g, bob, "!swap 2 4")
	if !g.open.Load() {
		t.Error("a lobby with somebody in it has closed")
	}
	_ = bob.Conn.Close()
	if next := lists.next(t); next.GameID != g.ID()+1 || next.Name != "game #2" {
		t.Errorf("the next lobby is %d %q", next.GameID, next.Name)
	}
	testkit.Eventually(t, "the first is closed", func() bool { return len(r.h.Games()) == 1 })
}

// TestKnocks: all joins of a lobby together bring as much to its journal as one player may; then nobody is let in for a while.
func TestKnocks(t *testing.T) { inBubble(t, testKnocks) }

func testKnocks(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Inherited, o.Limits.JoinsPerMinute = Inherit(supervisorOn(o), zerolog.Nop()), 1e6 })
	r.line = simnet.Line{} // all joins fall into one moment
	g := r.lobby(1)
	r.join(g, "Ann", player)
	room := ask(t, g, func(g *Game) int { return int(g.share() / ledgerByte) })
	for n := 0; ; n++ { // the lobby is full
		c := r.knock(g, fmt.Sprint("Bob", n), player)
		c.Until(byte(w3gs.OpRejectJoin))
		_ = c.Conn.Close()
		if ask(t, g, (*Game).joinsSpent) {
			break
		}
		if n > room/30 {
			t.Fatalf("%d joins, and the journal takes more", n)
		}
	}
	length := ask(t, g, func(g *Game) int { return g.ledger.Len() })
	r.knock(g, "Cid", player).Until(byte(w3gs.OpRejectJoin))
	lines := r.log.find("join refused")
	if line := lines[len(lines)-1]; line["reason"] != errJoinQuota.Error() {
		t.Errorf("logged %v", line)
	}
	if n := ask(t, g, func(g *Game) int { return g.ledger.Len() }); n > length+100 || !ask(t, g, func(g *Game) bool { return g.held }) {
		t.Errorf("the journal has grown from %d to %d bytes", length, n)
	}
}

// TestShareThatWasLeft: who leaves a lobby and joins again has what was left of the share.
func TestShareThatWasLeft(t *testing.T) { inBubble(t, testShareThatWasLeft) }

func testShareThatWasLeft(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Inherited, o.Limits.Exempt = Inherit(supervisorOn(o), zerolog.Nop()), nil })
	g := r.lobby(3)
	r.join(g, "Ann", player)
	bob := r.join(g, "Bob", player)
	ask(t, g, func(g *Game) bool {
		l := g.seats[bob.PID]
		l.brought = int(g.share() / ledgerByte / 2)
		l.charge()
		return true
	})
	_ = bob.Conn.Close()
	testkit.Eventually(t, "Bob is out", func() bool { return len(r.h.Info(g.ID()).Players) == 1 })
	bob = r.join(g, "Bob", player)
	used := ask(t, g, func(g *Game) time.Duration {
		return g.share() - g.seats[bob.PID].stored.Left(g.shard.Now(), g.share())
	})
	if used < ask(t, g, (*Game).share)/3 {
		t.Errorf("%v of the share is used", used)
	}
}
