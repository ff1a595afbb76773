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
	link           LinkID        // connection that carries the player, or 0
	realm          string        // realm that the name claims, confirmed or not; empty for the LAN
	level          command.Level // as last looked up by the host
	heard          time.Duration
	proxy          seatProxy
	socket         seatSocket
	country        string // country of the address, if known
	shared         bool   // many players share the address
	actions        uint32
	kick           string // reason, if the player was kicked from the running game
	quit           bool   // the client has announced that it leaves the running game
	stray          bool   // the client has sent a 0x21 that counts only if the connection closes
	strayReason    w3gs.LeaveReason
	mayVote        time.Duration // earliest time of the player's next vote
	languageChosen bool          // the player chose a language in this game
	commands       allowance.Allowance
	saves          allowance.Allowance // rate limit for saves that are announced and recorded
	waitSaid       bool                // the player was told to wait since the last accepted command
	logins         allowance.Allowance
	skill          *rating.Skill // nil until looked up
}

// seatProxy is the state of the proxy between a player and the link.
type seatProxy struct {
	kind     proxyKind
	away     time.Duration // when the resumable link was lost; 0 if it is not lost
	acked    time.Duration // when the proxy last acknowledged, or was first sent a 0x0C
	answered bool          // a 0x0C has arrived: the proxy has acknowledged, the client answered, or the process was replaced
}

// seatSocket is the state of sending to the link's socket.
type seatSocket struct {
	moves uint64        // last reported value; see Backlog
	stuck time.Duration // since when the socket accepts nothing; 0 if it does
}

// seatOf returns the seat that a link carries, or nil. It nearly always finds it in the cache.
func (m *Machine) seatOf(link LinkID) *seat {
	found := &m.found[link%LinkID(len(m.found))]
	if s := *found; s != nil && s.link == link { // players without a seat have no link
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

// seat returns the seat of a player, or nil.
func (m *Machine) seat(pid uint8) *seat {
	if int(pid) >= len(m.seats) {
		return nil
	}
	return m.seats[pid]
}

// player returns the player with this pid, including fake players.
func (m *Machine) player(pid uint8) Player {
	if s := m.seat(pid); s != nil {
		return s.Player
	}
	p, _ := m.lobby.Player(pid)
	return Player{PID: pid, Name: p.Name}
}

// names returns the names of the human players for whom so is true, in slot order.
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

// unlink closes a seat's link after everything before is written.
func (m *Machine) unlink(s *seat, why string) {
	s.proxy.away = 0
	if s.link != 0 {
		m.out.add(Op{Kind: Close, Link: s.link, PID: s.PID, Why: why})
		s.link = 0
	}
}

// dismiss closes a seat's link for good. A proxy gets a refusal; otherwise it would keep trying to reconnect.
func (m *Machine) dismiss(s *seat, why string) {
	if s.link != 0 && s.proxy.kind != noProxy && m.turns != nil {
		m.out.add(Op{Kind: Reply, Link: s.link, Frame: gproxy.Reject{Reason: gproxy.NotFound}.AppendTo(nil)})
	}
	m.unlink(s, why)
}

// backlog records how much data waits for a seat's socket.
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

// survived forgets the state of all sockets, since a new process has opened new ones. A proxy that was sent a 0x0C counts
// as one that can reconnect: its acknowledgement may have been lost with the previous process.
func (m *Machine) survived(in *Input) {
	for _, s := range m.seats {
		if s != nil {
			s.socket = seatSocket{}
			s.proxy.answered = s.proxy.answered || m.fed(s)
		}
	}
	if m.turns != nil {
		m.turns.Survived(m.playTime(), in.By)
	}
}

// vacate empties a seat.
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

// Describe returns the game's state for crash reports.
func (m *Machine) Describe() string {
	text := fmt.Sprintf("now %v, owner %q, players %+v, fake players %+v, slots %+v", m.now, m.lobby.Owner(),
		m.lobby.Players(), m.lobby.Fakes(), m.lobby.SlotTable())
	if m.turns != nil {
		text += fmt.Sprintf(", playing for %v, turn %d, game time %v, loading %v, laggers %b", m.playTime(),
			m.turns.Turns(), m.turns.GameTime(), m.turns.Loading(), m.turns.Laggers())
	}
	return text
}
