package host

import (
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"w3host/formats/w3map"
	"w3host/game"
	"w3host/game/autohost"
	"w3host/host/takeover"
	"w3host/lan"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
	"w3host/record/gamelog"
)

// LobbyRequest describes a lobby without an entry, for OpenFor.
type LobbyRequest struct {
	Name    string
	Map     *Map
	Private bool         // not listed
	By      string       // who asks for it, with their realm; "" if they are not counted
	Owner   string       // for lobby.Config.SetOwner; "" keeps that of Options.Game
	For     *game.Config // the lobby is for players of the versions of this game; nil: of Options.Game

	// Settings replace those of the map and Options.Game within Mask.
	Settings, Mask w3gs.GameSettings
	Restored       *game.Restored // the saved game to continue; nil: none
}

// Setup returns the configuration of a lobby without an entry. It is for players of the same versions as the lobby or game
// of that ID, if there is one.
func (h *Host) Setup(beside uint32) game.Config {
	h.mu.Lock()
	defer h.mu.Unlock()
	if g := h.games[beside]; g != nil {
		return h.setup.SeenLike(&g.spec.setup)
	}
	return h.setup
}

// OpenFor opens a lobby on request.
func (h *Host) OpenFor(r LobbyRequest) (*Game, error) {
	setup := h.Setup(0)
	if r.For != nil {
		setup = setup.SeenLike(r.For)
	}
	if r.Owner != "" {
		setup.Lobby.SetOwner(r.Owner)
	}
	m := *r.Map
	own := *m.Map
	own.Settings, setup.Settings = own.Settings&^r.Mask|r.Settings, setup.Settings&^r.Mask|r.Settings
	m.Map = &own
	return h.openLobby(lobbySpec{name: r.Name, m: &m, setup: setup, private: r.Private, by: r.By, restored: r.Restored})
}

// openLobby opens a lobby and gives it to the loop. It fails when the host stops.
func (h *Host) openLobby(spec lobbySpec) (*Game, error) {
	h.mu.Lock()
	h.lastID = (h.lastID + 1) & (watchBit - 1)
	id := h.lastID
	h.mu.Unlock()
	g, err := h.tryGame(id, &spec)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopping {
		return nil, errHostStops
	}
	h.games[id] = g
	h.opened = max(h.opened, id)
	h.Add(&g.facts.Info)
	h.Locked(func(k *autohost.Keeper) {
		switch {
		case spec.again != nil:
			k.Replaced(spec.over, id)
		case spec.order.Entry != "":
			k.Opened(spec.order, id, spec.file)
		default:
			k.Add(id)
		}
	})
	h.shard.Call(func() { h.begin(g) }) // with the lock held, so that nobody who finds the game calls the loop before begin
	return g, nil
}

// begin gives a game to the loop.
func (h *Host) begin(g *Game) {
	h.running = append(h.running, g)
	g.group = h.shard.Group(g, g.id)
	if g.ledger != nil {
		g.ledger.Opened(h.shard.epoch + h.shard.Now())
	}
	g.begin()
	g.hold()
	if h.shard.Stopping() { // it may have begun to stop meanwhile
		g.stopNow()
	}
}

// tryGame is newGame with an error for a panic, which a malformed map could cause.
func (h *Host) tryGame(id uint32, spec *lobbySpec) (_ *Game, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			file := h.shard.saveCrash(fmt.Sprintf("game-%d", id), fmt.Sprintf("panic: %v", fault), debug.Stack(), "a lobby with "+spec.m.File+"\n")
			err = fmt.Errorf("a lobby with %s cannot be made: panic: %v; see %s", spec.m.File, fault, file)
		}
	}()
	return newGame(h.shard, h, id, spec), nil
}

// newGame makes a game with its machine, observers and journal. It does not belong to the loop before begin.
func newGame(s *shard, host keeper, id uint32, spec *lobbySpec) *Game {
	g := &Game{
		id: id, key: randomU32(), m: spec.m, spec: spec, host: host,
		log: s.log.With().Uint32("game", id).Logger(),
	}
	g.shard, g.carrier, g.facts.Registry = s, g, s.Registry
	g.lease = spec.order.Lease
	g.facts.Info = Info{ID: id, Name: spec.name, Map: spec.m.File, Entry: spec.order.Entry, By: spec.by, Since: time.Now()}
	g.links = make(map[game.LinkID]*link)
	cfg, opened := spec.setup.ForMap(spec.m.Map), time.Now()
	cfg.ID, cfg.Name, cfg.Lobby.RandomSeed = id, spec.name, randomU32()
	cfg.Unlisted, cfg.Realm = spec.private, strings.Join(s.opts.Realms.Of(cfg.Version), ",")
	if cfg.Realm != "" && !cfg.Unlisted {
		cfg.Lobby.Admission.ShareOfLobby = s.opts.Limits.ShareOfLobby
	}
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
		if !v.HasEntryKey() {
			key, g.key = 0, 0
		}
		if cfg.Saved != nil {
			own.Checksum = cfg.Saved.Magic
		}
		g.variants = append(g.variants, lan.Variant{Version: uint32(v), EntryKey: key, Checksum: own.Checksum, SHA1: own.SHA1})
	}
	g.extendedWait = cfg.Reconnect.ExtendedWait
	g.about = s.opts.recordingOf(spec.m, &cfg, opened)
	g.records = gamelog.NewRecords(s.opts.Recorder, opened)
	g.log = g.log.With().Stringer("key", g.records.Key()).Logger()
	g.observers = append(g.own(), g.recorders(cfg.Saved == nil)...) // clients cannot play the replay of a saved game
	g.machine = game.New(cfg, &g.out)
	if err := g.journal.Begin(s.journals, g.openLedger(), &cfg, &g.out); err != nil {
		g.log.Warn().Err(err).Msg("cannot write a journal for this game")
	}
	g.open.Store(true)
	return g
}

// Map is a map that can be hosted: its description, and its bytes in packets.
type Map struct {
	*w3map.Map
	Parts *mapxfer.Parts
}

// Split implements takeover.Map.
func (m *Map) Split() *mapxfer.Parts { return m.Parts }

// Reopen returns the function that opens the maps of inherited lobbies, by a function like Autohost.Open.
func Reopen(open func(file string, seen []w3gs.Version) (*Map, error)) takeover.OpenMap {
	return func(h *takeover.Header, was *game.Config) (takeover.Map, error) {
		file := h.Map
		if h.Entry != "" && !h.Again {
			file = h.File
		}
		m, err := open(file, was.Seen())
		if err == nil {
			m, err = m.again(&was.Map)
		}
		if err != nil {
			return nil, err
		}
		return m, nil
	}
}

// again returns the map for an inherited lobby, with the path that its players know. It must be the same file.
func (m *Map) again(was *game.Map) (*Map, error) {
	is := m.Identifiers
	if is.Size != was.Size || is.CRC32 != was.CRC32 || is.Checksum != was.Checksum || is.SHA1 != was.SHA1 {
		return nil, fmt.Errorf("the map %s is another file than it was (CRC-32 %08x and not %08x, SHA-1 %x and not %x)", m.File, is.CRC32, was.CRC32, is.SHA1, was.SHA1)
	}
	own := *m.Map
	own.Path = was.Path
	return &Map{Map: &own, Parts: m.Parts}, nil
}
