package gamelog

import (
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"testing"
	"time"

	"w3host/formats/w3map"
	"w3host/game"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/storage"
	"w3host/storage/storagetest"
	gamesync "w3host/sync"
)

// tape takes records.
type tape struct{ records []storage.Record }

func (t *tape) Record(r storage.Record) { t.records = append(t.records, r) }

// report is the action by which a client reports for its map.
func report(file, mission, key string, value byte) []byte {
	return append([]byte("\x6B"+file+"\x00"+mission+"\x00"+key+"\x00"), value, 0, 0, 0)
}

// mmd is message n of W3MMD, with its checksum.
func mmd(n int, message string) []byte {
	number := strconv.Itoa(n)
	return append(report("MMD.Dat", "val:"+number, message, byte(n)), report("MMD.Dat", "chk:"+number, number, byte(n))...)
}

// said is a report of one client.
type said struct {
	pid  uint8
	data []byte
}

// TestMadeUpResults: a player whose client says that they have won is not believed where
// the map cannot have said so, and the honest one does not lose a rating by it.
func TestMadeUpResults(t *testing.T) {
	lines := []string{"init version 1 1", "init pid 0 Mallory", "init pid 1 Honest", "FlagP 0 winner", "FlagP 1 loser"}
	var made, honest []said
	for n, line := range lines {
		made = append(made, said{2, mmd(n, line)})
		honest = append(honest, said{uint8(2 + n%2), mmd(n, line)})
	}
	forged := append(slices.Clone(honest[:3]), said{3, mmd(3, "FlagP 1 loser")}, said{2, mmd(900, "FlagP 0 winner")}, said{2, mmd(901, "FlagP 1 loser")})
	disputed := append(slices.Clone(honest), said{3, mmd(3, "FlagP 1 winner")})
	dota := []said{{2, report("dr.x", "Data", "Mode", 0)}, {2, report("dr.x", "Global", "Winner", 1)}}
	for _, tc := range []struct {
		name   string
		tells  w3map.Reports
		played time.Duration
		said   []said
		first  uint8 // who has left before
		rated  bool
	}{
		{"a map that reports", w3map.Reports{W3MMD: true}, 10 * time.Minute, honest, 0, true},
		{"numbers that the library has not given", w3map.Reports{W3MMD: true}, 10 * time.Minute, forged, 0, false},
		{"two texts of one number", w3map.Reports{W3MMD: true}, 10 * time.Minute, disputed, 0, false},
		{"a missing number", w3map.Reports{W3MMD: true}, 10 * time.Minute, append(slices.Clone(honest[:2]), honest[3:]...), 0, false},
		{"one that does not", w3map.Reports{}, 10 * time.Minute, honest, 0, false},
		{"one that reports otherwise", w3map.Reports{DotA: true}, 10 * time.Minute, honest, 0, false},
		{"one of two players", w3map.Reports{W3MMD: true}, 10 * time.Minute, made, 0, false},
		{"the last player", w3map.Reports{W3MMD: true}, 10 * time.Minute, made, 3, true},
		{"a game of a minute", w3map.Reports{W3MMD: true}, time.Minute, honest, 0, false},
		{"DotA", w3map.Reports{DotA: true}, 10 * time.Minute, dota, 0, true},
		{"DotA beside somebody else", w3map.Reports{DotA: true}, 10 * time.Minute, append([]said{{4, report("dr.x", "Data", "Mode", 0)}}, dota...), 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			to := &tape{}
			began := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
			r := NewRecords(to, began)
			turn := uint32(0)
			tell := func(f game.Fact) {
				turn++
				r.Observe(&game.Stamped{Turn: turn, At: time.Duration(turn) * 100 * time.Millisecond, Fact: f})
			}
			names := map[uint8]string{2: "Mallory", 3: "Honest", 4: "Third", 5: "Fourth"}
			colours := map[uint8]uint8{2: 1, 3: 7, 4: 2, 5: 8}
			seats := []uint8{2, 3}
			if tc.tells.DotA {
				seats = []uint8{2, 3, 4, 5}
			}
			tell(&game.Opened{Config: &game.Config{Version: w3gs.DefaultVersion, Map: game.Map{Name: "arena", Reports: tc.tells}}})
			started := &game.Started{Addrs: map[uint8]netip.AddrPort{}}
			for i, pid := range seats {
				p := game.Player{PID: pid, Name: names[pid]}
				tell(&game.Joined{Player: p, Slot: i})
				started.Players = append(started.Players, lobby.Player{PID: pid, Name: names[pid], Slot: i, Colour: colours[pid]})
				started.Table.Slots = append(started.Table.Slots, w3gs.Slot{Status: w3gs.SlotOccupied, PID: pid, Team: uint8(i % 2), Colour: colours[pid]})
			}
			tell(started)
			if tc.first != 0 {
				tell(&game.LeftGame{Player: game.Player{PID: tc.first, Name: names[tc.first]}})
			}
			for _, s := range tc.said {
				tell(&game.Acted{PID: s.pid, Data: s.data})
			}
			tell(&game.Over{Over: gamesync.Over{GameTime: tc.played}})

			db := stored(t, to)
			if _, err := db.RateGames(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"Mallory", "Honest"} {
				got, err := db.Rating(t.Context(), name, "", "arena")
				if rated := err == nil; rated != tc.rated || err != nil && !errors.Is(err, storage.ErrNotFound) {
					t.Errorf("%s is rated: %v (%+v, %v), want %v", name, rated, got, err, tc.rated)
				}
			}
			if countOf[storage.PlayerResult](to) == 0 {
				t.Error("nothing is kept of what was reported")
			}
			g, err := db.Game(t.Context(), r.Key())
			if err != nil {
				t.Fatal(err)
			}
			won := false
			for _, v := range g.Results {
				won = won || v.PID >= 0 && v.Value == storage.OutcomeWon && !v.Doubtful && !v.Contradicted
			}
			if won != tc.rated {
				t.Errorf("somebody has won: %v, want %v: %+v", won, tc.rated, g.Results)
			}
		})
	}
}

// stored is a database with what the tape has.
func stored(t *testing.T, to *tape) *storage.Store {
	t.Helper()
	db := storagetest.Open(t, storagetest.SQLite(t))
	b := storage.Batch{HostID: storage.NewGameKey().String(), Run: storage.NewGameKey().String()}
	for i, rec := range to.records {
		b.Records = append(b.Records, storage.SequencedRecord{Seq: uint64(i + 1), Record: rec})
	}
	if err := db.Apply(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	return db
}

func countOf[T storage.Record](t *tape) (n int) {
	for _, r := range t.records {
		if _, is := r.(T); is {
			n++
		}
	}
	return n
}
