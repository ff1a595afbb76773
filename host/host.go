// Package host is where the pure rooms meet the world: it listens, gives each
// connection to its game, and carries inputs and orders between sockets and the
// machines that know the rules. It holds no rule itself.
package host

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"math"
	"net"
	"net/netip"
	"runtime/debug"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"w3host/game"
	"w3host/game/autohost"
	"w3host/game/command"
	"w3host/protocol/w3gs"
	"w3host/record/journal"
)

// gameIDMask leaves the part of a game id that counts lobbies; the high bits
// say which realm a join comes from, 0 for the LAN.
const gameIDMask = 0x0FFFFFFF

// Host takes joins on one TCP port for every lobby and game.
type Host struct {
	opts     Options
	log      zerolog.Logger
	gate     *gate
	shard    *shard
	journals *journal.Files
	writing  sync.WaitGroup // files of crashes

	mu       sync.Mutex
	games    map[uint32]*Game // lobbies and running games by id
	lastID   uint32
	keeper   *autohost.Keeper
	setup    game.Config // of lobbies that no entry asks for
	agains   []lobbySpec // of games that are over and played again
	stopping bool

	refill    chan struct{} // a lobby has started or ended
	retry     time.Duration // refillRetry; tests wait less
	checking  chan struct{} // holds one for each password that is checked
	logins    logins
	refused   refusals
	directory directory
	leaves    *tally        // of lobbies
	asked     chan struct{} // a place for each question to People that is on its way
	lookups   chan struct{} // holds one for each rating or language that is looked up
}

// New makes a host; nothing is served before Run.
func New(opts Options) (*Host, error) {
	opts.Advertiser = cmp.Or[Advertiser](opts.Advertiser, nobody{})
	opts.Recorder = cmp.Or[Recorder](opts.Recorder, nobody{})
	opts.Bans = cmp.Or[Bans](opts.Bans, nobody{})
	opts.Admins = cmp.Or[Admins](opts.Admins, nobody{})
	opts.Realms = cmp.Or[Realms](opts.Realms, nobody{})
	opts.People = cmp.Or[People](opts.People, nobody{})
	opts.Ratings = cmp.Or[Ratings](opts.Ratings, nobody{})
	if opts.Outside == nil {
		opts.Outside = func(*Game, *command.Caller, string) {}
	}
	h := &Host{
		opts:     opts,
		log:      opts.Log,
		gate:     newGate(opts.Limits),
		lookups:  make(chan struct{}, mostLookups),
		games:    make(map[uint32]*Game),
		setup:    opts.Game,
		refill:   make(chan struct{}, 1),
		retry:    cmp.Or(opts.Autohost.Retry, refillRetry),
		asked:    make(chan struct{}, mostAsked),
		checking: make(chan struct{}, mostLogins),
		logins:   newLogins(),
		refused:  refusals{every: refusalsEvery, times: make(map[netip.Addr]int)},
		leaves:   newTally(opts.Limits.LobbyLeaves, opts.Limits.LobbyLeavesWithin),
	}
	h.directory = newDirectory(&h.opts)
	a := &h.opts.Autohost
	if a.Expand == nil {
		a.Expand = func(choice string) []string { return []string{choice} }
	}
	h.keeper = autohost.New(a.Entries, a.MaxGames, h.retry, uint64(randomU32()), a.Expand, h.seated)
	var err error
	if h.shard, err = newShard(h); err != nil {
		return nil, err
	}
	h.journals = journal.Open(opts.Journal, opts.Log)
	return h, nil
}

// Addr is where the host listens.
func (h *Host) Addr() netip.AddrPort { return h.opts.Listeners.Addr() }

// Run serves until ctx ends, then stops in order: no new connections, no
// announcements, games told and ended, their last packets flushed. It returns
// when all that is done or Limits.Shutdown has passed.
func (h *Host) Run(ctx context.Context) error {
	for _, l := range []*net.TCPListener{h.opts.Listeners.Main, h.opts.Listeners.Returns} {
		if l == nil {
			continue
		}
		if err := h.shard.Listen(l); err != nil {
			return fmt.Errorf("listen on %v: %w", l.Addr(), err)
		}
	}
	go h.shard.Run() // ends with stop
	h.keepLobbies(ctx)
	err := h.stop()
	h.journals.Close()
	h.writing.Wait()
	if l := &h.shard.lateness; l.counts.TotalCount() > 0 {
		h.log.Info().EmbedObject(l).Int("passes", h.shard.Passes()).Msg("how late turns were sent")
	}
	return err
}

// Wish is one lobby that no entry asks for.
type Wish struct {
	Name    string
	Map     *Map
	Private bool         // not listed
	By      string       // who asks for it, with their realm; "" where nobody is counted
	Owner   string       // as lobby.Config.SetOwner takes it; "" leaves the one of Options.Game
	For     *game.Config // whose players' versions it is for; nil: Options.Game

	// Settings are those within Mask, whatever the map and Options.Game have.
	Settings, Mask w3gs.GameSettings
	Restored       *game.Restored // a saved game that was played on the map; nil: none
}

// Setup is what a lobby is made from that no entry asks for. It is for players of the same
// versions as the lobby or game of that number, if there is one.
func (h *Host) Setup(beside uint32) game.Config {
	h.mu.Lock()
	defer h.mu.Unlock()
	if g := h.games[beside]; g != nil {
		return h.setup.SeenLike(&g.spec.setup)
	}
	return h.setup
}

// OpenFor opens a lobby that somebody wishes.
func (h *Host) OpenFor(w Wish) (*Game, error) {
	setup := h.Setup(0)
	if w.For != nil {
		setup = setup.SeenLike(w.For)
	}
	if w.Owner != "" {
		setup.Lobby.SetOwner(w.Owner)
	}
	m := *w.Map
	own := *m.Map
	own.Settings, setup.Settings = own.Settings&^w.Mask|w.Settings, setup.Settings&^w.Mask|w.Settings
	m.Map = &own
	return h.openLobby(lobbySpec{name: w.Name, m: &m, setup: setup, private: w.Private, by: w.By, restored: w.Restored})
}

// lobbySpec is what a lobby is made from.
type lobbySpec struct {
	name     string
	m        *Map
	setup    game.Config
	private  bool           // not listed
	by       string         // as Wish.By
	file     string         // as the entry calls the map
	order    autohost.Order // of the entry; zero where none asks for the lobby
	again    *game.Config   // of a game that is played again; nil: none
	over     uint32         // its number
	restored *game.Restored // nil: it is not a saved game
}

// openLobby opens a lobby and gives it to the shard.
func (h *Host) openLobby(spec lobbySpec) (*Game, error) {
	h.mu.Lock()
	h.lastID = (h.lastID + 1) & gameIDMask
	id := h.lastID
	h.mu.Unlock()
	g, err := h.tryGame(id, &spec)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	if h.stopping {
		h.mu.Unlock()
		return nil, errHostStops
	}
	h.games[id] = g
	switch {
	case spec.again != nil:
		h.keeper.Again(spec.over, id)
	case spec.order.Entry != "":
		h.keeper.Opened(spec.order, id, spec.file)
	default:
		h.keeper.Add(id)
	}
	h.mu.Unlock()
	h.shard.Call(g.begin)
	return g, nil
}

// tryGame makes the game, of a map that may hold what nobody has thought of.
func (h *Host) tryGame(id uint32, spec *lobbySpec) (_ *Game, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			file := h.saveCrash(fmt.Sprintf("game-%d", id), fmt.Sprintf("panic: %v", fault), debug.Stack(), "a lobby with "+spec.m.File+"\n")
			err = fmt.Errorf("a lobby with %s cannot be made: panic: %v; see %s", spec.m.File, fault, file)
		}
	}()
	return newGame(h, id, spec), nil
}

// Game finds a lobby or a running game.
func (h *Host) Game(id uint32) *Game {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.games[id&gameIDMask]
}

// Games lists the lobbies and running games.
func (h *Host) Games() []*Game {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := make([]*Game, 0, len(h.games))
	for _, g := range h.games {
		list = append(list, g)
	}
	return list
}

func (h *Host) forget(g *Game) {
	h.Keep(func(k *autohost.Keeper) {
		delete(h.games, g.id)
		k.Ended(g.id)
	})
}

// stop ends everything in order and waits for it, but not for ever.
func (h *Host) stop() error {
	h.mu.Lock()
	h.stopping = true
	patience := h.opts.Limits.Shutdown
	h.mu.Unlock()
	h.shard.Call(h.shard.stop)
	select {
	case <-h.shard.Done():
		return nil
	case <-time.After(patience):
	}
	h.shard.Call(h.shard.abandon)
	<-h.shard.Done()
	return fmt.Errorf("games or connections were still open %v after the end was announced", patience)
}

// spreadFrom is with how many games their turns are spread over the period. A
// few do not get into each other's way, and then need not wait for their place.
const spreadFrom = 8

// placeGrid is the distance between two places in the period. Games that share a
// place share the wake-up; as many as fit there are sent in well under it.
const placeGrid = 2 * time.Millisecond

// place gives a game its place in the period, on the shard's clock: each next
// game goes where the largest gap is, by the golden ratio.
func (h *Host) place(id uint32) (at time.Duration, spread bool) {
	h.mu.Lock()
	games := len(h.games)
	h.mu.Unlock()
	_, share := math.Modf(float64(id) * math.Phi)
	return time.Duration(share * float64(h.opts.Game.Turns.Period)).Truncate(placeGrid), games >= spreadFrom
}

// randomU32 is for keys and seeds that players should not guess.
func randomU32() uint32 {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails, as of Go 1.24
	return binary.LittleEndian.Uint32(b[:])
}
