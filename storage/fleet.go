package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"w3host/fleet"
	"w3host/storage/internal/sqldb"
)

// ErrNoFleet is returned if the database cannot be shared by hosts.
var ErrNoFleet = errors.New("fleet.enabled needs Postgres as database.url: hosts cannot share a file of SQLite")

// ErrNoTimeline is returned if the database cannot tell hosts of a fleet about a failover. The error text
// says what is missing.
var ErrNoTimeline = errors.New("a fleet needs the right to call pg_walfile_name and pg_current_wal_insert_lsn, by which its hosts notice that a copy has become the server; " +
	"as a superuser: GRANT EXECUTE ON FUNCTION pg_walfile_name(pg_lsn), pg_current_wal_insert_lsn() TO the user of database.url. A service of Postgres that lacks these functions cannot hold a fleet")

// Fleet holds the shared state of all hosts that use a database: running hosts, their leases and their
// messages to each other. It uses a separate connection, so that a beat never waits for other queries. It is
// safe for concurrent use.
type Fleet struct {
	store *Store
	db    sqldb.DB
}

// FleetHost is a running host.
type FleetHost struct {
	Session  string `db:"id" json:"-"`
	Host     string `json:"host"` // id in the table hosts
	Run      string `json:"run"`
	Number   int    `json:"number"`
	Name     string `json:"name"`
	Address  string `json:"address"`
	Draining bool   `json:"draining"`
	Places   int    `json:"places"`
}

// Post is a message from one host to another.
type Post struct {
	ID   string
	Body string
}

// Pool is a set of leases, numbered from 1.
type Pool struct {
	Name   string
	Leases int
}

// Fleet returns the fleet of the database. url must be the URL with which the Store was opened.
func (d *Store) Fleet(url string) (*Fleet, error) {
	if !d.isPostgres() {
		return nil, ErrNoFleet
	}
	db, err := sqldb.OpenHeartbeat(url)
	if err != nil {
		return nil, err
	}
	return &Fleet{d, db}, nil
}

// Close closes the fleet's connection.
func (f *Fleet) Close() error { return f.db.Close() }

// forgottenAfter is the number of ticks after which an unused lease is deleted.
const forgottenAfter = 30 * 24 * 60 * 60

// Check reports whether the database can hold a fleet. It returns ErrNoTimeline if a right or function is
// missing.
func (f *Fleet) Check(ctx context.Context) error {
	_, err := sqldb.One[string](ctx, f.db, "SELECT pg_walfile_name(pg_current_wal_insert_lsn())")
	if errors.Is(err, ErrUnusable) {
		return fmt.Errorf("%w (%w)", ErrNoTimeline, err)
	}
	return err
}

// Enter starts a session and defines the given pools. It returns the host's number, the smallest that no
// running host has.
func (f *Fleet) Enter(ctx context.Context, h FleetHost, pools []Pool) (number int, err error) {
	if err := f.Check(ctx); err != nil {
		return 0, err
	}
	if err := f.Define(ctx, pools); err != nil {
		return 0, err
	}
	// The first host of the fleet records which server this is.
	if _, err := f.db.Exec(ctx, "UPDATE fleet_clock SET timeline = substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) WHERE timeline = ''"); err != nil {
		return 0, err
	}
	return sqldb.One[int](ctx, f.db, "SELECT fleet_enter($1::uuid, $2::uuid, $3::uuid, $4, $5)", h.Session, h.Host, h.Run, clean(h.Name), h.Address)
}

// Define creates the leases of the given pools. Leases defined by other hosts remain.
func (f *Fleet) Define(ctx context.Context, pools []Pool) error {
	if err := f.store.prepare(ctx); err != nil {
		return err
	}
	for _, p := range pools {
		_, err := f.db.Exec(ctx, `WITH named AS (INSERT INTO fleet_pools (pool, leases) VALUES ($1, $2)
				ON CONFLICT (pool) DO UPDATE SET leases = greatest(fleet_pools.leases, excluded.leases) WHERE fleet_pools.leases < excluded.leases)
			INSERT INTO fleet_leases (name, pool, place, free) SELECT $1 || '/' || i, $1, i, tick - 3 FROM generate_series(1, $2::int) i, fleet_clock ON CONFLICT DO NOTHING`,
			clean(p.Name), p.Leases)
		if err != nil {
			return err
		}
	}
	_, err := f.db.Exec(ctx, "DELETE FROM fleet_leases WHERE session IS NULL AND free < (SELECT tick FROM fleet_clock) - $1", forgottenAfter)
	return err
}

// Place reserves a lobby for the session. It returns false if all hosts together already have most lobbies
// and games. The next beat reports the session's actual number.
func (f *Fleet) Place(ctx context.Context, session string, most int) (bool, error) {
	return sqldb.One[bool](ctx, f.store.sql, "SELECT fleet_place($1::uuid, $2::int)", session, most)
}

// Leave ends a session and returns its leases.
func (f *Fleet) Leave(ctx context.Context, session string) error {
	_, err := f.db.Exec(ctx, "SELECT fleet_leave($1::uuid)", session)
	return err
}

// Beat renews a session and returns the database's answer and the posts for this host.
func (f *Fleet) Beat(ctx context.Context, session string, b *fleet.Beat) (a fleet.Answer, posts []Post, err error) {
	var pools, mosts, helds, highests, gives, terms []string
	for _, w := range b.Wants {
		pools, mosts = append(pools, clean(w.Pool)), append(mosts, strconv.Itoa(w.Most))
		helds, highests = append(helds, strconv.Itoa(w.Held)), append(highests, strconv.Itoa(w.Highest))
	}
	for _, l := range b.Gives {
		gives, terms = append(gives, l.Name), append(terms, strconv.FormatInt(l.Term, 10))
	}
	rows, err := sqldb.List[struct {
		Kind, Name, Pool, Body string
		A, B, C, D             int64
	}](ctx, f.db,
		"SELECT kind, name, pool, body, a, b, c, d FROM fleet_beat($1::uuid, $2, $3, $4::text[], $5::int[], $6::int[], $7::int[], $8::text[], $9::bigint[], $10, $11::int, $12, $13::int)",
		session, b.Number, b.Seen, pools, mosts, helds, highests, gives, terms,
		b.Complete, b.Load.Places, b.Load.Draining, b.Load.Most)
	if err != nil {
		return a, nil, err
	}
	a.Buried = len(rows) == 0
	for _, r := range rows {
		switch r.Kind {
		case "lease":
			a.Leases = append(a.Leases, fleet.Lease{Name: r.Name, Pool: r.Pool, Term: r.A, Number: r.B})
		case "post":
			posts = append(posts, Post{r.Name, r.Body})
		default:
			a.Tick, a.Hold, a.Places, a.Hosts = r.A, r.B, int(r.C), int(r.D)
		}
	}
	return a, posts, nil
}

// Hosts returns the running hosts sorted by number.
func (f *Fleet) Hosts(ctx context.Context) ([]FleetHost, error) {
	return sqldb.List[FleetHost](ctx, f.store.sql,
		"SELECT CAST(id AS text) AS id, CAST(host AS text) AS host, CAST(run AS text) AS run, number, name, address, draining, places FROM fleet_sessions ORDER BY number")
}

// Pools returns the defined pools.
func (f *Fleet) Pools(ctx context.Context) ([]Pool, error) {
	return sqldb.List[Pool](ctx, f.store.sql, "SELECT pool AS name, leases FROM fleet_pools ORDER BY pool")
}

// Send sends a post to a session. It returns ErrNotFound if the session is over.
func (f *Fleet) Send(ctx context.Context, session string, p Post) error {
	n, err := f.store.sql.Exec(ctx, "INSERT INTO fleet_posts (id, receiver, body) SELECT $1::uuid, id, $3 FROM fleet_sessions WHERE id = $2::uuid", p.ID, session, p.Body)
	return requireRows(n, err, ErrNotFound, "the host does not answer")
}

// FleetGame is a lobby or game of a running host, according to the game log.
type FleetGame struct {
	Host    int       `json:"host"` // number of the host
	ID      uint32    `json:"id"`   // game ID on that host
	Name    string    `json:"name"`
	Map     string    `json:"map"`
	Private bool      `json:"private"`
	Playing bool      `json:"playing"`
	Since   time.Time `json:"since"`
	Players []string  `json:"players" db:"-"`
	Key     GameKey   `json:"-"`
}

// mostGames limits the listed games of other hosts to the newest.
const mostGames = 500

// Games returns the lobbies and games of all running hosts except that of session but.
func (f *Fleet) Games(ctx context.Context, but string) ([]FleetGame, error) {
	q := f.store.sql
	games, err := sqldb.List[FleetGame](ctx, q, `SELECT s.number AS host, g.game_id AS id, g.name, g.map_name AS map, g.private, g.started_at IS NOT NULL AS playing,
			coalesce(g.started_at, g.created_at) AS since, g.key
		FROM fleet_sessions s JOIN games g ON g.host_id = s.host AND g.run = s.run WHERE g.ended_at IS NULL AND CAST(s.id AS text) <> $1 ORDER BY g.key DESC LIMIT $2`, but, mostGames)
	if err != nil || len(games) == 0 {
		return games, err
	}
	at := make(map[GameKey]int, len(games))
	keys := make([]string, len(games))
	for i, g := range games {
		at[g.Key], keys[i] = i, g.Key.String()
	}
	people, err := sqldb.List[struct {
		GameKey GameKey
		Name    string
	}](ctx, q, "SELECT game_key, name FROM game_players WHERE game_key IN (SELECT value FROM json_each($1)) AND left_at IS NULL AND NOT fake ORDER BY game_key, joined_seq", keys)
	for _, p := range people {
		g := &games[at[p.GameKey]]
		g.Players = append(g.Players, p.Name)
	}
	slices.SortFunc(games, func(a, b FleetGame) int { return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.ID, b.ID)) })
	return games, err
}
