package session

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/realm/bncs"
)

// crowd drives a machine through virtual time and notes when which line was sent.
type crowd struct {
	*player
	rnd   *rand.Rand
	asks  uint64
	lines []said
}

type said struct {
	at   time.Duration
	text string
}

func newCrowd(t *testing.T) *crowd {
	c := &crowd{player: &player{t: t, cfg: testConfig()}, rnd: rand.New(rand.NewPCG(7, 0))}
	for _, line := range []string{"online", "list 1 lobby s", "listed"} {
		c.raw = line
		c.player.run(strings.Fields(line))
	}
	return c
}

func (c *crowd) handle(e Event) (effects []Effect) {
	effects = slices.Clone(c.m.Handle(c.now, e))
	for _, e := range effects {
		if s, ok := e.(Send); ok {
			if f, _, _ := bncs.Next(s.Bytes); f.ID() == bncs.IDChat {
				c.lines = append(c.lines, said{c.now, string(f.Body()[:len(f.Body())-1])})
			}
		}
	}
	return effects
}

func (c *crowd) answer(to, kind, text string, admin bool) {
	c.asks++
	c.handle(Whisper{To: to, Text: text, Kind: kind, Ask: c.asks, Admin: admin})
}

// until lets time pass; the realm answers pings.
func (c *crowd) until(end time.Duration) {
	for c.now < end {
		c.now = min(max(c.m.Next(), c.now+time.Millisecond), end)
		c.handle(Tick{})
		c.handle(Received{bncs.Append(nil, bncs.Empty(bncs.IDNull))})
	}
}

// heard is when a person was told a text, after a time; -1: not yet.
func (c *crowd) heard(name, text string, after time.Duration) time.Duration {
	for _, s := range c.lines {
		if s.at >= after && strings.HasPrefix(s.text, "/w "+name+" ") && strings.Contains(s.text, text) {
			return s.at
		}
	}
	return -1
}

// Twelve people whisper for ten minutes, as fast as a realm lets them, each with long
// answers and several commands, while others join and leave. Every answer to an admin
// comes within five seconds, and the twelve get their share, however often they ask.
func TestAdminAmongWhisperers(t *testing.T) {
	const span = 10 * time.Minute
	c := newCrowd(t)
	type due struct {
		at    time.Duration
		what  string
		admin bool
	}
	var asked []due
	next := make([]time.Duration, 12)
	admin, joins := 3*time.Second, time.Second
	for c.now < span {
		at := min(slices.Min(next), admin, joins)
		c.until(at)
		if c.now >= admin {
			what := fmt.Sprintf("answer-%d", len(asked))
			c.answer("Adminann", fmt.Sprint("kind", len(asked)%3), what+": Lobby #12 is open: Legion TD Mega.w3x", true)
			asked = append(asked, due{c.now, what, true})
			admin += time.Duration(6+c.rnd.IntN(10)) * time.Second
		}
		if c.now >= joins {
			c.handle(Confirm{Name: "Eve", ID: 1, Seat: uint64(c.now), From: fmt.Sprint(c.rnd.IntN(4))})
			joins += 10 * time.Second
		}
		for i := range next {
			if c.now >= next[i] {
				text := strings.Repeat("word ", 5+c.rnd.IntN(40))
				c.answer(fmt.Sprintf("Eve%02d", i), fmt.Sprint("kind", c.rnd.IntN(1+i)), text, false)
				// The last four ask half as often.
				next[i] = c.now + 1350*time.Millisecond<<(i/8)
			}
		}
	}
	c.until(span + 10*time.Second)
	worst := time.Duration(0)
	for _, a := range asked {
		at := c.heard("Adminann", a.what, a.at)
		if at < 0 {
			t.Fatalf("%s of %v was never given", a.what, a.at)
		}
		worst = max(worst, at-a.at)
	}
	if worst > 5*time.Second {
		t.Errorf("an admin waited %v", worst)
	}
	share := map[string]int{}
	for _, s := range c.lines {
		if name, ok := strings.CutPrefix(s.text, "/w Eve"); ok {
			share[name[:2]]++
		}
	}
	var counts []int
	for _, n := range share {
		counts = append(counts, n)
	}
	if len(counts) != 12 || slices.Max(counts) > slices.Min(counts)+2 || slices.Min(counts) < 4 {
		t.Errorf("the twelve had %v lines", share)
	}
	t.Logf("%d answers to the admin within %v; lines to the twelve: %v", len(asked), worst, counts)
}

// A crowd that asks much does not push out who asks once.
func TestDropsFromWhoAsksMost(t *testing.T) {
	c := newCrowd(t)
	c.answer("Ann", "games", "one lobby", false)
	c.answer("Bob", "games", "two lobbies", false)
	for i := range 200 {
		c.answer(fmt.Sprintf("Eve%d", i%20), fmt.Sprint("kind", i), strings.Repeat("word ", 30), false)
	}
	c.answer("Cid", "games", "three lobbies", false)
	c.until(3 * time.Minute)
	if c.heard("Cid", "three lobbies", 0) < 0 {
		t.Error("the answer to who asked once was dropped")
	}
}

// One address has a bounded share of the questions, and makes room for others when there
// are no more.
func TestShareOfQuestions(t *testing.T) {
	c := newCrowd(t)
	seat, answers := uint64(0), map[uint64]int{}
	refused := func(from string, n int) (no int) {
		for range n {
			seat++
			for _, e := range c.handle(Confirm{Name: fmt.Sprint("Eve", seat), ID: 1, Seat: seat, From: from}) {
				if a, ok := e.(Answered); ok && !a.In {
					if answers[a.Seat]++; a.Seat == seat {
						no++
					}
				}
			}
		}
		return no
	}
	if no := refused("10.0.0.1", 40); no < 40-questionsPerAddress-1 || no > 40-questionsPerAddress {
		t.Errorf("%d of 40 questions of one address are refused, %d may wait", no, questionsPerAddress)
	}
	for i := range 2 * questionsAtAll / questionsPerAddress {
		refused(fmt.Sprint("10.0.1.", i), questionsPerAddress)
	}
	if no := refused("10.0.0.2", 1); no > 0 {
		t.Error("there is no room for the first question of an address")
	}
	if n := len(c.m.asked.waiting); n > questionsAtAll {
		t.Errorf("%d questions wait", n)
	}
	open := c.m.asked.waiting
	if c.m.asked.open != nil {
		open = append(slices.Clone(open), c.m.asked.open)
	}
	for _, a := range open {
		answers[a.Seat]++
	}
	for s := range seat {
		if n := answers[s+1]; n != 1 {
			t.Errorf("question %d waits or was answered %d times, want once", s+1, n)
		}
	}
}

// A player whose client reports the join late is confirmed soon after, and strangers who
// join and leave, or stay, do not hold the question up.
func TestConfirmedSoon(t *testing.T) {
	for name, strangers := range map[string]func(c *crowd){
		"alone": func(*crowd) {},
		"joins that leave": func(c *crowd) {
			for i := range 12 {
				c.handle(Confirm{Name: fmt.Sprint("Eve", i), ID: 1, Seat: uint64(100 + i), From: "10.0.0.9"})
				c.handle(Forget{uint64(100 + i)})
			}
		},
		"joins that stay": func(c *crowd) {
			for i := range 40 {
				c.handle(Confirm{Name: fmt.Sprint("Eve", i), ID: 1, Seat: uint64(100 + i), From: "10.0.0.9"})
			}
		},
	} {
		for _, late := range []time.Duration{0, 300 * time.Millisecond, time.Second, 3 * time.Second} {
			t.Run(fmt.Sprint(name, late), func(t *testing.T) {
				c := newCrowd(t)
				strangers(c)
				c.until(20 * time.Second)
				joined := c.now
				confirmed := time.Duration(-1)
				answer := func(effects []Effect) {
					for _, e := range effects {
						if a, ok := e.(Answered); ok && a.Name == "Ann" && a.In {
							confirmed = c.now
						}
					}
				}
				c.handle(Confirm{Name: "Ann", ID: 1, Seat: 5, From: "10.0.0.1"})
				for n := 0; confirmed < 0 && c.now < joined+time.Minute; {
					for ; n < len(c.lines); n++ { // the realm answers at once
						name, ok := strings.CutPrefix(c.lines[n].text, "/whereis ")
						text := "Unknown user."
						if ok && name == "Ann" && c.now >= joined+late {
							text = `Ann is using Warcraft III Frozen Throne and is currently in  game "lobby".`
						} else if ok && name == "Ann" {
							text = `Ann is using Warcraft III Frozen Throne.`
						}
						if ok {
							answer(c.handle(Received{bncs.Append(nil, &bncs.ChatEvent{Event: bncs.EventInfo, Text: text})}))
						}
					}
					c.until(min(max(c.m.Next(), c.now+time.Millisecond), c.now+50*time.Millisecond))
				}
				soon := late*2 + 600*time.Millisecond
				if name == "joins that stay" {
					soon += 12 * time.Second // each address has every second question
				}
				if confirmed < 0 || confirmed-joined > soon {
					t.Errorf("confirmed after %v", confirmed-joined)
				}
			})
		}
	}
}
