package game

import (
	"time"

	"w3host/game/command"
	"w3host/internal/network"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// silenceCheck is how often the lobby looks for players who send nothing, and for
// players who were banned after they joined.
const silenceCheck = 5 * time.Second

// join gives a player a seat, or refuses.
func (m *Machine) join(in *Input) {
	if m.turns != nil && m.cfg.Return.On {
		m.comeBack(in)
		return
	}
	req := in.Packet.(*w3gs.ReqJoin)
	m.joining = &seat{
		Player: Player{Name: req.Name, Addr: in.Addr}, link: in.Link, level: in.Level, realm: in.Realm,
		heard: m.now, shared: in.Shared, country: in.Country,
	}
	if in.Vouched {
		m.joining.Realm = in.Realm
	}
	m.toLobby(lobby.Join{
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
	m.toLobby(lobby.Vouch{PID: s.PID, Exempt: in.Level >= command.Trusted})
	m.fact(&Vouched{s.Player})
	m.out.add(Op{Kind: Rate, Link: s.link, PID: s.PID})
}

// toLobby hands an event to the lobby. The error says why an operation was not done.
func (m *Machine) toLobby(e lobby.Event) (err error) {
	effects := m.lobby.Handle(m.now, e, m.out.lobby)
	for _, e := range effects[len(m.out.lobby):] {
		if r, ok := e.(*texts.Refusal); ok {
			err = r
		}
	}
	m.applyLobby(effects)
	return err
}

// applyLobby carries out, in their order, the effects that the lobby has added.
func (m *Machine) applyLobby(effects []lobby.Effect) {
	for _, e := range added(&m.out.lobby, effects) {
		m.applyLobbyEffect(e)
	}
}

func (m *Machine) applyLobbyEffect(effect lobby.Effect) {
	switch e := effect.(type) {
	case lobby.Send:
		m.sendTo(w3gs.Only(e.PID), e.Packet)
	case lobby.Broadcast:
		m.sendTo(e.To, e.Packet)
	case lobby.Joined:
		m.joined(e)
	case lobby.Rejected:
		s := m.joining
		m.fact(&JoinRefused{Name: e.Name, Addr: s.Addr, Reason: e.Reason, Why: e.Why})
		m.out.add(Op{Kind: Reply, Link: s.link, Frame: m.out.frame(&w3gs.RejectJoin{Reason: e.Reason})})
		m.out.add(Op{Kind: Close, Link: s.link, Why: e.Why})
	case lobby.NeedsMap:
		m.fact(&LacksMap{m.player(e.PID), e.Have})
	case lobby.Kicked:
		m.kicked(e)
	case lobby.Left:
		why := e.Reason.String()
		if e.Lost {
			why = "connection lost"
		}
		m.gone(&LeftLobby{Player: m.player(e.PID), Reason: e.Reason, Why: why})
	case lobby.Said:
		m.said(e)
	case lobby.Flooded:
		m.fact(&Muted{m.player(e.PID), e.For})
	case *Counting:
		m.fact(e)
		m.announceOdds()
	case Fact:
		m.fact(e)
	case lobby.Started:
		m.begin(e)
	case lobby.Closed:
		m.ending.last = &Closed{e.Why}
	}
}

func (m *Machine) joined(e lobby.Joined) {
	s := m.joining
	s.PID = e.PID
	m.seats[e.PID] = s
	m.out.add(Op{Kind: Seat, Link: s.link, PID: e.PID})
	m.fact(&Joined{s.Player, e.Slot})
	m.out.add(Op{Kind: Rate, Link: s.link, PID: s.PID})
	m.out.add(Op{Kind: Recall, Link: s.link, PID: s.PID})
	m.greet(s)
}

// gone closes the link of a player whom the lobby has removed.
func (m *Machine) gone(f *LeftLobby) {
	if m.turns == nil {
		m.xfer.Leave(m.now, f.PID)
		f.RTT = m.rtt(f.PID)
		m.fact(f)
	}
	m.vacate(f.PID, f.Why)
}

// kicked closes the link of a player who was kicked. In a running game the turns
// have to remove the player.
func (m *Machine) kicked(e lobby.Kicked) {
	if m.turns == nil {
		m.gone(&LeftLobby{Player: m.player(e.PID), Reason: w3gs.LeaveLobby, Why: e.Why, By: e.By, Kicked: true})
		return
	}
	s := m.seats[e.PID]
	m.fact(&Dropped{Player: s.Player, Why: e.Why, By: e.By})
	s.kick = e.Why
	m.started.Places[e.Slot].Name = "" // a remake keeps no place for them
	m.dismiss(s, e.Why)
	m.later(kickedFromGame{e.PID})
}

// findSilent cuts the links of players who have sent nothing for too long: every ping
// wants an answer, so the connection must be dead.
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

// silenceDue reports whether it is time to look for silent players. If that time is
// long past, the host was suspended: it has sent no pings and read nothing, so nobody
// is called silent.
func (m *Machine) silenceDue(every time.Duration) bool {
	due := m.silenceAt
	if m.now < due {
		return false
	}
	m.silenceAt = m.now + every
	return m.now-due <= every
}
