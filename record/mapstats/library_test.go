package mapstats

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// world is a game whose clients run the library of W3MMD, as the source of the library has it. One of them, the liar,
// may send what it likes.
type world struct {
	random *rand.Rand
	c      *Collector
	now    time.Duration
	pids   []uint8
	cache  map[string]uint32 // what all clients have received, by mission and key
	queue  []node            // messages that the honest clients check
	number int               // of the next message
	guard  bool              // three clients send
	lie    liar
}

// node is a message that a client remembers until it has seen it.
type node struct {
	number  int
	text    string
	pid     uint8
	timeout time.Duration
}

const liarPID = 3

// liar is how the client of pid 3 deviates. drawn is called when it is to send a message, tick at each tick.
type liar struct {
	drawn func(w *world, n int, text string)
	tick  func(w *world)
}

// sync is what a client synchronises: the host reads it, and all clients keep it.
func (w *world) sync(pid uint8, mission, key string, value uint32) {
	w.cache[mission+" "+key] = value
	w.c.Action(uint32(w.now/(100*time.Millisecond)), w.now, pid, sync(mmdFile, mission, key, value))
}

func checksum(n int, text string) uint32 { return uint32(41*n + len(text)) }

func (w *world) send(pid uint8, n int, text string) {
	w.sync(pid, fmt.Sprint("val:", n), text, checksum(n, text))
	w.sync(pid, fmt.Sprint("chk:", n), fmt.Sprint(n), checksum(n, text))
}

// emit is a message of the map: all clients compute it, and those that are drawn send it.
func (w *world) emit(text string) {
	n := w.number
	w.number++
	for _, pid := range w.pids {
		w.queue = append(w.queue, node{n, text, pid, w.now + 7*time.Second + time.Duration(w.random.Int64N(int64(2400*time.Millisecond)))})
	}
	senders := 1
	if w.guard {
		senders = 3
	}
	for _, i := range w.random.Perm(len(w.pids))[:min(senders, len(w.pids))] {
		if w.pids[i] == liarPID && w.lie.drawn != nil {
			w.lie.drawn(w, n, text)
		} else {
			w.send(w.pids[i], n, text)
		}
	}
}

// tick has the clients check what was sent.
func (w *world) tick() {
	w.now += 370 * time.Millisecond
	var left []node
	for _, q := range w.queue {
		sum := checksum(q.number, q.text)
		switch {
		case q.timeout >= w.now:
			left = append(left, q)
		case q.pid == liarPID && w.lie.drawn != nil:
		case w.cache[fmt.Sprintf("val:%d %s", q.number, q.text)] != sum || w.cache[fmt.Sprintf("chk:%d %d", q.number, q.number)] != sum:
			w.guard = true
			w.send(q.pid, q.number, q.text)
		}
	}
	w.queue = left
	for range 10 {
		if _, inserted := w.cache[fmt.Sprintf("chk:%d %d", w.number, w.number)]; !inserted {
			break
		}
		w.guard = true
		w.emit("Blank")
	}
	if w.lie.tick != nil {
		w.lie.tick(w)
	}
}

func (w *world) pass(d time.Duration) {
	for end := w.now + d; w.now < end; {
		w.tick()
	}
}

// forged turns the map's word about the outcome round.
func forged(text string) string {
	switch text {
	case "FlagP 0 winner":
		return "FlagP 0 loser"
	case "FlagP 1 loser":
		return "FlagP 1 winner"
	}
	return text
}

// playThrough plays a game of a minute and more: pid 2 (number 0) wins against pid 3 (number 1), the liar, and the others.
func playThrough(seed uint64, players int, lie liar) *Collector {
	var roster []Player
	w := &world{random: rand.New(rand.NewPCG(seed, 1)), cache: map[string]uint32{}, lie: lie}
	for i := range players {
		roster = append(roster, Player{PID: uint8(2 + i), Name: fmt.Sprint("P", i), Colour: uint8(i)})
		w.pids = append(w.pids, uint8(2+i))
	}
	w.c = New(w3gs.DefaultVersion, roster)
	w.emit("init version 1 1")
	for i := range players {
		w.emit(fmt.Sprintf("init pid %d P%d", i, i))
	}
	for i := range 40 {
		w.emit(fmt.Sprintf("VarP %d kills += 1", i%players))
		w.pass(1500 * time.Millisecond)
	}
	w.emit("FlagP 0 winner")
	for i := 1; i < players; i++ {
		w.emit(fmt.Sprintf("FlagP %d loser", i))
	}
	w.pass(20 * time.Second)
	w.c.Finish()
	return w.c
}

// lies are the ways in which one client can try to win.
var lies = map[string]liar{
	"honest":                        {},
	"says nothing":                  {drawn: func(*world, int, string) {}},
	"other texts where it is drawn": {drawn: func(w *world, n int, text string) { w.send(liarPID, n, forged(text)) }},
	"other texts, and the true ones without checksum": {drawn: func(w *world, n int, text string) {
		w.sync(liarPID, fmt.Sprint("val:", n), text, checksum(n, text))
		w.sync(liarPID, fmt.Sprint("val:", n), forged(text), checksum(n, text))
		w.sync(liarPID, fmt.Sprint("chk:", n), fmt.Sprint(n), checksum(n, text))
	}},
	"other texts, and the true ones behind their checksum": {drawn: func(w *world, n int, text string) {
		w.sync(liarPID, fmt.Sprint("val:", n), forged(text), checksum(n, text))
		w.sync(liarPID, fmt.Sprint("chk:", n), fmt.Sprint(n), checksum(n, text))
		w.sync(liarPID, fmt.Sprint("val:", n), text, checksum(n, text))
	}},
	"the next number": {tick: func(w *world) {
		if w.now > 40*time.Second && w.now < 41*time.Second {
			w.send(liarPID, w.number, "FlagP 1 winner")
			w.send(liarPID, w.number+1, "FlagP 0 loser")
		}
	}},
	"numbers ahead": {tick: func(w *world) {
		if w.now > 40*time.Second && w.now < 41*time.Second {
			w.send(liarPID, w.number+30, "FlagP 1 winner")
			w.send(liarPID, w.number+31, "FlagP 0 loser")
		}
	}},
	"numbers far ahead": {tick: func(w *world) {
		if w.now > 40*time.Second && w.now < 41*time.Second {
			w.send(liarPID, 999, "FlagP 1 winner")
			w.send(liarPID, 1000, "FlagP 0 loser")
		}
	}},
	"numbers that were used": {tick: func(w *world) {
		if w.now > 65*time.Second && w.now < 66*time.Second {
			w.send(liarPID, 5, "FlagP 1 winner")
			w.send(liarPID, 6, "FlagP 0 loser")
		}
	}},
}

// TestOneLiar: whatever one client sends, it does not win a game that counts.
func TestOneLiar(t *testing.T) {
	const games = 60
	for name, lie := range lies {
		t.Run(name, func(t *testing.T) {
			for _, players := range []int{2, 3, 6} {
				counted, uncounted := 0, 0
				for seed := range uint64(games) {
					c := playThrough(seed, players, lie)
					switch word := verdictOf(c); word {
					case "won":
						t.Fatalf("%d players, seed %d: the liar has won undoubted: %s", players, seed, summary(c))
					case "lost":
						counted++
					default:
						uncounted++
					}
				}
				t.Logf("%d players: the true result counts in %d of %d games, none in %d", players, counted, games, uncounted)
				if protected := name == "honest" || name == "says nothing" && players > 2; protected && counted < games*9/10 {
					t.Errorf("%d players: the true result counts in %d of %d games", players, counted, games)
				}
			}
		})
	}
}

// verdictOf is the outcome of the liar that counts; empty: none does.
func verdictOf(c *Collector) (word string) {
	for _, r := range c.Results() {
		if r.PID == liarPID && r.Name == outcome && !r.Contradicts && !c.Doubted(W3MMD) {
			word = r.Value
		}
	}
	return word
}
