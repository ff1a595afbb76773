package storage

import (
	"context"
	"fmt"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
)

// Watcher tells of changes that this or another host, or a person with a
// database client, makes to bans and admins.
type Watcher interface {
	// Watch calls changed with "bans" or "admins", or with an empty name when
	// either may have changed, and once at the beginning. It returns when the
	// database is lost, changed fails or ctx ends.
	Watch(ctx context.Context, changed func(what string) error) error
}

func (d *database) Watch(ctx context.Context, changed func(string) error) error {
	if err := d.prepare(ctx); err != nil {
		return err
	}
	return d.sql.Watch(ctx, changed)
}

// guardRetry is how soon a lost database is asked again.
const guardRetry = 2 * time.Second

// guarded is what a Guard needs of the database.
type guarded interface {
	BanStore
	AdminStore
	Watcher
}

// Guard knows from memory who is banned and who is an admin, so that a join
// never waits for a database. While the database is away it goes by what it
// knew last.
type Guard struct {
	db     guarded
	log    zerolog.Logger
	bans   atomic.Pointer[banIndex]
	admins atomic.Pointer[map[adminKey]Role]
	loaded chan struct{} // closed when both are known for the first time
	cancel context.CancelFunc
	done   chan struct{}

	isLoaded bool // only the watching goroutine looks
}

type adminKey struct{ name, realm string }

// banIndex finds bans by name and by address without looking at each.
type banIndex struct {
	byName   map[string][]Ban
	byAddr   map[netip.Addr][]Ban
	networks []Ban // of more than one address
}

// NewGuard begins to watch. Close ends it.
func NewGuard(db interface {
	BanStore
	AdminStore
	Watcher
}, log zerolog.Logger,
) *Guard {
	ctx, cancel := context.WithCancel(context.Background())
	g := &Guard{db: db, log: log, loaded: make(chan struct{}), cancel: cancel, done: make(chan struct{})}
	g.bans.Store(&banIndex{})
	g.admins.Store(&map[adminKey]Role{})
	go g.watch(ctx)
	return g
}

// Close ends the watching.
func (g *Guard) Close() {
	g.cancel()
	select {
	case <-g.done:
	case <-time.After(closeGrace): // a call hangs in the kernel: it is left behind
	}
}

// Loaded is closed once the lists are known; before, nobody is banned.
func (g *Guard) Loaded() <-chan struct{} { return g.loaded }

// IsBanned tells the ban, if any, that keeps this player out.
func (g *Guard) IsBanned(name string, addr netip.Addr, realm string) (Ban, bool) {
	now, index := time.Now(), g.bans.Load()
	for _, candidates := range [][]Ban{index.byName[fold(name)], index.byAddr[addr.Unmap()], index.networks} {
		for _, b := range candidates {
			if b.Matches(name, addr, realm, now) {
				return b, true
			}
		}
	}
	return Ban{}, false
}

// RoleOf tells the role of an admin, empty for everyone else.
func (g *Guard) RoleOf(name, realm string) Role {
	return (*g.admins.Load())[adminKey{fold(name), fold(realm)}]
}

func (g *Guard) watch(ctx context.Context) {
	defer close(g.done)
	said := false
	for {
		err := g.db.Watch(ctx, func(what string) error {
			err := g.reload(ctx, what)
			said = said && err != nil
			return err
		})
		if ctx.Err() != nil {
			return
		}
		if !said {
			said = true
			g.log.Warn().Err(err).Msg("the database is lost: bans and admins stay as they were")
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(guardRetry):
		}
	}
}

func (g *Guard) reload(ctx context.Context, what string) error {
	if what != "admins" {
		bans, err := g.db.Bans(ctx, false)
		if err != nil {
			return fmt.Errorf("read the bans: %w", err)
		}
		g.bans.Store(indexBans(bans))
	}
	if what != "bans" {
		admins, err := g.db.Admins(ctx)
		if err != nil {
			return fmt.Errorf("read the admins: %w", err)
		}
		roles := make(map[adminKey]Role, len(admins))
		for _, a := range admins {
			roles[adminKey{fold(a.Name), fold(a.Realm)}] = a.Role
		}
		g.admins.Store(&roles)
	}
	if what == "" && !g.isLoaded {
		g.isLoaded = true
		close(g.loaded)
	}
	return nil
}

func indexBans(bans []Ban) *banIndex {
	index := &banIndex{byName: map[string][]Ban{}, byAddr: map[netip.Addr][]Ban{}}
	for _, b := range bans {
		if b.Name != "" {
			index.byName[fold(b.Name)] = append(index.byName[fold(b.Name)], b)
		}
		switch {
		case !b.Network.IsValid():
		case b.Network.IsSingleIP():
			index.byAddr[b.Network.Addr()] = append(index.byAddr[b.Network.Addr()], b)
		default:
			index.networks = append(index.networks, b)
		}
	}
	return index
}
