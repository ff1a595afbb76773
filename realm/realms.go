package realm

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"w3host/bncs"
	"w3host/lan"
	"w3host/realm/session"
)

// Realms is every account of a host. Its methods may be called from any
// goroutine, and none waits but Shutdown.
type Realms struct {
	opts     Options
	names    []string // by number, from 1
	accounts []*account
	cancel   context.CancelFunc
	running  sync.WaitGroup

	mu       sync.Mutex
	listings map[uint32][]listing // by game id
	adverts  map[uint32]lan.Advert
	asked    map[uint64]func(bool)
	lastAsk  uint64
}

// listing is a game on one account.
type listing struct {
	account *account
	number  uint32 // the realm's
}

// LogOn logs every account on. Shutdown ends it.
func LogOn(opts Options) (*Realms, error) {
	r := &Realms{
		opts: opts, listings: map[uint32][]listing{}, adverts: map[uint32]lan.Advert{}, asked: map[uint64]func(bool){},
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	for _, entry := range opts.Accounts {
		if r.number(entry.Realm) == 0 {
			r.names = append(r.names, entry.Realm)
		}
		entry.Session.Seed = rand.Uint64()
		log := opts.Log.With().Str("realm", entry.Realm).Str("account", entry.Session.Account).Logger()
		r.accounts = append(r.accounts, &account{
			opts: entry, log: log, heard: opts.Heard, answer: r.answered,
			machine: session.New(entry.Session), base: time.Now(), wake: make(chan struct{}, 1),
		})
	}
	if len(r.names) > maxRealms {
		cancel()
		return nil, fmt.Errorf("too many realms: %d, game ids have room for %d", len(r.names), maxRealms)
	}
	for _, a := range r.accounts {
		r.running.Go(func() { a.run(ctx) })
	}
	return r, nil
}

// Shutdown logs off.
func (r *Realms) Shutdown() {
	r.cancel()
	r.running.Wait()
}

// Names are those of the realms, each once.
func (r *Realms) Names() []string { return r.names }

// Port is where players of a realm's list join: what its first account advertises; 0: there
// is no such realm.
func (r *Realms) Port(name string) uint16 {
	for _, a := range r.accounts {
		if sameRealm(a.opts.Realm, name) {
			return a.opts.Session.Port
		}
	}
	return 0
}

// number is a realm's in game ids; 0: there is none of that name.
func (r *Realms) number(name string) uint32 {
	return uint32(1 + slices.IndexFunc(r.names, func(n string) bool { return sameRealm(n, name) }))
}

// Realm names the realm whose listing a game id comes from; empty: the LAN, or
// none of ours.
func (r *Realms) Realm(gameID uint32) string {
	if n := int(gameID >> numberShift); n > 0 && n <= len(r.names) {
		return r.names[n-1]
	}
	return ""
}

// Open lists a lobby on every realm, each time by the account that has the
// fewest. A lobby that does not fit a realm is an error that says what to
// shorten.
func (r *Realms) Open(ad lan.Advert) error {
	if _, err := (&bncs.GameStat{Stat: ad.Stat}).Encode(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.adverts[ad.GameID] = ad
	for i, name := range r.names {
		var least *account
		for _, a := range r.accounts {
			if sameRealm(a.opts.Realm, name) && (least == nil || a.games < least.games) {
				least = a
			}
		}
		if least.games >= max(least.opts.Session.Games, 1) {
			r.opts.Log.Warn().Str("realm", name).Uint32("game", ad.GameID).Str("name", ad.Name).
				Msg("lobby waits until another is gone: raise lobbies of [[realm]], where they take turns, or add a section with another account")
		}
		least.games++
		l := listing{least, uint32(i + 1)}
		r.listings[ad.GameID] = append(r.listings[ad.GameID], l)
		l.list(ad)
	}
	return nil
}

// list wants the game listed as it is now.
func (l listing) list(ad lan.Advert) {
	stat := bncs.GameStat{Free: ad.Count.Open, GameID: ad.GameID | l.number<<numberShift, Stat: ad.Stat}
	text, err := stat.Encode()
	if err != nil {
		return // Open has said so
	}
	name := ad.Name[:min(len(ad.Name), bncs.MaxGameName)]
	l.account.post(session.List{Game: session.Game{
		ID: ad.GameID, Name: name, Stat: text, Private: ad.Private, Full: ad.Count.Open == 0,
	}})
}

// Update tells how full a lobby is now.
func (r *Realms) Update(gameID uint32, c lan.Count) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ad, ok := r.adverts[gameID]
	if !ok || ad.Count == c {
		return
	}
	ad.Count = c
	r.adverts[gameID] = ad
	for _, l := range r.listings[gameID] {
		l.list(ad)
	}
}

// Close takes a lobby off the lists.
func (r *Realms) Close(gameID uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.listings[gameID] {
		l.account.games--
		l.account.post(session.Unlist{ID: gameID})
	}
	delete(r.listings, gameID)
	delete(r.adverts, gameID)
}

// Confirm asks a realm whether somebody of this name is in the game. The answer
// comes on another goroutine; it does not come while the realm is away.
func (r *Realms) Confirm(realm, name, game string, answer func(in bool)) {
	var by *account
	for _, a := range r.accounts {
		if sameRealm(a.opts.Realm, realm) && (by == nil || a.online.Load() && !by.online.Load()) {
			by = a
		}
	}
	if by == nil {
		return
	}
	r.mu.Lock()
	r.lastAsk++
	id := r.lastAsk
	r.asked[id] = answer
	r.mu.Unlock()
	by.post(session.Confirm{Name: name, Game: game, Seat: id})
}

func (r *Realms) answered(e session.Answered) {
	r.mu.Lock()
	answer := r.asked[e.Seat]
	delete(r.asked, e.Seat)
	r.mu.Unlock()
	if answer != nil {
		answer(e.In)
	}
}
