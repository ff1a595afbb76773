package host

import (
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"w3host/game/command"
	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
	"w3host/storage"
)

// realms is one realm, Home, that says who is in what game.
type realms struct {
	mu   sync.Mutex
	in   map[string]bool // names in the game that they are asked about
	asks int
	late map[string]func(bool) // answers that the test gives
	gone []string              // whose questions were ended
	// before is the lobby that is listed before any other; empty: there is room for all.
	before string
}

func (r *realms) Of(w3gs.Version) []string { return []string{"Home"} }

func (r *realms) Version(string) w3gs.Version { return 26 }

// Port is that of a router.
func (r *realms) Port(realm string) uint16 {
	if realm == "Home" {
		return 7777
	}
	return 0
}

func (r *realms) Realm(gameID uint32) string {
	if gameID>>28 == 1 {
		return "Home"
	}
	return ""
}

func (r *realms) Account(string) string { return "hostbot" }

func (r *realms) Waits(uint32) (string, string) {
	if r.before == "" {
		return "", ""
	}
	return "Home", r.before
}

func (r *realms) Confirm(realm, name string, _ uint32, _ netip.Addr, answer func(bool)) (forget func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asks++
	if r.late != nil {
		r.late[name] = answer
	} else {
		in := r.in[name] && realm == "Home"
		go answer(in)
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.gone = append(r.gone, name)
	}
}

// lists are bans and admins by "name@realm".
type lists struct{ banned, admins string }

func (lists) AdminLike(string) string { return "" }

func (l lists) Banned(name string, _ netip.Addr, realm string, _ bool) string {
	if name+"@"+realm == l.banned {
		return "for a test"
	}
	return ""
}

func (l lists) Level(who Joiner) command.Level {
	name, realm := who.Name, who.Realm
	if strings.Contains(l.admins, name+"@"+realm) {
		return command.Admin
	}
	return command.Anyone
}

const homeID = 1 << 28

func TestNamesOfARealm(t *testing.T) { inBubble(t, testNamesOfARealm) }

func testNamesOfARealm(t *testing.T) {
	home := &realms{in: map[string]bool{"Ann": true, "Eve": true, "Zoe": true}}
	people := lists{banned: "Eve@Home", admins: "Ann@Home Una@Home Una@ "}
	r := newRig(t, func(o *Options) {
		o.Realms, o.Bans, o.Admins = home, people, people
		o.RequireEntryKey = true
		o.Game.Lobby.SetOwner("Zoe@Home")
		o.Game.Lobby.Admission.Reserved = []string{"Rob"}
	})
	g := r.lobby(8)
	join := func(name string, id, key uint32) *client {
		c := r.dial()
		c.Name = name
		go c.Listen()
		c.Send(joinPacket(id, key, name))
		return c
	}
	confirmed := func(name string) {
		testkit.Eventually(t, name+" is confirmed", func() bool {
			for _, p := range recordsOf[storage.PlayerVouched](r) {
				if p.Realm == "Home" && nameOf(r, p.PID) == name {
					return true
				}
			}
			return false
		})
	}
	// The list of a realm gives no key; a realm that is not ours gives nothing.
	r.letIn(join("Bob", g.ID()|homeID, 0))
	join("Mal", g.ID()|2<<28, g.EntryKey()).Until(0x05)
	join("Mal", g.ID(), 0).Until(0x05)

	// An admin of the realm is one once the realm says that it is them.
	r.letIn(join("Ann", g.ID()|homeID, 0))
	confirmed("Ann")
	r.letIn(join("Una", g.ID()|homeID, 0)) // whom it does not have in the game

	// Who is banned there goes when the realm says who they are.
	eve := r.letIn(join("Eve", g.ID()|homeID, 0))
	eve.UntilText("banned: for a test")

	// Whoever says to be somebody else stays nobody; a whisper helps.
	if levelOf(g, "Ann") != command.Admin || levelOf(g, "Bob") != command.Anyone || levelOf(g, "Una") != command.Anyone {
		t.Error("Ann is the admin, and nobody else")
	}
	code := r.h.CodeFor("home", "bob")
	if err := g.Redeem(seatOf(g, "Bob"), "Bob", code); err != nil {
		t.Error(err)
	}
	confirmed("Bob")

	// The owner by a realm is not the player of the LAN with that name.
	zoe := r.letIn(join("Zoe", g.ID(), g.EntryKey()))
	zoe.Say("!kick Bob")
	zoe.UntilText("Only the owner can use kick")
	_ = zoe.Conn.Close()
	testkit.Eventually(t, "Zoe is gone", func() bool { return len(recordsOf[storage.PlayerLeft](r)) > 1 })
	zoe = r.letIn(join("Zoe", g.ID()|homeID, 0))
	zoe.UntilText("You own this lobby")
	_ = zoe.Conn.Close()

	if first := recordsOf[storage.PlayerJoined](r)[0]; first.Name != "Bob" || first.Realm != "" {
		t.Errorf("Bob was recorded with a realm before it was proven: %+v", first)
	}
}

// joinFrom joins from an address of loopback.
func joinFrom(t *testing.T, r *rig, addr, name string, id uint32) *client {
	t.Helper()
	c := clientOn(t, r.connect(addr))
	c.Name = name
	go c.Listen()
	c.Send(joinPacket(id, 0, name))
	return c
}

// atSeat tells something of the link of a seated player; zero: nobody of that name has a seat.
func atSeat[T any](g *Game, name string, tell func(*link) T) (told T) {
	g.shard.Wait(func() {
		for _, l := range g.seats {
			if l != nil && l.name == name {
				told = tell(l)
			}
		}
	})
	return told
}

func seatOf(g *Game, name string) uint8 { return atSeat(g, name, func(l *link) uint8 { return l.pid }) }

func isVouched(g *Game, name string) bool {
	return atSeat(g, name, func(l *link) bool { return l.vouched })
}

func levelOf(g *Game, name string) command.Level { return atSeat(g, name, (*link).level) }

// codeShown is the code that a seat is shown.
func codeShown(t *testing.T, c *client) string {
	t.Helper()
	line := c.UntilText("Whisper this to hostbot on Home: sc ")
	return line[strings.LastIndexByte(line, ' ')+1:]
}

// A squatter who sits under the name of an admin does not become one, whatever the true
// Ann does: neither by the realm's word, once both have come, nor by a code of hers.
func TestSquatter(t *testing.T) { inBubble(t, testSquatter) }

func testSquatter(t *testing.T) {
	home := &realms{late: map[string]func(bool){}}
	r := newRig(t, func(o *Options) {
		o.Realms, o.Admins = home, lists{admins: "Ann@Home"}
	})
	g := r.lobby(8)
	squatter := r.letIn(joinFrom(t, r, "127.0.0.2", "Ann", g.ID()|homeID))
	trueAnn := joinFrom(t, r, "127.0.0.3", "ann", g.ID()|homeID)
	trueAnn.Until(0x05) // the name is taken
	home.answer("Ann", true)
	shown := codeShown(t, squatter)
	if levelOf(g, "Ann") > command.Anyone {
		t.Fatal("the realm's word that one of two is in the lobby makes the other an admin")
	}
	// She whispers to the host, as she always did, and what it tells her; not what the seat
	// was shown.
	code := r.h.CodeFor("Home", "ann")
	for _, whispered := range []string{"", code, "000000"} {
		if r.h.Prove("Home", "Ann", whispered) {
			t.Fatalf("%q proves the squatter's name", whispered)
		}
	}
	// The squatter cannot guess hers.
	pid := seatOf(g, "Ann")
	for _, guess := range []string{shown, "1", "123456", code} {
		if guess != code && g.Redeem(pid, "Ann", guess) == nil {
			t.Errorf("the guess %s proves the name", guess)
		}
	}
	if err := g.Redeem(pid, "Ann", code); err == nil {
		t.Error("after three wrong codes a right one counts")
	}
	// Somebody else's account cannot prove it either.
	if r.h.Prove("Home", "Eve", shown) || r.h.Prove("Other", "Ann", shown) {
		t.Error("another account proves the name")
	}
	if isVouched(g, "Ann") {
		t.Fatal("the squatter is confirmed")
	}
	// Who has the seat and the account proves it, once.
	_ = squatter.Conn.Close()
	testkit.Eventually(t, "the squatter is out", func() bool { return seatOf(g, "Ann") == 0 })
	ann := r.letIn(joinFrom(t, r, "127.0.0.3", "Ann", g.ID()|homeID))
	code = codeShown(t, ann)
	if code == shown || !r.h.Prove("home", "ann", code) || r.h.Prove("home", "ann", code) {
		t.Error("the code of her own seat proves her name, once")
	}
	testkit.Eventually(t, "Ann is an admin", func() bool { return levelOf(g, "Ann") == command.Admin })
}

// A code that was whispered to an account is typed at its seat: in a lobby of that realm,
// once, and nobody else can use it.
func TestWhisperedCode(t *testing.T) { inBubble(t, testWhisperedCode) }

func testWhisperedCode(t *testing.T) {
	home := &realms{}
	r := newRig(t, func(o *Options) { o.Realms, o.Admins = home, lists{admins: "Ann@Home"} })
	g := r.lobby(8)
	ann, bob := r.letIn(joinFrom(t, r, "127.0.0.2", "Ann", g.ID()|homeID)), r.letIn(joinFrom(t, r, "127.0.0.2", "Bob", g.ID()|homeID))
	codeShown(t, ann)
	codeShown(t, bob)
	code := r.h.CodeFor("Home", "ANN")
	if again := r.h.CodeFor("home", "ann"); again != code {
		t.Errorf("another code while %s still counts: %s", code, again)
	}
	if g.Redeem(seatOf(g, "Bob"), "Bob", code) == nil {
		t.Error("Ann's code proves Bob's name")
	}
	// By now everybody has read it.
	if g.Redeem(seatOf(g, "Ann"), "Ann", code) == nil {
		t.Error("a code that was typed elsewhere still counts")
	}
	code = r.h.CodeFor("Home", "Ann")
	if err := g.Redeem(seatOf(g, "Ann"), "Ann", code); err != nil || !isVouched(g, "Ann") {
		t.Errorf("her code does not prove her name: %v", err)
	}
}

// Where another game has the name of the lobby the realm's word says nothing.
func TestNameOfAnotherGame(t *testing.T) { inBubble(t, testNameOfAnotherGame) }

func testNameOfAnotherGame(t *testing.T) {
	home := &realms{in: map[string]bool{"Ann": true}}
	r := newRig(t, func(o *Options) { o.Realms, o.Admins = home, lists{admins: "Ann@Home"} })
	r.lobby(8)
	g := r.lobby(8) // of the same name
	codeShown(t, r.letIn(joinFrom(t, r, "127.0.0.2", "Ann", g.ID()|homeID)))
	if levelOf(g, "Ann") > command.Anyone {
		t.Error("somebody in a game of this name is taken for one in this lobby")
	}
}

// A question to the realm ends with its seat, however that ends.
func TestQuestionEndsWithSeat(t *testing.T) { inBubble(t, testQuestionEndsWithSeat) }

func testQuestionEndsWithSeat(t *testing.T) {
	for what, end := range map[string]func(*Game, *client){
		"a lost connection": func(_ *Game, eve *client) { _ = eve.Conn.Close() },
		"a leave":           func(_ *Game, eve *client) { eve.Send(packet(0x21, uint32(13))) },
		"a kick":            func(g *Game, _ *client) { order(t, g, "kick Eve") },
	} {
		home := &realms{late: map[string]func(bool){}}
		r := newRig(t, func(o *Options) { o.Realms = home })
		g := r.lobby(8)
		end(g, r.letIn(joinFrom(t, r, "127.0.0.2", "Eve", g.ID()|homeID)))
		testkit.Eventually(t, "the question is ended by "+what, func() bool {
			home.mu.Lock()
			defer home.mu.Unlock()
			return slices.Equal(home.gone, []string{"Eve"})
		})
		home.answer("Eve", true)
	}
}

// TestProofThatEndsAGame: the last player of a game proves a name that is banned. The game ends, and the others go on.
func TestProofThatEndsAGame(t *testing.T) { inBubble(t, testProofThatEndsAGame) }

func testProofThatEndsAGame(t *testing.T) {
	home := &realms{}
	r := newRig(t, func(o *Options) { o.Realms, o.Bans = home, lists{banned: "Eve@Home"} })
	g := r.lobby(2)
	eve := r.letIn(joinFrom(t, r, "127.0.0.2", "Eve", g.ID()|homeID))
	code := codeShown(t, eve)
	order(t, g, "start now")
	eve.Until(0x0B)
	other := r.lobby(2)
	if !r.h.Prove("Home", "Eve", code) {
		t.Error("the code does not prove the name")
	}
	testkit.Eventually(t, "the end of the game", func() bool { return r.h.Game(g.ID()) == nil })
	r.join(other, "Ann", player)
}

// answer gives the answer to a question.
func (r *realms) answer(name string, in bool) {
	r.mu.Lock()
	answer := r.late[name]
	r.mu.Unlock()
	answer(in)
}

// nameOf is who had a pid last.
func nameOf(r *rig, pid uint8) (name string) {
	for _, p := range recordsOf[storage.PlayerJoined](r) {
		if p.PID == pid {
			name = p.Name
		}
	}
	return name
}

// Whoever takes a lobby off the list, or renames it, reads why a realm does not have it yet.
func TestLobbyWaitsForRealm(t *testing.T) { inBubble(t, testLobbyWaitsForRealm) }

func testLobbyWaitsForRealm(t *testing.T) {
	home := &realms{before: "first come"}
	r := newRig(t, func(o *Options) { o.Realms = home })
	g := r.lobby(8)
	ann := r.join(g, "Ann", player)
	for _, line := range []string{"!priv", "!rename second"} {
		ann.Say(line)
		want := `On Home this lobby can be found once "first come" has started or closed.`
		for testkit.ChatText(ann.Until(0x0F)) != want {
		}
	}
}
