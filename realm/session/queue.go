package session

import (
	"slices"
	"strings"
	"time"

	"w3host/texts"
)

// The flood quota of a PvPGN server: a line costs one unit for each 40 bytes,
// four units pass in any five seconds, counted in whole seconds; what is refused
// counts as well, and ten units close the connection.
const (
	unitBytes  = 40
	units      = 4
	window     = 6 * time.Second
	maxLine    = units * unitBytes // the longest line that can ever pass
	maxParts   = 3                 // lines of one text; each takes 6 s
	maxWaiting = 32                // lines
)

// line is a whisper, or a question to the realm, which goes first.
type line struct {
	to   string // of a whisper; empty: a question
	text string
}

// prefix is what the line costs besides its text.
func (l *line) prefix() string {
	if l.to == "" {
		return ""
	}
	return "/w " + l.to + " "
}

// queue holds lines until they can pass.
type queue struct {
	waiting []line
	sent    []spent // in the window
	dropped int
}

type spent struct {
	at    time.Duration
	units int
}

// add puts a question behind the others, a whisper at the end. What is too long is
// split between words and cut after maxParts; a whisper is merged with the last
// one to the same person if both fit into one line.
func (q *queue) add(l line) {
	room := maxLine - len(l.prefix())
	for text := range strings.SplitSeq(l.text, "\n") {
		text = strings.TrimSpace(plain(text))
		for n := 1; text != ""; n++ {
			var part string
			if part, text = texts.Cut(text, room); n == maxParts && text != "" {
				const more = "…"
				part, _ = texts.Cut(part, room-len(more))
				part, text = part+more, ""
			}
			q.insert(line{l.to, part}, room)
		}
	}
	for len(q.waiting) > maxWaiting {
		q.dropOldest()
	}
}

func (q *queue) insert(l line, room int) {
	at := len(q.waiting)
	for at > 0 && l.to == "" && q.waiting[at-1].to != "" {
		at--
	}
	for i := at - 1; i >= 0 && l.to != ""; i-- {
		if last := &q.waiting[i]; sameName(last.to, l.to) {
			if len(last.text)+len(" | ")+len(l.text) <= room {
				last.text += " | " + l.text
				return
			}
			break
		}
	}
	q.waiting = slices.Insert(q.waiting, at, l)
}

// dropOldest drops the oldest whisper, or question if there is none.
func (q *queue) dropOldest() {
	i := max(slices.IndexFunc(q.waiting, func(l line) bool { return l.to != "" }), 0)
	q.waiting = slices.Delete(q.waiting, i, i+1)
	q.dropped++
}

func cost(text string) int { return max((len(text)+unitBytes-1)/unitBytes, 1) }

// room is when a line of so many units may go.
func (q *queue) room(now time.Duration, n int) time.Duration {
	for len(q.sent) > 0 && q.sent[0].at+window <= now {
		q.sent = q.sent[1:]
	}
	used := n
	for _, s := range q.sent {
		used += s.units
	}
	at := now
	for _, s := range q.sent {
		if used <= units {
			break
		}
		used -= s.units
		at = s.at + window
	}
	return at
}

// take gives the next line, if it may go now.
func (q *queue) take(now time.Duration) (text string, ok bool) {
	if len(q.waiting) == 0 {
		return "", false
	}
	l := q.waiting[0]
	text = l.prefix() + l.text
	if !q.spend(now, cost(text)) {
		return "", false
	}
	q.waiting = slices.Delete(q.waiting, 0, 1)
	return text, true
}

// spend takes units out of the window, if it has them.
func (q *queue) spend(now time.Duration, n int) bool {
	if q.room(now, n) > now {
		return false
	}
	q.sent = append(q.sent, spent{now, n})
	return true
}

// refused takes an error of the realm, which may be the refusal of the last line:
// nothing is sent until the whole window has passed.
func (q *queue) refused(now time.Duration) {
	if len(q.sent) > 0 && now-q.sent[len(q.sent)-1].at <= time.Second {
		q.sent = append(q.sent[:0], spent{now, units})
	}
}

func (q *queue) next(now time.Duration) time.Duration {
	if len(q.waiting) == 0 {
		return never
	}
	return q.room(now, cost(q.waiting[0].prefix()+q.waiting[0].text))
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
