package host

import (
	"net/netip"
	"strings"
	"sync"
	"testing"

	"w3host/command"
	"w3host/internal/testkit"
	"w3host/storage"
)

// realms is one realm, Home, that says who is in what game.
type realms struct {
	mu   sync.Mutex
	in   map[string]bool // "name game"
	asks int
}

func (r *realms) Names() []string { return []string{"Home"} }

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

func (r *realms) Confirm(realm, name, game string, answer func(bool)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asks++
	in := r.in[name+" "+game] && realm == "Home"
	go answer(in)
}

// lists are bans and admins by "name@realm".
type lists struct{ banned, admins string }

func (l lists) Banned(name string, _ netip.Addr, realm string) string {
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

func TestNamesOfARealm(t *testing.T) {
	home := &realms{in: map[string]bool{"Ann test": true, "Eve test": true, "Zoe test": true}}
	people := lists{banned: "Eve@Home", admins: "Ann@Home Una@Home Una@ "}
	r := newRig(t, func(o *Options) {
		o.Realms, o.Bans, o.Admins = home, people, people
		o.RequireEntryKey = true
		o.Game.Lobby.SetOwner("Zoe@Home")
		o.Game.Lobby.Reserved = []string{"Rob"}
	})
	g := r.lobby(8)
	join := func(name string, id, key uint32) *client {
		c := dial(t, r.h.Addr())
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
	if levelOf(r, g, "Ann") != command.Admin || levelOf(r, g, "Bob") != command.Anyone || levelOf(r, g, "Una") != command.Anyone {
		t.Error("Ann is the admin, and nobody else")
	}
	r.h.Vouch("home", "bob")
	confirmed("Bob")

	// The owner by a realm is not the player of the LAN with that name.
	zoe := r.letIn(join("Zoe", g.ID(), g.EntryKey()))
	zoe.Say("!kick Bob")
	zoe.UntilText("only the owner may use kick")
	_ = zoe.Conn.Close()
	testkit.Eventually(t, "Zoe is gone", func() bool { return len(recordsOf[storage.PlayerLeft](r)) > 1 })
	zoe = r.letIn(join("Zoe", g.ID()|homeID, 0))
	zoe.UntilText("You own this lobby")
	_ = zoe.Conn.Close()

	// The whisper may come before the join, once.
	r.h.Vouch("Home", "Cid")
	r.letIn(join("Cid", g.ID()|homeID, 0))
	joined := recordsOf[storage.PlayerJoined](r)
	if last := joined[len(joined)-1]; last.Name != "Cid" || last.Realm != "Home" {
		t.Errorf("Cid was recorded without the realm: %+v", last)
	}
	if first := joined[0]; first.Name != "Bob" || first.Realm != "" {
		t.Errorf("Bob was recorded with a realm before it vouched: %+v", first)
	}
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

func levelOf(r *rig, g *Game, name string) (level command.Level) {
	done := make(chan struct{})
	g.call(func(g *Game) {
		defer close(done)
		for _, l := range g.seats {
			if l != nil && l.name == name {
				level = l.level()
			}
		}
	})
	<-done
	return level
}
