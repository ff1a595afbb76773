package session

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"w3host/realm/bncs"
)

// questions is the queue of /whereis lookups. Only one is open at a time, because some answers of the server do not
// contain the name.
type questions struct {
	waiting []*asked
	open    *asked            // sent and not answered yet
	turns   map[string]uint64 // when each address had its last question
	turn    uint64
	warned  bool // an answer that is not understood was reported on this connection
}

type asked struct {
	Confirm
	game  string // name of the game on the realm
	tries int
	at    time.Duration // earliest time to ask
	until time.Duration // deadline of an open question
	dead  bool          // the answer to the open question is no longer wanted
}

// Limits of the questions. Addresses take turns, however many questions each has.
const (
	questionsAtAll      = 64
	questionsPerAddress = 16
	maxTurns            = 1024
	whereWithin         = 5 * time.Second
)

// askAgain lists the delays before repeating a question about a player who was not in the game: the player's client
// tells the realm of the join slightly later than the host.
var askAgain = [...]time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}

// confirm queues a question. It answers no at once if the realm's answer would prove nothing or if the address has too
// many questions.
func (m *Machine) confirm(c Confirm) {
	q, e := &m.asked, m.board.find(c.ID)
	if e == nil || !e.unique || strings.ContainsFunc(c.Name, notInNames) || sameName(c.Name, m.name) || !m.room(c.From) {
		m.emit(Answered{c.Name, c.Seat, false})
		return
	}
	q.waiting = append(q.waiting, &asked{Confirm: c, game: e.Name, at: m.now})
}

// notInNames reports whether a character would end the name in a command.
func notInNames(r rune) bool { return r <= ' ' || r == 0x7F }

// room reports whether there is room for a question from an address. If the queue is full, it drops the last question of
// the address with the most.
func (m *Machine) room(from string) bool {
	q := &m.asked
	count := map[string]int{}
	most := from
	for _, a := range q.waiting {
		if count[a.From]++; count[a.From] > count[most] {
			most = a.From
		}
	}
	switch {
	case count[from] >= questionsPerAddress:
		return false
	case len(q.waiting) < questionsAtAll:
		return true
	case count[most] <= count[from]+1:
		return false
	}
	for i, a := range slices.Backward(q.waiting) {
		if a.From == most {
			q.waiting = slices.Delete(q.waiting, i, i+1)
			m.emit(Answered{a.Name, a.Seat, false})
			break
		}
	}
	return true
}

// forget cancels the question of a seat.
func (q *questions) forget(seat uint64) {
	q.waiting = slices.DeleteFunc(q.waiting, func(a *asked) bool { return a.Seat == seat })
	if q.open != nil && q.open.Seat == seat {
		q.open.dead = true
	}
}

// reset keeps the questions for the next connection.
func (q *questions) reset(now time.Duration) {
	if q.open != nil && !q.open.dead {
		q.waiting = append(q.waiting, q.open)
	}
	q.open, q.warned = nil, false
	for _, a := range q.waiting {
		a.at = now
	}
}

// due returns the question whose turn it is, or nil if there is none or one is open.
func (q *questions) due(at time.Duration) (best *asked) {
	if q.open != nil {
		return nil
	}
	for _, a := range q.waiting {
		if a.at <= at && (best == nil || cmp.Or(cmp.Compare(q.turns[a.From], q.turns[best.From]), cmp.Compare(a.at, best.at)) < 0) {
			best = a
		}
	}
	return best
}

func (q *questions) next() time.Duration {
	if q.open != nil {
		return q.open.until
	}
	at := never
	for _, a := range q.waiting {
		at = min(at, a.at)
	}
	return at
}

func (a *asked) text() string { return "/whereis " + a.Name }

// ask marks a question as open; its line is sent now.
func (q *questions) ask(now time.Duration, a *asked) {
	q.waiting = slices.DeleteFunc(q.waiting, func(o *asked) bool { return o == a })
	if q.turns == nil || len(q.turns) > maxTurns {
		q.turns = map[string]uint64{}
	}
	q.turn++
	q.turns[a.From] = q.turn
	q.open = a
	a.tries++
	a.until = now + whereWithin
}

// lineRead handles an information line of the realm, which may answer the open question.
func (m *Machine) lineRead(text string) {
	a := m.asked.open
	if a == nil {
		return
	}
	switch parseWhereis(text, a.Name, a.game, m.cfg.Product) {
	case inGame:
		m.answerIs(true)
	case elsewhere:
		m.answerIs(false)
	case unknown:
		if !m.asked.warned {
			m.asked.warned = true
			m.emit(Unclear{text})
		}
		m.answerIs(false)
	}
}

// answerIs finishes the open question, or schedules it again.
func (m *Machine) answerIs(in bool) {
	a := m.asked.open
	m.asked.open = nil
	switch {
	case a.dead:
	case !in && a.tries <= len(askAgain):
		a.at = m.now + askAgain[a.tries-1]
		m.asked.waiting = append(m.asked.waiting, a)
	default:
		m.emit(Answered{a.Name, a.Seat, in})
	}
}

func (m *Machine) chatted(p *bncs.ChatEvent) {
	switch p.Event {
	case bncs.EventWhisper:
		m.emit(Heard{p.Name, p.Text, true})
	case bncs.EventTalk:
		if !sameName(p.Name, m.name) && !sameName(p.Name, m.cfg.Account) {
			m.emit(Heard{p.Name, p.Text, false})
		}
	case bncs.EventChannel:
		m.emit(InChannel{p.Text})
	case bncs.EventInfo:
		m.lineRead(p.Text)
	case bncs.EventError:
		m.failed(p.Text)
	}
}

// failed handles an error line of the realm. Unless it is about a whisper, it counts as the answer to the open question.
func (m *Machine) failed(text string) {
	m.hint = "its last message was: " + text
	if begins(text, notLoggedOn) {
		return
	}
	if begins(text, tooMuch) {
		m.quota.refused(m.now)
	}
	if m.asked.open != nil {
		m.answerIs(false)
	}
}
