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
	pending  map[uint64]func(bool)
	lastAsk  uint64
}

// listing is a game on one account.
type listing struct {
	account   *account
	number    uint32 // the realm's
	game      uint32
	requested bool // for, by a person
}

// LogOn logs every account on. Shutdown ends it.
func LogOn(opts Options) (*Realms, error) {
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

// Of are the names of the realms whose players can join lobbies of a version.
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

// SeenAt is where a realm sends players, as its own list says; invalid: it has not been
// seen yet.
func (r *Realms) SeenAt(name string) (at netip.AddrPort) {
	for _, a := range r.accounts {
		if seen := a.seen.Load(); seen != nil && sameRealm(a.opts.Realm, name) {
			at = *seen
		}
	}
	return at
}

// Port is where players of a realm's list join: what its first account advertises; 0: there
// is no such realm.
func (r *Realms) Port(name string) uint16 { return r.first(name).Port }

// Version is that of the players of a realm, as its first account has it.
func (r *Realms) Version(name string) w3gs.Version { return w3gs.Version(r.first(name).Version.Game) }

// first returns the configuration of a realm's first account; zero: there is no such realm.
func (r *Realms) first(name string) (c session.Config) {
	for _, a := range r.accounts {
		if sameRealm(a.opts.Realm, name) {
			return a.opts.Session
		}
	}
	return c
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

// Open lists a lobby on every realm whose players can join it, each time by the account
// that has the fewest. A lobby that does not fit a realm is an error that says what to
// shorten.
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
			Msg("lobby waits until another is gone: raise lobbies of [[realm]], where they take turns, or add a section with another account")
	}
	l := listing{least, r.number(name), ad.GameID, ad.Requested}
	least.games = slices.Insert(least.games, least.place(ad.Requested), l)
	r.listings[ad.GameID] = append(r.listings[ad.GameID], l)
	l.list(*ad)
}

// AccountName is which account of a host.
type AccountName struct{ Realm, Account string }

// Accounts are all of the host.
func (r *Realms) Accounts() (list []AccountName) {
	for _, a := range r.accounts {
		list = append(list, AccountName{a.opts.Realm, a.opts.Session.Account})
	}
	return list
}

// Use says whether the host may use an account: it may use all from the beginning. Lobbies
// are listed by others of the realm as soon as one may not be used, if there is one.
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

// plays reports whether players of a realm can join a lobby.
func (r *Realms) plays(realm string, ad *lan.Advert) bool {
	v := r.Version(realm)
	return slices.ContainsFunc(ad.Versions([]uint32{uint32(v)}), func(seen uint32) bool { return v.SharesLobby(w3gs.Version(seen)) })
}

// list has the present state of the game listed.
func (l listing) list(ad lan.Advert) {
	config := &l.account.opts.Session
	shown := ad.Info(config.Product, config.Version.Game, 0)
	stat := bncs.GameStat{Free: ad.Count.Open, GameID: ad.GameID | l.number<<numberShift, Stat: shown.Stat}
	text, err := stat.Encode()
	if err != nil {
		return // Open has said so
	}
	name := ad.Name[:min(len(ad.Name), bncs.MaxGameName)]
	l.account.post(session.List{Game: session.Listing{
		ID: ad.GameID, Name: name, Stat: text, Private: ad.Private, Full: ad.Count.Open == 0, Asked: ad.Requested,
		Saved: ad.Saved(),
	}})
}

// Update sets how full a lobby is.
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
	r.closeOn(0, gameID)
	delete(r.listings, gameID)
	delete(r.adverts, gameID)
}

// closeOn takes a lobby off the list of the realm with that number; 0: of all. The caller holds mu.
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

// place is where a game would stand in the order in which the account lists games: those
// that somebody has asked for come before those that open by themselves.
func (a *account) place(asked bool) int {
	if at := slices.IndexFunc(a.games, func(l listing) bool { return !l.requested }); asked && at >= 0 {
		return at
	}
	return len(a.games)
}

// before reports whether one more game has a better place on this account than on another.
func (a *account) before(b *account, asked bool) bool {
	if a.barred != b.barred {
		return b.barred
	}
	return cmp.Or(cmp.Compare(a.place(asked), b.place(asked)), cmp.Compare(len(a.games), len(b.games))) < 0
}

// most is how many games the account lists, by turns.
func (a *account) most() int { return max(a.opts.Session.Games, 1) }

// Waits names a realm on which a lobby is not listed yet, and the lobby that it waits
// for; empty: it is listed wherever it can be.
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

// Account is the name of an account of the realm, for people to whisper to.
func (r *Realms) Account(realm string) string {
	if a := r.account(realm); a != nil {
		return a.opts.Session.Account
	}
	return ""
}

// Whisper says a line to somebody on a realm, if an account is logged on there.
func (r *Realms) Whisper(realm, to, line string) {
	if a := r.account(realm); a != nil && a.online.Load() {
		a.post(session.Whisper{To: to, Text: line})
	}
}

// account is one of the realm, one that is logged on if there is any; nil: none.
func (r *Realms) account(realm string) (one *account) {
	for _, a := range r.accounts {
		if sameRealm(a.opts.Realm, realm) && (one == nil || a.online.Load() && !one.online.Load()) {
			one = a
		}
	}
	return one
}
