package doctor

import (
	"strings"
	"testing"

	"w3host/config"
	"w3host/storage"
	"w3host/storage/storagetest"
)

// What an operator reads before several hosts share a database, with the remedy of each fault.
func TestFleet(t *testing.T) {
	t.Parallel()
	expects := func(c config.Config, detail, remedy string) {
		t.Helper()
		f := checkFleet(t.Context(), c)
		if !strings.Contains(f.Detail, detail) || !strings.Contains(f.Remedy, remedy) || (f.Remedy == "") != (remedy == "") {
			t.Errorf("%+v, want %q and %q", f, detail, remedy)
		}
	}
	c := config.Default()
	c.Fleet.Enabled, c.Host.Listen, c.Lobby.Name = true, "127.0.0.1:1", "dota"
	c.Database.URL = storagetest.SQLite(t)
	expects(c, "needs Postgres", "set database.url to a Postgres")
	c.Database.URL = "postgres://w3host@127.0.0.1:1/w3host"
	expects(c, "cannot query the other hosts", "shows no lobby")

	c.Database.URL = storagetest.Postgres(t)
	expects(c, "no host has used the database yet", "")
	db, err := storagetest.Open(t, c.Database.URL).Fleet(c.Database.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	enter := func(name string, pools ...storage.Pool) {
		t.Helper()
		h := storage.FleetHost{Session: storage.NewGameKey().String(), Host: storage.NewGameKey().String(), Run: storage.NewGameKey().String(), Name: name, Address: "10.0.0.1:6112"}
		if _, err := db.Enter(t.Context(), h, pools); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Define(t.Context(), []storage.Pool{{Name: "entry/dota", Leases: 1}}); err != nil {
		t.Fatal(err)
	}
	expects(c, "there are no hosts in the database; all hosts have the same entries", "")
	enter("frankfurt", storage.Pool{Name: "entry/dota", Leases: 3}, storage.Pool{Name: "entry/melee", Leases: 1})
	expects(c, `hosts in the database: 1: frankfurt at 10.0.0.1:6112; lobbies of "dota": 1 here, 3 in the database; other hosts have or had "melee"`, "")
	c.Lobby.Name = "legion"
	expects(c, `no other host has the entry "legion"`, "")
	c.Realms = []config.Realm{{Name: "Home"}}
	expects(c, "frankfurt", "Home has accounts for 1 of 2 hosts; create one account per host")
	c.Realms = append(c.Realms, config.Realm{Name: "Home"})
	expects(c, "frankfurt", "")
	for range withoutPooler {
		enter("many")
	}
	c.Realms = nil
	expects(c, "10: many at 10.0.0.1:6112; and 41 more; ", "hosts need a connection pooler")
	c.Database.URL += "&default_query_exec_mode=exec"
	expects(c, "many", "")

	url, _ := storagetest.Managed(t)
	storagetest.Open(t, url)
	c.Database.URL = url
	expects(c, "the database cannot hold a fleet: a fleet needs the right to call pg_walfile_name", "grant that right")
}
