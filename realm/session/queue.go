package session

import (
	"cmp"
	"slices"
	"strings"

	"w3host/texts"
)

const (
	lineBytes   = otherUnits * unitBytes // the longest line
	otherParts  = 3                      // lines of one text
	adminParts  = 5
	maxEach     = 6  // lines that wait for one person
	maxWaiting  = 96 // for all
	betweenText = " | "
	maxName     = 31 // bytes of a person's
)

// queue holds answers until they can pass. People take turns, line by line.
type queue struct {
	people  []*person // whose turn it is stands first
	dropped int       // lines
}

// person is somebody for whom lines wait.
type person struct {
	name  string
	admin bool
	asks  int    // questions since lines wait
	last  uint64 // the last of them
	lines []line
}

// line is a part of an answer.
type line struct {
	text, kind string
	ask        uint64
}

// prefix returns the beginning of each line to the person, which costs quota besides the text.
func (p *person) prefix() string { return "/w " + p.name + " " }

// room is for how much text a line has place.
func (p *person) room() int { return lineBytes - len(p.prefix()) }

// add takes an answer. It replaces those to earlier questions of the same kind by the
// same person. A text too long for a line is split between words and cut after some lines.
func (q *queue) add(w Whisper) {
	p := q.person(w.To)
	p.admin = w.Admin
	if w.Ask != p.last || p.asks == 0 {
		p.asks, p.last = p.asks+1, w.Ask
	}
	if w.Kind != "" {
		p.lines = slices.DeleteFunc(p.lines, func(l line) bool { return l.kind == w.Kind && l.ask < w.Ask })
	}
	most, room := otherParts, p.room()
	if w.Admin {
		most = adminParts
	}
	for text := range strings.SplitSeq(w.Text, "\n") {
		text = strings.TrimSpace(plain(text))
		for n := 1; text != ""; n++ {
			var part string
			if part, text = texts.Cut(text, room); n == most && text != "" {
				const more = "…"
				part, _ = texts.Cut(part, room-len(more))
				part, text = part+more, ""
			}
			p.lines = append(p.lines, line{part, w.Kind, w.Ask})
		}
	}
	if n := len(p.lines) - maxEach; n > 0 {
		p.lines = p.lines[n:]
		q.dropped += n
	}
	if len(p.lines) == 0 {
		q.people = slices.DeleteFunc(q.people, func(o *person) bool { return o == p })
	}
	for q.waiting() > maxWaiting {
		q.drop()
	}
}

// person finds a person in the queue, or puts them at its end.
func (q *queue) person(name string) *person {
	for _, p := range q.people {
		if sameName(p.name, name) {
			return p
		}
	}
	p := &person{name: name}
	q.people = append(q.people, p)
	return p
}

func (q *queue) waiting() (n int) {
	for _, p := range q.people {
		n += len(p.lines)
	}
	return n
}

// drop drops the oldest line of the person with most of them, of these the one who has asked most; of an
// admin only if nobody else waits.
func (q *queue) drop() {
	most := slices.MaxFunc(q.people, func(a, b *person) int {
		switch {
		case a.admin != b.admin && a.admin:
			return -1
		case a.admin != b.admin:
			return 1
		}
		return cmp.Or(len(a.lines)-len(b.lines), a.asks-b.asks)
	})
	q.pop(most)
	q.dropped++
}

// next returns the caller whose line is sent next: an admin, if one waits.
func (q *queue) next(admin bool) *person {
	for _, p := range q.people {
		if p.admin == admin {
			return p
		}
	}
	return nil
}

// line returns the next text to the person: the first line, and as many more as fit behind it.
func (p *person) line() (text string, lines int) {
	text = p.lines[0].text
	for _, l := range p.lines[1:] {
		if len(text)+len(betweenText)+len(l.text) > p.room() {
			break
		}
		text += betweenText + l.text
		lines++
	}
	return p.prefix() + text, lines + 1
}

func (p *person) cost() int {
	text, _ := p.line()
	return cost(text)
}

// take takes the line out. The person's next turn comes after everybody else's.
func (q *queue) take(p *person) string {
	text, n := p.line()
	for range n {
		q.pop(p)
	}
	if i := slices.Index(q.people, p); i >= 0 {
		q.people = append(slices.Delete(q.people, i, i+1), p)
	}
	return text
}

// pop removes the person's oldest line, and the person with the last.
func (q *queue) pop(p *person) {
	if p.lines = p.lines[1:]; len(p.lines) == 0 {
		q.people = slices.DeleteFunc(q.people, func(o *person) bool { return o == p })
	}
}

// reset drops all lines: after a reconnect answers come too late.
func (q *queue) reset() { *q = queue{} }

// plain takes control bytes out.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return ' '
		}
		return r
	}, s)
}
