package fleetwatch

import (
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// Two lobbies of an entry at once are a fault; the time without any is what is left when Postgres was
// there, however often it was away at once.
func TestJudge(t *testing.T) {
	at := func(s float64) time.Time { return time.Unix(1000, 0).Add(time.Duration(s * float64(time.Second))) }
	w := New()
	lobby := func(id uint32, from, to float64) {
		w.spans[lobbyOf{entry: "dota", host: "a", id: id}] = &span{at(from), at(to)}
	}
	lobby(1, 0, 10)
	lobby(2, 30, 40)
	w.away = []span{{at(12), at(20)}, {at(5), at(11)}, {at(13), at(14)}, {at(29), at(50)}, {at(60), at(70)}}
	if worst, faults := w.Judge(); worst.Long != 10*time.Second || len(faults) > 0 { // 11 to 12 and 20 to 29
		t.Errorf("none for %v, %q", worst, faults)
	}
	w.Played("dota", "a", &w3gs.GameInfo{GameID: 4}, at(24)) // full before the stranger has asked
	w.Played("dota", "a", &w3gs.GameInfo{GameID: 4}, at(28)) // which is known
	if worst, faults := w.Judge(); worst.Long != 5*time.Second || len(faults) > 0 {
		t.Errorf("none for %v, %q", worst, faults)
	}
	lobby(3, 39, 45)
	if _, faults := w.Judge(); len(faults) != 1 {
		t.Errorf("%q", faults)
	}
}
