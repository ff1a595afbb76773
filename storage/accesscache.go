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

	"w3host/internal/disk"
	"w3host/internal/heartbeat"
)

// Watch calls changed at the start and whenever bans or admins may have changed. It blocks until the
// connection is lost, changed returns an error or ctx ends.
func (d *Store) Watch(ctx context.Context, heart *heartbeat.Heart, changed func() error) error {
	if err := d.prepare(ctx); err != nil {
		return err
	}
	return d.db.Watch(ctx, heart, changed)
}

const (
	// guardRetry is the delay before a database that did not answer is tried again.
	guardRetry = 2 * time.Second
	// reloadTimeout is the time limit for reading the lists.
	reloadTimeout = 30 * time.Second
	// peopleFile stores the lists as last read.
	peopleFile = "people.json"
)

// guarded is the part of Store that an AccessCache uses.
type guarded interface {
	Bans(ctx context.Context, all bool) ([]Ban, error)
	Admins(ctx context.Context) ([]Admin, error)
	Watch(ctx context.Context, heart *heartbeat.Heart, changed func() error) error
}

// AccessCacheOptions configures an AccessCache. Zero values select the defaults.
type AccessCacheOptions struct {
	Dir    string // folder of people.json; "" disables the file
	Log    zerolog.Logger
	Heart  *heartbeat.Heart         // triggers SQLite's checks for changes by other processes; nil means once a second
	Reload time.Duration            // interval of reloads without a change notification; 0 means one minute
	Like   func(name string) string // maps names that look alike to the same string; nil disables AdminLike
}

// AccessCache caches the bans and admins in memory, so that a join never waits for the database. While the database
// is unavailable it uses the lists read last, even after a restart. It is safe for concurrent use.
type AccessCache struct {
	db         guarded
	opts       AccessCacheOptions
	bans       atomic.Pointer[banIndex]
	admins     atomic.Pointer[map[adminKey][]Admin]
	likes      atomic.Pointer[map[string]string] // names of admins by the result of Like
	known      atomic.Bool
	changed    chan struct{} // holds a token when the bans may have changed
	loaded     chan struct{} // closed when both lists have been read for the first time
	loadedOnce sync.Once
	cancel     context.CancelFunc
	done       chan struct{}

	people people // current bans and admins
	kept   []byte // content of the file
}

// people is the content of people.json.
type people struct {
	Bans   []Ban   `json:"bans"`
	Admins []Admin `json:"admins"`
}

type adminKey struct{ name, realm string }

// banIndex holds the bans by what they match: the folded name, a single address, or nil for networks.
type banIndex map[any][]Ban

// NewAccessCache returns an AccessCache and starts to watch db. Call Close to stop it.
func NewAccessCache(db guarded, opts AccessCacheOptions) *AccessCache {
	opts.Reload = cmp.Or(opts.Reload, time.Minute)
	ctx, cancel := context.WithCancel(context.Background())
	g := &AccessCache{db: db, opts: opts, loaded: make(chan struct{}), cancel: cancel, done: make(chan struct{}), changed: make(chan struct{}, 1)}
	g.readFile()
	g.index()
	go g.watch(ctx) // ends with Close
	return g
}

// readFile reads the lists stored by the last run.
func (g *AccessCache) readFile() {
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

// writeFile stores the lists for the next run.
func (g *AccessCache) writeFile() {
	text, err := json.MarshalIndent(g.people, "", "  ")
	if g.opts.Dir == "" || bytes.Equal(text, g.kept) {
		return
	}
	if err == nil {
		err = replaceFile(disk.System, filepath.Join(g.opts.Dir, peopleFile), text)
	}
	if err != nil {
		g.opts.Log.Warn().Err(err).Msg("cannot write the list of bans and admins for a start without a database")
		return
	}
	g.kept = text
}

// index builds the maps used by IsBanned and AdminsAs.
func (g *AccessCache) index() {
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

// Close stops watching.
func (g *AccessCache) Close() {
	g.cancel()
	select {
	case <-g.done:
	case <-time.After(closeGrace): // abandon a call that hangs in the kernel
	}
}

// BansChanged returns a channel that receives a value when the bans may have changed.
func (g *AccessCache) BansChanged() <-chan struct{} { return g.changed }

// Loaded returns a channel that is closed once the lists have been read from the database.
func (g *AccessCache) Loaded() <-chan struct{} { return g.loaded }

// Known reports whether the lists come from the database, now or in an earlier run. Until then, nobody is
// banned.
func (g *AccessCache) Known() bool { return g.known.Load() }

// IsBanned returns the ban that applies to a player, if any. Bans issued by the host itself do not apply to
// players in a running game, because they often cover addresses that allies and opponents may share.
func (g *AccessCache) IsBanned(name string, addr netip.Addr, realm string, playing bool) (Ban, bool) {
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

// AdminLike returns the admin whose name looks like the given one, or "".
func (g *AccessCache) AdminLike(name string) string {
	if g.opts.Like == nil {
		return ""
	}
	if admin := (*g.likes.Load())[g.opts.Like(name)]; fold(admin) != fold(name) {
		return admin
	}
	return ""
}

// AdminsAs returns the entries that make a player with this name, realm and address an admin; most players
// have none. Pass an invalid addr if it is unknown.
func (g *AccessCache) AdminsAs(name, realm string, addr netip.Addr) (list []Admin) {
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

// watch reloads the lists when the database reports a change, and in any case every Reload, because a
// notification may be lost, for example in a connection pooler.
func (g *AccessCache) watch(ctx context.Context) {
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
		_ = g.db.Watch(round, g.opts.Heart, reload) // reload reports database errors
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

func (g *AccessCache) reload(ctx context.Context) (err error) {
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
	g.known.Store(true) // set before players are checked again
	notify(g.changed)
	g.loadedOnce.Do(func() { close(g.loaded) })
	return nil
}
