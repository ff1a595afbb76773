package game

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"time"

	"w3host/game/command"
	"w3host/internal/network"
	"w3host/past"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

const (
	// mostComing is how many returners a game has at once.
	mostComing = 4
	// proveWithin is how long somebody may take to prove who they are, besides the map check.
	proveWithin = time.Minute
	// readWithin is how long a line can be read before its reader is put out.
	readWithin = 8 * time.Second
	// quiet is how long the old client of a player says nothing before a new one takes its place.
	quiet = 2 * time.Second
	// unanswering is how long a client that is shown the game may answer no turn.
	unanswering = 70 * time.Second
	// pingReturner is how often it hears something while nothing else is sent.
	pingReturner = 5 * time.Second
	// progressEvery is how often the others read how far it is.
	progressEvery = 20 * time.Second
)

// returner is a new client of a player who comes back. It has no seat until it is where the
// others are.
type returner struct {
	link    LinkID
	name    string
	s       *seat // nil: it is refused
	pid     uint8
	addr    netip.AddrPort
	shared  bool   // many players have its address
	country string // of its address, where the host knows it
	near    bool   // it is at the address that the player had
	realm   string
	vouched bool
	level   command.Level
	logged  bool // in, by a password
	size    uint32
	stage   stage
	first   bool          // the game goes on from a record, which it is shown before anything else
	quit    bool          // the client has said that it leaves
	inGame  bool          // it was refused behind the lobby
	within  time.Duration // loading and the game so far may take
	until   time.Duration // the stage must be over by then
	pingAt  time.Duration

	// While it is shown the game:
	began    time.Duration
	reading  reading
	window   past.Window
	flying   []sentTurn    // turns that it has not answered
	bytes    int           // of these
	acked    uint32        // turns
	at       time.Duration // game time of these
	sums     []uint32      // its answers to the last of them, which are not settled
	heardAt  time.Duration
	reportAt time.Duration
}

// sentTurn is a turn on its way.
type sentTurn struct {
	bytes int
	lasts time.Duration
}

// stage is how far a returner has come.
type stage uint8

const (
	checking stage = iota // whether it has the map
	proving               // who it is
	loads
	catching // it is shown the game
	refused  // it reads why
)

// comeBack takes a join while the game runs.
func (m *Machine) comeBack(in *Input) {
	name := in.Packet.(*w3gs.ReqJoin).Name
	no, why := w3gs.RejectStarted, ""
	pid, gone := m.wanted(name)
	switch {
	case in.Banned != "":
		no, why = w3gs.RejectInvalid, "banned: "+in.Banned
	case pid == 0:
		why = "the game has started"
	case !m.roomForReturner():
		no, why = w3gs.RejectFull, "too many come back at once"
	}
	if why != "" {
		m.fact(&JoinRefused{Name: name, Addr: in.Addr, Reason: no, Why: why})
		m.out.add(Op{Kind: Reply, Link: in.Link, Frame: m.out.frame(&w3gs.RejectJoin{Reason: no})})
		m.out.add(Op{Kind: Close, Link: in.Link, Why: why})
		return
	}
	r := &returner{
		link: in.Link, name: name, pid: pid, addr: in.Addr, shared: in.Shared, country: in.Country, realm: in.Realm, vouched: in.Vouched, level: in.Level,
		until: m.now + proveWithin, pingAt: m.now + pingReturner,
	}
	m.returns.coming = append(m.returns.coming, r)
	m.greetReturner(r, in.Version)
	if r.s = m.seats[pid]; r.s == nil {
		m.refuse(r, gone)
		return
	}
	r.near = !in.Shared && network.Base(in.Addr.Addr()) == network.Base(r.s.Addr.Addr())
	switch {
	case m.returns.history.full:
		m.refuseForgotten(r)
	case r.s.returns >= m.cfg.Return.Times:
		m.refuse(r, texts.Of("%s has come back %v: no more.", r.s.Name, texts.Count(r.s.returns, "%d time", "%d times")))
	}
}

// roomForReturner reports whether one more may come back now. A returner who has proven nothing
// makes room, or strangers could keep players out.
func (m *Machine) roomForReturner() bool {
	n := 0
	for _, r := range m.returns.coming {
		if !r.first {
			n++
		}
	}
	if n < mostComing {
		return true
	}
	i := slices.IndexFunc(m.returns.coming, func(r *returner) bool { return !r.first && (r.stage < loads || r.stage == refused) })
	if i >= 0 {
		m.endReturner(m.returns.coming[i], "made room for somebody else who comes back")
	}
	return i >= 0
}

// wanted is the player of the game with that name, and why they cannot come back if they
// have left.
func (m *Machine) wanted(name string) (pid uint8, gone texts.Text) {
	if !m.cfg.Return.On || m.cfg.Lobby.Wire.Reforged {
		return 0, texts.Text{}
	}
	for _, s := range m.seats {
		if s != nil && sameName(s.Name, name) {
			return s.PID, texts.Text{}
		}
	}
	for _, g := range m.returns.gone {
		if sameName(g.Name, name) {
			return g.PID, g.why
		}
	}
	return 0, texts.Text{}
}

// Awaits reports whether somebody may join the running game under this name, if only to read
// why not.
func (m *Machine) Awaits(name string) bool {
	pid, _ := m.wanted(name)
	return m.turns != nil && pid != 0
}

func sameName(a, b string) bool { return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) }

// greetReturner introduces the game as it was at its start.
func (m *Machine) greetReturner(r *returner, v w3gs.Version) {
	t := &m.started.Table
	m.toReturner(r, &w3gs.SlotInfoJoin{SlotTable: *t, PID: r.pid, External: w3gs.SockAddrFrom(r.addr)})
	for _, p := range slices.Concat(m.started.Fakes, m.started.Players) {
		if p.PID != r.pid {
			m.toReturner(r, &w3gs.PlayerInfo{JoinCounter: 2, PID: p.PID, Name: p.Shown, Extra: make([]byte, m.cfg.Lobby.Wire.JoinExtra)})
		}
	}
	for _, p := range m.started.Players {
		if p.PID == r.pid {
			v = cmp.Or(p.Version, v)
		}
	}
	check, own := m.cfg.Lobby.OtherChecks[v]
	if !own {
		check = m.cfg.Lobby.MapCheck
	}
	r.size = check.Size
	m.toReturner(r, &check)
}

func (m *Machine) toReturner(r *returner, p w3gs.Packet) {
	m.out.add(Op{Kind: Reply, Link: r.link, Frame: m.out.frame(p)})
}

// writeToReturner shows a line of the host. It has to come from somebody; clients show it when it
// comes from themselves.
func (m *Machine) writeToReturner(r *returner, line texts.Text) {
	flag := w3gs.ChatLobby
	if r.stage == catching {
		flag = w3gs.ChatGame
	}
	for part, rest := texts.Cut(line.In(m.lobby.Language(r.pid)), w3gs.MaxGameChatLen); part != ""; part, rest = texts.Cut(rest, w3gs.MaxGameChatLen) {
		m.toReturner(r, &w3gs.ChatFromHost{Chat: w3gs.Chat{To: []uint8{r.pid}, From: r.pid, Flag: flag, Text: part}})
	}
}

// refuse has a returner read why it cannot come back, before it is put out.
func (m *Machine) refuse(r *returner, why texts.Text) {
	switch r.stage {
	case refused:
		return
	case loads: // it can take no line
		m.endReturner(r, why.String())
		return
	}
	m.fact(&JoinRefused{Name: r.name, Addr: r.addr, Reason: w3gs.RejectStarted, Why: why.String()})
	m.writeToReturner(r, why)
	m.release(r, why.String())
	r.inGame = r.stage == catching
	r.stage, r.until = refused, m.now+readWithin
}

// refuseForgotten refuses a returner for whom too much was played.
func (m *Machine) refuseForgotten(r *returner) {
	m.refuse(r, texts.Of("The record of this game is not whole: nobody can come back into it."))
}

// refuseTwin refuses a returner whose player has a client.
func (m *Machine) refuseTwin(r *returner) {
	m.refuse(r, texts.Of("%s is still connected: try again in %v.", r.s.Name, quiet))
}

// release gives the place back that a returner has come for.
func (m *Machine) release(r *returner, why string) {
	if s := r.s; s != nil && s.missing != nil && s.missing.by == r {
		if r.first && (r.quit || !m.keepsPlaces()) {
			m.later(gaveUp{s, why})
		}
		s.missing.by, s.missing.until = nil, max(s.missing.until, m.now+m.cfg.Return.Sign)
		s.returns++
		if s.returns >= m.cfg.Return.Times {
			s.missing.until = m.now
		}
	}
	r.s = nil
}

// endReturner closes a returner's link.
func (m *Machine) endReturner(r *returner, why string) {
	m.release(r, why)
	m.returns.coming = slices.DeleteFunc(m.returns.coming, func(o *returner) bool { return o == r })
	m.out.add(Op{Kind: Close, Link: r.link, Why: why})
}

// returnerOf finds the returner of a link.
func (m *Machine) returnerOf(link LinkID) *returner {
	for _, r := range m.returns.coming {
		if r.link == link {
			return r
		}
	}
	return nil
}

// fromReturner takes an input of a returner. Its actions in the game meanwhile are thrown
// away: the game has them already.
func (m *Machine) fromReturner(r *returner, in *Input) {
	switch in.Kind {
	case Lost:
		m.endReturner(r, in.Why)
	case Ban:
		m.endReturner(r, "banned: "+in.Why)
	case Vouch:
		r.vouched, r.level = true, in.Level
		m.prove(r)
	case Login:
		if in.Why != "" {
			m.writeToReturner(r, texts.Sentence(texts.Known(in.Why)))
			return
		}
		r.level, r.logged = in.Level, true
		m.prove(r)
	case Keepalive:
		m.answered(r, in.Sum)
	case Packet:
		m.packetOf(r, in.Packet)
	}
}

func (m *Machine) packetOf(r *returner, packet w3gs.Packet) {
	switch p := packet.(type) {
	case *w3gs.LeaveGame:
		r.quit = p.Reason != w3gs.LeaveGProxyFailed // which says that the client has crashed
		m.toReturner(r, &w3gs.LeaveAck{})
		m.endReturner(r, p.Reason.String())
	case *w3gs.MapSize:
		if r.stage != checking {
			return
		}
		if p.Size != r.size {
			m.refuse(r, texts.Of("You lack the map of this game: join a lobby with it first."))
			return
		}
		m.toReturner(r, &w3gs.SlotInfo{SlotTable: m.started.Table})
		r.stage = proving
		if s := r.s; s.missing == nil && !m.silent(s) || s.missing != nil && s.missing.by != nil {
			m.refuseTwin(r)
			return
		}
		if m.prove(r); r.stage == proving {
			m.askProof(r)
		}
	case *w3gs.LoadedSelf:
		if r.stage == loads {
			m.loaded(r)
		}
	}
}
