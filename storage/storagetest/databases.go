// Package storagetest provides databases for tests: empty SQLite and Postgres databases, and Postgres servers
// that a test may stop, pause and fail over. Only tests import it.
package storagetest

import (
	"context"
	"fmt"
	neturl "net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"w3host/internal/tier"
	"w3host/storage"
)

// postgresVariable names the environment variable with the URL of a Postgres database that tests may use.
// scripts/with-postgres.sh sets it.
const postgresVariable = "W3HOST_TEST_POSTGRES_URL"

// Databases holds, for each kind of database, a function that creates an empty one and returns its URL.
var Databases = map[string]func(testing.TB) string{"SQLite": SQLite, "Postgres": Postgres}

// SQLite returns the URL of a file that does not exist yet.
func SQLite(t testing.TB) string {
	return "sqlite:" + filepath.Join(t.TempDir(), "new", "test #1?.db")
}

// Postgres creates a schema, which is dropped after the test, and returns a URL restricted to it.
func Postgres(t testing.TB) string {
	base := os.Getenv(postgresVariable)
	if base == "" {
		tier.Missing(t, "needs Postgres (scripts/with-postgres.sh, scripts/test.sh)")
	}
	u, err := neturl.Parse(base)
	if err != nil {
		t.Fatalf("%s has to be a postgres:// URL: %v", postgresVariable, err)
	}
	schema := fmt.Sprintf("w3host_%d_%d", os.Getpid(), time.Now().UnixNano())
	admin(t, base, "CREATE SCHEMA "+schema)
	t.Cleanup(func() { admin(t, base, "DROP SCHEMA "+schema+" CASCADE") })
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	return u.String()
}

// Managed creates a database like that of a managed Postgres service: its user is not a superuser and may not
// call the functions of the write-ahead log. grant gives the user this right.
func Managed(t testing.TB) (url string, grant func()) {
	base := os.Getenv(postgresVariable)
	if base == "" {
		tier.Missing(t, "needs Postgres (scripts/with-postgres.sh, scripts/test.sh)")
	}
	name := fmt.Sprintf("managed_%d_%d", os.Getpid(), time.Now().UnixNano())
	admin(t, base, "CREATE ROLE "+name+" LOGIN PASSWORD 'secret'")
	t.Cleanup(func() { admin(t, base, "DROP ROLE "+name) })
	admin(t, base, "CREATE DATABASE "+name+" OWNER "+name)
	t.Cleanup(func() { admin(t, base, "DROP DATABASE "+name+" WITH (FORCE)") })
	const functions = " ON FUNCTION pg_walfile_name(pg_lsn), pg_current_wal_insert_lsn() "
	inside := databaseOf(t, base, name, nil)
	admin(t, inside, "REVOKE EXECUTE"+functions+"FROM PUBLIC")
	return databaseOf(t, base, name, neturl.UserPassword(name, "secret")), func() {
		admin(t, inside, "GRANT EXECUTE"+functions+"TO "+name)
	}
}

// databaseOf returns the URL of another database on a server, with another user if given.
func databaseOf(t testing.TB, base, name string, user *neturl.Userinfo) string {
	u, err := neturl.Parse(base)
	if err != nil {
		t.Fatalf("%s has to be a postgres:// URL: %v", postgresVariable, err)
	}
	u.Path = "/" + name
	if user != nil {
		u.User = user
	}
	return u.String()
}

// Open opens a database and closes it after the test.
func Open(t testing.TB, url string) *storage.Store {
	t.Helper()
	db, err := storage.Open(t.Context(), url, storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func admin(t testing.TB, base, statement string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, base)
	if err != nil {
		t.Fatalf("%s: %v", postgresVariable, err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatalf("%s: %v", strings.Fields(statement)[0], err)
	}
}
