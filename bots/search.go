package bots

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"w3host/lan"
	"w3host/protocol/w3gs"
)

const (
	// proxySize is the width and height that a host announces for the map if it supports GProxy++.
	proxySize = 1984

	// searchFresh is how long the answers to a search are used before the next search.
	searchFresh = time.Second
	searchPause = 100 * time.Millisecond // between two searches
)

// lobby is a lobby that bots may join.
type lobby struct {
	id, key uint32
	addr    string // host:port, TCP
	name    string
	open    int
	slots   int  // number of slots; a realm does not tell, so there it is the number of open ones
	guessed bool // the id is a guess, so the lobby may not exist
	proxies bool // whether the host supports GProxy++
}

// finder assigns lobbies to games, each lobby to one game. It is safe for concurrent use.
type finder struct {
	opts  *Options
	realm *realmAccounts // nil: lobbies are searched at opts.Addr

	mu        sync.Mutex
	found     []lobby   // lobbies of the last search that are not assigned yet
	asked     time.Time // when the last search was
	last      time.Time // when a lobby was last assigned
	claimed   map[uint32]bool
	answered  bool   // whether the host has ever answered a search
	noAnswers bool   // ids are guessed, because one was given or the host does not answer searches
	guess     uint32 // the id guessed last
	picked    int    // number of games to watch assigned so far
	size      int    // most slots of any lobby seen
}

func newFinder(opts *Options) *finder {
	f := &finder{opts: opts, last: time.Now(), claimed: map[uint32]bool{}, noAnswers: opts.GameID != 0, guess: opts.GameID}
	if opts.Realm != "" {
		f.realm = &realmAccounts{opts: opts, conns: map[string]*realmConn{}}
	}
	return f
}

// claim blocks until there is a lobby with room for all bots of a game, and assigns it. If the host does not answer
// searches, it guesses the game ids 1, 2, 3 and so on; an id given in the options is the only one tried.
func (f *finder) claim(ctx context.Context) (lobby, error) {
	for {
		l, ok, err := f.try(ctx)
		if ok || err != nil {
			return l, err
		}
		if !sleep(ctx, searchPause) {
			return lobby{}, ctx.Err()
		}
	}
}

func (f *finder) try(ctx context.Context) (_ lobby, ok bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.noAnswers {
		if f.opts.GameID == 0 {
			f.guess++
		}
		return lobby{id: f.guess, key: f.opts.EntryKey, addr: f.opts.Addr, guessed: true, proxies: true}, true, nil
	}
	if time.Since(f.asked) < searchFresh {
		if l, ok := f.take(); ok {
			return l, true, nil
		}
	}
	if err := f.search(ctx); err != nil {
		return lobby{}, false, err
	}
	l, ok := f.take()
	if !ok && !f.noAnswers && time.Since(f.last) >= f.opts.Patience {
		err = fmt.Errorf("no lobby with %d open slots at %s: the host opens none, or others fill them", f.opts.Players, f.opts.Addr)
	}
	return l, ok, err
}

// take assigns a lobby with enough room. If all lobbies are too small it assigns one of them: the first bot then sees in
// its slots how many bots fit.
func (f *finder) take() (lobby, bool) {
	if f.opts.Watch && len(f.found) > 0 { // several bots may watch the same game
		f.picked++
		return f.found[f.picked%len(f.found)], true
	}
	for i, l := range f.found {
		if l.open >= min(f.opts.Players, f.size) {
			f.last = time.Now()
			f.found = slices.Delete(f.found, i, i+1)
			f.claimed[l.id] = true
			return l, true
		}
	}
	return lobby{}, false
}

// shows reports whether bots should join a listed entry: with the option Watch an entry for
// spectators, and otherwise a lobby.
func (f *finder) shows(name string) bool {
	running := strings.HasPrefix(name, "[watch] ")
	return running == f.opts.Watch || f.opts.Watch && strings.HasPrefix(name, "Replay ")
}

// search asks for lobbies and keeps those that are not assigned yet.
func (f *finder) search(ctx context.Context) error {
	ask := f.searchLAN
	if f.realm != nil {
		ask = f.realm.list
	}
	found, err := ask(ctx)
	f.asked, f.found = time.Now(), f.found[:0]
	for _, l := range found {
		f.size = max(f.size, l.slots)
		if !f.claimed[l.id] && f.shows(l.name) {
			f.found = append(f.found, l)
		}
	}
	if errors.Is(err, lan.ErrNoAnswer) {
		f.noAnswers = !f.answered
		return nil
	}
	f.answered = f.answered || err == nil
	return err
}

func (f *finder) searchLAN(ctx context.Context) (found []lobby, err error) {
	to, err := net.ResolveUDPAddr("udp4", f.opts.Addr)
	if err != nil {
		return nil, err
	}
	ap := netip.AddrPortFrom(to.AddrPort().Addr().Unmap(), to.AddrPort().Port())
	answers, err := lan.Search(ctx, ap, w3gs.SearchGame{Product: w3gs.ProductTFT, Version: uint32(f.opts.Version)})
	for _, l := range answers {
		if !f.opts.Save.shows(&l.Info) {
			continue
		}
		found = append(found, lobby{
			id: l.Info.GameID, key: l.Info.EntryKey, addr: l.JoinAddr().String(), name: l.Info.Name, slots: int(l.Info.Slots),
			open: int(l.Info.SlotsOpen), proxies: l.Info.Stat.Width == proxySize && l.Info.Stat.Height == proxySize,
		})
	}
	return found, err
}
