package game

import (
	"cmp"
	"slices"
	"time"

	"w3host/game/command"
	"w3host/internal/allowance"
	"w3host/lobby"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
	gamesync "w3host/sync"
	"w3host/texts"
)

// Machine is one game. It is not safe for concurrent use.
type Machine struct {
	cfg   Config
	lobby *lobby.Lobby
	xfer  *mapxfer.Scheduler
	turns *gamesync.Loop // nil before the start

	commands command.Table[*Machine] // with the operator's rules applied

	seats   [w3gs.MaxPID + 1]*seat // by pid; nil for fake players and unused pids
	found   [32]*seat              // cache of seats, indexed by the low bits of the link number
	joining *seat                  // seat of the join in progress

	now       time.Duration // time since the lobby opened
	startedAt time.Duration // when 0x0B was sent, which starts the clock of the turns
	actedAt   time.Duration // game time of the last player action
	paused    bool          // a player has paused the game
	silenceAt time.Duration // next check for silent players
	toProxies toProxies
	settings  settings
	polls     []*poll
	started   lobby.Started // players kicked since then have no name in its Places
	ending    ending
	lastGone  Player                      // the player who left last
	seq       uint64                      // number of the last fact
	spoken    *allowance.Limiter[speaker] // rate limit for lines that callers make the host say; nil until needed
	asPlayer  bool                        // the current command is a player's, who may not know hidden names
	calm      bool                        // no poll and no setting of a player who has left needs attention after each input
	out       outputs
}

// outputs collects the outputs of a Step.
type outputs struct {
	*Out
	queue []task // effects of one part of the game on another
	acted Acted
}

// ending is the state of the end of the game.
type ending struct {
	surrendered [w3gs.MaxSlots]bool // by team
	decided     bool                // the players have ended the game with a result
	remade      bool                // the players have voted to play again
	stopped     bool                // the host is stopping
	last        Fact                // reported after all other facts; nil while the game continues
}

// New opens the lobby of a game and appends the first outputs to out.
func New(cfg Config, out *Out) *Machine {
	cfg.Reconnect.Silence = cmp.Or(cfg.Reconnect.Silence, 20*time.Second)
	v := &cfg.Votes
	v.Share, v.Time, v.Cooldown = cmp.Or(v.Share, 70), cmp.Or(v.Time, time.Minute), cmp.Or(v.Cooldown, 2*time.Minute)
	m := &Machine{
		cfg: cfg, out: outputs{Out: out}, commands: commands.With(cfg.Commands),
		settings: settings{firstName: cfg.Name},
	}
	m.lobby = lobby.New(cfg.Lobby, lobbySink{m})
	m.xfer = mapxfer.New(cfg.Transfer, transferSink{m})
	m.lobby.SetPrivate(cfg.Unlisted)
	m.fact(&Opened{Config: &m.cfg, Owner: m.lobby.Owner(), Counts: m.lobby.Counts()})
	return m
}

// ShutsOut reports whether strangers cannot join the lobby unless a player in it allows that.
func (m *Machine) ShutsOut() bool { return m.lobby.ShutsOut() }

// Step handles one input and appends its outputs to out. now is the time since the lobby opened and never decreases.
func (m *Machine) Step(now time.Duration, in *Input, out *Out) {
	if m.Over() || in.Kind == Keepalive && m.keepalive(now, in) {
		return
	}
	m.now, m.out.Out = max(now, m.now), out
	if m.turns != nil {
		m.turns.Reset()
	}
	m.handle(in)
	m.drain()
	for _, settle := range settling {
		settle(m)
		m.drain()
	}
	if m.Over() {
		m.fact(m.ending.last)
	}
	m.calm = m.turns != nil && !m.Over() && len(m.polls) == 0 && !slices.ContainsFunc(m.settings.list, m.isOrphaned)
}

// settling lists the checks after each input, in their order.
var settling = [...]func(*Machine){
	(*Machine).settlePolls, (*Machine).settleModes, (*Machine).endSettings, (*Machine).settleDraft, (*Machine).settleBalance,
}

// Next returns when Step needs a Tick if no other input comes. ok is false if it needs none.
func (m *Machine) Next() (at time.Duration, ok bool) {
	if m.Over() {
		return 0, false
	}
	least := func(t time.Duration, due bool) {
		if due && (!ok || t < at) {
			at, ok = t, true
		}
	}
	proxied := m.proxies() != 0
	least(m.toProxies.ackAt, proxied)
	least(m.lobby.Next())
	if len(m.polls) > 0 {
		least(m.polls[0].until, true)
	}
	if m.turns == nil {
		least(m.announceDue())
		least(m.settings.modes.until, m.settings.modes.open())
		least(m.xfer.Next())
		least(m.silenceAt, m.lobby.Humans() != 0)
		for _, s := range m.seats {
			least(m.proxyDue(s))
		}
		return at, ok
	}
	t, due := m.turns.Next()
	least(m.startedAt+t, due)
	least(m.silenceAt, proxied)
	return at, ok
}

// Owns reports whether a player is the owner.
func (m *Machine) Owns(pid uint8) bool { return m.lobby.Owns(pid) }

// BelongsTo reports whether an account is the owner, with or without a seat.
func (m *Machine) BelongsTo(name, realm string) bool { return m.lobby.BelongsTo(name, realm) }

// Nameless reports whether a player's name belongs to nobody: the client has none, or that of another player.
func (m *Machine) Nameless(pid uint8) bool { return m.player(pid).Nameless }

// Language returns the language of a player.
func (m *Machine) Language(pid uint8) texts.Language { return m.lobby.Language(pid) }

// Over reports whether the game, or a lobby that did not start, has ended.
func (m *Machine) Over() bool { return m.ending.last != nil }

// Attends reports whether players' packets should be read between turns, because the game loads or shows the lag screen.
// In a lobby it is always true.
func (m *Machine) Attends() bool { return m.turns == nil || m.turns.Attends() }

// Downloading reports whether the machine wants Backlog inputs before the start.
func (m *Machine) Downloading() bool { return m.xfer.Downloading() > 0 }

// handle calls the handler for the kind of input.
func (m *Machine) handle(in *Input) {
	k := kinds[in.Kind]
	if k.do != nil {
		k.do(m, in)
	} else if s := m.seatOf(in.Link); s != nil { // otherwise the player was removed before the input arrived
		k.bySeat(m, s, in)
	}
}

func (m *Machine) command(in *Input) {
	by := *in.Caller
	if by.PID != 0 {
		by = *m.caller(by.PID)
	} else {
		s := m.confirmed(by.Name, by.Realm)
		m.rank(&by, by.Level, s != nil && m.lobby.Owns(s.PID))
	}
	m.obey(&by, in.Line)
}

// packet handles packets of players without a kind of their own.
func (m *Machine) packet(s *seat, in *Input) {
	s.heard = m.now
	switch p := in.Packet.(type) {
	case *w3gs.ChatToHost:
		s.level = in.Level // only chat carries a level
		m.chat(s, p.Chat)
	case *w3gs.PlayerExtra:
		m.lobby.Extra(m.now, s.PID, p)
	case *w3gs.PongToHost:
		m.lobby.Pong(m.now, s.PID, p.Tick, in.By)
		m.reportRTT(s)
	case *w3gs.LeaveGame:
		switch {
		case p.Reason == w3gs.LeaveGProxyFailed:
			m.clientGone(s)
		case m.maybeStray(s):
			s.stray, s.strayReason = true, p.Reason
		default:
			m.leave(s, p.Reason, false)
		}
	case *w3gs.LoadedSelf:
		if s.stray = false; m.turns != nil {
			m.turns.Loaded(m.playTime(), s.PID)
		}
	case *w3gs.DropReq:
		if m.turns != nil {
			m.turns.DropVote(m.playTime(), s.PID)
		}
	case *w3gs.MapSize, *w3gs.MapPartOK, *w3gs.MapPartNotOK:
		if m.turns == nil {
			m.mapPacket(s, in)
		}
	}
}

// Ignores reports whether a packet has no effect in this phase or version. The caller does not pass such a packet to
// Step, to save space in the journal. now is the time that the step would have.
func (m *Machine) Ignores(now time.Duration, link LinkID, packet w3gs.Packet) bool {
	s := m.seatOf(link)
	if s == nil {
		return false // let Step decide
	}
	switch p := packet.(type) {
	case *w3gs.PeerSet:
		return true
	case *w3gs.PlayerExtra:
		return !m.lobby.TakesExtra(max(now, m.now), s.PID, p)
	case *w3gs.LoadedSelf:
		loaded := m.turns == nil
		if !loaded {
			loaded, _ = m.turns.Progress(s.PID)
		}
		return loaded && !s.stray
	case *w3gs.DropReq:
		return m.turns == nil || m.turns.Laggers() == 0
	case *w3gs.MapSize, *w3gs.MapPartOK, *w3gs.MapPartNotOK:
		return m.turns != nil
	}
	return false
}

// tick does the work that is due in each part of the game.
func (m *Machine) tick(*Input) {
	if m.turns != nil {
		before := len(m.out.Facts)
		m.turns.Tick(m.playTime())
		for i := range m.out.Facts[before:] {
			m.out.Facts[before+i].Turn = m.turns.Turns() // facts of a tick carry the number of its last turn
		}
		if m.endIdle(); m.Over() {
			return
		}
	}
	m.lobby.Tick(m.now)
	if m.turns == nil && !m.Over() {
		if _, waits := m.xfer.Next(); waits {
			m.xfer.Tick(m.now)
		}
		m.announceNow()
		m.findSilent()
		m.requireProxies()
	}
	m.tendProxies()
}

// maybeStray reports whether a 0x21 must be ignored unless the connection closes: clients of some versions send one
// while the game starts and keep playing.
func (m *Machine) maybeStray(s *seat) bool {
	if m.turns == nil || !m.cfg.Version.StrayLeaves() {
		return false
	}
	loaded, _ := m.turns.Progress(s.PID)
	return !loaded || m.turns.Turns() == 0
}

// leave removes a player who has left or whose link is lost.
func (m *Machine) leave(s *seat, reason w3gs.LeaveReason, lost bool) {
	if m.turns == nil {
		m.lobby.Leave(m.now, s.PID, reason, lost)
		return
	}
	if !lost {
		m.send(s, &w3gs.LeaveAck{})
	}
	s.quit = !lost
	m.unlink(s, reason.String())
	m.turns.Leave(m.playTime(), s.PID, reason)
}

// stop ends the lobby or the game and tells its players why.
func (m *Machine) stop(in *Input) {
	why := texts.Known(in.Why)
	if in.Line != "" {
		why = texts.Of("it was closed by %s", in.Line)
	}
	if m.turns == nil {
		m.try(lobby.Shutdown{Why: why})
		return
	}
	m.ending.stopped = true
	m.turns.End(m.playTime(), why)
}

// playTime returns the time since the start of the game, which is the clock of the turns.
func (m *Machine) playTime() time.Duration { return m.now - m.startedAt }

func (m *Machine) fact(f Fact) {
	m.seq++
	turn := uint32(0)
	if m.turns != nil {
		turn = m.turns.Turns()
	}
	m.out.Facts = append(m.out.Facts, Stamped{Seq: m.seq, At: m.now, Turn: turn, Fact: f})
}
