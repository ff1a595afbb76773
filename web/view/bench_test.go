package view

import (
	"fmt"
	"testing"
	"time"

	"w3host/game"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// A second of a host with a hundred games of ten players, of which all pages are watched:
// what happens, snapshots, and the patches.
func BenchmarkSecond(b *testing.B) {
	const games = 100
	v, now, n := New(), time.Duration(1), uint64(0)
	snapshots := make([]*game.Snapshot, games)
	for i := range snapshots {
		s := &game.Snapshot{Name: fmt.Sprint("game ", i), Stage: game.StagePlaying, Listed: true}
		for k := range 10 {
			s.Slots = append(s.Slots, game.SnapshotSlot{
				Slot: w3gs.Slot{PID: uint8(k + 1), Status: w3gs.SlotOccupied, Colour: uint8(k)}, Name: fmt.Sprint("player ", k),
				Race: texts.Of("orc"), Loaded: true, Behind: 1,
			})
		}
		snapshots[i] = s
	}
	bytes := 0
	all := func(Topic) bool { return true }
	for b.Loop() {
		now += time.Second
		for i, s := range snapshots {
			n++
			v.Fact(&Event{N: n, Game: uint32(i + 1), At: now, Kind: Turns, Late: Lateness{Turns: 10, Max: time.Duration(n % 7 * 1e6)}})
			if n/games%5 == uint64(i%5) {
				fresh := *s
				fresh.Turn += uint32(n)
				v.Snapshot(now, uint32(i+1), &fresh)
			}
			v.Open(now, Topic{Page: GamePage, Game: uint32(i + 1)})
		}
		v.Open(now, Topic{Page: GamesPage})
		v.Second()
		v.Asks(now)
		for _, p := range v.Patches(now, all, func(Topic) {}) {
			if data := Encode(p.Ops); p.Topic.Page == GamesPage {
				bytes += len(data)
			}
		}
	}
	b.ReportMetric(float64(bytes)/float64(b.N), "bytes/games-page")
}
