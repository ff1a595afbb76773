//go:build !portable && (amd64 || arm64)

package host

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/game"
	"w3host/game/command"
	"w3host/hold"
	"w3host/host/loop"
	"w3host/internal/simnet"
	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
	"w3host/record/journal"
	"w3host/storage"
)

// fakeSupervisor is a supervisor that holds nothing, with the counts of connections in memory.
type fakeSupervisor struct {
	hold.Client
	n     *simnet.Net
	alive *atomic.Int32 // how often the host has said so; nil: not counted
	kept  *atomic.Int32 // how often it has asked for a standby
}

func (fakeSupervisor) Inherited() map[hold.Name]int { return nil }
func (fakeSupervisor) Put(hold.Name, int) error     { return nil }
func (fakeSupervisor) Drop(hold.Name)               {}
func (fakeSupervisor) Serving()                     {}
func (fakeSupervisor) Ending()                      {}
func (fakeSupervisor) Flush(time.Duration) bool     { return true }
func (fakeSupervisor) Gone() bool                   { return false }
func (fakeSupervisor) Clock() time.Duration         { return time.Since(testBegan) }

func (s fakeSupervisor) KeepStandby() { s.kept.Add(1) }

func (s fakeSupervisor) Alive() {
	if s.alive != nil {
		s.alive.Add(1)
	}
}

func (fakeSupervisor) Memory(_ string, size int) (*hold.Memory, error) {
	return hold.Of(make([]byte, 4096+min(size, 1<<20))), nil
}

func (s fakeSupervisor) Count(fd int) (c hold.Counts, err error) {
	c.Read, c.Written, c.Over = s.n.File(fd).Counts()
	return c, nil
}

// supervisorOn is the holder of a host in a bubble.
func supervisorOn(o *Options) fakeSupervisor { return fakeSupervisor{n: o.Network.(*loop.Memory).Net} }

var testBegan = time.Now()

// heldRig is a host with a holder, and a game of three that is held.
func heldRig(t *testing.T, change func(*Options)) (r *rig, g *Game, players []*client) {
	t.Helper()
	r = newRig(t, func(o *Options) {
		o.Inherited = Inherit(supervisorOn(o), zerolog.Nop())
		if change != nil {
			change(o)
		}
	})
	g, players = r.play(3)
	testkit.Eventually(t, "the game is held", func() bool { return ask(t, g, func(g *Game) bool { return g.held }) })
	return r, g, players
}

// poison has the next packet of a player end in a panic, as if the machine could not take it,
// and calls then while the game stands still.
func poison(t *testing.T, g *Game, by *client, data []byte, then func(*Game)) {
	t.Helper()
	stands := ask(t, g, func(g *Game) bool {
		mem, stores := g.ledger.Memory(), 0
		mem.Stored = func() {
			if stores++; stores == 3 { // the packet, its length, its place
				mem.Stored = nil
				panic("injected")
			}
		}
		g.shard.Handle(g.seats[by.PID].Conn, action(data))
		then(g)
		return g.rebuilding
	})
	if !stands {
		t.Error("the game does not stand still")
	}
}

// TestCrashByAPacket: a packet that the machine cannot take costs its sender the connection,
// and the others play on.
func TestCrashByAPacket(t *testing.T) { inBubble(t, testCrashByAPacket) }

func testCrashByAPacket(t *testing.T) {
	dir := t.TempDir()
	r, g, players := heldRig(t, func(o *Options) {
		o.Crashes, o.Journal = filepath.Join(dir, "crashes"), journal.Options{Dir: filepath.Join(dir, "journals")}
	})
	ann, bob, cid := players[0], players[1], players[2]
	bob.Send(action([]byte("before")))
	testkit.Eventually(t, "an action", func() bool { return seen(ann, "before") })
	poison(t, g, bob, []byte("poison"), func(g *Game) {
		g.step(&game.Input{Kind: game.HostLine, Caller: &command.Caller{PID: ann.PID, Name: ann.Name}, Line: "while it stood"})
	})
	if err := bob.Ended(); err == nil || err == io.EOF {
		t.Errorf("the sender's connection has ended with %v", err)
	}
	testkit.Eventually(t, "a line that came while the game stood still", func() bool { return seen(ann, "while it stood") })
	cid.Send(action([]byte("behind")))
	testkit.Eventually(t, "an action", func() bool { return seen(ann, "behind") })
	goesOn(t, []*client{ann, cid})
	if seen(ann, "poison") || !seen(ann, "before") {
		t.Error("the packet was taken")
	}
	line := r.logged("a packet has crashed the game: its player is out, and the others play on when the game is made again")
	if line["player"] != bob.Name || line["panic"] != "injected" {
		t.Errorf("logged %v", line)
	}
	// The journal ends with the packet, to show how it crashes.
	file, _ := line["journal"].(string)
	if result, err := rerunFile(t, file); err != nil || result.Over {
		t.Errorf("journal: %+v, %v", result, err)
	}
	// Another process would leave it out, too.
	same := ask(t, g, func(g *Game) bool {
		v, err := g.ledger.Left().Revive(nil, nil, new(game.Out), func(*game.Stamped) {})
		return err == nil && len(v.Skipped) == 1
	})
	if !same {
		t.Error("it does not run again")
	}
	for _, end := range recordsOf[storage.KeyedRecord](r) {
		if _, over := end.Record.(storage.GameEnded); over {
			t.Errorf("recorded %+v", end)
		}
	}
}

// TestEndWhileItStands: a game may end while its machine is made again.
func TestEndWhileItStands(t *testing.T) { inBubble(t, testEndWhileItStands) }

func testEndWhileItStands(t *testing.T) {
	_, g, players := heldRig(t, nil)
	poison(t, g, players[1], []byte("poison"), (*Game).end)
	wantFIN(t, players[0])
}

// TestCrashThatCannotBeMended: a game that cannot be made again ends, as by a crash in a turn.
func TestCrashThatCannotBeMended(t *testing.T) { inBubble(t, testCrashThatCannotBeMended) }

func testCrashThatCannotBeMended(t *testing.T) {
	r, g, players := heldRig(t, nil)
	ask(t, g, func(g *Game) bool {
		copy(g.ledger.Memory().Bytes(), "broken")
		return true
	})
	poison(t, g, players[1], []byte("poison"), func(*Game) {})
	players[0].UntilChat("crashed")
	if line := r.logged("game crashed; all other games go on"); !strings.Contains(line["panic"].(string), "not a journal") {
		t.Errorf("logged %v", line)
	}
}

// TestCrashWithoutALedger: a game whose journal has no room any more ends, and no other.
func TestCrashWithoutALedger(t *testing.T) { inBubble(t, testCrashWithoutALedger) }

func testCrashWithoutALedger(t *testing.T) {
	r, g, players := heldRig(t, nil)
	_, others := r.play(2)
	g.call(func() {
		g.expose(errors.New("no room"))
		g.from = g.seats[players[1].PID].id
		panic("injected")
	})
	players[0].UntilChat("crashed")
	goesOn(t, others)
}

// TestFullJournal: a player who sends as much as would fill the journal is out, and the game of the
// others stays held.
func TestFullJournal(t *testing.T) { inBubble(t, testFullJournal) }

func testFullJournal(t *testing.T) {
	r, g, players := heldRig(t, func(o *Options) { o.Limits.PacketRate = 10_000 })
	line := (&w3gs.ChatToHost{Chat: w3gs.Chat{To: []byte{players[0].PID}, From: players[1].PID, Flag: w3gs.ChatGame, Text: strings.Repeat("x", 200)}}).AppendTo(nil)
	for range 5000 { // as much as the whole journal has room for
		players[1].Send(line)
	}
	if lost := r.logged("connection lost"); lost["player"] != players[1].Name || lost["reason"] != errLedger.Error() {
		t.Errorf("logged %v", lost)
	}
	goesOn(t, []*client{players[0], players[2]})
	if !ask(t, g, func(g *Game) bool { return g.held && g.ledger != nil }) {
		t.Error("the game is not held any more")
	}
}

// TestGiveUp: a game that cannot be made again is over in the game log, and its journal is kept.
func TestGiveUp(t *testing.T) { inBubble(t, testGiveUp) }

func testGiveUp(t *testing.T) {
	_, g, _ := heldRig(t, nil)
	mem := leftBy(t, g)
	mem.SetWord(2, mem.Word(2)+1) // the sum
	dir := t.TempDir()
	r := newRig(t, func(o *Options) {
		o.Inherited, o.Journal = inherit(o, g.id, mem, nil), journal.Options{Dir: dir}
	})
	r.logged("a game cannot be made again: its players see a closed connection")
	ends := recordsOf[storage.KeyedRecord](r)
	i := slices.IndexFunc(ends, func(n storage.KeyedRecord) bool { _, over := n.Record.(storage.GameEnded); return over })
	if i < 0 {
		t.Fatal("the game log does not say that it is over")
	}
	if end := ends[i].Record.(storage.GameEnded); end.Game != g.records.Key() || end.How != storage.EndCrashed || !strings.Contains(end.Detail, "other bytes") {
		t.Errorf("recorded %+v", end)
	}
	r.shutDown()
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 1 || filepath.Base(files[0]) != g.journal.Name() {
		t.Errorf("journals: %q", files)
	}
}

// A standby is asked for from so many lobbies and games on.
func TestStandbyFrom(t *testing.T) { inBubble(t, testStandbyFrom) }

func testStandbyFrom(t *testing.T) {
	alive, kept := new(atomic.Int32), new(atomic.Int32)
	r := newRig(t, func(o *Options) {
		o.Inherited, o.Standby = Inherit(fakeSupervisor{n: o.Network.(*loop.Memory).Net, alive: alive, kept: kept}, zerolog.Nop()), 2
	})
	r.lobby(1)
	testkit.Eventually(t, "two signs of life", func() bool { return alive.Load() > 1 })
	if kept.Load() > 0 {
		t.Error("one lobby has a standby")
	}
	r.lobby(1)
	testkit.Eventually(t, "a standby is asked for", func() bool { return kept.Load() > 0 })
}

// A loop that stands still says nothing to the holder, one that goes round does.
func TestAlive(t *testing.T) { inBubble(t, testAlive) }

func testAlive(t *testing.T) {
	alive := new(atomic.Int32)
	r := newRig(t, func(o *Options) {
		o.Inherited = Inherit(fakeSupervisor{n: o.Network.(*loop.Memory).Net, alive: alive}, zerolog.Nop())
	})
	testkit.Eventually(t, "a sign of life", func() bool { return alive.Load() > 0 })
	stands, goOn := make(chan struct{}), make(chan struct{})
	r.h.shard.Call(func() { close(stands); <-goOn })
	<-stands // one may have been on its way
	before := alive.Load()
	time.Sleep(3 * time.Second)
	if n := alive.Load(); n != before {
		t.Errorf("%d signs of life of a loop that stands still", n-before)
	}
	close(goOn)
	testkit.Eventually(t, "another sign of life", func() bool { return alive.Load() > before })
}

// Moved returns once no game is left but those that stay, or when its context ends.
func TestMoved(t *testing.T) { inBubble(t, testMoved) }

func testMoved(t *testing.T) {
	r, g, _ := heldRig(t, nil)
	moved := func(within time.Duration) (stay, behind []uint32, took time.Duration) {
		ctx, end := context.WithTimeout(t.Context(), within)
		defer end()
		began := time.Now()
		stay, behind = r.h.Moved(ctx)
		return stay, behind, time.Since(began)
	}
	if stay, behind, took := moved(5 * time.Second); len(stay) > 0 || !slices.Equal(behind, []uint32{g.id}) || took != 5*time.Second {
		t.Errorf("after %v %v stay and %v are behind", took, stay, behind)
	}
	ask(t, g, func(g *Game) bool { g.ledger.Left().Verdict(true); return true })
	if stay, behind, took := moved(time.Hour); !slices.Equal(stay, []uint32{g.id}) || len(behind) > 0 || took > 0 {
		t.Errorf("after %v %v stay and %v are behind", took, stay, behind)
	}
	ask(t, g, func(g *Game) bool { g.ledger.Left().Verdict(false); return true })
	time.AfterFunc(10*time.Second, func() { g.call(g.end) })
	if stay, behind, took := moved(time.Hour); len(stay)+len(behind) > 0 || took < 10*time.Second || took > 11*time.Second {
		t.Errorf("after %v %v stay and %v are behind", took, stay, behind)
	}
}
