package realm

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"time"

	"w3host/lan"
	"w3host/protocol/w3gs"
	"w3host/realm/bncs"
	"w3host/realm/session"
)

// Realms holds all realm accounts of a host. Its methods may be called from any goroutine; only Shutdown blocks.
type Realms struct {
	opts     Options
	names    []string // by number, from 1
	accounts []*account
	cancel   context.CancelFunc
	running  sync.WaitGroup

	mu       sync.Mutex
	listings map[uint32][]listing // by game id
	adverts  map[uint32]lan.Advert
	pending  map[uint64]func(bool)
	lastAsk  uint64
}

// listing is a game assigned to an account.
type listing struct {
	account   *account
	number    uint32 // number of the realm
	game      uint32
	requested bool // opened by a person
}

// Start starts a session for every account. Shutdown ends them. It returns an error if there are too many realms.
func Start(opts Options) (*Realms, error) {
	r := &Realms{
		opts: opts, listings: map[uint32][]listing{}, adverts: map[uint32]lan.Advert{}, pending: map[uint64]func(bool){},
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	for _, entry := range opts.Accounts {
		if r.number(entry.Realm) == 0 {
			r.names = append(r.names, entry.Realm)
		}
		entry.Session.Seed = rand.Uint64()
		log := opts.Log.With().Str("realm", entry.Realm).Str("account", entry.Session.Account).Logger()
		a := &account{
			barred: opts.Barred, opts: entry, log: log, heard: opts.Heard, answer: r.answered,
			machine: session.New(entry.Session), base: time.Now(), wake: make(chan struct{}, 1),
		}
		a.post(session.Allow{On: !opts.Barred})
		r.accounts = append(r.accounts, a)
	}
	if len(r.names) > maxRealms {
		cancel()
		return nil, fmt.Errorf("too many realms: %d; at most %d are possible", len(r.names), maxRealms)
	}
	for _, a := range r.accounts {
		r.running.Go(func() { a.run(ctx) })
	}
	return r, nil
}

// Shutdown logs all accounts off and waits for their goroutines.
func (r *Realms) Shutdown() {
	r.cancel()
	r.running.Wait()
}

// Names returns the names of the realms, without duplicates. The caller must not modify the slice.
func (r *Realms) Names() []string { return r.names }

// Of returns the realms whose players can join lobbies of version v.
func (r *Realms) Of(v w3gs.Version) []string {
	return slices.DeleteFunc(slices.Clone(r.names), func(name string) bool { return !v.SharesLobby(r.Version(name)) })
}

// Online reports for each realm whether one of its accounts is logged on.
func (r *Realms) Online() map[string]bool {
	online := make(map[string]bool, len(r.names))
	for _, name := range r.names {
		online[name] = slices.ContainsFunc(r.accounts, func(a *account) bool { return sameRealm(a.opts.Realm, name) && a.online.Load() })
	}
	return online
}

// SeenAt returns the address to which a realm sends players according to its own list, or an invalid one if it is not
// known yet.
func (r *Realms) SeenAt(name string) (at netip.AddrPort) {
	for _, a := range r.accounts {
		if seen := a.seen.Load(); seen != nil && sameRealm(a.opts.Realm, name) {
			at = *seen
		}
	}
	return at
}

// Port returns the port at which a realm's players join, as advertised by its first account, or 0 for an unknown realm.
func (r *Realms) Port(name string) uint16 { return r.first(name).Port }

// Version returns the game version of a realm's players, as configured for its first account.
func (r *Realms) Version(name string) w3gs.Version { return w3gs.Version(r.first(name).Version.Game) }

// first returns the configuration of a realm's first account, or a zero one.
func (r *Realms) first(name string) (c session.Config) {
	for _, a := range r.accounts {
		if sameRealm(a.opts.Realm, name) {
			return a.opts.Session
		}
	}
	return c
}

// number returns a realm's number in game ids, or 0.
func (r *Realms) number(name string) uint32 {
	return uint32(1 + slices.IndexFunc(r.names, func(n string) bool { return sameRealm(n, name) }))
}

// Realm returns the realm from whose list a game id comes, or "" for the LAN and unknown ids.
func (r *Realms) Realm(gameID uint32) string {
	if n := int(gameID >> numberShift); n > 0 && n <= len(r.names) {
		return r.names[n-1]
	}
	return ""
}

// Open lists a lobby on every realm whose players can join it, with the account that has the fewest games there. It
// returns an error that says what to shorten if the lobby cannot be listed.
func (r *Realms) Open(ad lan.Advert) error {
	if _, err := (&bncs.GameStat{Stat: ad.Stat}).Encode(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.adverts[ad.GameID] = ad
	for _, name := range r.names {
		r.openOn(name, &ad)
	}
	return nil
}

// openOn lists a lobby on a realm if its players can join it. The caller holds mu.
func (r *Realms) openOn(name string, ad *lan.Advert) {
	if !r.plays(name, ad) {
		return
	}
	var least *account
	for _, a := range r.accounts {
		if sameRealm(a.opts.Realm, name) && (least == nil || a.before(least, ad.Requested)) {
			least = a
		}
	}
	if len(least.games) >= least.most() {
		r.opts.Log.Warn().Str("realm", name).Uint32("game", ad.GameID).Str("name", ad.Name).
			Msg("lobby must wait for another one to end; raise lobbies in [[realm]], so that they take turns, or add a [[realm]] section with another account")
	}
	l := listing{least, r.number(name), ad.GameID, ad.Requested}
	least.games = slices.Insert(least.games, least.place(ad.Requested), l)
	r.listings[ad.GameID] = append(r.listings[ad.GameID], l)
	l.list(*ad)
}

// AccountName identifies an account of a host.
type AccountName struct{ Realm, Account string }

// Accounts returns all accounts of the host.
func (r *Realms) Accounts() (list []AccountName) {
	for _, a := range r.accounts {
		list = append(list, AccountName{a.opts.Realm, a.opts.Session.Account})
	}
	return list
}

// Use sets whether the host may use an account; initially it may use all. Lobbies move between the accounts of a realm
// accordingly.
func (r *Realms) Use(which AccountName, on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.accounts {
		if (AccountName{a.opts.Realm, a.opts.Session.Account}) != which || a.barred == !on {
			continue
		}
		a.barred = !on
		a.post(session.Allow{On: on})
		for _, id := range slices.Sorted(maps.Keys(r.adverts)) {
			ad := r.adverts[id]
			r.closeOn(r.number(a.opts.Realm), id)
			r.openOn(a.opts.Realm, &ad)
		}
	}
}

// plays reports whether a realm's players can join a lobby.
func (r *Realms) plays(realm string, ad *lan.Advert) bool {
	v := r.Version(realm)
	return slices.ContainsFunc(ad.Versions([]uint32{uint32(v)}), func(seen uint32) bool { return v.SharesLobby(w3gs.Version(seen)) })
}

// list sends the current state of the game to the account.
func (l listing) list(ad lan.Advert) {
	config := &l.account.opts.Session
	shown := ad.Info(config.Product, config.Version.Game, 0)
	stat := bncs.GameStat{Free: ad.Count.Open, GameID: ad.GameID | l.number<<numberShift, Stat: shown.Stat}
	text, err := stat.Encode()
	if err != nil {
		return // Open has returned this error
	}
	name := ad.Name[:min(len(ad.Name), bncs.MaxGameName)]
	l.account.post(session.List{Game: session.Listing{
		ID: ad.GameID, Name: name, Stat: text, Private: ad.Private, Full: ad.Count.Open == 0, Asked: ad.Requested,
		Saved: ad.Saved(),
	}})
}

// Update sets the occupancy of a lobby.
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

// Close removes a lobby from all lists.
func (r *Realms) Close(gameID uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closeOn(0, gameID)
	delete(r.listings, gameID)
	delete(r.adverts, gameID)
}

// closeOn removes a lobby from the list of the realm with this number, or of all realms for 0. The caller holds mu.
func (r *Realms) closeOn(number, gameID uint32) {
	r.listings[gameID] = slices.DeleteFunc(r.listings[gameID], func(l listing) bool {
		if number != 0 && l.number != number {
			return false
		}
		l.account.games = slices.DeleteFunc(l.account.games, func(o listing) bool { return o.game == gameID })
		l.account.post(session.Unlist{ID: gameID})
		return true
	})
}

// place returns the position of a new game in the account's order: games opened by a person come before automatic ones.
func (a *account) place(asked bool) int {
	if at := slices.IndexFunc(a.games, func(l listing) bool { return !l.requested }); asked && at >= 0 {
		return at
	}
	return len(a.games)
}

// before reports whether a new game would have a better position on account a than on b.
func (a *account) before(b *account, asked bool) bool {
	if a.barred != b.barred {
		return b.barred
	}
	return cmp.Or(cmp.Compare(a.place(asked), b.place(asked)), cmp.Compare(len(a.games), len(b.games))) < 0
}

// most returns the number of games that the account lists in turns.
func (a *account) most() int { return max(a.opts.Session.Games, 1) }

// Waits returns a realm on which a lobby is not listed yet and the lobby that it waits for, or empty strings.
func (r *Realms) Waits(gameID uint32) (realm, lobby string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.listings[gameID] {
		games := l.account.games
		if i := slices.IndexFunc(games, func(o listing) bool { return o.game == gameID }); i >= l.account.most() {
			return l.account.opts.Realm, r.adverts[games[i-l.account.most()].game].Name
		}
	}
	return "", ""
}

// Account returns the name of an account of the realm to which people can whisper, or "".
func (r *Realms) Account(realm string) string {
	if a := r.account(realm); a != nil {
		return a.opts.Session.Account
	}
	return ""
}

// Whisper sends a line to a person on a realm, if an account is logged on there.
func (r *Realms) Whisper(realm, to, line string) {
	if a := r.account(realm); a != nil && a.online.Load() {
		a.post(session.Whisper{To: to, Text: line})
	}
}

// account returns an account of the realm, preferably one that is logged on, or nil.
func (r *Realms) account(realm string) (one *account) {
	for _, a := range r.accounts {
		if sameRealm(a.opts.Realm, realm) && (one == nil || a.online.Load() && !one.online.Load()) {
			one = a
		}
	}
	return one
}
