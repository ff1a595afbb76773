package replay

import (
	"bytes"
	"io"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// memFile is a file in memory. It keeps what it was after each write if asked.
type memFile struct {
	data      []byte
	snapshots [][]byte
	keep      bool
	fail      error // of the next write
}

func (f *memFile) WriteAt(b []byte, at int64) (int, error) {
	if f.fail != nil {
		return 0, f.fail
	}
	if need := int(at) + len(b); need > len(f.data) {
		f.data = append(f.data, make([]byte, need-len(f.data))...)
	}
	copy(f.data[at:], b)
	if f.keep {
		f.snapshots = append(f.snapshots, bytes.Clone(f.data))
	}
	return len(b), nil
}

func (f *memFile) Truncate(size int64) error {
	f.data = f.data[:size]
	return nil
}

// game126 is what a host of 1.26 records as.
var game126 = Program{Product: ProductExpansion, Version: 26, Build: BuildOf(26), Flags: Multiplayer}

// fourPlayers is a game of two teams with a computer, an observer and a fake
// player.
func fourPlayers() *Start {
	slot := func(pid, team, colour uint8, race w3gs.Race) w3gs.Slot {
		return w3gs.Slot{PID: pid, Download: 100, Status: w3gs.SlotOccupied, Team: team, Colour: colour, Race: race | w3gs.RaceSelectable, AI: w3gs.AINormal, Handicap: 100}
	}
	computer := slot(0, 1, 3, w3gs.RaceUndead)
	computer.Computer, computer.AI = true, w3gs.AIInsane
	custom := []byte{0}
	return &Start{
		Players: []Player{
			{PID: 1, Name: "Alice", Extra: custom},
			{PID: 2, Name: "Bob", Extra: custom},
			{PID: 3, Name: "Çelik", Extra: custom},
			{PID: 4, Name: "Watcher", Extra: custom},
			{PID: 5, Name: "Nobody", Extra: custom, Fake: true},
		},
		GameName: "w3host game",
		Settings: Settings{
			Flags: w3gs.SpeedFast | w3gs.VisibilityDefault | w3gs.ObserversOn | w3gs.TeamsTogether | w3gs.FixedTeams,
			Width: 116, Height: 84, Checksum: 0x3097B298, MapPath: `Maps\FrozenThrone\(4)TurtleRock.w3x`, HostName: "Alice",
			Rest: append([]byte{0}, bytes.Repeat([]byte{0xA5}, 20)...),
		},
		SlotCount: 12, GameType: 1, Language: 0x0012F8B0,
		Slots: []w3gs.Slot{
			slot(1, 0, 0, w3gs.RaceHuman), slot(2, 1, 1, w3gs.RaceOrc), slot(3, 0, 2, w3gs.RaceRandom), computer,
			slot(4, 12, 12, w3gs.RaceRandom), slot(5, 0, 4, w3gs.RaceNightElf),
			{Status: w3gs.SlotClosed, Race: w3gs.RaceRandom, AI: w3gs.AINormal, Handicap: 100},
			{Race: w3gs.RaceRandom, AI: w3gs.AINormal, Handicap: 100},
		},
		RandomSeed: 0xCAFEBABE, Layout: w3gs.LayoutCustomForces, StartSpots: 4,
	}
}

// order is an action 0x10 of 1.26: a unit in four letters.
func order(letters string) []byte {
	return []byte{0x10, 0x40, 0, letters[3], letters[2], letters[1], letters[0], 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}
}

// playGame records a game of the given length in turns of 100 ms. Checksums come
// two turns late.
func playGame(t testing.TB, f io.WriterAt, turns int) {
	t.Helper()
	w, err := NewWriter(f, game126, fourPlayers())
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(err)
	check(w.Chat(Chat{PID: 2, Flag: w3gs.ChatLobby, Text: "loading…"}))
	for i := range turns {
		var actions []byte
		if i%3 == 0 {
			actions = w3gs.AppendAction(actions, 1, order("hpea"))
		}
		if i%7 == 0 {
			actions = w3gs.AppendAction(actions, 2, append(order("opeo"), 0x61))
		}
		if i%50 == 49 {
			check(w.Part(w3gs.AppendAction(nil, 3, bytes.Repeat(order("Hamg"), 20))))
		}
		check(w.Turn(100*time.Millisecond, actions))
		if i >= 2 {
			check(w.Checksum(uint32(i - 2)))
		}
		switch i {
		case 10:
			check(w.Chat(Chat{PID: 1, Flag: w3gs.ChatGame, Scope: w3gs.ScopeAll, Text: "hello <all> & \"you\""}))
		case 11:
			check(w.Chat(Chat{PID: 3, Flag: w3gs.ChatGame, Scope: w3gs.ScopeAllies, Text: "grüße"}))
		case 12:
			check(w.Chat(Chat{PID: 1, Flag: w3gs.ChatGame, Scope: w3gs.ScopeSlot + 1, Text: "psst"}))
		case turns - 5:
			check(w.Left(2, w3gs.LeaveLost))
		}
	}
	check(w.Checksum(uint32(turns - 2)))
	check(w.Checksum(uint32(turns - 1)))
	check(w.Left(3, w3gs.LeaveWon))
	check(w.Left(4, w3gs.LeaveObserver))
	check(w.Left(1, w3gs.LeaveWon))
	check(w.Close())
}
