package session

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"time"

	"w3host/realm/bncs"
)

// state is how far the connection has come.
type state uint8

const (
	away     state = iota // until the machine dials again
	dialing               // Connected or Lost is awaited
	greeting              // 0x50
	checking              // 0x51
	creating              // 0x3D
	naming                // 0x53
	proving               // 0x54
	entering              // 0x0A
	online
)

// awaited names the frame that a state waits for.
var awaited = [...]bncs.ID{
	greeting: bncs.IDAuthInfo, checking: bncs.IDAuthCheck, creating: bncs.IDCreate, naming: bncs.IDLogon,
	proving: bncs.IDProof, entering: bncs.IDEnterChat,
}

// Machine is one account. It belongs to one goroutine.
type Machine struct {
	cfg    Config
	jitter *rand.Rand
	now    time.Duration
	out    []Effect

	barred   bool // another host has the account
	state    state
	due      time.Duration // the deadline of the state's wait
	since    time.Duration // online
	attempts int           // since the session was steady

	srp     *bncs.SRP
	useSRP  bool // XSHA1 was refused on this connection
	m2      [20]byte
	created bool // asked for on this connection
	name    string

	nullAt time.Duration
	heard  time.Duration // the realm said something last

	board        board
	quota        quota
	lines        queue
	said, served time.Duration // when an answer was sent last, and one to somebody who is no admin
	asked        questions
	hint         string // a possible cause of the end of the connection
}

// New begins: the first Tick dials.
func New(cfg Config) *Machine {
	m := &Machine{cfg: cfg, said: -quietAfter, jitter: rand.New(rand.NewPCG(cfg.Seed, 0))}
	m.board.most = max(cfg.Games, 1)
	return m
}

// Handle takes one event and returns what follows from it, valid until the next.
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
		if e.To != "" && len(e.To) <= maxName { // a realm may send anything
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

// Next is when Handle wants a Tick if nothing else comes.
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

// await sends and waits for the answer that the state stands for.
func (m *Machine) await(s state, p bncs.Packet) {
	m.state, m.due = s, m.now+AnswerWithin
	m.send(p)
}

// work does all that is due.
func (m *Machine) work() {
	switch {
	case m.barred:
		return
	case m.state == away && m.now >= m.due:
		m.state, m.due = dialing, m.now+2*AnswerWithin
		m.emit(Dial{})
	case m.state == away:
	case m.state == dialing && m.now >= m.due:
		m.hangUp("no connection within 30 s", 0)
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

// next is the line that may go at a time, the first of: an answer to an admin, a
// question, an answer to somebody else. The first line is not passed by another that
// would delay it.
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
		question = nil // however many there are, they leave a line to the caller who waits longest
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

// sayNext sends a line, if one may go.
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
		m.hangUp(fmt.Sprintf("dead: nothing was heard for %v", silentFor), 0)
		return
	}
	if m.now < m.nullAt {
		return
	}
	m.nullAt = m.now + nullEvery
	m.send(bncs.Empty(bncs.IDNull))
}

// connected begins the log-on.
func (m *Machine) connected(e Connected) {
	if m.state != dialing {
		return
	}
	m.srp = bncs.NewSRP(m.cfg.Account, string(m.cfg.Password), e.Random)
	m.useSRP, m.created, m.hint = false, false, "it may have banned this address, or take no more connections from it"
	m.emit(Send{[]byte{bncs.ProtocolGame}})
	m.await(greeting, &bncs.AuthInfo{Product: m.cfg.Product, Version: m.cfg.Version.ID, Language: m.cfg.Language})
}

func (m *Machine) hangUp(why string, least time.Duration) {
	m.emit(HangUp{})
	m.gone(why, least)
}

// allow logs off while the account is another host's, and on again at once.
func (m *Machine) allow(on bool) {
	if m.barred == !on {
		return
	}
	m.barred = !on
	if m.barred && m.state != away {
		m.hangUp("another host may have the account", 0)
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

// gone schedules the next attempt: pauses double, with jitter.
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
