package session

import (
	"cmp"
	"slices"
	"strings"

	"w3host/texts"
)

const (
	lineBytes   = otherUnits * unitBytes // maximum length of a line
	otherParts  = 3                      // maximum number of lines of one text
	adminParts  = 5
	maxEach     = 6  // maximum number of waiting lines for one person
	maxWaiting  = 96 // maximum number of waiting lines in total
	betweenText = " | "
	maxName     = 31 // maximum length of a person's name in bytes
)

// queue holds answers until the quota allows sending them. People take turns, line by line.
type queue struct {
	people  []*person // in the order of their turns
	dropped int       // number of dropped lines
}

// person is a person with waiting lines.
type person struct {
	name  string
	admin bool
	asks  int    // number of questions since lines are waiting
	last  uint64 // the latest question
	lines []line
}

// line is a part of an answer.
type line struct {
	text, kind string
	ask        uint64
}

// prefix returns the start of each line to the person, which counts against the quota as well.
func (p *person) prefix() string { return "/w " + p.name + " " }

// room returns how many bytes of text fit in a line.
func (p *person) room() int { return lineBytes - len(p.prefix()) }

// add queues an answer. It replaces answers to earlier questions of the same kind by the same person. A text that is too
// long for a line is split between words, up to a maximum number of lines.
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

// person returns a person's entry in the queue, adding one at its end if necessary.
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

// drop drops the oldest line of the person with the most lines, and among equals of the one with the most questions; an
// admin's line only if no other person has any.
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

// next returns the person whose line is sent next, among admins or among others, or nil.
func (q *queue) next(admin bool) *person {
	for _, p := range q.people {
		if p.admin == admin {
			return p
		}
	}
	return nil
}

// line returns the next text to the person, combining as many lines as fit, and their number.
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

// take removes and returns the person's next text, and moves the person to the end of the queue.
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

// pop removes the person's oldest line, and the person after the last one.
func (q *queue) pop(p *person) {
	if p.lines = p.lines[1:]; len(p.lines) == 0 {
		q.people = slices.DeleteFunc(q.people, func(o *person) bool { return o == p })
	}
}

// reset drops all lines: after a reconnection answers would come too late.
func (q *queue) reset() { *q = queue{} }

// plain replaces control characters by spaces.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return ' '
		}
		return r
	}, s)
}
