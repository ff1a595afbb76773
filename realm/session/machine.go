package session

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"time"

	"w3host/realm/bncs"
)

// state is the progress of the connection.
type state uint8

const (
	away     state = iota // waiting for the next attempt
	dialing               // waiting for Connected or Lost
	greeting              // waiting for 0x50
	checking              // waiting for 0x51
	creating              // waiting for 0x3D
	naming                // waiting for 0x53
	proving               // waiting for 0x54
	entering              // waiting for 0x0A
	online
)

// awaited is the frame that each state waits for.
var awaited = [...]bncs.ID{
	greeting: bncs.IDAuthInfo, checking: bncs.IDAuthCheck, creating: bncs.IDCreate, naming: bncs.IDLogon,
	proving: bncs.IDProof, entering: bncs.IDEnterChat,
}

// Machine is the session of one account. It is not safe for concurrent use.
type Machine struct {
	cfg    Config
	jitter *rand.Rand
	now    time.Duration
	out    []Effect

	barred   bool // another host uses the account
	state    state
	due      time.Duration // deadline of the current state
	since    time.Duration // when the account went online
	attempts int           // connection attempts since the session was stable

	srp     *bncs.SRP
	useSRP  bool // XSHA1 was refused on this connection
	m2      [20]byte
	created bool // registration was requested on this connection
	name    string

	nullAt time.Duration
	heard  time.Duration // when the last frame arrived

	board        board
	quota        quota
	lines        queue
	said, served time.Duration // when the last answer was sent, and the last one to a person who is not an admin
	asked        questions
	hint         string // a possible cause if the connection ends
}

// New returns a machine; its first Tick dials.
func New(cfg Config) *Machine {
	m := &Machine{cfg: cfg, said: -quietAfter, jitter: rand.New(rand.NewPCG(cfg.Seed, 0))}
	m.board.most = max(cfg.Games, 1)
	return m
}

// Handle processes one event. The returned effects are valid until the next call.
func (m *Machine) Handle(now time.Duration, e Event) []Effect {
	m.now, m.out = max(now, m.now), m.out[:0]
	switch e := e.(type) {
	case Connected:
		m.connected(e)
	case Lost:
		m.lost(e.Why)
	case Received:
		m.received(e.Frame)
	case List:
		m.board.want(m.now, e.Game)
	case Unlist:
		m.board.unwant(e.ID)
	case Whisper:
		if e.To != "" && len(e.To) <= maxName { // realms can send arbitrary names
			m.lines.add(e)
		}
	case Confirm:
		m.confirm(e)
	case Forget:
		m.asked.forget(e.Seat)
	case Allow:
		m.allow(e.On)
	}
	m.work()
	return m.out
}

// Next returns when Handle needs a Tick if there is no other event.
func (m *Machine) Next() time.Duration {
	switch {
	case m.barred:
		return m.now + nullEvery
	case m.state != online:
		return m.due
	}
	at := min(m.nullAt, m.heard+silentFor, m.board.next(m.now), m.quota.first(m.now, m.hasLine))
	if next := m.asked.next(); next > m.now || m.asked.open != nil {
		at = min(at, next)
	}
	return max(at, m.now)
}

func (m *Machine) emit(e Effect) { m.out = append(m.out, e) }

func (m *Machine) send(packets ...bncs.Packet) {
	var b []byte
	for _, p := range packets {
		b = bncs.Append(b, p)
	}
	m.emit(Send{b})
}

// await sends a packet and enters the state that waits for its answer.
func (m *Machine) await(s state, p bncs.Packet) {
	m.state, m.due = s, m.now+AnswerWithin
	m.send(p)
}

// work does everything that is due.
func (m *Machine) work() {
	switch {
	case m.barred:
		return
	case m.state == away && m.now >= m.due:
		m.state, m.due = dialing, m.now+2*AnswerWithin
		m.emit(Dial{})
	case m.state == away:
	case m.state == dialing && m.now >= m.due:
		m.hangUp("could not connect within 30 s", 0)
	case m.state < online && m.now >= m.due:
		m.hangUp(fmt.Sprintf("no answer (%v) within %v", awaited[m.state], AnswerWithin), 0)
	case m.state == online:
		m.keepAlive()
	}
	if m.state != online {
		return
	}
	m.manageBoard()
	if q := &m.asked; q.open != nil && m.now >= q.open.until {
		m.answerIs(false)
	}
	if n := m.lines.dropped; n > 0 {
		m.lines.dropped = 0
		m.emit(Dropped{n})
	}
	for m.sayNext() {
	}
}

// next returns the line that may be sent at a time, in this order: an answer to an admin, a question, an answer to
// another person. A later kind may not delay an earlier one.
func (m *Machine) next(at time.Duration) (to *person, question *asked) {
	admin, other, question := m.lines.next(true), m.lines.next(false), m.asked.due(at)
	most := otherUnits
	switch {
	case admin != nil && question == nil && m.quota.allows(at, admin.cost(), true, units),
		admin != nil && m.quota.allows(at, admin.cost(), true, units-1):
		return admin, nil
	case admin != nil:
		most = 1
	case other == nil && m.said+quietAfter <= at:
		most = units
	case other != nil && m.served+2*window <= at:
		question = nil // however many questions there are, they leave a line to the person who has waited longest
	}
	switch {
	case question != nil && m.quota.allows(at, cost(question.text()), false, most):
		return nil, question
	case question == nil && admin == nil && other != nil && m.quota.allows(at, other.cost(), false, most):
		return other, nil
	}
	return nil, nil
}

func (m *Machine) hasLine(at time.Duration) bool {
	to, question := m.next(at)
	return to != nil || question != nil
}

// sayNext sends a line if one may be sent.
func (m *Machine) sayNext() bool {
	to, question := m.next(m.now)
	var text string
	switch {
	case question != nil:
		text = question.text()
		m.asked.ask(m.now, question)
	case to != nil:
		text = m.lines.take(to)
		if m.said = m.now; !to.admin {
			m.served = m.now
		}
	default:
		return false
	}
	m.quota.spend(m.now, cost(text), to != nil && to.admin)
	m.send(&bncs.Chat{Text: text})
	return true
}

func (m *Machine) keepAlive() {
	if m.now-m.heard >= silentFor {
		m.hangUp(fmt.Sprintf("connection dead: nothing received for %v", silentFor), 0)
		return
	}
	if m.now < m.nullAt {
		return
	}
	m.nullAt = m.now + nullEvery
	m.send(bncs.Empty(bncs.IDNull))
}

// connected starts the logon.
func (m *Machine) connected(e Connected) {
	if m.state != dialing {
		return
	}
	m.srp = bncs.NewSRP(m.cfg.Account, string(m.cfg.Password), e.Random)
	m.useSRP, m.created, m.hint = false, false, "it may have banned this address or refuse more connections from it"
	m.emit(Send{[]byte{bncs.ProtocolGame}})
	m.await(greeting, &bncs.AuthInfo{Product: m.cfg.Product, Version: m.cfg.Version.ID, Language: m.cfg.Language})
}

func (m *Machine) hangUp(why string, least time.Duration) {
	m.emit(HangUp{})
	m.gone(why, least)
}

// allow logs off while another host uses the account, and logs on again at once afterwards.
func (m *Machine) allow(on bool) {
	if m.barred == !on {
		return
	}
	m.barred = !on
	if m.barred && m.state != away {
		m.hangUp("another host may use the account", 0)
	}
	m.attempts, m.due = 0, m.now
}

func (m *Machine) lost(why string) {
	if m.state == away {
		return
	}
	if m.state > dialing && m.hint != "" {
		why += ": " + m.hint
	}
	m.gone(why, 0)
}

// gone schedules the next attempt. Pauses double and have jitter.
func (m *Machine) gone(why string, least time.Duration) {
	if m.state == online && m.now-m.since >= steadyAfter {
		m.attempts = 0
	}
	pause := min(cmp.Or(m.cfg.Pause, firstPause)<<min(m.attempts, 10), longestPause)
	m.attempts++
	pause = max(pause, least)
	pause += time.Duration(m.jitter.Int64N(int64(pause) / 2))
	m.state, m.due = away, m.now+pause
	m.board.reset()
	m.asked.reset(m.now)
	m.lines.reset()
	m.quota = quota{}
	m.emit(Offline{why, int((pause + time.Second - 1) / time.Second)})
}
