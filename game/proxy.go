package game

import (
	"time"

	"w3host/game/command"
	"w3host/lobby"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// proxyKind is the kind of proxy through which a player's link goes.
type proxyKind uint8

const (
	noProxy       proxyKind = iota
	legacyProxy             // keeps its client alive with empty actions
	extendedProxy           // needs none
)

// unacked is how many times Silence a proxy may go without acknowledging although it
// sends packets: the data kept for it would grow without bound.
const unacked = 3

// toProxies keeps track of the messages to all proxies.
type toProxies struct {
	ackAt   time.Duration // when to acknowledge next
	empties int           // number of empty actions in the last offer
	fed     w3gs.PIDs     // had been sent a 0x0C when silence was last checked
	advised bool          // those without a proxy have read how to get one
}

// silenceCheck is how often to look for silent proxies.
func (m *Machine) silenceCheck() time.Duration { return m.cfg.Reconnect.Silence / 4 }

func (m *Machine) ackEvery() time.Duration { return m.cfg.Reconnect.Silence / 2 }

// meetProxy notes that a player is behind a proxy. After the start it is too late:
// all clients must agree on what precedes a 0x0C.
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

// empties is how many empty actions precede each 0x0C: none if no proxy of the
// game needs them.
func (m *Machine) empties() int {
	for _, s := range m.seats {
		if s != nil && s.proxy.kind == legacyProxy {
			return m.cfg.Reconnect.Empties
		}
	}
	return 0
}

// offerAgain sends all proxies the number of empty actions, if it has changed.
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

// proxies is the players behind a proxy, including those whose link is lost.
func (m *Machine) proxies() w3gs.PIDs {
	var pids w3gs.PIDs
	for _, s := range m.seats {
		if s != nil && s.proxy.kind != noProxy {
			pids |= w3gs.Only(s.PID)
		}
	}
	return pids
}

// lost handles the end of a link: the player leaves, or the seat waits for another
// link. A client that has not got a turn yet cannot come back, and nobody waits for one
// of which it is not known that it has.
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

// clientGone handles the leave that a proxy sends when the game behind it has ended without one, as after a crash. The
// player has lost the connection, and the proxy will not resume it.
func (m *Machine) clientGone(s *seat) {
	s.proxy.answered = false
	m.lost(s, &Input{Why: "the game behind the proxy has ended"})
}

// howToReconnect returns the advice to players without a proxy.
func howToReconnect() texts.Text {
	return texts.Of("If your connection breaks, GProxy++ brings you back into the game: start it beside Warcraft III.")
}

// adviseProxy writes to those without a proxy how to come back, once a game: when some of them lag or
// are lost.
func (m *Machine) adviseProxy(about w3gs.PIDs) {
	to := m.lobby.Humans() &^ m.proxies()
	if about == 0 || to == 0 || m.toProxies.advised || m.cfg.Reconnect.Wait == 0 || m.turns == nil || m.Over() {
		return
	}
	m.toProxies.advised = true
	m.sayText(to, howToReconnect())
}

// proxyWithin is how long after a join its proxy must have said that it is there, where the lobby is for
// players with one. Proxies do so at once.
const proxyWithin = 3 * time.Second

// proxyDue is when a player without a proxy has to go, where the lobby is for players with one.
func (m *Machine) proxyDue(s *seat) (at time.Duration, due bool) {
	if !m.cfg.Entry.Proxied || s == nil || s.proxy.kind != noProxy || s.level >= command.Trusted {
		return 0, false
	}
	p, there := m.lobby.Player(s.PID)
	return p.Joined + proxyWithin, there && !p.Spared
}

// requireProxies removes the players who have no proxy, where the lobby is for players with one.
func (m *Machine) requireProxies() {
	for _, s := range m.seats {
		if at, due := m.proxyDue(s); due && m.now >= at {
			m.try(lobby.Kick{PID: s.PID, Why: texts.Of("this lobby needs GProxy++, which you start beside Warcraft III before you join")})
		}
	}
}

// wait is how long a seat could be without a link.
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

// acknowledged notes that a proxy has acknowledged packets. The first time that it does so
// in a running game is at the first 0x0C.
func (m *Machine) acknowledged(s *seat, _ *Input) {
	s.heard, s.proxy.acked = m.now, m.now
	s.proxy.answered = s.proxy.answered || m.fed(s)
}

// resume gives a seat a new link, even if the old one seems alive.
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

// tendProxies sends the acknowledgements that are due, and cuts links of silent
// proxies.
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
	for pid := range (m.turns.Fed() &^ m.toProxies.fed).All() { // nothing was owed before the first 0x0C
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
