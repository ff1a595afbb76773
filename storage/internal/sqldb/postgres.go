package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	connectTimeout = 10 * time.Second
	// changeChannel is what the triggers of migration 2 notify.
	changeChannel = "w3host_changed"
	// migrationLock is the advisory lock that hosts starting together share.
	migrationLock = 0x77_33_68_6F_73_74 // "w3host"
	lockPoll      = 100 * time.Millisecond
	applicationID = "w3host"
	// closeGrace is the time that closing a connection may take.
	closeGrace = 100 * time.Millisecond
)

type pgDB struct {
	pgQueryer
	pool  *pgxpool.Pool
	lines *lines
}

// OpenPostgres prepares a pool for a URL or a libpq keyword string; what it
// leaves out comes from libpq's environment. It does not connect.
func OpenPostgres(url string) (DB, error) {
	cfg, err := parsePostgres(url)
	if err != nil {
		return nil, err
	}
	if cfg.ConnConfig.ConnectTimeout == 0 {
		cfg.ConnConfig.ConnectTimeout = connectTimeout
	}
	if cfg.ConnConfig.RuntimeParams["application_name"] == "" {
		cfg.ConnConfig.RuntimeParams["application_name"] = applicationID
	}
	l := &lines{dial: cfg.ConnConfig.DialFunc, open: map[*line]struct{}{}}
	cfg.ConnConfig.DialFunc = l.connect
	pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
	if err != nil {
		return nil, translate(err)
	}
	return &pgDB{pgQueryer{pool}, pool, l}, nil
}

func (p *pgDB) Dialect() string { return "postgres" }

func (p *pgDB) Now() string { return "now()" }

func (p *pgDB) Ping(ctx context.Context) error { return translate(p.pool.Ping(ctx)) }

// Close does not wait for a server that hangs.
func (p *pgDB) Close() error {
	closed := make(chan struct{})
	go func() { // ends with cut, at the latest
		p.pool.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(closeGrace):
	}
	p.lines.cut()
	select {
	case <-closed:
	case <-time.After(closeGrace):
	}
	return nil
}

// Refresh has nothing to do: a server stays where it is.
func (p *pgDB) Refresh(context.Context) (Move, error) { return Stays, nil }

// Adopt has nothing to do.
func (p *pgDB) Adopt(context.Context) error { return nil }

func (p *pgDB) Tx(ctx context.Context, do func(Tx) error) error {
	err := pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error { return do(pgTx{pgQueryer{tx}, tx}) })
	return translate(err)
}

// Migrating takes an advisory lock, which the server frees when the session
// ends, however that comes. It asks again and again instead of waiting in the
// server: CREATE INDEX CONCURRENTLY waits for every statement that runs, the
// one that would wait for this lock included.
func (p *pgDB) Migrating(ctx context.Context) (*sql.DB, func(), error) {
	conn, err := p.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	for held := false; !held; {
		err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", int64(migrationLock)).Scan(&held)
		if err == nil && !held {
			err = pause(ctx, lockPoll)
		}
		if err != nil {
			closeConn(ctx, conn)
			return nil, nil, translate(err)
		}
	}
	db := stdlib.OpenDBFromPool(p.pool)
	return db, func() {
		_ = db.Close() // the pool stays
		closeConn(ctx, conn)
	}, nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// connect opens a connection outside the pool.
func (p *pgDB) connect(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, p.pool.Config().ConnConfig)
	return conn, translate(err)
}

func closeConn(ctx context.Context, conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeGrace)
	defer cancel()
	_ = conn.Close(ctx)
}

// Watch holds a connection of its own outside the pool.
func (p *pgDB) Watch(ctx context.Context, changed func(string) error) error {
	conn, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer closeConn(ctx, conn)
	if _, err := conn.Exec(ctx, "LISTEN "+changeChannel); err != nil {
		return translate(err)
	}
	if err := changed(""); err != nil {
		return err
	}
	for {
		// A half-dead connection notifies nobody: ask it now and then.
		waiting, cancel := context.WithTimeout(ctx, 30*time.Second)
		n, err := conn.WaitForNotification(waiting)
		cancel()
		switch {
		case err == nil:
			if err := changed(n.Payload); err != nil {
				return err
			}
		case ctx.Err() != nil:
			return ctx.Err()
		case waiting.Err() == nil || conn.IsClosed():
			return translate(err)
		default:
			if err := pingWithin(ctx, conn); err != nil {
				return err
			}
		}
	}
}

func pingWithin(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	return translate(conn.Ping(ctx))
}

type pgTx struct {
	pgQueryer
	tx pgx.Tx
}

func (t pgTx) Batch(ctx context.Context, statements []Statement, rows []Rows) error {
	var batch pgx.Batch
	for _, s := range statements {
		batch.Queue(s.SQL, timeArgs(s.Args, false)...)
	}
	for _, r := range rows {
		batch.Queue(unnest(r.Table), columns(r)...)
	}
	return translate(t.tx.SendBatch(ctx, &batch).Close())
}

// unnest is one statement for any number of rows: each column comes as an
// array of text. That is several times faster than a statement for each row,
// and unlike COPY it minds rows that are there already.
func unnest(t *Table) string {
	var names, casts, arrays, aliases []string
	for i, c := range t.Columns {
		names = append(names, c.Name)
		aliases = append(aliases, fmt.Sprintf("c%d", i))
		casts = append(casts, fmt.Sprintf("c%d::%s", i, c.Type))
		arrays = append(arrays, fmt.Sprintf("$%d::text[]", i+1))
	}
	return fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM unnest(%s) AS r(%s) ON CONFLICT DO NOTHING", t.Name,
		strings.Join(names, ", "), strings.Join(casts, ", "), strings.Join(arrays, ", "), strings.Join(aliases, ", "))
}

func columns(r Rows) []any {
	all := make([]any, len(r.Table.Columns))
	for i := range r.Table.Columns {
		column := make([]*string, len(r.Values))
		for j, row := range r.Values {
			column[j] = textArg(row[i])
		}
		all[i] = column
	}
	return all
}

// textArg is an argument as Postgres reads it, nil for NULL.
func textArg(arg any) *string {
	switch v := arg.(type) {
	case nil:
		return nil
	case string:
		return &v
	case time.Time:
		if v.IsZero() {
			return nil
		}
		return new(v.UTC().Format(time.RFC3339Nano))
	case driver.Valuer:
		value, err := v.Value()
		if value == nil || err != nil {
			return nil
		}
		return new(fmt.Sprint(value))
	}
	return new(fmt.Sprint(arg))
}

// pgQueryer is a Queryer on the pool or in a transaction.
type pgQueryer struct {
	conn interface {
		Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error)
		Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
		QueryRow(ctx context.Context, query string, args ...any) pgx.Row
	}
}

func (q pgQueryer) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	tag, err := q.conn.Exec(ctx, query, timeArgs(args, false)...)
	return tag.RowsAffected(), translate(err)
}

func (q pgQueryer) One(ctx context.Context, query string, args []any, dest ...any) error {
	return translate(q.conn.QueryRow(ctx, query, timeArgs(args, false)...).Scan(dest...))
}

func (q pgQueryer) Query(ctx context.Context, query string, args []any, each func(Scan) error) error {
	rows, err := q.conn.Query(ctx, query, timeArgs(args, false)...)
	if err != nil {
		return translate(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return translate(err)
		}
	}
	return translate(rows.Err())
}
