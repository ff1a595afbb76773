package session

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"w3host/realm/bncs"
)

// questions is the queue of /whereis lookups. One is open at a time, because some of the
// server's answers do not say which name they answer.
type questions struct {
	waiting []*asked
	open    *asked            // sent, not answered yet
	turns   map[string]uint64 // when an address had its last question
	turn    uint64
	warned  bool // about an answer that is not understood, on this connection
}

type asked struct {
	Confirm
	game  string // its name on the realm
	tries int
	at    time.Duration // when it may be asked
	until time.Duration // an open one counts as unanswered then
	dead  bool          // nobody waits for the answer to the open one
}

// Bounds of the questions. Each address has its turn, however many questions others have.
const (
	questionsAtAll      = 64
	questionsPerAddress = 16
	maxTurns            = 1024
	whereWithin         = 5 * time.Second
)

// askAgain is how long after an answer a name is asked about again that was not in the
// game: a player's client tells the realm of the join a moment after it has joined.
var askAgain = [...]time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}

// confirm takes a question, or answers it at once: where the realm's word would prove
// nothing, and where an address asks too much.
func (m *Machine) confirm(c Confirm) {
	q, e := &m.asked, m.board.find(c.ID)
	if e == nil || !e.unique || strings.ContainsFunc(c.Name, notInNames) || sameName(c.Name, m.name) || !m.room(c.From) {
		m.emit(Answered{c.Name, c.Seat, false})
		return
	}
	q.waiting = append(q.waiting, &asked{Confirm: c, game: e.Name, at: m.now})
}

// notInNames reports a letter that ends the name in a command.
func notInNames(r rune) bool { return r <= ' ' || r == 0x7F }

// room reports whether there is room for a question from an address. It makes room at
// the cost of an address that has more, whose last question is answered.
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

// forget ends the question of a seat that is free again.
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

// due is the question whose turn it is at a time, nil if there is none or one is open.
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

// ask opens a question, whose line is sent now.
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

// lineRead takes an information of the realm, which may answer the open question.
func (m *Machine) lineRead(text string) {
	a := m.asked.open
	if a == nil {
		return
	}
	switch read(text, a.Name, a.game, m.cfg.Product) {
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

// answerIs ends the open question, or asks again later.
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

// failed takes an error of the realm. It counts as the answer to the open question,
// unless it is about a whisper.
func (m *Machine) failed(text string) {
	m.hint = "the last thing it said was: " + text
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
