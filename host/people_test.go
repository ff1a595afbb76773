package host

import (
	"context"
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"w3host/control/people"
	"w3host/game/command"
	"w3host/storage"
	"w3host/texts"
)

// alicesGuard is a guard for which Alice is an admin.
type alicesGuard struct{ *storage.AccessCache }

func (g alicesGuard) Banned(name string, addr netip.Addr, realm string, playing bool) string {
	if b, banned := g.IsBanned(name, addr, realm, playing); banned {
		return b.Reason
	}
	return ""
}

func (alicesGuard) Level(who Joiner) command.Level {
	name := who.Name
	if name == "Alice" {
		return command.Admin
	}
	return command.Anyone
}

// TestBansFromChat: an admin's ban is in the database, and counts at once for the
// one who is in the lobby and for one who is in another game.
func TestBansFromChat(t *testing.T) { inBubble(t, testBansFromChat) }

func testBansFromChat(t *testing.T) {
	db, err := storage.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "bans.db"), storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	guard := alicesGuard{storage.NewAccessCache(db, storage.AccessCacheOptions{})}
	defer guard.Close()
	<-guard.Loaded()
	r := newRig(t, func(o *Options) {
		o.Game.Lobby.Admission.KickCooldown = time.Minute
		o.Bans, o.BansChanged, o.Admins, o.People = guard, guard.BansChanged(), guard, people.Directory{DB: db, Rule: func() people.Warnings { return people.Warnings{} }}
	})

	_, players := r.play(2)
	g := r.lobby(4)
	alice, bob := r.join(g, "Alice", nil), r.join(g, "Bob", nil)
	typed(g, alice, "!ban bob 1h flames")
	bob.UntilText("You were kicked: banned: flames")
	alice.UntilText("Bob is banned until")
	typed(g, alice, "!ban "+players[1].Name+" 2d cheats")
	players[1].UntilText("You were kicked: banned: cheats")

	bans, err := db.Bans(t.Context(), false)
	if err != nil || len(bans) != 2 || bans[1].Name != "Bob" || bans[1].By != "Alice" || time.Until(bans[1].Expires) > time.Hour {
		t.Errorf("stored %+v, %v", bans, err)
	}
	typed(g, alice, "!unban Bob")
	alice.UntilText("No longer banned: Bob.")
	typed(g, alice, "!checkban Bob")
	alice.UntilText("Bob is not banned.")
	r.join(g, "Bob", nil)
	typed(g, alice, "!stats Zoe")
	alice.UntilText("Zoe has not played here yet.")
}

// TestBansByTheHost: a ban that the host has made by itself, of an address, keeps players out of lobbies. It does not
// remove those at the address who play.
func TestBansByTheHost(t *testing.T) { inBubble(t, testBansByTheHost) }

func testBansByTheHost(t *testing.T) {
	db, err := storage.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "bans.db"), storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	guard := alicesGuard{storage.NewAccessCache(db, storage.AccessCacheOptions{})}
	defer guard.Close()
	<-guard.Loaded()
	r := newRig(t, func(o *Options) {
		o.Bans, o.BansChanged = guard, guard.BansChanged()
	})
	_, players := r.play(3)
	next := r.lobby(2)
	waits := r.join(next, "Waits", nil)
	ban := storage.Ban{Network: netip.MustParsePrefix("127.0.0.1/32"), Reason: "left a game early", By: storage.ByHost}
	if _, err := db.AddBan(t.Context(), ban); err != nil {
		t.Fatal(err)
	}
	waits.UntilText("You were kicked: banned: left a game early")
	if b := r.knock(next, "New", nil).Next(); b[1] != 0x05 {
		t.Errorf("a joiner from the address: % X", b)
	}
	time.Sleep(time.Second)
	for _, c := range players {
		if c.Ending() != nil || c.Count(0x0C) == 0 {
			t.Errorf("%s plays no more: %v", c.Name, c.Ending())
		}
	}
	if n := len(recordsOf[storage.DropEvent](r)); n != 0 {
		t.Errorf("%d players were dropped", n)
	}
}

// deaf does not answer, nor hear of the end of its time.
type deaf struct{ release chan struct{} }

func (d deaf) Ask(context.Context, command.Query) (string, error) { <-d.release; return "", nil }

func (d deaf) Login(context.Context, string, string) error { <-d.release; return nil }

func (d deaf) Language(context.Context, string) (texts.Language, bool, error) {
	<-d.release
	return 0, false, nil
}

func (d deaf) Ignored(context.Context, string, string) ([]string, error) { return nil, nil }

// TestQuestionsAreBounded: a database that hangs holds few goroutines, and nobody
// waits for it; without one, the answer says so.
func TestQuestionsAreBounded(t *testing.T) { inBubble(t, testQuestionsAreBounded) }

func testQuestionsAreBounded(t *testing.T) {
	d := deaf{make(chan struct{})}
	defer close(d.release)
	r := newRig(t, func(o *Options) { o.People = d })
	g := r.lobby(4)
	alice := r.join(g, "Alice", nil)
	for range 8 {
		typed(g, alice, "!stats")
	}
	typed(g, alice, "!stats")
	alice.UntilText("Too many requests")
	alice.UntilText("The database does not answer")

	r = newRig(t, nil)
	g = r.lobby(4)
	alice = r.join(g, "Alice", nil)
	typed(g, alice, "!stats")
	alice.UntilText("This host has no database")
}
