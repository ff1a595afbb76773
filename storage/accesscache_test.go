//go:build unix

package storage_test

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"w3host/internal/heartbeat"
	"w3host/internal/testkit"
	"w3host/storage"
	"w3host/storage/storagetest"
)

// The bans known last hold at a start without a database.
func TestBansOutliveTheDatabase(t *testing.T) {
	t.Parallel()
	server := storagetest.NewServer(t)
	dir := t.TempDir()
	db := storagetest.Open(t, server.URL)
	bob, net := storage.Ban{Name: "Bob", Reason: "rude"}, storage.Ban{Network: netip.MustParsePrefix("192.0.2.0/24")}
	for _, b := range []storage.Ban{bob, net} {
		if _, err := db.AddBan(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.AddAdmin(t.Context(), storage.Admin{Name: "Ann", Role: storage.RoleRoot}); err != nil {
		t.Fatal(err)
	}
	first := storage.NewAccessCache(db, storage.AccessCacheOptions{Dir: dir})
	<-first.Loaded()
	first.Close()
	server.Stop()

	away, err := storage.Open(t.Context(), server.URL, storage.Options{StartWithoutDatabase: true})
	if err != nil {
		t.Fatal(err)
	}
	defer away.Close()
	like := func(name string) string { return strings.ReplaceAll(strings.ToLower(name), "4", "a") }
	g := storage.NewAccessCache(away, storage.AccessCacheOptions{Dir: dir, Like: like})
	defer g.Close()
	b, banned := g.IsBanned("bob", netip.Addr{}, "", false)
	if !g.Known() || !banned || b.Reason != "rude" || len(g.AdminsAs("ann", "", netip.Addr{})) != 1 {
		t.Errorf("known %v, %+v, %+v", g.Known(), b, g.AdminsAs("ann", "", netip.Addr{}))
	}
	if taken, own := g.AdminLike("4NN"), g.AdminLike("ann"); taken != "Ann" || own != "" || g.AdminLike("Bob") != "" {
		t.Errorf("4NN is taken for %q, ann for %q", taken, own)
	}
	if _, banned := g.IsBanned("x", netip.MustParseAddr("192.0.2.7"), "", false); !banned {
		t.Error("the network is not banned")
	}

	if err := os.WriteFile(filepath.Join(dir, "people.json"), []byte(`{"bans":[{"na`), 0o600); err != nil {
		t.Fatal(err)
	}
	blind := storage.NewAccessCache(away, storage.AccessCacheOptions{Dir: dir})
	defer blind.Close()
	if blind.Known() {
		t.Error("half a file is known")
	}
	server.Start()
	select {
	case <-blind.Loaded():
	case <-time.After(30 * time.Second):
		t.Fatal("not loaded when the database comes")
	}
	if _, banned := blind.IsBanned("bob", netip.Addr{}, "", false); !blind.Known() || !banned {
		t.Error("the database's bans do not count")
	}
}

// deaf is a database whose notices get lost, as in a pooler that shares
// connections between transactions.
type deaf struct{ *storage.Store }

func (deaf) Watch(context.Context, *heartbeat.Heart, func() error) error {
	return errors.New("LISTEN is not supported")
}

func TestReloadWithoutNotices(t *testing.T) {
	t.Parallel()
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			db := storagetest.Open(t, database(t))
			g := storage.NewAccessCache(deaf{db}, storage.AccessCacheOptions{Reload: 20 * time.Millisecond})
			defer g.Close()
			<-g.Loaded()
			if _, err := db.AddBan(t.Context(), storage.Ban{Name: "Bob"}); err != nil {
				t.Fatal(err)
			}
			testkit.Eventually(t, "the ban counts", func() bool { _, banned := g.IsBanned("Bob", netip.Addr{}, "", false); return banned })
		})
	}
}
