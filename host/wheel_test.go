package host

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// Alarms ring in the order of their times, however they were set; one that was
// set anew rings once, one that was cancelled never.
func TestWheelRingsInOrder(t *testing.T) {
	w, err := newWheel()
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var rung []string
	all := make(chan struct{})
	bell := func(name string) *alarm {
		return newAlarm(func() {
			mu.Lock()
			defer mu.Unlock()
			if rung = append(rung, name); len(rung) == 4 {
				close(all)
			}
		})
	}
	late, early, again, never := bell("late"), bell("early"), bell("again"), bell("never")
	now := bell("now")
	w.set(never, 30*time.Millisecond)
	w.set(late, 120*time.Millisecond)
	w.set(again, time.Hour)
	w.set(early, 40*time.Millisecond)
	w.set(again, 80*time.Millisecond)
	w.set(now, -time.Second)
	w.cancel(never)
	w.cancel(never) // twice is once
	select {
	case <-all:
	case <-time.After(10 * time.Second):
		t.Fatal("alarms are missing")
	}
	w.close()
	if want := []string{"now", "early", "again", "late"}; !slices.Equal(rung, want) {
		t.Errorf("rung %q, want %q", rung, want)
	}
}

// An alarm never rings before its time.
func TestWheelIsNotEarly(t *testing.T) {
	w, err := newWheel()
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	for _, d := range []time.Duration{0, time.Microsecond, time.Millisecond, 20 * time.Millisecond} {
		rung := make(chan time.Time, 1)
		begun := time.Now()
		w.set(newAlarm(func() { rung <- time.Now() }), d)
		if took := (<-rung).Sub(begun); took < d {
			t.Errorf("an alarm after %v rang after %v", d, took)
		}
	}
}

// The turns of many games are spread evenly over the period.
func TestBeatsAreSpread(t *testing.T) {
	const period, games = 100 * time.Millisecond, 50
	h := &Host{wheel: &wheel{base: time.Now()}, games: map[uint32]*Game{}}
	for id := range uint32(games) {
		h.games[id] = nil
	}
	var places []time.Duration
	for id := range uint32(games) {
		started := h.wheel.base.Add(time.Duration(id) * 31 * time.Millisecond)
		beat, spread := h.beat(id, started, period)
		if !spread {
			t.Fatal("50 games are not spread")
		}
		place := (started.Sub(h.wheel.base) + beat) % period
		places = append(places, (place+period)%period)
	}
	slices.Sort(places)
	for i := 1; i < len(places); i++ {
		if gap := places[i] - places[i-1]; gap > 3*period/games {
			t.Errorf("a gap of %v between turns of %d games", gap, games)
		}
	}
	h.games = map[uint32]*Game{1: nil}
	if _, spread := h.beat(1, time.Now(), period); spread {
		t.Error("a single game has to wait for its place")
	}
}
