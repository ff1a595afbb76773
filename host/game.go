package host

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"w3host/game"
	"w3host/game/autohost"
	"w3host/host/loop"
	"w3host/lan"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
	"w3host/record/gamelog"
	"w3host/record/journal"
	"w3host/record/recording"
)

// Game is a lobby and the game that comes of it: it carries inputs from links to
// the machine, which knows the rules, and orders from there to the links. All
// but open and info belongs to the goroutine of its shard.
type Game struct {
	id       uint32
	key      uint32        // entry key of joins from the LAN
	variants []lan.Variant // what clients of each version are shown; each has a key of its own with crossplay
	m        *Map
	spec     *lobbySpec
	host     *Host
	shard    *shard
	log      zerolog.Logger
	group    *loop.Group // its place in the loop; nil before begin

	listing
	stepping
	seating
	loading bool // players load the map
	playing bool // its links are read when a turn is due
	over    bool

	journal   journal.Journal
	replay    *recording.Recording // nil: none
	records   *gamelog.Records
	observers []Observer
}

// listing is how others see the lobby or game.
type listing struct {
	open     atomic.Bool // the lobby takes joins
	info     Info        // guarded by host.mu
	settings w3gs.GameSettings
	saved    *game.Saved
	listed   bool // on the LAN
}

// stepping is the machine and what is on its way to it and from it.
type stepping struct {
	machine *game.Machine
	out     game.Out
	opened  time.Duration // on the shard's clock; the machine's clock begins there
	last    game.Kind     // of the inputs, for the file of a crash
	busy    bool          // a step is under way
	pending []game.Input  // that of the step under way, and those that it has caused
	lateSeq uint64        // the host's lateness that the machine has heard of
}

// seating is who carries which player.
type seating struct {
	links   map[game.LinkID]*link
	lastID  game.LinkID
	seats   [w3gs.MaxPID + 1]*link
	proxies [w3gs.MaxPID + 1]*person // who have one, also while their seat has no link
	bearers map[string]netip.Addr    // who has joined first under a name of a realm
}

// Observer looks at what happens in a game. It never waits, and keeps nothing of
// what it is shown.
type Observer interface {
	Observe(*game.Stamped)
}

func newGame(h *Host, id uint32, spec *lobbySpec) *Game {
	g := &Game{
		id: id, key: randomU32(), m: spec.m, spec: spec, host: h, shard: h.shard,
		log: h.log.With().Uint32("game", id).Logger(),
	}
	g.info = Info{ID: id, Name: spec.name, Map: spec.m.File, Entry: spec.order.Entry, By: spec.by, Since: time.Now()}
	g.links = make(map[game.LinkID]*link)
	cfg, opened := spec.setup.ForMap(spec.m.Map), time.Now()
	cfg.ID, cfg.Name, cfg.Lobby.RandomSeed = id, spec.name, randomU32()
	cfg.Unlisted, cfg.Realm = spec.private, strings.Join(h.opts.Realms.Of(cfg.Version), ",")
	if a := spec.again; a != nil {
		seed := cfg.Lobby.RandomSeed
		cfg = *a
		cfg.ID, cfg.Lobby.RandomSeed = id, seed
	} else if spec.restored != nil {
		cfg = cfg.ForSave(spec.restored)
	}
	for _, v := range cfg.Seen() {
		key, own := g.key, g.m.Identifiers
		if cfg.Crossplay {
			key, own = randomU32(), g.m.For(v)
		}
		if cfg.Saved != nil {
			own.Checksum = cfg.Saved.Magic
		}
		g.variants = append(g.variants, lan.Variant{Version: uint32(v), EntryKey: key, Checksum: own.Checksum, SHA1: own.SHA1})
	}
	g.records = gamelog.NewRecords(h.opts.Recorder, opened)
	g.log = g.log.With().Stringer("key", g.records.Key()).Logger()
	g.observers = []Observer{g.records, (*watcher)(g), gamelog.NewLines(g.log, h.Addr())}
	if h.opts.Replays != nil && cfg.Saved == nil { // no client could play that of a saved game
		g.replay = h.opts.Replays.New(h.opts.recordingOf(spec.m, &cfg, opened))
		g.records.Replay = g.replay.Name
		g.observers = slices.Insert(g.observers, 0, Observer(g.replay)) // the records tell its name
	}
	for _, watch := range h.opts.Observers {
		g.observers = append(g.observers, watch(g))
	}
	g.machine = game.New(cfg, &g.out)
	if err := g.journal.Begin(h.journals, &cfg, &g.out); err != nil {
		g.log.Warn().Err(err).Msg("cannot write a journal for this game")
	}
	g.open.Store(true)
	return g
}

// ID is the number that clients join by.
func (g *Game) ID() uint32 { return g.id }

// EntryKey is what a join from the LAN must bring.
func (g *Game) EntryKey() uint32 { return g.key }

// version is that of the game; clients of others may see the lobby, too.
func (g *Game) version() w3gs.Version { return w3gs.Version(g.variants[0].Version) }

// versionOf is the version whose clients alone are shown an entry key; 0: none.
func (g *Game) versionOf(key uint32) w3gs.Version {
	for _, v := range g.variants {
		if v.EntryKey == key && key != g.key {
			return w3gs.Version(v.Version)
		}
	}
	return 0
}

// name is that in the list of games.
func (g *Game) name() string {
	g.host.mu.Lock()
	defer g.host.mu.Unlock()
	return g.info.Name
}

// call runs f on the goroutine of the game's shard, unless the game is over by
// then.
func (g *Game) call(f func(*Game)) {
	g.shard.Call(func() {
		if !g.over {
			defer g.rescue()
			f(g)
		}
	})
}

// begin gives the game to its shard.
func (g *Game) begin() {
	s := g.shard
	g.opened = s.Now()
	s.add(g)
	defer g.rescue()
	g.busy = true
	g.apply()
	g.runPending()
}

// step gives one input to the machine and carries out what comes of it.
func (g *Game) step(in *game.Input) {
	if g.over {
		return
	}
	g.pending = append(g.pending, *in) // as a copy, so that in need not be on the heap
	if g.busy {
		return
	}
	defer g.rescue()
	g.busy = true
	g.runPending()
}

// runPending steps through the inputs that wait, and through those that they cause.
func (g *Game) runPending() {
	for i := 0; i < len(g.pending) && !g.machine.Over(); i++ {
		in, now := &g.pending[i], g.shard.Now()-g.opened
		g.last = in.Kind
		g.journal.Input(now, in)
		g.machine.Step(now, in, &g.out)
		g.journal.Output(&g.out)
		g.apply()
	}
	clear(g.pending)
	g.pending, g.busy = g.pending[:0], false
	if g.machine.Over() {
		if file := g.journal.End(true); file != "" {
			g.log.Info().Str("file", file).Msg("journal of the game kept; run it again with w3host game rerun")
		}
		g.end()
	} else {
		g.group.Touch()
	}
}

// Tick lets the machine do what is due, and writes what the turn has queued before what
// others have.
func (g *Game) Tick() {
	for _, l := range g.seats {
		if l != nil {
			g.reportBacklog(l)
		}
	}
	if l := &g.shard.lateness; l.seq != g.lateSeq && g.machine.Downloading() {
		g.lateSeq = l.seq
		g.step(&game.Input{Kind: game.HostLate, By: l.newest})
	}
	g.step(&game.Input{Kind: game.Tick})
	for _, l := range g.seats {
		if l != nil {
			g.shard.Flush(l.Conn)
		}
	}
}

// reportBacklog tells the machine what a link's socket does not take. While a map
// is downloaded, the figures come with it: without them the scheduler would take
// the system for one that tells nothing, and send without regard to the line.
func (g *Game) reportBacklog(l *link) {
	packets, _ := l.Waiting()
	in := game.Input{Kind: game.Backlog, Link: l.id, Queued: packets, Moves: l.Moves()}
	if in.Queued == 0 && !l.fetching && !l.backlogReported {
		return
	}
	if g.machine.Downloading() {
		in.Figures = l.Figures()
	}
	l.backlogReported, l.fetching = in.Queued > 0, in.Figures.Queued+in.Figures.Unacked > 0
	g.step(&in)
}

// Next is when the machine wants the next tick.
func (g *Game) Next() (at time.Duration, ok bool) {
	at, ok = g.machine.Next()
	return g.opened + at, ok
}

// join hands a connection's join to the machine.
func (g *Game) join(l *link, join *w3gs.ReqJoin) {
	g.lastID++
	l.game, l.id, l.name = g, g.lastID, join.Name
	g.links[l.id] = l
	defer g.rescue() // also from a fault of those who are asked here
	if l.realm != "" {
		g.bear(l)
	}
	version := g.versionOf(join.EntryKey)
	if l.realm != "" {
		version = g.host.opts.Realms.Version(l.realm)
	}
	g.last = game.Join
	g.step(&game.Input{
		Kind: game.Join, Link: l.id, Packet: join, Addr: l.Addr, Realm: l.realm, Vouched: l.vouched,
		Level: l.level(), Banned: l.banned(), Shared: g.host.gate.exempt(l.Addr.Addr()), Version: version,
		Like: g.host.opts.Admins.AdminLike(join.Name),
	})
	if l.realm != "" && !l.vouched && l.pid != 0 {
		g.prove(l)
	}
}

// lost tells the machine of the end of a link.
func (g *Game) lost(l *link) {
	delete(g.links, l.id)
	if l.skipped > 0 {
		g.log.Debug().Str("player", l.name).Int("packets", l.skipped).Msg("packets that a host does not use were skipped")
	}
	if l.pid != 0 {
		l.dropQuestion()
		g.noteLeave(l)
		if g.seats[l.pid] == l {
			g.seats[l.pid] = nil
		}
		g.step(&game.Input{Kind: game.Lost, Link: l.id, Why: cmp.Or(l.Cause(), errors.New("")).Error()})
	}
}

// shut takes the lobby off the lists: it has started, or it is closed.
func (g *Game) shut() {
	if g.open.Swap(false) {
		g.unlist()
		g.host.Keep(func(k *autohost.Keeper) { k.Started(g.id) })
	}
}

// end releases what the game holds, when it is over.
func (g *Game) end() {
	g.over = true
	g.journal.End(false)
	g.replay.End()
	g.shut()
	for _, l := range g.links {
		l.pid = 0
		l.dropQuestion()
		if l.proxy != nil {
			l.Queue(gproxy.Reject{Reason: gproxy.NotFound}.AppendTo(nil))
		}
		l.Finish(errGameOver)
	}
	g.seats = [len(g.seats)]*link{}
	g.shard.drop(g)
	g.host.forget(g)
}

// String names the game in messages.
func (g *Game) String() string { return fmt.Sprintf("game %d", g.id) }
