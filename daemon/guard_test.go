package daemon

import (
	"net/netip"
	"testing"

	"w3host/config"
	"w3host/game/command"
	"w3host/host"
	"w3host/storage"
	"w3host/storage/storagetest"
)

// away is a database that nobody can ask.
func away(t *testing.T) *storage.Store {
	t.Helper()
	db, err := storage.Open(t.Context(), "postgres://w3host@127.0.0.1:1/x?sslmode=disable", storage.Options{StartWithoutDatabase: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// Without a list of bans, database.require_bans decides who may join.
func TestRequireBans(t *testing.T) {
	dir := t.TempDir()
	for _, require := range []bool{false, true} {
		g := newGuard(storage.NewAccessCache(away(t), storage.AccessCacheOptions{Dir: dir}), requiring(require))
		if why := g.Banned("Bob", netip.MustParseAddr("192.0.2.7"), "", false); (why != "") != require {
			t.Errorf("require_bans = %v: %q", require, why)
		}
		if why := g.Banned("Bob", netip.MustParseAddr("192.0.2.7"), "", true); why != "" {
			t.Errorf("require_bans = %v: a player of a running game is removed: %q", require, why)
		}
		g.Close()
	}
	db := storagetest.Open(t, storagetest.SQLite(t))
	g := newGuard(storage.NewAccessCache(db, storage.AccessCacheOptions{Dir: dir}), requiring(true))
	<-g.Loaded()
	g.Close()
	// The next start knows that nobody is banned.
	g = newGuard(storage.NewAccessCache(away(t), storage.AccessCacheOptions{Dir: dir}), requiring(true))
	defer g.Close()
	if why := g.Banned("Bob", netip.MustParseAddr("192.0.2.7"), "", false); why != "" {
		t.Errorf("an empty list that is known: %q", why)
	}
}

// Whom an admin trusts is not an admin, and on the LAN a name alone is not trusted.
func TestTrusted(t *testing.T) {
	dir := t.TempDir()
	db := storagetest.Open(t, storagetest.SQLite(t))
	for _, realm := range []string{"", "home"} {
		if err := db.AddAdmin(t.Context(), storage.Admin{Name: "Bob", Realm: realm, Role: storage.RoleTrusted}); err != nil {
			t.Fatal(err)
		}
	}
	g := newGuard(storage.NewAccessCache(db, storage.AccessCacheOptions{Dir: dir}), config.Default())
	<-g.Loaded()
	defer g.Close()
	for _, test := range []struct {
		who  host.Joiner
		want command.Level
	}{
		{host.Joiner{Name: "bob", Realm: "home"}, command.Trusted},
		{host.Joiner{Name: "bob", Realm: "far"}, command.Anyone},
		{host.Joiner{Name: "bob"}, command.Anyone},
	} {
		if got := g.Level(test.who); got != test.want {
			t.Errorf("%+v: %v, want %v", test.who, got, test.want)
		}
	}
}

// The countries of addresses are those of moderation.country_file; a file that cannot be read changes nothing.
func TestCountries(t *testing.T) {
	g := newGuard(storage.NewAccessCache(away(t), storage.AccessCacheOptions{Dir: t.TempDir()}), config.Default())
	defer g.Close()
	addr := netip.MustParseAddr("203.0.113.9")
	use := func(file string) error { return g.useCountries(config.Moderation{CountryFile: file}) }
	if got := g.country(addr); got != "" {
		t.Errorf("without a file: %q", got)
	}
	if err := use("../internal/country/testdata/one.mmdb"); err != nil || g.country(addr) != "DE" {
		t.Errorf("%q, %v", g.country(addr), err)
	}
	if err := use("guard_test.go"); err == nil || g.country(addr) != "DE" {
		t.Errorf("after a file of another kind: %q, %v", g.country(addr), err)
	}
	if err := use(""); err != nil || g.country(addr) != "" {
		t.Errorf("no longer: %q, %v", g.country(addr), err)
	}
}

// requiring is a configuration with this database.require_bans.
func requiring(bans bool) config.Config {
	c := config.Default()
	c.Database.RequireBans = bans
	return c
}
