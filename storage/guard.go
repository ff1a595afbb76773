package storage

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"w3host/internal/heartbeat"
)

// Watch calls changed at the beginning, and when bans or admins may have changed.
// It returns when the database is lost, changed fails or ctx ends.
func (d *Store) Watch(ctx context.Context, heart *heartbeat.Heart, changed func() error) error {
	if err := d.prepare(ctx); err != nil {
		return err
	}
	return d.db.Watch(ctx, heart, changed)
}

const (
	// guardRetry is how soon a database that did not answer is tried again.
	guardRetry = 2 * time.Second
	// reloadTimeout ends a reload from a database that hangs.
	reloadTimeout = 30 * time.Second
	// peopleFile holds the lists as they were read last.
	peopleFile = "people.json"
)

// guarded is the part of the database that a Guard uses.
type guarded interface {
	Bans(ctx context.Context, all bool) ([]Ban, error)
	Admins(ctx context.Context) ([]Admin, error)
	Watch(ctx context.Context, heart *heartbeat.Heart, changed func() error) error
}

// GuardOptions say where a Guard keeps its lists. Zero values mean the
// defaults.
type GuardOptions struct {
	Dir    string // of people.json; empty: nothing is kept
	Log    zerolog.Logger
	Heart  *heartbeat.Heart         // when SQLite is asked for changes by other processes; nil: once a second
	Reload time.Duration            // also without any notice of a change: 1 min
	Like   func(name string) string // the same for names that are taken for each other; nil: none are
}

// Guard keeps the bans and the admins in memory, so that a join never waits for a
// database. While the database is away it uses the lists that it read last, also
// after a restart.
type Guard struct {
	db         guarded
	opts       GuardOptions
	bans       atomic.Pointer[banIndex]
	admins     atomic.Pointer[map[adminKey][]Admin]
	likes      atomic.Pointer[map[string]string] // names of admins by what Like makes of them
	known      atomic.Bool
	changed    chan struct{} // holds a token when the list of bans may have changed
	loaded     chan struct{} // closed when both lists were read for the first time
	loadedOnce sync.Once
	cancel     context.CancelFunc
	done       chan struct{}

	people people // the source of bans and admins
	kept   []byte // the text of the file
}

// people is the form of people.json.
type people struct {
	Bans   []Ban   `json:"bans"`
	Admins []Admin `json:"admins"`
}

type adminKey struct{ name, realm string }

// banIndex has the bans by the thing that they match: the folded name, a single address,
// or nil for networks.
type banIndex map[any][]Ban

// NewGuard begins to watch. Close ends it.
func NewGuard(db guarded, opts GuardOptions) *Guard {
	opts.Reload = cmp.Or(opts.Reload, time.Minute)
	ctx, cancel := context.WithCancel(context.Background())
	g := &Guard{db: db, opts: opts, loaded: make(chan struct{}), cancel: cancel, done: make(chan struct{}), changed: make(chan struct{}, 1)}
	g.readFile()
	g.index()
	go g.watch(ctx) // ends with Close
	return g
}

// readFile reads the lists of the last run.
func (g *Guard) readFile() {
	if g.opts.Dir == "" {
		return
	}
	path := filepath.Join(g.opts.Dir, peopleFile)
	text, err := os.ReadFile(path)
	var known people
	if err == nil {
		err = json.Unmarshal(text, &known)
	}
	switch {
	case err == nil:
		g.people, g.kept = known, text
		g.known.Store(true)
	case !errors.Is(err, fs.ErrNotExist):
		g.opts.Log.Error().Err(err).Str("file", path).Msg("cannot read the last known bans and admins; nobody is banned until the database answers")
	}
}

// writeFile writes the lists for the next run.
func (g *Guard) writeFile() {
	text, err := json.MarshalIndent(g.people, "", "  ")
	if g.opts.Dir == "" || bytes.Equal(text, g.kept) {
		return
	}
	if err == nil {
		err = replaceFile(filepath.Join(g.opts.Dir, peopleFile), text)
	}
	if err != nil {
		g.opts.Log.Warn().Err(err).Msg("cannot write the list of bans and admins for a start without a database")
		return
	}
	g.kept = text
}

// index builds the maps that IsBanned and AdminsAs read.
func (g *Guard) index() {
	roles, bans, likes := map[adminKey][]Admin{}, banIndex{}, map[string]string{}
	for _, a := range g.people.Admins {
		if g.opts.Like != nil && a.Name != "" {
			likes[g.opts.Like(a.Name)] = a.Name
		}
		key := adminKey{fold(a.Name), fold(a.Realm)}
		roles[key] = append(roles[key], a)
	}
	for _, b := range g.people.Bans {
		if b.Name != "" {
			bans[fold(b.Name)] = append(bans[fold(b.Name)], b)
		}
		if b.Network.IsSingleIP() {
			bans[b.Network.Addr()] = append(bans[b.Network.Addr()], b)
		} else if b.Network.IsValid() {
			bans[nil] = append(bans[nil], b)
		}
	}
	g.bans.Store(&bans)
	g.admins.Store(&roles)
	g.likes.Store(&likes)
}

// Close ends the watching.
func (g *Guard) Close() {
	g.cancel()
	select {
	case <-g.done:
	case <-time.After(closeGrace): // a call hangs in the kernel: it is abandoned
	}
}

// BansChanged has a value when the list of bans may have changed.
func (g *Guard) BansChanged() <-chan struct{} { return g.changed }

// Loaded is closed once the lists were read from the database.
func (g *Guard) Loaded() <-chan struct{} { return g.loaded }

// Known says whether the lists are those of the database, now or when it
// answered last. Before, nobody is banned.
func (g *Guard) Known() bool { return g.known.Load() }

// IsBanned returns the ban, if any, that keeps this player out. A player who plays in a running game is spared by bans
// that the host has made by itself: those are often of addresses, which allies and opponents may share.
func (g *Guard) IsBanned(name string, addr netip.Addr, realm string, playing bool) (Ban, bool) {
	now, index := time.Now(), *g.bans.Load()
	for _, key := range []any{fold(name), addr.Unmap(), nil} {
		for _, b := range index[key] {
			if b.Matches(name, addr, realm, now) && !(playing && b.By == ByHost) {
				return b, true
			}
		}
	}
	return Ban{}, false
}

// AdminLike is the name of an admin that another name is taken for; empty: none.
func (g *Guard) AdminLike(name string) string {
	if g.opts.Like == nil {
		return ""
	}
	if admin := (*g.likes.Load())[g.opts.Like(name)]; fold(admin) != fold(name) {
		return admin
	}
	return ""
}

// AdminsAs lists the entries that make a join under this name, of this realm and from
// this address an admin; most joins have none. An address that is not known is invalid.
func (g *Guard) AdminsAs(name, realm string, addr netip.Addr) (list []Admin) {
	index := *g.admins.Load()
	for _, key := range []adminKey{{fold(name), fold(realm)}, {"", fold(realm)}} {
		for _, a := range index[key] {
			if !a.Network.IsValid() || a.Network.Contains(addr.Unmap().WithZone("")) {
				list = append(list, a)
			}
		}
	}
	return list
}

// watch reloads the lists when the database says that they have changed. It begins anew
// every Reload, with a reload: a notice may be lost, for example in a pooler between this
// host and Postgres.
func (g *Guard) watch(ctx context.Context) {
	defer close(g.done)
	reported := false
	reload := func() error {
		err := g.reload(ctx)
		if err != nil && ctx.Err() == nil && !reported {
			reported = true
			g.opts.Log.Warn().Err(err).Msg("cannot read bans and admins from the database; using the last known lists")
		}
		reported = reported && err != nil
		return err
	}
	for ctx.Err() == nil {
		round, cancel := context.WithTimeout(ctx, g.opts.Reload)
		_ = g.db.Watch(round, g.opts.Heart, reload) // reload reports what is wrong with the database
		over := round.Err() != nil
		cancel()
		if !over {
			_ = reload()
			select {
			case <-ctx.Done():
			case <-time.After(min(guardRetry, g.opts.Reload)):
			}
		}
	}
}

func (g *Guard) reload(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, reloadTimeout)
	defer cancel()
	var fresh people
	if fresh.Bans, err = g.db.Bans(ctx, false); err != nil {
		return fmt.Errorf("read the bans: %w", err)
	}
	if fresh.Admins, err = g.db.Admins(ctx); err != nil {
		return fmt.Errorf("read the admins: %w", err)
	}
	g.people = fresh
	g.index()
	g.writeFile()
	g.known.Store(true) // before players are looked up again
	notify(g.changed)
	g.loadedOnce.Do(func() { close(g.loaded) })
	return nil
}
