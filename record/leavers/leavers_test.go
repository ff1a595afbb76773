package leavers

import (
	"slices"
	"testing"
	"time"

	"w3host/game"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	gamesync "w3host/sync"
)

// after is a time in which nothing happens.
type after time.Duration

func (after) Fact() {}

func lagged(pid uint8, waited time.Duration) game.Fact {
	return &game.Lagged{Players: []gamesync.Lagger{{PID: pid, Waited: waited}}}
}

// TestWho plays games of two against two, with an observer: what becomes of a leave 10 minutes in.
func TestWho(t *testing.T) {
	quit := func(pid uint8) *game.LeftGame {
		return &game.LeftGame{Player: game.Player{PID: pid, Name: names[pid]}, Reason: w3gs.LeaveLost, Own: true}
	}
	but := func(f *game.LeftGame, change func(*game.LeftGame)) *game.LeftGame { change(f); return f }
	for what, test := range map[string]struct {
		facts []game.Fact
		lasts time.Duration // the game, behind the leave
		want  []string
	}{
		"quits":                       {[]game.Fact{quit(1)}, time.Hour, []string{"Ann"}},
		"quits at the end":            {[]game.Fact{quit(1)}, grace - time.Second, nil},
		"quits, and then it is over":  {[]game.Fact{quit(1), &game.Over{}}, time.Hour, nil},
		"quits, and it was decided":   {[]game.Fact{quit(1), &game.Decided{}}, time.Hour, nil},
		"loses the connection":        {[]game.Fact{but(quit(1), func(f *game.LeftGame) { f.Own = false })}, time.Hour, nil},
		"has lost the buildings":      {[]game.Fact{but(quit(1), func(f *game.LeftGame) { f.Reason = w3gs.LeaveLostBuildings })}, time.Hour, nil},
		"has won":                     {[]game.Fact{but(quit(1), func(f *game.LeftGame) { f.Reason = w3gs.LeaveWon })}, time.Hour, nil},
		"while on the lag screen":     {[]game.Fact{&game.ScreenUp{Laggers: w3gs.Only(1)}, quit(1)}, time.Hour, nil},
		"while others are on it":      {[]game.Fact{&game.ScreenUp{Laggers: w3gs.Only(2)}, quit(1)}, time.Hour, []string{"Ann"}},
		"after a lag of their own":    {[]game.Fact{lagged(1, failing), quit(1)}, time.Hour, nil},
		"after a short one":           {[]game.Fact{lagged(1, time.Second), quit(1)}, time.Hour, []string{"Ann"}},
		"long after a lag":            {[]game.Fact{lagged(1, failing), after(2 * lately), quit(1)}, time.Hour, []string{"Ann"}},
		"after waiting for others":    {[]game.Fact{&game.ScreenUp{Laggers: w3gs.Only(2)}, after(patience), quit(1)}, time.Hour, nil},
		"when others are back":        {[]game.Fact{&game.ScreenUp{Laggers: w3gs.Only(2)}, after(patience), lagged(2, patience), quit(1)}, time.Hour, []string{"Ann"}},
		"a lost line that is resumed": {[]game.Fact{&game.LinkLost{}, after(time.Minute), &game.LinkResumed{}}, time.Hour, nil},
		"watches":                     {[]game.Fact{quit(5)}, time.Hour, nil},
		"both of a team, one by one":  {[]game.Fact{quit(1), quit(2)}, time.Hour, []string{"Ann"}}, // the second leaves nobody alone
		"one of each":                 {[]game.Fact{quit(1), quit(3)}, time.Hour, []string{"Ann", "Cid"}},
		"when the opponents are gone": {[]game.Fact{quit(3), quit(4), quit(1)}, time.Hour, []string{"Cid"}},
	} {
		var got []string
		w := New(func(p game.Player) { got = append(got, p.Name) })
		started := &game.Started{}
		for pid := uint8(1); pid <= 5; pid++ {
			started.Players = append(started.Players, lobby.Player{PID: pid, Name: names[pid], Team: (pid - 1) / 2, Observer: pid == 5})
		}
		at := 10 * time.Minute
		for _, f := range append([]game.Fact{started}, test.facts...) {
			if d, ok := f.(after); ok {
				at += time.Duration(d)
				continue
			}
			w.Observe(&game.Stamped{At: at, Fact: f})
		}
		for end := at + test.lasts; at <= end; at += time.Second {
			w.Observe(&game.Stamped{At: at, Fact: &game.Turned{}})
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", what, got, test.want)
		}
	}
}

// Who was reported by a host that has died is not reported by the next, which is told who played and who
// left, and reports what comes of it.
func TestToldAgain(t *testing.T) {
	var got []string
	w := New(func(p game.Player) { got = append(got, p.Name) })
	quit := func(pid uint8) *game.LeftGame {
		return &game.LeftGame{Player: game.Player{PID: pid, Name: names[pid]}, Reason: w3gs.LeaveLost, Own: true}
	}
	started := &game.Started{}
	for pid := uint8(1); pid <= 4; pid++ {
		started.Players = append(started.Players, lobby.Player{PID: pid, Name: names[pid], Team: (pid - 1) / 2})
	}
	for _, s := range []game.Stamped{
		{Fact: started, Again: true},
		{Fact: quit(1), Again: true},
		{At: grace, Fact: &game.Turned{}, Again: true},
		{At: grace, Fact: quit(3), Again: true},
		{At: 2 * grace, Fact: &game.Turned{}},
	} {
		w.Observe(&s)
	}
	if !slices.Equal(got, []string{"Cid"}) {
		t.Errorf("%q", got)
	}
}

var names = []string{"", "Ann", "Bob", "Cid", "Dan", "Eve"}
