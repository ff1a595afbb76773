package mapstats

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// Bounds of what a player's actions may cost. An action of the wire has at most maxAction bytes.
const (
	maxAction  = 2048
	mostOfOne  = 1 << 20 // bytes allocated for one action, which may have a table grow
	mostOfGame = 8 << 20 // bytes kept of a game
)

// TestHostileActions floods a collector with made-up reports.
func TestHostileActions(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	c := New(w3gs.DefaultVersion, roster)
	runtime.GC()
	before := heap()
	turn, at := uint32(0), time.Duration(0)
	for range 2000 {
		turn, at = turn+1, at+time.Duration(random.IntN(1000))*time.Millisecond
		data := madeUp(random)
		if n := allocated(func() { c.Action(turn, at, uint8(2+random.IntN(2)), data) }); n > mostOfOne {
			t.Fatalf("an action of %d bytes has %d bytes allocated: %q", len(data), n, data)
		}
	}
	for range 10_000 {
		turn, at = turn+1, at+time.Duration(random.IntN(1000))*time.Millisecond
		c.Action(turn, at, uint8(2+random.IntN(2)), madeUp(random))
	}
	if n := allocated(c.Finish); n > mostOfGame {
		t.Errorf("the end has %d bytes allocated", n)
	}
	runtime.GC()
	if n := heap() - before; n > mostOfGame {
		t.Errorf("the game keeps %d bytes", n)
	}
	checkLengths(t, c)
	runtime.KeepAlive(c)
}

// TestEventBomb: arguments that name each other do not grow. 275 bytes became 4.3 GB.
func TestEventBomb(t *testing.T) {
	for depth := 1; depth <= 19; depth++ {
		event := "Event e"
		for i := range depth {
			event += " " + strings.Repeat(fmt.Sprintf("{%d}", i+1), 4)
		}
		c := New(w3gs.DefaultVersion, roster)
		if n := allocated(func() {
			c.Action(1, 0, 2, message(0, "DefEvent e 1 x {0}{0}{0}{0}"))
			c.Action(1, 0, 2, message(1, event[:min(len(event), maxText)]))
			c.Finish()
		}); n > 64<<10 {
			t.Fatalf("depth %d: two actions have %d bytes allocated", depth, n)
		}
	}
}

func FuzzAction(f *testing.F) {
	f.Add(sync("dr.x", "Global", "Winner", 2))
	f.Add(message(1, `Event \ {0} \`))
	f.Add([]byte{0x16, 0, 0xFF, 0xFF, 0x6B})
	f.Add(append(message(0, "DefEvent e 1 x {0}{0}{0}{0}"), message(1, "Event e {1}{1}{1}{1} {2}{2}{2}{2} x")...))
	random := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		f.Add(madeUp(random))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = data[:min(len(data), maxAction)]
		c := New(w3gs.DefaultVersion, roster)
		if n := allocated(func() {
			c.Action(1, 0, 2, data)
			c.Action(1, 0, 3, data)
			c.Finish()
		}); n > mostOfOne {
			t.Errorf("%d bytes have %d allocated", len(data), n)
		}
		checkLengths(t, c)
	})
}

// madeUp is an action with reports of any content, as far as they fit.
func madeUp(random *rand.Rand) (data []byte) {
	for {
		report := sync("dr.x", pick(random, "Data", "Global", "1", "99"), word(random), random.Uint32())
		if random.IntN(4) > 0 {
			report = message(numbers(random), madeUpMessage(random))
		}
		if random.IntN(20) == 0 {
			report = append(report, byte(random.Uint32())) // perhaps the end of what is understood
		}
		if len(data)+len(report) > maxAction || random.IntN(10) == 0 {
			return data
		}
		data = append(data, report...)
	}
}

// numbers are low ones mostly, so that some make a row.
func numbers(random *rand.Rand) int { return random.IntN(1 << random.IntN(16)) }

// madeUpMessage is one of W3MMD, of words that may be anything.
func madeUpMessage(random *rand.Rand) string {
	words := strings.Fields(pick(random, "init pid", "init version", "DefEvent", "DefVarP", "VarP 0", "VarP 1", "FlagP 0", "FlagP", "Event", "Blank", "Custom"))
	for range random.IntN(24) {
		words = append(words, word(random))
	}
	text := strings.Join(words, " ")
	return text[:min(len(text), maxText)]
}

func word(random *rand.Rand) string {
	one := pick(random, "{0}", "{1}", "{2}", "{19}", "{", "}", `\`, `\ `, "0", "1", "e", "kills", "+=", "-=", "=", "winner", "loser", "leaver", "9223372036854775807", "1e308", "\xFF", "é")
	if random.IntN(4) == 0 {
		return fmt.Sprint("v", random.Uint32())
	}
	return strings.Repeat(one, 1+random.IntN(1<<random.IntN(7)))
}

func pick(random *rand.Rand, of ...string) string { return of[random.IntN(len(of))] }

// checkLengths fails if a result is longer than the game log takes.
func checkLengths(t *testing.T, c *Collector) {
	t.Helper()
	for _, r := range c.Results() {
		if len(r.Value) > maxValue || len(r.Name) > maxValue+8 || len(r.About) > maxValue+8 {
			t.Fatalf("result too long: %+v", r)
		}
	}
}

// allocated is how many bytes a function has allocated.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func heap() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
