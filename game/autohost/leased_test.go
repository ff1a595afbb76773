package autohost

import (
	"testing"
	"time"

	"w3host/fleet"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// sharing is a keeper that shares its entry, of two lobbies, with other hosts.
func sharing() *Keeper {
	k := New([]Entry{{Name: "dota", Lobbies: 2, MaxGames: 3, Maps: []Choice{{"a.w3x", 1}}}}, 10, time.Second, 1,
		func(m string) []string { return []string{m} }, func(uint32, string) bool { return false })
	k.Share()
	return k
}

func grant(term, number int64) fleet.Lease {
	return fleet.Lease{Name: "entry/dota/1", Pool: "entry/dota", Term: term, Number: number}
}

// A lobby is opened for each lease and no other, with the number of the lease; when it starts, its
// lease goes back.
func TestLeasedLobbies(t *testing.T) {
	k := sharing()
	if _, ok := k.Next(noon); ok {
		t.Fatal("a lobby without a lease")
	}
	if w := k.Wants(noon); len(w) != 1 || w[0] != (fleet.Want{Pool: "entry/dota", Most: 2, Highest: 2}) {
		t.Errorf("wants %+v", w)
	}
	l := grant(1, 17)
	k.Grant(l)
	if w := k.Wants(noon); w[0].Most != 1 || w[0].Held != 1 {
		t.Errorf("with one lease: %+v", w)
	}
	o, ok := k.Next(noon)
	if !ok || o.Lease != l || o.Name != "dota #17" {
		t.Fatalf("%+v, %v", o, ok)
	}
	k.Opened(o, 1, "a.w3x")
	if g := k.Gives(noon); len(g) != 0 {
		t.Errorf("an open lobby gives back %v", g)
	}
	k.Started(1)
	k.Ended(1)
	if g := k.Gives(noon); len(g) != 1 || g[0] != l {
		t.Errorf("a lobby that has started gives back %v", g)
	}
}

// A lobby that strangers cannot join gives its lease back, and stays without one.
func TestLeaseOfShutLobby(t *testing.T) {
	k := sharing()
	l := grant(1, 17)
	k.Grant(l)
	o, _ := k.Next(noon)
	k.Opened(o, 1, "a.w3x")
	k.Shut(1, true)
	if g := k.Gives(noon); len(g) != 1 || g[0] != l {
		t.Errorf("a lobby that shuts strangers out gives back %v", g)
	}
	for _, shut := range []bool{true, false} {
		k.Shut(1, shut)
		if w := k.Wants(noon); w[0].Held != 0 || w[0].Most != 2 {
			t.Errorf("shut %v: %+v", shut, w)
		}
	}
}

// What is counted for the limit of all hosts: a lobby is, from the grant of its lease on, and a game that is played again
// until its lobby is open.
func TestPlaces(t *testing.T) {
	k := sharing()
	want := func(n int, when string) {
		t.Helper()
		if got := k.Places(); got != n {
			t.Errorf("%s: %d places, not %d", when, got, n)
		}
	}
	want(0, "at first")
	k.Grant(grant(1, 1))
	want(1, "granted")
	o, _ := k.Next(noon)
	want(1, "being opened")
	k.Opened(o, 1, "a.w3x")
	want(1, "open")
	k.Started(1)
	k.Hold(1)
	k.Ended(1)
	want(1, "over, to be played again")
	k.Replaced(1, 2)
	want(1, "open again")
	k.Ended(2)
	k.Grant(grant(2, 2))
	o, _ = k.Next(noon)
	k.Failed(o, noon)
	want(0, "nothing could be opened")
}

// What cannot be used goes back: of an entry that is off, that has no map, that is gone, or when the host drains.
func TestUnusedLeases(t *testing.T) {
	for name, unused := range map[string]func(*Keeper){
		"off":      func(k *Keeper) { k.Turn(false) },
		"disabled": func(k *Keeper) { k.Disable(true) },
		"gone":     func(k *Keeper) { k.Configure(nil, 10) },
		"no map": func(k *Keeper) {
			o, _ := k.Next(noon)
			k.Failed(o, noon)
		},
		"drain": func(k *Keeper) {
			o, _ := k.Next(noon)
			k.Opened(o, 1, "a.w3x")
			k.Drain()
			if k.Status(noon)[0].Open != 0 {
				t.Error("a lobby that was given up is still the entry's")
			}
		},
	} {
		k := sharing()
		k.Grant(grant(1, 1))
		unused(k)
		if g := k.Gives(noon); len(g) != 1 || g[0] != grant(1, 1) {
			t.Errorf("%s: gives back %v", name, g)
		}
		if g := k.Gives(noon); len(g) != 0 {
			t.Errorf("%s: twice: %v", name, g)
		}
	}
}

// The lobby of a lost lease is of no entry, and its lease does not go back: it is another's.
func TestLostLease(t *testing.T) {
	k := sharing()
	k.Grant(grant(1, 1))
	o, _ := k.Next(noon)
	k.Opened(o, 7, "a.w3x")
	if id := k.Lose(grant(1, 1)); id != 7 {
		t.Errorf("lobby %d", id)
	}
	k.Ended(7)
	if g := k.Gives(noon); len(g) != 0 {
		t.Errorf("gives back %v", g)
	}
	k.Grant(grant(2, 2))
	if k.Lose(grant(2, 2)); len(k.Gives(noon)) != 0 {
		t.Error("a lost grant is given back")
	}
	if _, ok := k.Next(noon); ok {
		t.Error("a lobby under a lost lease")
	}
}

// A drain goes on until a newer one begins or it is called off; then it does not come back.
func TestDrains(t *testing.T) {
	k := sharing()
	first, second := k.Drain(), k.Drain()
	if k.Drains(first) || !k.Drains(second) || !k.Disabled() {
		t.Error("the second of two drains does not count")
	}
	k.Disable(true)
	if !k.Drains(second) {
		t.Error("disabled again, the host does not drain any more")
	}
	k.Disable(false)
	if k.Drains(second) || k.Disabled() {
		t.Error("a drain that was called off goes on")
	}
	k.Disable(true)
	if k.Drains(second) {
		t.Error("a drain that was called off goes on once nothing is opened again")
	}
}
