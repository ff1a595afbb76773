package storage_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/storage"
)

// testNetworkRoles: a role that is bound to a network is one of its own, with a
// name or without.
func testNetworkRoles(t *testing.T, db *storage.Store) {
	ctx := t.Context()
	home, desk := netip.MustParsePrefix("192.168.1.0/24"), netip.MustParsePrefix("192.168.1.7/32")
	v6 := netip.MustParsePrefix("2001:db8::/32")
	add := func(name string, network netip.Prefix, role storage.Role) error {
		return db.AddAdmin(ctx, storage.Admin{Name: name, Network: network, Role: role, By: "setup", At: day})
	}
	for _, err := range []error{
		add("", home, "admin"), add("Ann", desk, "root"), add("Ann", home, "admin"), add("Ann", netip.Prefix{}, "admin"), add("", v6, "root"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	wantError(t, "again", add("ann", desk, "root"), storage.ErrConflict, "ann from 192.168.1.7 is root on the LAN")
	wantError(t, "nobody", add("", netip.Prefix{}, "root"), storage.ErrRejected, "needs a name or a network")
	wantError(t, "no role", add("Ann", netip.Prefix{}, "king"), storage.ErrRejected, "one of the roles trusted, admin, root")
	g := storage.NewAccessCache(db, storage.AccessCacheOptions{})
	defer g.Close()
	<-g.Loaded()
	for _, tt := range []struct {
		name, addr string
		want       []string
	}{
		{"bob", "192.168.1.99", []string{"192.168.1.0/24 admin"}},
		{"bob", "::ffff:192.168.1.99", []string{"192.168.1.0/24 admin"}},
		{"bob", "10.0.0.1", nil},
		{"bob", "2001:db8::1", []string{"2001:db8::/32 root"}},
		{"ANN", "192.168.1.7", []string{"Ann admin", "Ann from 192.168.1.0/24 admin", "Ann from 192.168.1.7 root", "192.168.1.0/24 admin"}},
		{"ANN", "10.0.0.1", []string{"Ann admin"}},
	} {
		var got []string
		for _, a := range g.AdminsAs(tt.name, "", netip.MustParseAddr(tt.addr)) {
			got = append(got, a.Target()+" "+string(a.Role))
		}
		equal(t, tt.name+" from "+tt.addr, got, tt.want)
	}
	if got := g.AdminsAs("bob", "europe", netip.MustParseAddr("192.168.1.99")); got != nil {
		t.Errorf("on a realm: %+v", got)
	}
	if err := db.RemoveAdmin(ctx, storage.Admin{Name: "ann", Network: desk}); err != nil {
		t.Error(err)
	}
	wantError(t, "twice", db.RemoveAdmin(ctx, storage.Admin{Name: "ann", Network: desk}), storage.ErrNotFound, "no admin ann from 192.168.1.7 on the LAN")
	if err := db.RemoveAdmin(ctx, storage.Admin{Name: "ann"}); err != nil {
		t.Error(err)
	}
	if err := db.RemoveAdmin(ctx, storage.Admin{Network: home}); err != nil {
		t.Error(err)
	}
	rest, err := db.Admins(ctx)
	if err != nil || len(rest) != 1 || rest[0].Network != v6 {
		t.Errorf("the rest: %+v, %v", rest, err)
	}
}

// testPasswords: only an admin of the LAN has one, and no longer than the role.
func testPasswords(t *testing.T, db *storage.Store) {
	ctx := t.Context()
	add := func(name, realm string, network netip.Prefix) {
		t.Helper()
		if err := db.AddAdmin(ctx, storage.Admin{Name: name, Realm: realm, Network: network, Role: storage.RoleAdmin}); err != nil {
			t.Fatal(err)
		}
	}
	add("Ann", "", netip.Prefix{})
	add("Ann", "", netip.MustParsePrefix("10.0.0.0/8"))
	add("Ann", "europe", netip.Prefix{})
	add("Eve", "europe", netip.Prefix{})
	add("", "", netip.MustParsePrefix("10.0.0.0/8"))
	wantError(t, "nobody", db.SetPassword(ctx, "Zoe", "h", "setup"), storage.ErrNotFound, "no admin Zoe on the LAN")
	wantError(t, "on a realm", db.SetPassword(ctx, "Eve", "h", "setup"), storage.ErrNotFound, "no admin Eve on the LAN")
	wantError(t, "a network", db.SetPassword(ctx, "", "h", "setup"), storage.ErrNotFound, "no admin")
	for _, hash := range []string{"first", "second"} {
		if err := db.SetPassword(ctx, " aNN", hash, "setup"); err != nil {
			t.Fatal(err)
		}
		if got, err := db.PasswordHash(ctx, "ann"); err != nil || got != hash {
			t.Errorf("%q, %v", got, err)
		}
	}
	all, err := db.Admins(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if want := a.Name == "Ann" && a.Realm == ""; a.Password != want {
			t.Errorf("%s@%s has a password: %v", a.Target(), a.Realm, a.Password)
		}
	}
	if err := db.RemoveAdmin(ctx, storage.Admin{Name: "Ann", Network: netip.MustParsePrefix("10.0.0.0/8")}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.PasswordHash(ctx, "Ann"); err != nil {
		t.Errorf("with a role left: %v", err)
	}
	if err := db.RemoveAdmin(ctx, storage.Admin{Name: "Ann"}); err != nil {
		t.Fatal(err)
	}
	_, err = db.PasswordHash(ctx, "Ann")
	wantError(t, "without a role", err, storage.ErrNotFound, "no password of Ann")
	add("Ann", "", netip.Prefix{})
	if err := db.SetPassword(ctx, "Ann", "third", "setup"); err != nil {
		t.Fatal(err)
	}
	if err := db.SetPassword(ctx, "ann", "", "setup"); err != nil {
		t.Error(err)
	}
	wantError(t, "taken twice", db.SetPassword(ctx, "ann", "", "setup"), storage.ErrNotFound, "no password of ann")
}

func testLanguages(t *testing.T, db *storage.Store) {
	ctx := t.Context()
	for _, tag := range []string{"", "zh", "en"} {
		if tag != "" {
			if err := db.SetLanguage(ctx, "玩家 Ann", tag); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := db.LanguageOf(ctx, " 玩家 ANN "); err != nil || got != tag {
			t.Errorf("%q, %v, want %q", got, err, tag)
		}
	}
	wantError(t, "nobody", db.SetLanguage(ctx, " ", "zh"), storage.ErrRejected, "needs a name")
}

func testIgnored(t *testing.T, db *storage.Store) {
	ctx := t.Context()
	try := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	try(db.Ignore(ctx, "Ann", "", " Bob "))
	try(db.Ignore(ctx, "ANN", "", "bob"))
	try(db.Ignore(ctx, "Ann", "Home", "Cid"))
	try(db.Ignore(ctx, "Dan", "", "Ann"))
	list := func(name, realm string, want ...string) {
		t.Helper()
		if got, err := db.IgnoredBy(ctx, name, realm); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s@%s ignores %q, %v, want %q", name, realm, got, err, want)
		}
	}
	list("ann", "", "Bob")
	list("ann", "HOME", "Cid")
	try(db.Unignore(ctx, "ann", "home", "CID"))
	list("Ann", "Home")
	wantError(t, "nobody", db.Ignore(ctx, "Ann", "", " "), storage.ErrRejected, "two names")
	for i := range storage.MostIgnored - 1 {
		try(db.Ignore(ctx, "Ann", "", fmt.Sprint("Rude", i)))
	}
	try(db.Ignore(ctx, "Ann", "", "Bob"))
	wantError(t, "too many", db.Ignore(ctx, "Ann", "", "one more"), storage.ErrConflict, "ignores 50 players")
	if _, err := db.Forget(ctx, "Ann"); err != nil {
		t.Error(err)
	}
	list("Ann", "")
	list("Dan", "")
}

func testRemarks(t *testing.T, db *storage.Store) {
	ctx := t.Context()
	add := func(kind storage.RemarkKind, name, line string, at time.Duration, standing int) {
		t.Helper()
		n, err := db.AddRemark(ctx, storage.Remark{Kind: kind, Name: name, Line: line, By: "Root", At: after(at)}, after(time.Hour))
		if err != nil || n != standing {
			t.Errorf("%s: %d stand, %v, want %d", line, n, err, standing)
		}
	}
	add(storage.Warning, "Bob", "too old", 0, 0)
	add(storage.Warning, " BOB ", "rude", 2*time.Hour, 1)
	add(storage.Note, "bob", "with Zoe", 3*time.Hour, 1)
	add(storage.Warning, "Zoe", "another", 3*time.Hour, 1)
	add(storage.Warning, "bob", "rude again", 4*time.Hour, 2)
	if err := db.LiftWarnings(ctx, "Bob", "Root", false); err != nil {
		t.Error(err)
	}
	add(storage.Warning, "bob", "once more", 5*time.Hour, 2)
	all, err := db.Remarks(ctx, "BOB", 4)
	var lines []string
	for _, r := range all {
		lines = append(lines, fmt.Sprint(r.Kind, " ", r.Line, " ", r.Lifted.IsZero()))
	}
	if want := []string{"warning once more true", "warning rude again false", "note with Zoe true", "warning rude true"}; err != nil || !slices.Equal(lines, want) {
		t.Errorf("%q, %v", lines, err)
	}
	if err := db.LiftWarnings(ctx, "Bob", "Root", true); err != nil {
		t.Error(err)
	}
	wantError(t, "no more", db.LiftWarnings(ctx, "Bob", "Root", true), storage.ErrNotFound, "no warning of Bob")
	if _, err := db.AddRemark(ctx, storage.Remark{Kind: storage.Note, Name: " "}, time.Time{}); err == nil {
		t.Error("a remark about nobody")
	}
	if f, err := db.Forget(ctx, "Zoe"); err != nil || f.Token == "" {
		t.Error(err)
	}
	if all, err := db.Remarks(ctx, "Zoe", 9); err != nil || len(all) != 0 {
		t.Errorf("of the forgotten: %v, %v", all, err)
	}
	if all, _ := db.Remarks(ctx, "Bob", 9); len(all) != 5 || strings.Contains(all[2].Line, "Zoe") {
		t.Errorf("the name stays in %v", all)
	}
}
