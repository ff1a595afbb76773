package w3gs

import (
	"slices"
	"testing"
)

func TestCountActions(t *testing.T) {
	order := append([]byte{0x10}, make([]byte, 14)...)
	selection := func(mode byte) []byte { return append([]byte{0x16, mode, 1, 0}, make([]byte, 8)...) }
	subgroup := append([]byte{0x19}, make([]byte, 12)...)
	for _, tc := range []struct {
		name   string
		blocks [][]byte
		want   int
	}{
		{"nothing", nil, 0},
		{"an order", [][]byte{order}, 1},
		{"what the game does by itself", [][]byte{{0x1A}, subgroup, order}, 1},
		{"deselecting and selecting", [][]byte{selection(2), selection(1), order}, 2},
		{"two selections", [][]byte{selection(1), selection(1)}, 2},
		{"a stored value", [][]byte{[]byte("\x6Ba\x00b\x00c\x00\x01\x00\x00\x00"), order}, 1},
		{"nothing behind an unknown action", [][]byte{order, {0xEE}, order}, 1},
		{"a cut action", [][]byte{order, order[:7]}, 1},
	} {
		data := slices.Concat(tc.blocks...)
		if got := (ActionRules{Version: DefaultVersion}).CountActions(data); got != tc.want {
			t.Errorf("%s: %d actions, want %d", tc.name, got, tc.want)
		}
		if n := testing.AllocsPerRun(10, func() { ActionRules{Version: DefaultVersion}.CountActions(data) }); n > 0 {
			t.Errorf("%s: %v allocations", tc.name, n)
		}
	}
}

// TestCountLateActions: from 2.0.2 on sync data is 0x77, and actions behind it count.
func TestCountLateActions(t *testing.T) {
	data := append([]byte("\x77SC_FE\x00\x00\x00\x00\x00\x00\x10"), make([]byte, 14)...)
	for v, want := range map[Version]int{36: 0, VersionTwo: 1, VersionThree: 1} {
		if got := v.LiveActions().CountActions(data); got != want {
			t.Errorf("%v: %d actions, want %d", v, got, want)
		}
	}
}

func BenchmarkCountActions(b *testing.B) {
	data := append(append([]byte{0x1A}, append([]byte{0x11}, make([]byte, 22)...)...), append([]byte{0x16, 1, 1, 0}, make([]byte, 8)...)...)
	for b.Loop() {
		ActionRules{Version: DefaultVersion}.CountActions(data)
	}
}
