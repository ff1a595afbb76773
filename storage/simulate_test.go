package storage_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"w3host/storage"
)

// gameSide is the side of a storage.Recorder that games see.
type gameSide interface{ Record(storage.Record) }

// playGame records a whole game of so many players, with lines of chat each,
// as fast as it can: 2 + 5 × players + players × lines records.
func playGame(rec gameSide, key storage.GameKey, players, lines int) {
	start := time.Now()
	rec.Record(storage.GameCreated{Game: key, At: start, Name: "game", Version: "1.26", Map: storage.MapID{Name: "map"}, Latency: 100 * time.Millisecond})
	var slots []storage.StartedSlot
	for i := range players {
		pid, name := uint8(i+1), fmt.Sprint("player", i+1)
		rec.Record(storage.PlayerJoined{Game: key, At: start, PID: pid, Name: name})
		slots = append(slots, storage.StartedSlot{Slot: uint8(i), PID: pid, Occupant: storage.OccupantPlayer, Name: name, Handicap: 100})
	}
	rec.Record(storage.GameStarted{Game: key, At: start, Slots: slots})
	for i := range players {
		rec.Record(storage.PlayerLoaded{Game: key, At: start, PID: uint8(i + 1), After: time.Second})
	}
	for n := range players * lines {
		rec.Record(chatLine(key, n))
	}
	for i := range players {
		rec.Record(storage.PlayerResult{Game: key, At: start, Source: storage.SourceDotA, PID: uint8(i + 1), Name: "kills", Value: fmt.Sprint(i)})
		rec.Record(storage.LagEvent{Game: key, At: start, PID: uint8(i + 1), Lasted: time.Second, Cause: "connection"})
		rec.Record(storage.PlayerLeft{Game: key, At: time.Now(), PID: uint8(i + 1), Turn: 100, Reason: "lost", Actions: 5})
	}
	rec.Record(storage.GameEnded{Game: key, At: time.Now(), How: storage.EndFinished, Turns: 100})
}

// chatLine is the n-th line of a game's chat.
func chatLine(key storage.GameKey, n int) storage.ChatLine {
	return storage.ChatLine{Game: key, At: time.Now(), PID: uint8(n%10 + 1), Name: "player", Scope: storage.ChatAll, Text: fmt.Sprint(n)}
}

// checkGame says whether a game that playGame recorded is whole, once.
func checkGame(ctx context.Context, db *storage.Store, key storage.GameKey, players, lines int) error {
	g, err := db.Game(ctx, key)
	if err != nil {
		return err
	}
	if g.Ended != storage.EndFinished || len(g.People) != players || len(g.Lags) != players || len(g.Results) != players {
		return fmt.Errorf("game %s: ended %q, %d people, %d lags, %d results", key, g.Ended, len(g.People), len(g.Lags), len(g.Results))
	}
	for _, p := range g.People {
		if p.Name == "" || p.Slot < 0 || p.LoadedAfterMS != 1000 || p.LeftTurn != 100 || p.Actions != 5 {
			return fmt.Errorf("game %s: player %+v", key, p)
		}
	}
	return checkLines(g, players*lines)
}

// checkLines says whether a game's chat is the lines 0 … n−1, in order.
func checkLines(g *storage.GameDetail, n int) error {
	for i, l := range g.Chat {
		if l.Text != fmt.Sprint(i) {
			return fmt.Errorf("game %s: line %d is %q of %d", g.Key, i, l.Text, n)
		}
	}
	if len(g.Chat) != n {
		return fmt.Errorf("game %s: %d lines of %d", g.Key, len(g.Chat), n)
	}
	return nil
}

// runningGames is a set of games that go on in real time.
type runningGames struct {
	Keys  []storage.GameKey
	Lines []int // said so far, by game

	stop  chan struct{}
	games sync.WaitGroup
	mu    sync.Mutex
	took  []time.Duration // by Record
	late  []time.Duration // turns
}

// period is how long a turn of a runningGames game is.
const period = 100 * time.Millisecond

// startGames begins n games, each with ten lines of chat in every turn.
func startGames(rec gameSide, n int) *runningGames {
	r := &runningGames{Keys: make([]storage.GameKey, n), Lines: make([]int, n), stop: make(chan struct{})}
	for i := range n {
		key := storage.NewGameKey()
		r.Keys[i] = key
		rec.Record(storage.GameCreated{Game: key, At: time.Now(), Name: fmt.Sprint("running ", i)})
		r.games.Go(func() { r.play(rec, i) })
	}
	return r
}

// End ends the games.
func (r *runningGames) End() {
	close(r.stop)
	r.games.Wait()
}

// Report logs and returns the worst time that Record took, and the worst delay of
// a turn. The second includes the delays of the machine itself.
func (r *runningGames) Report(t testing.TB) (worstRecord, worstTurn time.Duration) {
	slices.Sort(r.took)
	slices.Sort(r.late)
	at := func(d []time.Duration, q float64) time.Duration { return d[int(q*float64(len(d)-1))] }
	t.Logf("Record: %d times, p50 %v, p99.9 %v, worst %v; turns late: p50 %v, p99 %v, worst %v", len(r.took),
		at(r.took, .5), at(r.took, .999), at(r.took, 1), at(r.late, .5), at(r.late, .99), at(r.late, 1))
	return at(r.took, 1), at(r.late, 1)
}

func (r *runningGames) play(rec gameSide, i int) {
	var took, late []time.Duration
	begin := time.Now().Add(period * time.Duration(i) / time.Duration(len(r.Lines)))
	for turn := 0; ; turn++ {
		due := begin.Add(time.Duration(turn) * period)
		select {
		case <-r.stop:
			rec.Record(storage.GameEnded{Game: r.Keys[i], At: time.Now(), How: storage.EndFinished})
			r.mu.Lock()
			r.took, r.late = append(r.took, took...), append(r.late, late...)
			r.mu.Unlock()
			return
		case <-time.After(time.Until(due)):
		}
		late = append(late, time.Since(due))
		for range 10 {
			line := chatLine(r.Keys[i], r.Lines[i])
			before := time.Now()
			rec.Record(line)
			took = append(took, time.Since(before))
			r.Lines[i]++
		}
	}
}
