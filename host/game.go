package host

import (
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"w3host/lan"
	"w3host/lobby"
	"w3host/mapxfer"
	"w3host/storage"
	gamesync "w3host/sync"
	"w3host/w3gs"
)

// maxPIDs is one more than the highest pid.
const maxPIDs = w3gs.MaxSlots + 1

// Game is a lobby and the game that comes of it. Everything but open and inbox
// belongs to its goroutine; others reach it with call.
type Game struct {
	id   uint32
	key  uint32 // entry key of joins from the LAN
	name string
	m    *Map
	host *Host
	opts *Options
	log  zerolog.Logger
	open atomic.Bool // the lobby takes joins

	inbox *inbox
	work  batch

	conns   [maxPIDs]*conn // by pid; nil for fakes and the absent
	joining map[lobby.ConnID]*conn
	lastID  lobby.ConnID

	lobby *lobby.Lobby
	xfer  *mapxfer.Scheduler
	turns *gamesync.Game // nil before the start

	// Effects come back as events of the other rooms (a command, a download's
	// progress, a line to be said); they wait here until the effects before them
	// are carried out.
	followUps []func()

	lobbyOut []lobby.Effect
	xferOut  []mapxfer.Effect
	turnsOut []gamesync.Effect
	scratch  []byte

	opened  time.Time     // the lobby's clock and the transfers' starts here
	started time.Time     // 0x0B was sent: the turns' clock starts here
	silence time.Duration // when silent players are looked for next
	lateSeq uint64        // the host's lateness that the transfers have heard of
	book    book
	over    bool
	broken  bool // it has crashed: the rooms may be in any state

	lastEvent eventKind // for the story of a crash

	latency   time.Duration // as set last; the turns begin with it
	syncLimit int

	// The command at hand: who gave it, on whom, and why it could not be done.
	caller, target, refusal string
}

func newGame(h *Host, id uint32, name string, m *Map) *Game {
	g := &Game{
		id:      id,
		key:     randomU32(),
		name:    name,
		m:       m,
		host:    h,
		opts:    &h.opts,
		log:     h.log.With().Uint32("game", id).Logger(),
		inbox:   newInbox(),
		joining: make(map[lobby.ConnID]*conn),
		opened:  time.Now(),

		latency: h.opts.Game.Latency, syncLimit: h.opts.Game.SyncLimit,
	}
	seed := randomU32()
	g.lobby = lobby.New(h.opts.lobbyConfig(m, seed))
	transfer := h.opts.Transfer
	transfer.Size = m.Size
	g.xfer = mapxfer.New(transfer)
	g.book = newBook(g, seed)
	g.open.Store(true)
	return g
}

// ID is the number that clients join by.
func (g *Game) ID() uint32 { return g.id }

// EntryKey is what a join from the LAN must bring.
func (g *Game) EntryKey() uint32 { return g.key }

// Name is the name in the list of games.
func (g *Game) Name() string { return g.name }

// call runs f on the game's goroutine, or not at all once the game is over.
func (g *Game) call(f func(*Game)) { _ = g.inbox.push(event{kind: evCall, call: f}, nil, false) }

// run is the game's goroutine, from the opening of the lobby to the last leave.
func (g *Game) run() {
	defer g.end()
	defer g.crashed()
	g.announce()
	alarm := newAlarm(g.inbox.signal)
	defer g.host.wheel.cancel(alarm)
	for {
		if g.turning() {
			g.host.reactor.beforeTurn()
		}
		g.inbox.take(&g.work)
		for i := range g.work.events {
			g.handle(&g.work.events[i])
		}
		g.work.reset()
		g.tick()
		if g.over {
			return
		}
		wait, ok := g.next()
		g.inbox.setLazy(g.turning())
		if ok {
			g.host.wheel.set(alarm, wait)
		} else {
			g.host.wheel.cancel(alarm)
		}
		<-g.inbox.wake
	}
}

// turning reports whether turns follow one another, so that actions and
// acknowledgements may wait for the next.
func (g *Game) turning() bool {
	return g.turns != nil && !g.turns.Loading() && g.turns.Laggers() == 0
}

// handle takes one event from outside.
func (g *Game) handle(e *event) {
	g.lastEvent = e.kind
	switch e.kind {
	case evCall:
		e.call(g)
	case evJoin:
		g.handleJoin(e.c, e.packet.(*w3gs.ReqJoin))
	case evGone:
		g.handleGone(e.c, e.err)
	default:
		if e.c.pid == 0 {
			break // said after he was out
		}
		e.c.heard = time.Since(g.opened)
		switch {
		case e.kind == evAction:
			g.handleAction(e.c, g.work.arena[e.off:e.off+e.n])
		case e.kind == evKeepalive:
			g.handleKeepalive(e.c, e.sum)
		default:
			g.handlePacket(e.c, e.packet)
		}
	}
	g.followUp()
}

// followUp runs what effects have asked for, and what follows from that.
func (g *Game) followUp() {
	for len(g.followUps) > 0 {
		next := g.followUps
		g.followUps = nil
		for _, f := range next {
			f()
		}
	}
}

func (g *Game) later(f func()) { g.followUps = append(g.followUps, f) }

// tick does what is due in each room.
func (g *Game) tick() {
	if g.turns != nil {
		g.reportBacklogs()
		g.play(g.turns.Tick(g.playTime(), g.turnsOut[:0]))
	}
	if !g.over {
		now := time.Since(g.opened)
		g.show(g.lobby.Tick(now, g.lobbyOut[:0]))
		if g.turns == nil {
			g.tickTransfers(now)
			g.findSilent(now)
		}
	}
	g.followUp()
}

// next is how long the game may sleep if nothing comes in; false for ever.
func (g *Game) next() (wait time.Duration, ok bool) {
	least := func(d time.Duration) {
		if !ok || d < wait {
			wait, ok = d, true
		}
	}
	now := time.Since(g.opened)
	if at, due := g.lobby.Next(); due {
		least(at - now)
	}
	if g.turns != nil {
		if at, due := g.turns.Next(); due {
			least(at - g.playTime())
		}
		return max(wait, 0), ok
	}
	if at, due := g.xfer.Next(now); due {
		least(at - now)
	}
	if g.lobby.Humans() != 0 {
		least(g.silence - now)
	}
	return max(wait, 0), ok
}

// playTime is the clock of the turns.
func (g *Game) playTime() time.Duration { return time.Since(g.started) }

// conn is the connection of a player; nil for fakes and those who have gone.
func (g *Game) conn(pid uint8) *conn {
	if int(pid) >= len(g.conns) {
		return nil
	}
	return g.conns[pid]
}

// release takes a connection from its pid, which is free for the next.
func (g *Game) release(pid uint8) *conn {
	c := g.conn(pid)
	if c != nil {
		c.pid = 0
		g.conns[pid] = nil
	}
	return c
}

// announce shows the lobby on the LAN and in the log.
func (g *Game) announce() {
	counts := g.lobby.Counts()
	err := g.opts.Advertiser.Open(lan.Advert{
		GameID:   g.id,
		EntryKey: g.key,
		Name:     g.name,
		Stat:     g.statString(),
		Type:     g.m.GameType(g.settings()),
		Port:     g.host.Addr().Port(),
		Count:    g.lanCount(counts),
	})
	if err != nil {
		g.log.Error().Err(err).Msg("lobby cannot be announced on the LAN")
	}
	g.book.created()
	g.log.Info().Str("name", g.name).Str("map", g.m.File).Int("slots", counts.Total).
		Stringer("listen", g.host.Addr()).Msg("lobby open")
}

func (g *Game) statString() w3gs.StatString {
	return w3gs.StatString{
		Settings: g.settings(),
		Width:    g.m.Width,
		Height:   g.m.Height,
		Checksum: g.m.Checksum,
		MapPath:  g.m.Path,
		HostName: plainName(g.opts.Name),
		SHA1:     g.m.SHA1,
		HasSHA1:  g.opts.sendsSHA1(),
	}
}

// shut takes the lobby off the lists: it has started, or it is closed.
func (g *Game) shut() {
	if g.open.Swap(false) {
		g.opts.Advertiser.Close(g.id)
		g.host.wantRefill()
	}
}

// shutdown ends the lobby or the game and tells its players.
func (g *Game) shutdown(why string) {
	if g.turns == nil {
		g.show(g.lobby.Handle(time.Since(g.opened), lobby.Shutdown{Why: why}, g.lobbyOut[:0]))
		return
	}
	g.book.endedBy(storage.EndShutdown)
	g.play(g.turns.Stop(g.playTime(), why, g.turnsOut[:0]))
}

// say lets the host speak to some players, or to all.
func (g *Game) say(to lobby.PIDs, text string) {
	g.show(g.lobby.Handle(time.Since(g.opened), lobby.Say{To: to, Text: text}, g.lobbyOut[:0]))
}

// end is what remains when the game is over: nobody hears from it any more.
func (g *Game) end() {
	defer g.crashed()
	g.shut()
	for pid, c := range g.conns {
		if c != nil {
			g.release(uint8(pid)).finish(errGameOver)
		}
	}
	late := g.inbox.close()
	if g.broken {
		g.refuseJoins(g.work.events)
		g.refuseJoins(late)
	} else {
		for _, e := range late {
			if e.kind == evJoin { // came while the game ended
				g.handleJoin(e.c, e.packet.(*w3gs.ReqJoin))
			}
		}
	}
	g.book.closed()
}
