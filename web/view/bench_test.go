package view

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"w3host/game"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// busy is a host with a hundred games of ten players, of which all pages are watched.
type busy struct {
	v         *View
	now       time.Duration
	n         uint64
	snapshots []*game.Snapshot
	random    *rand.Rand
}

func newBusy() *busy {
	b := &busy{v: New(), now: 1, random: rand.New(rand.NewPCG(27, 1))}
	for i := range 100 {
		s := &game.Snapshot{Name: fmt.Sprint("game ", i), Stage: game.StagePlaying, Listed: true}
		for k := range 10 {
			s.Slots = append(s.Slots, game.SnapshotSlot{
				Slot: w3gs.Slot{PID: uint8(k + 1), Status: w3gs.SlotOccupied, Colour: uint8(k)}, Name: fmt.Sprint("player ", k),
				Race: texts.Of("orc"), Loaded: true, Behind: 1,
			})
		}
		b.snapshots = append(b.snapshots, s)
	}
	return b
}

// second is what happens in one, snapshots, and the patches: with pings of 20 to 200 ms that
// change by some milliseconds.
func (b *busy) second() []Patch {
	b.now += time.Second
	for i, s := range b.snapshots {
		b.n++
		b.v.Fact(&Event{N: b.n, Game: uint32(i + 1), At: b.now, Kind: Turns, Late: Lateness{Turns: 10, Max: time.Duration(b.n % 7 * 1e6)}})
		if b.n/100%5 == uint64(i%5) {
			fresh := *s
			fresh.Turn += uint32(b.n)
			fresh.Slots = slices.Clone(s.Slots)
			for k := range fresh.Slots {
				fresh.Slots[k].RTT = time.Duration(20+18*k+b.random.IntN(4)) * time.Millisecond
			}
			b.v.Snapshot(b.now, uint32(i+1), &fresh)
		}
		b.v.Open(b.now, Topic{Page: GamePage, Game: uint32(i + 1)})
	}
	b.v.Open(b.now, Topic{Page: GamesPage})
	b.v.Second()
	b.v.Asks(b.now)
	return b.v.Patches(b.now, func(Topic) bool { return true }, func(Topic) {})
}

// frame is what a stream of events has around the data of a patch.
const frame = len("id: mgr3k2xz-1234567\nevent: patch\ndata: \n\n")

// Whoever watches the page of all games gets half a kilobyte a second, and of a game a third.
func TestWeightOfWatching(t *testing.T) {
	const seconds = 60
	b, all, one := newBusy(), 0, 0
	for range 15 { // until every game is known
		b.second()
	}
	for range seconds {
		for _, p := range b.second() {
			switch p.Topic {
			case Topic{Page: GamesPage}:
				all += frame + len(Encode(p.Ops))
			case Topic{Page: GamePage, Game: 7}:
				one += frame + len(Encode(p.Ops))
			}
		}
	}
	t.Logf("%d bytes a second of Games, %d of a game", all/seconds, one/seconds)
	if all > 500*seconds || one > 300*seconds {
		t.Errorf("%d bytes a second of Games, %d of a game", all/seconds, one/seconds)
	}
}

func BenchmarkSecond(b *testing.B) {
	busy, bytes := newBusy(), 0
	for b.Loop() {
		for _, p := range busy.second() {
			if data := Encode(p.Ops); p.Topic.Page == GamesPage {
				bytes += len(data)
			}
		}
	}
	b.ReportMetric(float64(bytes)/float64(b.N), "bytes/games-page")
}
