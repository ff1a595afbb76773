package sqldb

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
)

// TestChore: a chore takes effect, and the next statement waits for the disk again, also after
// an error and after the context has ended.
func TestChore(t *testing.T) {
	db, err := OpenSQLite(filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ended, end := context.WithCancel(t.Context())
	end()
	for _, c := range []struct {
		ctx   context.Context
		query string
		ok    bool
	}{
		{t.Context(), "CREATE TABLE beats (n integer)", true},
		{t.Context(), "INSERT INTO beats VALUES (1)", true},
		{t.Context(), "INSERT INTO nothing VALUES (1)", false},
		{ended, "INSERT INTO beats VALUES (2)", false},
	} {
		if _, err := db.Exec(Chore(c.ctx), c.query); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.query, err)
		}
		ask := func(query string) (n int) {
			err := db.Tx(t.Context(), func(tx Tx) error {
				return tx.Query(t.Context(), query, nil, func(rows *sql.Rows) error { return rows.Scan(&n) })
			})
			if err != nil {
				t.Error(err)
			}
			return n
		}
		const full = 2
		if n := ask("PRAGMA synchronous"); n != full {
			t.Errorf("after %s: synchronous is %d, want %d", c.query, n, full)
		}
		if n := ask("SELECT count(*) FROM beats"); c.query != "CREATE TABLE beats (n integer)" && n != 1 {
			t.Errorf("after %s: %d rows, want 1", c.query, n)
		}
	}
}
