package game

import (
	"time"

	"w3host/game/command"
	"w3host/lobby"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// proxyKind is the kind of reconnect proxy between a player and its link.
type proxyKind uint8

const (
	noProxy       proxyKind = iota
	legacyProxy             // keeps its client alive with empty actions
	extendedProxy           // needs no empty actions
)

// unacked is the number of Silence periods that a proxy may go without an acknowledgement while it sends packets. A
// limit is needed because the data kept for it grows.
const unacked = 3

// toProxies is the state of the messages to all proxies.
type toProxies struct {
	ackAt   time.Duration // time of the next acknowledgement
	empties int           // number of empty actions in the last offer
	fed     w3gs.PIDs     // players who had been sent a 0x0C at the last check for silence
	advised bool          // players without a proxy have been told how to get one
}

// silenceCheck returns the interval of checks for silent proxies.
func (m *Machine) silenceCheck() time.Duration { return m.cfg.Reconnect.Silence / 4 }

func (m *Machine) ackEvery() time.Duration { return m.cfg.Reconnect.Silence / 2 }

// meetProxy records that a player is behind a proxy. After the start it has no effect, because all clients must agree on
// what precedes a 0x0C.
func (m *Machine) meetProxy(s *seat, in *Input) {
	switch {
	case m.cfg.Reconnect.Wait == 0 || m.turns != nil:
		return
	case in.Kind == Proxy:
		s.proxy.kind = max(s.proxy.kind, legacyProxy)
	case s.proxy.kind != noProxy:
		s.proxy.kind = extendedProxy
	}
	if in.Kind == Proxy && m.empties() == m.toProxies.empties {
		m.offer(w3gs.Only(s.PID))
	}
	m.offerAgain()
}

// empties returns the number of empty actions before each 0x0C: 0 if no proxy of the game needs them.
func (m *Machine) empties() int {
	for _, s := range m.seats {
		if s != nil && s.proxy.kind == legacyProxy {
			return m.cfg.Reconnect.Empties
		}
	}
	return 0
}

// offerAgain sends all proxies the number of empty actions if it has changed.
func (m *Machine) offerAgain() {
	if n := m.empties(); n != m.toProxies.empties {
		m.toProxies.empties = n
		m.offer(m.proxies())
	}
}

func (m *Machine) offer(to w3gs.PIDs) {
	if to != 0 {
		m.out.add(Op{Kind: Offer, To: to, Empties: uint8(m.empties())})
	}
}

// proxies returns the players behind a proxy, including those whose link is lost.
func (m *Machine) proxies() w3gs.PIDs {
	var pids w3gs.PIDs
	for _, s := range m.seats {
		if s != nil && s.proxy.kind != noProxy {
			pids |= w3gs.Only(s.PID)
		}
	}
	return pids
}

// lost handles the end of a link: the player leaves, or the seat waits for another link. Clients that have not received
// a turn yet cannot reconnect, and those not known to have received one are not waited for.
func (m *Machine) lost(s *seat, in *Input) {
	switch wait := m.wait(s); {
	case s.stray:
		s.quit = true
		m.unlink(s, s.strayReason.String())
		m.turns.Leave(m.playTime(), s.PID, s.strayReason)
	case wait > 0:
		m.fact(&LinkLost{s.Player, in.Why, wait})
		m.unlink(s, in.Why)
		s.proxy.away = max(m.now, 1)
		m.turns.Lost(m.playTime(), s.PID, wait)
	default:
		m.fact(&LinkLost{s.Player, in.Why, 0})
		m.autosave(s.PID)
		m.leave(s, w3gs.LeaveDisconnect, true)
		m.adviseProxy(w3gs.Only(s.PID) &^ m.proxies())
	}
}

// clientGone handles the leave that a proxy sends when the game behind it has ended, for example by a crash. The player
// counts as disconnected and cannot reconnect.
func (m *Machine) clientGone(s *seat) {
	s.proxy.answered = false
	m.lost(s, &Input{Why: "the game behind the proxy has ended"})
}

// howToReconnect returns the advice to players without a proxy.
func howToReconnect() texts.Text {
	return texts.Of("If your connection breaks, GProxy++ brings you back into the game: start it beside Warcraft III.")
}

// adviseProxy tells players without a proxy, once per game, how to get one: when some of them lag or are lost.
func (m *Machine) adviseProxy(about w3gs.PIDs) {
	to := m.lobby.Humans() &^ m.proxies()
	if about == 0 || to == 0 || m.toProxies.advised || m.cfg.Reconnect.Wait == 0 || m.turns == nil || m.Over() {
		return
	}
	m.toProxies.advised = true
	m.sayText(to, howToReconnect())
}

// proxyWithin is how long after a join a required proxy must have announced itself. Proxies do so at once.
const proxyWithin = 3 * time.Second

// proxyDue returns when a player without a required proxy is removed.
func (m *Machine) proxyDue(s *seat) (at time.Duration, due bool) {
	if !m.cfg.Entry.Proxied || s == nil || s.proxy.kind != noProxy || s.level >= command.Trusted {
		return 0, false
	}
	p, there := m.lobby.Player(s.PID)
	return p.Joined + proxyWithin, there && !p.Spared
}

// requireProxies removes players without a proxy if the lobby requires one.
func (m *Machine) requireProxies() {
	for _, s := range m.seats {
		if at, due := m.proxyDue(s); due && m.now >= at {
			m.try(lobby.Kick{PID: s.PID, Why: texts.Of("this lobby needs GProxy++, which you start beside Warcraft III before you join")})
		}
	}
}

// wait returns how long a seat can wait for a new link; 0 means not at all.
func (m *Machine) wait(s *seat) time.Duration {
	switch {
	case !s.proxy.answered || !m.fed(s):
		return 0
	case s.proxy.kind == extendedProxy:
		return m.cfg.Reconnect.ExtendedWait
	}
	return m.cfg.Reconnect.Wait
}

// fed reports whether a player behind a proxy has been sent a 0x0C.
func (m *Machine) fed(s *seat) bool {
	return m.turns != nil && s.proxy.kind != noProxy && (m.turns.Fed() & m.turns.Live()).Has(s.PID)
}

// acknowledged records an acknowledgement of a proxy. In a running game the first one is for the first 0x0C.
func (m *Machine) acknowledged(s *seat, _ *Input) {
	s.heard, s.proxy.acked = m.now, m.now
	s.proxy.answered = s.proxy.answered || m.fed(s)
}

// resume gives a seat a new link, even if the old one still seems alive.
func (m *Machine) resume(in *Input) {
	s := m.seat(in.PID)
	if s == nil || m.wait(s) == 0 || s.link == 0 && s.proxy.away == 0 {
		m.out.add(Op{Kind: Reply, Link: in.Link, Frame: gproxy.Reject{Reason: gproxy.NotFound}.AppendTo(nil)})
		m.out.add(Op{Kind: Close, Link: in.Link, Why: "no seat to resume"})
		return
	}
	f := &LinkResumed{Player: s.Player}
	if s.proxy.away > 0 {
		f.Away = m.now - s.proxy.away
	}
	m.unlink(s, "resumed by another connection")
	m.lobby.Back(m.now, s.PID, m.now-s.heard)
	s.link, s.Addr, s.heard, s.proxy.acked = in.Link, in.Addr, m.now, m.now
	m.out.add(Op{Kind: Seat, Link: s.link, PID: s.PID})
	f.Addr = s.Addr
	m.fact(f)
	m.turns.Back(m.playTime(), s.PID)
}

// forfeit removes a player whose seat can no longer be resumed.
func (m *Machine) forfeit(in *Input) {
	if s := m.seat(in.PID); s != nil && m.turns != nil {
		m.putOut(s, in.Why)
	}
}

func (m *Machine) putOut(s *seat, why string) {
	m.fact(&Dropped{Player: s.Player, Why: why})
	m.dismiss(s, why)
	m.turns.Leave(m.playTime(), s.PID, w3gs.LeaveDisconnect)
}

// tendProxies sends the acknowledgements that are due and cuts the links of silent proxies.
func (m *Machine) tendProxies() {
	if m.proxies() == 0 || m.Over() {
		return
	}
	if m.now >= m.toProxies.ackAt {
		m.toProxies.ackAt = m.now + m.ackEvery()
		m.out.add(Op{Kind: Ack, To: m.proxies()})
	}
	if m.turns == nil {
		return
	}
	for pid := range (m.turns.Fed() &^ m.toProxies.fed).All() { // proxies need not acknowledge before the first 0x0C
		if s := m.seats[pid]; s != nil {
			s.heard, s.proxy.acked = m.now, m.now
		}
	}
	m.toProxies.fed = m.turns.Fed()
	if !m.silenceDue(m.silenceCheck()) {
		return
	}
	for _, s := range m.seats {
		switch {
		case s == nil || s.link == 0 || !m.fed(s):
		case m.now-s.heard > m.cfg.Reconnect.Silence:
			m.out.add(Op{Kind: Cut, Link: s.link, Why: "nothing heard of the proxy for too long"})
		case m.now-s.proxy.acked > unacked*m.cfg.Reconnect.Silence:
			m.putOut(s, "the proxy does not acknowledge what it is sent")
		}
		if m.Over() {
			return
		}
	}
}
