package game

import (
	"bytes"
	"slices"
	"testing"
)

// An order whose fields happen to hold the number of a save is walked, and costs nothing else.
func TestNoSaveAllocatesNothing(t *testing.T) {
	m := newScene().m
	if n := testing.AllocsPerRun(100, func() { m.noteSave(2, order) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// order moves units to a place, with a 6 in its coordinates.
var order = append([]byte{0x11, 0, 0, 0x12, 0, 0x0D, 0}, make([]byte, 16)...)

func init() { order[20] = actionSave }

// twoOrders are what one packet of a client holds: two orders, and an update that the game makes by itself.
var twoOrders = slices.Concat(order, []byte{0x1A}, order)

func BenchmarkLookForSave(b *testing.B) {
	m := newScene().m
	for b.Loop() {
		if bytes.IndexByte(order, actionSave) >= 0 {
			m.noteSave(2, order)
		}
	}
}

func BenchmarkLookForNoSave(b *testing.B) {
	plain := order[:19]
	for b.Loop() {
		if bytes.IndexByte(plain, actionSave) >= 0 {
			b.Fatal("a 6")
		}
	}
}
