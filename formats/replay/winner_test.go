package replay

import (
	"bytes"
	"testing"

	"w3host/protocol/w3gs"
)

// The lines of the format document's table, §5 (0x17). Players 1 and 2 are team
// 0, 3 and 4 team 1, 9 is an observer. The last leave is the saver's.
func TestWinner(t *testing.T) {
	remote := func(pid uint8, result w3gs.LeaveReason) Leave { return Leave{LeaveRemote, pid, result, 5} }
	local := func(pid uint8, result w3gs.LeaveReason, counter uint32) Leave {
		return Leave{LeaveLocal, pid, result, counter}
	}
	for name, test := range map[string]struct {
		leaves []Leave
		winner int
		first  Result // of player 1
	}{
		"nobody left":                    {nil, NoTeam, Unknown},
		"a remote player won":            {[]Leave{remote(1, w3gs.LeaveWon), local(9, w3gs.LeaveDisconnect, 5)}, 0, Won},
		"a remote player left":           {[]Leave{remote(1, w3gs.LeaveLost), local(9, w3gs.LeaveDisconnect, 5)}, NoTeam, Unknown},
		"one of a team was erased":       {[]Leave{remote(1, 8), local(9, w3gs.LeaveDisconnect, 5)}, NoTeam, Lost},
		"all of a team were erased":      {[]Leave{remote(1, 8), remote(2, 8), local(9, 1, 5)}, 1, Lost},
		"a draw":                         {[]Leave{remote(1, w3gs.LeaveWon), remote(3, w3gs.LeaveDraw), local(9, 1, 5)}, NoTeam, Draw},
		"the saver won":                  {[]Leave{remote(1, w3gs.LeaveLost), local(3, w3gs.LeaveWon, 5)}, 1, Lost},
		"told before the saver leaves":   {[]Leave{local(1, w3gs.LeaveWon, 5), local(3, w3gs.LeaveDisconnect, 5)}, 1, Lost},
		"7 with the counter incremented": {[]Leave{remote(2, w3gs.LeaveLost), local(1, w3gs.LeaveLost, 6)}, 0, Won},
		"7 without":                      {[]Leave{remote(2, w3gs.LeaveLost), local(1, w3gs.LeaveLost, 5)}, NoTeam, Lost},
		"7 with nothing to compare":      {[]Leave{local(1, w3gs.LeaveLost, 6)}, NoTeam, Unknown},
		"7 of others (marked)":           {[]Leave{local(2, w3gs.LeaveLost, 5), local(1, w3gs.LeaveDisconnect, 5)}, NoTeam, Unknown},
		"0x0E (marked)":                  {[]Leave{{LeaveRemote2, 1, w3gs.LeaveWon, 5}, local(9, 1, 5)}, NoTeam, Unknown},
		"11 (marked)":                    {[]Leave{remote(2, 1), local(1, w3gs.LeaveObserver, 6)}, NoTeam, Unknown},
		"an observer's result":           {[]Leave{remote(1, 1), local(9, w3gs.LeaveWon, 6)}, NoTeam, Unknown},
		"a contradiction":                {[]Leave{local(2, w3gs.LeaveWon, 5), local(1, 8, 5)}, NoTeam, Unknown},
		"both teams won":                 {[]Leave{remote(1, w3gs.LeaveWon), remote(3, w3gs.LeaveWon), local(9, 1, 5)}, NoTeam, Won},
	} {
		s := &Summary{}
		for pid, team := range map[uint8]int{1: 0, 2: 0, 3: 1, 4: 1} {
			s.Players = append(s.Players, &PlayerSummary{PID: pid, Team: team})
		}
		s.Players = append(s.Players, &PlayerSummary{PID: 9, Team: 12, Observer: true})
		for _, l := range test.leaves {
			s.Leaves = append(s.Leaves, LeaveLine{Leave: l})
		}
		s.findResults(true)
		if got := s.Player(1).Result; s.Winner != test.winner || got != test.first {
			t.Errorf("%s: team %d and player 1 %v, want %d and %v", name, s.Winner, got, test.winner, test.first)
		}
	}
}

func TestComputersNeverLose(t *testing.T) {
	s := &Summary{
		Players: []*PlayerSummary{{PID: 1, Team: 0}, {PID: 2, Team: 1}},
		Slots:   []w3gs.Slot{{Status: w3gs.SlotOccupied, Computer: true, Team: 0}},
		Leaves:  []LeaveLine{{Leave: Leave{LeaveRemote, 1, w3gs.LeaveLostBuildings, 1}}, {Leave: Leave{LeaveLocal, 2, w3gs.LeaveDisconnect, 1}}},
	}
	if s.findResults(true); s.Winner != NoTeam {
		t.Errorf("team %d has won against a computer that plays on", s.Winner)
	}
}

// The saver's leave is the last one: where the end of a file is missing, somebody
// else's is.
func TestNoSaverWithoutTheEnd(t *testing.T) {
	start, _ := streamOf(t)
	for _, l := range []Leave{{LeaveLocal, 2, w3gs.LeaveWon, 1}, {LeaveLocal, 1, w3gs.LeaveDisconnect, 1}} {
		start = l.appendTo(start)
	}
	turn := []byte{recTurn, 2, 0, 100, 0}
	for name, test := range map[string]struct {
		data []byte
		want Result
	}{
		"whole":         {wrap(start, 26), Won},
		"cut in a turn": {wrap(append(bytes.Clone(start), turn[:4]...), 26), Unknown},
		"a turn behind": {wrap(append(bytes.Clone(start), turn...), 26), Unknown},
	} {
		if got := Summarise(open(t, test.data)).Player(1).Result; got != test.want {
			t.Errorf("%s: the saver %v, want %v", name, got, test.want)
		}
	}
}
