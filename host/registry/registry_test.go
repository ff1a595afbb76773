package registry

import (
	"slices"
	"testing"
	"time"
)

// TestPlacesAreStaggered: the turns of many games are spread evenly over the period.
func TestPlacesAreStaggered(t *testing.T) {
	const period, games = 100 * time.Millisecond, 50
	r := &Registry{infos: map[uint32]*Info{}}
	for id := range uint32(games) {
		r.infos[id] = nil
	}
	var places []time.Duration
	for id := range uint32(games) {
		place, spread := r.Place(id, period)
		if !spread {
			t.Fatal("50 games are not spread")
		}
		places = append(places, place)
	}
	slices.Sort(places)
	for i := 1; i < len(places); i++ {
		if gap := places[i] - places[i-1]; gap > 3*period/games {
			t.Errorf("a gap of %v between turns of %d games", gap, games)
		}
	}
	r.infos = map[uint32]*Info{1: nil}
	if _, spread := r.Place(1, period); spread {
		t.Error("a single game has to wait for its place")
	}
}
