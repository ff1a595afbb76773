package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"w3host/internal/heartbeat"
)

const (
	connectTimeout = 10 * time.Second
	// changeChannel is the notification channel used by the schema's triggers.
	changeChannel = "w3host_changed"
	// migrationLock is the key of the advisory lock for migrations.
	migrationLock = 0x77_33_68_6F_73_74 // "w3host"
	lockPoll      = 100 * time.Millisecond
	applicationID = "w3host"
	// closeGrace limits how long closing a connection may take.
	closeGrace = 100 * time.Millisecond
)

type pgDB struct {
	conn
	db   *sql.DB // uses pool
	pool *pgxpool.Pool
	cut  context.CancelFunc // closes the sockets
}

// OpenPostgres prepares a connection pool for a URL or a libpq keyword string; missing settings come from
// libpq's environment variables. It does not connect.
func OpenPostgres(url string) (DB, error) { return open(url, func(*pgxpool.Config) {}) }

// beatWithin is the statement timeout of OpenHeartbeat. It must expire before the caller gives up, because that
// would close the connection, and a new one has to plan all statements again.
const beatWithin = "1500" // milliseconds

// OpenHeartbeat is OpenPostgres with a single connection, for one short statement per second.
func OpenHeartbeat(url string) (DB, error) {
	return open(url, func(cfg *pgxpool.Config) {
		cfg.MaxConns, cfg.MinConns = 1, 0
		if cfg.ConnConfig.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement { // otherwise a pooler is in use, which refuses the parameter
			cfg.ConnConfig.RuntimeParams["statement_timeout"] = beatWithin
		}
	})
}

func open(url string, adjust func(*pgxpool.Config)) (DB, error) {
	cfg, err := parsePostgres(url)
	if err != nil {
		return nil, err
	}
	adjust(cfg)
	cfg.ConnConfig.ConnectTimeout = cmp.Or(cfg.ConnConfig.ConnectTimeout, connectTimeout)
	cfg.ConnConfig.RuntimeParams["application_name"] = cmp.Or(cfg.ConnConfig.RuntimeParams["application_name"], applicationID)
	life, cut := context.WithCancel(context.Background())
	dial := cfg.ConnConfig.DialFunc
	cfg.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return socket{c, context.AfterFunc(life, func() { _ = c.Close() })}, nil // the user of the connection gets an error
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
	if err != nil {
		cut()
		return nil, translate(err)
	}
	db := stdlib.OpenDBFromPool(pool)
	return &pgDB{conn{db, true}, db, pool, cut}, nil
}

// socket is a connection that is closed together with the pgDB. Closing it ends calls of the pool that wait
// for an unresponsive server, some for up to 15 s.
type socket struct {
	net.Conn
	keep func() bool // removes it from the sockets that cut closes
}

func (s socket) Close() error {
	s.keep()
	return s.Conn.Close()
}

func (p *pgDB) Dialect() string { return "postgres" }

func (p *pgDB) Ping(ctx context.Context) error { return translate(p.pool.Ping(ctx)) }

// Close does not wait for an unresponsive server.
func (p *pgDB) Close() error {
	closed := make(chan struct{})
	go func() { // ends at the latest with cut
		_ = p.db.Close()
		p.pool.Close()
		close(closed)
	}()
	for range 2 {
		select {
		case <-closed:
		case <-time.After(closeGrace):
		}
		p.cut()
	}
	return nil
}

func (p *pgDB) Tx(ctx context.Context, do func(Tx) error) error {
	return inTx(ctx, p.db, func(on *sql.Conn, tx *sql.Tx) error { return do(pgTx{conn{tx, true}, on}) })
}

// Migrating takes an advisory lock, which the server releases when the session ends. It polls instead of
// waiting in the server, because CREATE INDEX CONCURRENTLY waits for all running statements, including one
// that waits for this lock.
func (p *pgDB) Migrating(ctx context.Context) (*sql.DB, func(), error) {
	conn, err := p.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	done := func() { closeConn(ctx, conn) }
	for {
		var held bool
		if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", int64(migrationLock)).Scan(&held); err != nil {
			done()
			return nil, nil, translate(err)
		}
		if held {
			return p.db, done, nil
		}
		time.Sleep(lockPoll) // the next query fails if ctx has ended
	}
}

// connect opens a connection outside of the pool.
func (p *pgDB) connect(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, p.pool.Config().ConnConfig)
	return conn, translate(err)
}

func closeConn(ctx context.Context, conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeGrace)
	defer cancel()
	_ = conn.Close(ctx)
}

// Watch uses a separate connection outside of the pool.
func (p *pgDB) Watch(ctx context.Context, _ *heartbeat.Heart, changed func() error) error {
	conn, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer closeConn(ctx, conn)
	if _, err := conn.Exec(ctx, "LISTEN "+changeChannel); err != nil {
		return translate(err)
	}
	for {
		if err := changed(); err != nil {
			return err
		}
		if _, err := conn.WaitForNotification(ctx); err != nil {
			return translate(err)
		}
	}
}

type pgTx struct {
	conn
	on *sql.Conn
}

func (t pgTx) OnPostgres(ctx context.Context, statement string, args ...any) error {
	_, err := t.Exec(ctx, statement, args...)
	return err
}

func (t pgTx) Batch(ctx context.Context, statements []Statement, rows []Rows) error {
	var batch pgx.Batch
	for _, s := range statements {
		batch.Queue(s.SQL, driverArgs(s.Args, true)...)
	}
	for _, r := range rows {
		// One statement inserts any number of rows. This is several times faster than one statement per row,
		// and unlike COPY it allows rows that exist already.
		columns := strings.Join(r.Columns, ", ")
		batch.Queue(fmt.Sprintf("INSERT INTO %s (%s) SELECT %[2]s FROM json_populate_recordset(NULL::%[1]s, $1) ON CONFLICT DO NOTHING",
			r.Table, columns), jsonRows(r))
	}
	return translate(t.on.Raw(func(on any) error {
		c := on.(*stdlib.Conn).Conn()
		if c.PgConn().TxStatus() != 'T' { // the transaction's context has ended
			return sql.ErrTxDone
		}
		return c.SendBatch(ctx, &batch).Close()
	}))
}

// jsonRows encodes rows as a JSON array of objects.
func jsonRows(r Rows) string {
	text, object := []byte{'['}, make(map[string]any, len(r.Columns))
	for i, values := range r.Values {
		for j, value := range values {
			switch v := value.(type) {
			case time.Time:
				if value = nil; !v.IsZero() {
					value = v.UTC()
				}
			case driver.Valuer:
				value, _ = v.Value() // cannot fail for game keys
			}
			object[r.Columns[j]] = value
		}
		row, err := json.Marshal(object)
		if err != nil {
			panic(fmt.Sprintf("sqldb: %s: %v", r.Table, err)) // cannot happen with our plain values
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, row...)
	}
	return string(append(text, ']'))
}
