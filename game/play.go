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
	cfg.Countdown = m.cfg.Version.StartDelay()
	cfg.Empties = m.empties()
	addrs := make(map[uint8]netip.AddrPort, len(e.Players))
	for _, p := range e.Players {
		cfg.Players = append(cfg.Players, gamesync.Player{
			PID: p.PID, Name: p.Name, Team: p.Team, Slot: uint8(p.Slot), Observer: p.Observer, Proxied: m.seats[p.PID].proxy.kind != noProxy,
		})
		addrs[p.PID] = m.seats[p.PID].Addr
	}
	for _, p := range e.Fakes {
		cfg.Players = append(cfg.Players, gamesync.Player{PID: p.PID, Name: p.Name, Team: p.Team, Fake: true, Mute: p.PID == e.Watchers})
	}
	m.turns = gamesync.New(cfg, turnSink{m})
	m.silenceAt, m.toProxies.ackAt = m.now+m.silenceCheck(), m.now+m.ackEvery()
	m.out.add(Op{Kind: Play})
	m.fact(&Started{Table: e.Table, Players: e.Players, Fakes: e.Fakes, Addrs: addrs, HCL: e.HCL, Extras: e.Extras, Watchers: e.Watchers, Unwatched: e.Unwatched})
}

// turnPacket handles an action or the acknowledgement of a turn.
func (m *Machine) turnPacket(s *seat, in *Input) {
	s.heard = m.now
	switch {
	case m.turns == nil:
		m.out.add(Op{Kind: Cut, Link: s.link, Why: "an action or acknowledgement before the game has started"})
	case in.Kind == Action:
		s.actions += uint32(m.cfg.Version.LiveActions().CountActions(in.Data))
		m.actedAt = m.turns.GameTime()
		m.act(s.PID, in.Data)
	default:
		s.proxy.answered = true
		m.turns.Keepalive(m.playTime(), s.PID, in.Sum)
	}
}

// keepalive handles a Keepalive without any consequence, as nearly all are. It returns false if Step has to handle it.
func (m *Machine) keepalive(now time.Duration, in *Input) bool {
	if !m.calm {
		return false
	}
	s := m.seatOf(in.Link)
	now = max(now, m.now)
	if s == nil || !m.turns.TryKeepalive(now-m.startedAt, s.PID, in.Sum) {
		return false
	}
	m.now, s.heard, s.proxy.answered = now, now, true
	return true
}

// act passes an action to the turns, of a player or of the host for a fake player.
func (m *Machine) act(pid uint8, data []byte) {
	m.out.acted = Acted{pid, data}
	m.fact(&m.out.acted)
	if bytes.IndexByte(data, actionSave) >= 0 { // fast check for a save action
		m.noteSave(pid, data)
	}
	if len(data) > 0 && (data[0] == actionPause || data[0] == actionResume) { // clients send these actions alone
		m.paused = data[0] == actionPause
	}
	m.turns.Action(m.playTime(), pid, data)
}

// endIdle ends a game in which no player has acted for too long. The time counts only while turns are sent, not while
// the game is paused or a player may reconnect.
func (m *Machine) endIdle() {
	limit, played := m.cfg.IdleTimeout, m.turns.GameTime()
	switch {
	case limit == 0 || m.Over():
	case m.paused || m.turns.Absent() != 0:
		m.actedAt = played
	case played-m.actedAt >= limit:
		m.turns.End(m.playTime(), texts.Of("The game is over: %v.", texts.Of("nobody has acted for %v", limit)))
	}
}

// reportRTT passes the last measured round trip to the turns, which use it to find the cause of lags.
func (m *Machine) reportRTT(s *seat) {
	if rtt := m.rtt(s.PID); rtt > 0 && m.turns != nil {
		m.turns.RTT(m.playTime(), s.PID, rtt)
	}
}

// turnSink implements the sink of the turns for a Machine.
type turnSink struct{ *Machine }

func (m turnSink) Frames(to w3gs.PIDs, frames []byte) {
	m.out.add(Op{Kind: Send, To: to, Frame: frames})
}

func (m turnSink) Say(to w3gs.PIDs, line texts.Text) { m.sayText(to, texts.Sentence(line)) }

func (m turnSink) Entered() { m.lobby.Enter(m.now) }

func (m turnSink) Ballots(of, all w3gs.PIDs) int { return m.ballots(of, all) }

func (m turnSink) Loaded(pid uint8, after time.Duration) { m.fact(&Loaded{m.player(pid), after}) }

func (m turnSink) Fact(f gamesync.Fact) {
	m.fact(f)
	if up, ok := f.(*gamesync.ScreenUp); ok {
		m.adviseProxy(up.Laggers &^ m.proxies())
	}
}

// Drop closes the link of a player whom the turns have removed.
func (m turnSink) Drop(pid uint8, why gamesync.DropReason, loading bool) {
	s := m.seats[pid]
	if why != gamesync.WhyGameOver { // at the end of a game no player is dropped
		m.fact(&Dropped{Player: m.player(pid), Why: string(why)})
		m.later(dropped{pid})
	} else if s != nil && !loading {
		m.send(s, &w3gs.GameOver{PID: pid})
	}
	if s != nil {
		m.dismiss(s, string(why))
	}
}

// Left reports a leave at its position in the order of turns.
func (m turnSink) Left(pid uint8, reason w3gs.LeaveReason, why gamesync.DropReason) {
	f := &LeftGame{Player: m.player(pid), Reason: reason, Why: reason.String(), RTT: m.rtt(pid)}
	if why != gamesync.WhyLeft {
		f.Why = string(why)
	}
	if s := m.seats[pid]; s != nil {
		f.Actions, f.Own = s.actions, s.quit && why == gamesync.WhyLeft
		if s.kick != "" {
			f.Why, f.Kicked = s.kick, true
		}
	}
	m.fact(f)
	m.lobby.Leave(m.now, pid, reason, true) // at once, so that the pid is not used any more
}

func (m turnSink) Over(end gamesync.Over) {
	m.ending.last = &Over{end, m.ending.stopped, m.ending.decided, m.ending.remade}
}
