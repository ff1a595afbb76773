package game

import (
	"fmt"
	"time"

	"w3host/game/command"
	"w3host/internal/allowance"
	"w3host/lobby"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
	"w3host/rating"
)

// seat is a player's place for the life of the game.
type seat struct {
	Player
	link           LinkID        // what carries the player; 0: none
	realm          string        // that the name is said to be of, confirmed or not; empty: the LAN
	level          command.Level // as the host looked up last
	heard          time.Duration
	proxy          seatProxy
	socket         seatSocket
	country        string // of the address, where the host knows it
	shared         bool   // many players have the same address
	actions        uint32
	kick           string // reason, if kicked from the running game
	quit           bool   // the client has said that it leaves the running game
	stray          bool   // the client has sent a 0x21 which counts when the connection closes
	strayReason    w3gs.LeaveReason
	mayVote        time.Duration // when the player may call the next votekick
	languageChosen bool          // in this game
	commands       allowance.Allowance
	saves          allowance.Allowance // that are said and recorded
	waitSaid       bool                // a wait for the allowance of commands was said since the last command
	logins         allowance.Allowance
	skill          *rating.Skill // nil: not looked up yet
}

// seatProxy is the proxy between a player and the link.
type seatProxy struct {
	kind     proxyKind
	away     time.Duration // when the link was lost that can be resumed; 0: it is not lost
	acked    time.Duration // when the proxy acknowledged last, or was first sent a 0x0C
	answered bool          // a 0x0C has come there: the proxy has acknowledged, or the client answered
}

// seatSocket is how the link's socket takes packets to send.
type seatSocket struct {
	moves uint64        // as reported last; see Backlog
	stuck time.Duration // since when it takes nothing; 0: it does
}

// seatOf finds the seat that a link carries: nearly always where it was found last.
func (m *Machine) seatOf(link LinkID) *seat {
	found := &m.found[link%LinkID(len(m.found))]
	if s := *found; s != nil && s.link == link { // a player without a seat has no link
		return s
	}
	for _, s := range m.seats {
		if s != nil && s.link == link {
			*found = s
			return s
		}
	}
	return nil
}

// seat finds the seat of a player; nil for others.
func (m *Machine) seat(pid uint8) *seat {
	if int(pid) >= len(m.seats) {
		return nil
	}
	return m.seats[pid]
}

// player describes a seat by its pid, fake players included.
func (m *Machine) player(pid uint8) Player {
	if s := m.seat(pid); s != nil {
		return s.Player
	}
	p, _ := m.lobby.Player(pid)
	return Player{PID: pid, Name: p.Name}
}

// names lists the players of whom something is so, without fake ones, in slot order.
func (m *Machine) names(so func(lobby.Player) bool) (names []string) {
	for _, p := range m.lobby.Players() {
		if so(p) {
			names = append(names, p.Name)
		}
	}
	return names
}

func (m *Machine) rtt(pid uint8) time.Duration {
	p, _ := m.lobby.Player(pid)
	return p.RTT
}

// send encodes a packet for one player.
func (m *Machine) send(s *seat, p w3gs.Packet) { m.sendTo(w3gs.Only(s.PID), p) }

// sendTo encodes a packet once for several players.
func (m *Machine) sendTo(to w3gs.PIDs, p w3gs.Packet) {
	kind := Send
	if endsDownload(p.Op()) {
		kind = SendLast
	}
	m.out.add(Op{Kind: kind, To: to, Frame: m.out.frame(p)})
}

// unlink closes a seat's link once everything before it is written.
func (m *Machine) unlink(s *seat, why string) {
	s.proxy.away = 0
	if s.link != 0 {
		m.out.add(Op{Kind: Close, Link: s.link, PID: s.PID, Why: why})
		s.link = 0
	}
}

// dismiss closes a seat's link for good. A proxy gets a refusal, or it would try to come back
// for as long as its player waits.
func (m *Machine) dismiss(s *seat, why string) {
	if s.link != 0 && s.proxy.kind != noProxy && m.turns != nil {
		m.out.add(Op{Kind: Reply, Link: s.link, Frame: gproxy.Reject{Reason: gproxy.NotFound}.AppendTo(nil)})
	}
	m.unlink(s, why)
}

// backlog notes how much waits for a seat's socket.
func (m *Machine) backlog(s *seat, in *Input) {
	switch {
	case in.Queued == 0 || in.Moves != s.socket.moves:
		s.socket.moves, s.socket.stuck = in.Moves, 0
	case s.socket.stuck == 0:
		s.socket.stuck = m.now
	}
	if m.turns == nil {
		m.reportFigures(s, in.Figures)
		return
	}
	m.turns.Backlog(m.playTime(), s.PID, in.Queued, in.Moves)
}

// survived takes every socket for a new one.
func (m *Machine) survived(in *Input) {
	for _, s := range m.seats {
		if s != nil {
			s.socket = seatSocket{}
		}
	}
	if m.turns != nil {
		m.turns.Survived(m.playTime(), in.By)
	}
}

// vacate ends a seat.
func (m *Machine) vacate(pid uint8, why string) {
	if s := m.seats[pid]; s != nil {
		m.dismiss(s, why)
		m.seats[pid] = nil
		m.forgetVoter(pid)
		m.forgetDrafted(pid)
		m.settings.modes.votes[pid] = 0
		m.lastGone = s.Player
		if s.proxy.kind != noProxy {
			m.out.add(Op{Kind: Forget, PID: pid})
		}
		if m.turns == nil {
			m.offerAgain()
		}
	}
}

// Describe is the game's state for crash reports.
func (m *Machine) Describe() string {
	text := fmt.Sprintf("now %v, owner %q, players %+v, fake players %+v, slots %+v", m.now, m.lobby.Owner(),
		m.lobby.Players(), m.lobby.Fakes(), m.lobby.SlotTable())
	if m.turns != nil {
		text += fmt.Sprintf(", playing for %v, turn %d, game time %v, loading %v, laggers %b", m.playTime(),
			m.turns.Turns(), m.turns.GameTime(), m.turns.Loading(), m.turns.Laggers())
	}
	return text
}
