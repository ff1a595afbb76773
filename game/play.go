package game

import (
	"bytes"
	"net/netip"
	"time"

	"w3host/lobby"
	"w3host/protocol/w3gs"
	gamesync "w3host/sync"
	"w3host/texts"
)

// begin turns the lobby into a running game.
func (m *Machine) begin(e lobby.Started) {
	m.startedAt, m.started = m.now, e
	cfg := m.cfg.Turns
	cfg.Empties = m.empties()
	addrs := make(map[uint8]netip.AddrPort, len(e.Players))
	for _, p := range e.Players {
		cfg.Players = append(cfg.Players, gamesync.Player{
			PID: p.PID, Name: p.Name, Team: p.Team, Slot: uint8(p.Slot), Observer: p.Observer, Proxied: m.seats[p.PID].proxy.kind != noProxy,
		})
		addrs[p.PID] = m.seats[p.PID].Addr
	}
	fakes, absent := m.recordedTurns(&cfg, e.Fakes)
	for _, p := range fakes {
		cfg.Players = append(cfg.Players, gamesync.Player{PID: p.PID, Name: p.Name, Team: p.Team, Slot: uint8(p.Slot), Fake: true})
	}
	m.turns = gamesync.New(cfg)
	m.silenceAt, m.toProxies.ackAt = m.now+m.silenceCheck(), m.now+m.ackEvery()
	m.out.add(Op{Kind: Play})
	m.fact(&Started{Table: e.Table, Players: e.Players, Fakes: e.Fakes, Addrs: addrs, HCL: e.HCL, Extras: e.Extras})
	m.seeTheRecord(absent)
}

// turnPacket takes an action, or the acknowledgement of a turn.
func (m *Machine) turnPacket(s *seat, in *Input) {
	s.heard = m.now
	switch {
	case m.turns == nil:
		m.out.add(Op{Kind: Cut, Link: s.link, Why: "an action or acknowledgement before the game has started"})
	case in.Kind == Action:
		s.actions++
		m.act(s.PID, in.Data)
	default:
		s.proxy.answered = true
		m.applyTurns(m.turns.Keepalive(m.playTime(), s.PID, in.Sum, m.out.turns))
	}
}

// keepalive takes a Keepalive if nothing follows from it, as from nearly all; false: Step has to.
func (m *Machine) keepalive(now time.Duration, in *Input) bool {
	if !m.calm {
		return false
	}
	s := m.seatOf(in.Link)
	now = max(now, m.now)
	if s == nil || !m.turns.Answer(now-m.startedAt, s.PID, in.Sum) {
		return false
	}
	m.now, s.heard, s.proxy.answered = now, now, true
	return true
}

// act passes an action of a player, or of the host for a fake player, to the turns.
func (m *Machine) act(pid uint8, data []byte) {
	m.out.acted = Acted{pid, data}
	m.fact(&m.out.acted)
	if bytes.IndexByte(data, actionSave) >= 0 { // else there is no save among them
		m.noteSave(pid, data)
	}
	m.applyTurns(m.turns.Action(m.playTime(), pid, data, m.out.turns))
}

// reportRTT passes on the round trip that the last pong measured, by which the turns
// attribute lags.
func (m *Machine) reportRTT(s *seat) {
	if rtt := m.rtt(s.PID); rtt > 0 {
		m.toTurns(gamesync.RTT{PID: s.PID, RTT: rtt})
	}
}

// toTurns passes an event to the turns, if the game has started.
func (m *Machine) toTurns(e gamesync.Event) {
	if m.turns != nil {
		m.applyTurns(m.turns.Handle(m.playTime(), e, m.out.turns))
	}
}

// applyTurns carries out the effects that the turns have added.
func (m *Machine) applyTurns(effects []gamesync.Effect) {
	for _, effect := range added(&m.out.turns, effects) {
		if m.feeds() && !m.returns.history.full {
			m.returns.history.add(effect)
		}
		switch e := effect.(type) {
		case *gamesync.Broadcast:
			m.out.add(Op{Kind: Send, To: e.To, Frame: e.Frame})
		case *gamesync.Drop:
			m.drop(e)
		case *gamesync.PlayerLeft:
			m.left(e)
		case *gamesync.Say:
			m.sayText(e.To, texts.Sentence(e.Text))
		case *gamesync.PlayerLoaded:
			m.fact(&Loaded{m.player(e.PID), e.After})
		case *gamesync.ScreenUp:
			m.fact(e)
			m.adviseProxy(e.Laggers &^ m.proxies())
		case *gamesync.Over:
			m.ending.last = &Over{*e, m.ending.stopped, m.ending.decided, m.ending.remade}
		case Fact:
			m.fact(e)
		}
	}
}

// drop closes the link of a player whom the turns have removed.
func (m *Machine) drop(e *gamesync.Drop) {
	s := m.seats[e.PID]
	if e.Why != gamesync.WhyGameOver { // then nobody is dropped: the game is over
		m.fact(&Dropped{Player: m.player(e.PID), Why: string(e.Why)})
		m.out.todo = append(m.out.todo, func() { m.autosave(e.PID) })
	} else if s != nil && !e.Loading {
		m.send(s, &w3gs.GameOver{PID: e.PID})
	}
	if s != nil {
		m.dismiss(s, string(e.Why))
	}
}

// left reports a leave at its place in the order of turns.
func (m *Machine) left(e *gamesync.PlayerLeft) {
	f := &LeftGame{Player: m.player(e.PID), Reason: e.Reason, Why: e.Reason.String(), RTT: m.rtt(e.PID)}
	if e.Why != gamesync.WhyLeft {
		f.Why = string(e.Why)
	}
	if s := m.seats[e.PID]; s != nil {
		f.Actions, f.Own = s.actions, s.quit && e.Why == gamesync.WhyLeft
		if s.kick != "" {
			f.Why, f.Kicked = s.kick, true
		}
	}
	m.fact(f)
	m.noteGone(f)
	m.toLobby(lobby.Leave{PID: e.PID, Reason: e.Reason, Lost: true}) // at once: the pid is not used any more
}
