//go:build unix

package storage_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/storage"
	"w3host/storage/storagetest"
)

// Each mistake in database.url gets a sentence that names the remedy, and no
// sentence shows a password.
func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("this is a text file, and long enough for a header "+strings.Repeat(".", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		url  string
		kind error
		want string
	}{
		{"", storage.ErrBadURL, "the default is sqlite:data/w3host.db"},
		{"mysql://root:hunter2@localhost/x", storage.ErrBadURL, `"mysql:" is not known; use sqlite:FILE or postgres://`},
		{"data/w3host.db", storage.ErrBadURL, "write sqlite:data/w3host.db"},
		{"w3host.db", storage.ErrBadURL, "write sqlite:w3host.db"},
		{"sqlite:", storage.ErrBadURL, "name a file"},
		{"sqlite::memory:", storage.ErrBadURL, "name a file"},
		{"sqlite:" + file, storage.ErrUnavailable, "not an SQLite database"},
		{"sqlite:" + filepath.Join(file, "x.db"), storage.ErrUnavailable, "create the directory"},
		{"sqlite:" + dir, storage.ErrUnavailable, "does the directory exist"},
		{"postgres://u:hunter2@127.0.0.1:1/x?connect_timeout=1", storage.ErrUnavailable, `Postgres at 127.0.0.1:1 (database "x", user "u")`},
		{"host=127.0.0.1 port=1 user=u password=hunter2 dbname=x", storage.ErrUnavailable, "is the server running"},
		{"postgres://u:hunter2@host:port/x", storage.ErrBadURL, "connection string"},
		{"postgres://u:hunter2@host/x?sslmode=maybe", storage.ErrBadURL, "sslmode"},
		{"host=x password=hunter2 sslmode=maybe", storage.ErrBadURL, "sslmode"},
		{"postgres://u:hunter2%zz@host/x", storage.ErrBadURL, "connection string"},
	}
	for _, tt := range tests {
		db, err := storage.Open(t.Context(), tt.url, storage.Options{})
		if err == nil {
			_ = db.Close()
		}
		if !errors.Is(err, tt.kind) || !strings.Contains(fmt.Sprint(err), tt.want) {
			t.Errorf("%s: %v\nwant %v with %q", tt.url, err, tt.kind, tt.want)
		}
		if strings.Contains(fmt.Sprint(err), "hunter2") || strings.Contains(fmt.Sprint(err), "\n") {
			t.Errorf("%s: %v", tt.url, err)
		}
	}
}

func TestPostgresOpenErrors(t *testing.T) {
	good, err := url.Parse(storagetest.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		change func(*url.URL)
		want   string
	}{
		"password": {func(u *url.URL) { u.User = url.UserPassword(u.User.Username(), "hunter2") }, "check user and password"},
		"database": {func(u *url.URL) { u.Path = "/nowhere" }, "create it with createdb"},
	}
	for name, tt := range tests {
		u := *good
		tt.change(&u)
		_, err := storage.Open(t.Context(), u.String(), storage.Options{StartWithoutDatabase: true}) // it is no outage that passes
		if name == "password" && err == nil {
			t.Log("this server asks for no password")
			continue
		}
		if !errors.Is(err, storage.ErrUnusable) || !strings.Contains(fmt.Sprint(err), tt.want) || strings.Contains(fmt.Sprint(err), "hunter2") {
			t.Errorf("wrong %s: %v\nwant %q", name, err, tt.want)
		}
	}
}

// What libpq's environment says counts as well: the URL need not repeat it.
func TestPostgresEnvironment(t *testing.T) {
	u, err := url.Parse(storagetest.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	t.Setenv("PGHOST", u.Hostname())
	t.Setenv("PGPORT", u.Port())
	t.Setenv("PGUSER", u.User.Username())
	t.Setenv("PGPASSWORD", password)
	t.Setenv("PGDATABASE", strings.TrimPrefix(u.Path, "/"))
	t.Setenv("PGSSLMODE", "disable")
	for _, url := range []string{"postgres://", "postgresql:///?search_path=" + u.Query().Get("search_path"), "application_name=mine"} {
		db, err := storage.Open(t.Context(), url, storage.Options{LeaveSchema: true})
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		_ = db.Close()
	}
}

// A database that a later program has migrated is left alone.
func TestNewerSchema(t *testing.T) {
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			url := database(t)
			db := storagetest.Open(t, url)
			raw(t, url, "INSERT INTO w3host_schema (version_id, is_applied) VALUES (9999, true)")
			_, err := storage.Open(t.Context(), url, storage.Options{})
			if !errors.Is(err, storage.ErrNewerSchema) || !strings.Contains(fmt.Sprint(err), "step 9999") {
				t.Errorf("opened anew: %v", err)
			}
			if _, err := storage.Open(t.Context(), url, storage.Options{StartWithoutDatabase: true}); !errors.Is(err, storage.ErrNewerSchema) {
				t.Errorf("opened anew, patiently: %v", err)
			}
			if err := db.MigrateUp(t.Context()); !errors.Is(err, storage.ErrNewerSchema) {
				t.Errorf("migrated up: %v", err)
			}
		})
	}
}

// The views that only people read can be read.
func TestViews(t *testing.T) {
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			url := database(t)
			db := storagetest.Open(t, url)
			s := sink{storage.Batch{HostID: storage.NewGameKey().String(), Run: storage.NewGameKey().String()}}
			playGame(&s, storage.NewGameKey(), 2, 1)
			if err := db.Apply(t.Context(), s.batch); err != nil {
				t.Fatal(err)
			}
			if _, err := db.AddBan(t.Context(), storage.Ban{Name: "Bob"}); err != nil {
				t.Fatal(err)
			}
			for view, want := range map[string]int{
				"game_list": 1, "result_values": 2, "played": 2, "player_stats": 2, "map_stats": 1, "daily_games": 1, "active_bans": 1,
			} {
				if n := raw(t, url, "SELECT count(*) FROM "+view); n != want {
					t.Errorf("%s has %d rows, want %d", view, n, want)
				}
			}
		})
	}
}

// TestUnasked: a server that takes connections and never answers keeps nobody waiting.
func TestUnasked(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	db, err := storage.Open(ctx, "postgres://w3host@"+silent.Addr().String()+"/x?sslmode=disable", storage.Options{StartWithoutDatabase: true, Unasked: true})
	if err != nil || ctx.Err() != nil {
		t.Fatal(err, ctx.Err())
	}
	_ = db.Close()
}

// A host may start while its database is away: it records, and the schema is
// made when the database comes.
func TestStartWithoutDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	blocked := filepath.Join(dir, "data")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil { // a file where the directory should be
		t.Fatal(err)
	}
	url := "sqlite:" + filepath.Join(blocked, "w3host.db")
	if _, err := storage.Open(t.Context(), url, storage.Options{}); !errors.Is(err, storage.ErrUnavailable) {
		t.Fatalf("opened what is not there: %v", err)
	}

	server := storagetest.NewServer(t)
	server.Stop()
	db, err := storage.Open(t.Context(), server.URL, storage.Options{StartWithoutDatabase: true, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	guard := storage.NewAccessCache(db, storage.AccessCacheOptions{})
	defer guard.Close()
	spool := t.TempDir()
	rec, _ := newRecorder(t, db, spool)
	key := storage.NewGameKey()
	playGame(rec, key, 3, 1)
	select {
	case <-guard.Loaded():
		t.Error("bans are known without a database")
	case <-time.After(200 * time.Millisecond):
	}
	if s := rec.Stats(); s.Applied != 0 {
		t.Errorf("without a database: %+v", s)
	}
	server.Start()
	drain(t, rec, spool)
	if err := checkGame(t.Context(), db, key, 3, 1); err != nil {
		t.Error(err)
	}
	select {
	case <-guard.Loaded():
	case <-time.After(10 * time.Second):
		t.Error("the bans are not loaded when the database comes")
	}
}
