package session

import (
	"slices"
	"strings"
	"time"

	"w3host/bncs"
)

// questions are names of which the realm is asked where they are, one after the
// other: an answer names nobody's question.
type questions struct {
	waiting []*asked
	open    *asked // its line has been queued
}

type asked struct {
	Confirm
	tries int
	at    time.Duration // when it may be asked; of the open one, when it was said

	until time.Duration
}

// add reports whether there is room for one more.
func (q *questions) add(now time.Duration, c Confirm) bool {
	if len(q.waiting) >= questionsAtAll {
		return false
	}
	q.waiting = append(q.waiting, &asked{Confirm: c, at: now})
	return true
}

// reset keeps the questions for the next connection.
func (q *questions) reset(now time.Duration) {
	if q.open != nil {
		q.waiting, q.open = append(q.waiting, q.open), nil
	}
	for _, a := range q.waiting {
		a.at = now
	}
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

// ask works on the questions.
func (m *Machine) ask() {
	q := &m.asked
	if q.open != nil && m.now >= q.open.until {
		m.answerIs(false)
	}
	if q.open != nil {
		return
	}
	for i, a := range q.waiting {
		if a.at <= m.now {
			q.waiting = slices.Delete(q.waiting, i, i+1)
			q.open = a
			a.tries++
			a.until = m.now + window + whereWithin
			m.lines.add(line{text: "/whereis " + a.Name})
			return
		}
	}
}

// told takes a text of the realm: it confirms a name that it has in the game,
// which it names in quotes. What else it says differs with the language and the
// server.
func (m *Machine) told(text string) {
	a := m.asked.open
	if a == nil {
		return
	}
	text = strings.ToLower(text)
	name, rest, _ := strings.Cut(text, " ")
	if name == strings.ToLower(a.Name) {
		m.answerIs(strings.Contains(rest, `"`+strings.ToLower(a.Game)+`"`))
	}
}

// answerIs ends the open question, or asks again later: a player's client tells
// the realm of the join only after it has joined.
func (m *Machine) answerIs(in bool) {
	a := m.asked.open
	m.asked.open = nil
	if !in && a.tries < whereTries {
		a.at = m.now + wherePause
		m.asked.waiting = append(m.asked.waiting, a)
		return
	}
	m.emit(Answered{a.Name, a.Seat, in})
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
		m.told(p.Text)
	case bncs.EventError:
		m.lines.refused(m.now)
		m.hint = "the last thing it said was: " + p.Text
	}
}
