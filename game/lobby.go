package game

import (
	"time"

	"w3host/game/command"
	"w3host/internal/network"
	"w3host/lobby"
	"w3host/protocol/w3gs"
)

// silenceCheck is the interval at which the lobby checks for players who send nothing and for players banned after their
// join.
const silenceCheck = 5 * time.Second

// join gives a player a seat or refuses.
func (m *Machine) join(in *Input) {
	req := in.Packet.(*w3gs.ReqJoin)
	m.joining = &seat{
		Player: Player{Name: req.Name, Addr: in.Addr}, link: in.Link, level: in.Level, realm: in.Realm,
		heard: m.now, shared: in.Shared, country: in.Country,
	}
	if in.Vouched {
		m.joining.Realm = in.Realm
	}
	m.lobby.Join(m.now, lobby.Join{
		Conn: lobby.ConnID(in.Link), Req: *req,
		External: w3gs.SockAddrFrom(in.Addr), Source: network.Base(in.Addr.Addr()), Banned: in.Banned, Shared: in.Shared, Realm: in.Realm, Vouched: in.Vouched, Version: in.Version, Like: in.Like,
		Exempt: in.Level >= command.Trusted,
	})
	m.joining = nil
}

// vouch marks a player's name as confirmed by its realm.
func (m *Machine) vouch(s *seat, in *Input) {
	if s.Realm == s.realm {
		return
	}
	s.Realm, s.level = s.realm, in.Level
	m.lobby.Vouch(m.now, s.PID, in.Level >= command.Trusted)
	m.fact(&Vouched{s.Player})
	m.out.add(Op{Kind: Rate, Link: s.link, PID: s.PID})
}

// try carries out an operation of the lobby, or returns why it cannot be done.
func (m *Machine) try(op lobby.Operation) error { return m.lobby.Do(m.now, op) }

// lobbySink implements lobby.Sink for a Machine.
type lobbySink struct{ *Machine }

func (m lobbySink) Send(to w3gs.PIDs, p w3gs.Packet) { m.sendTo(to, p) }

func (m lobbySink) Joined(_ *lobby.Join, pid uint8, slot int) {
	s := m.joining
	p, _ := m.lobby.Player(pid)
	s.PID, s.Name, s.Nameless = pid, p.Name, p.Nameless
	m.seats[pid] = s
	m.out.add(Op{Kind: Seat, Link: s.link, PID: pid})
	m.fact(&Joined{s.Player, slot})
	if !s.Nameless {
		m.out.add(Op{Kind: Rate, Link: s.link, PID: pid})
		m.out.add(Op{Kind: Recall, Link: s.link, PID: pid})
	}
	m.greet(s)
}

func (m lobbySink) Rejected(j *lobby.Join, reason w3gs.RejectReason, why string) {
	s := m.joining
	m.fact(&JoinRefused{Name: j.Req.Name, Addr: s.Addr, Reason: reason, Why: why})
	m.out.add(Op{Kind: Reply, Link: s.link, Frame: m.out.frame(&w3gs.RejectJoin{Reason: reason})})
	m.out.add(Op{Kind: Close, Link: s.link, Why: why})
}

func (m lobbySink) NeedsMap(pid uint8, have uint32) { m.fact(&LacksMap{m.player(pid), have}) }

func (m lobbySink) Left(pid uint8, reason w3gs.LeaveReason, lost bool) {
	why := reason.String()
	if lost {
		why = "connection lost"
	}
	m.gone(&LeftLobby{Player: m.player(pid), Reason: reason, Why: why})
}

func (m lobbySink) Said(line lobby.Said) { m.said(line) }

func (m lobbySink) Flooded(pid uint8, mute time.Duration) { m.fact(&Muted{m.player(pid), mute}) }

func (m lobbySink) Fact(f lobby.Fact) {
	m.fact(f)
	if _, counts := f.(*Counting); counts {
		m.announceOdds()
	}
}

func (m lobbySink) Started(s lobby.Started) { m.begin(s) }

func (m lobbySink) Closed(why string) { m.ending.last = &Closed{why} }

// gone reports that the lobby has removed a player, and closes the link.
func (m *Machine) gone(f *LeftLobby) {
	if m.turns == nil {
		m.xfer.Leave(m.now, f.PID)
		m.fact(f)
	}
	m.vacate(f.PID, f.Why)
}

// Kicked closes the link of a kicked player. In a running game the turn loop removes the player afterwards.
func (m lobbySink) Kicked(pid uint8, slot int, why, by string) {
	if m.turns == nil {
		m.gone(&LeftLobby{Player: m.player(pid), Reason: w3gs.LeaveLobby, Why: why, By: by, Kicked: true})
		return
	}
	s := m.seats[pid]
	m.fact(&Dropped{Player: s.Player, Why: why, By: by})
	s.kick = why
	m.started.Places[slot].Name = "" // a remake reserves no place for this player
	m.dismiss(s, why)
	m.later(kickedFromGame{pid})
}

// findSilent cuts the links of players who have sent nothing for too long. Their connections must be dead, since each
// ping requires an answer.
func (m *Machine) findSilent() {
	if !m.silenceDue(silenceCheck) {
		return
	}
	for _, s := range m.seats {
		switch {
		case s == nil:
		case m.now-s.heard > m.cfg.Silence:
			m.out.add(Op{Kind: Cut, Link: s.link, Why: "nothing heard for too long"})
		case s.socket.stuck > 0 && m.now-s.socket.stuck > m.cfg.Silence:
			m.out.add(Op{Kind: Cut, Link: s.link, Why: "the client took nothing of what was sent for too long"})
		}
	}
	m.out.add(Op{Kind: CheckBans})
}

// silenceDue reports whether it is time to check for silent players. If that time is long past, the host was suspended
// and has neither sent pings nor read packets, so that silence means nothing.
func (m *Machine) silenceDue(every time.Duration) bool {
	due := m.silenceAt
	if m.now < due {
		return false
	}
	m.silenceAt = m.now + every
	return m.now-due <= every
}
