package host

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"w3host/internal/testkit"
)

// zeros is what stands in a 0x06 for two addresses that are not told.
var zeros = strings.Repeat(" 00", 32)

// TestJoin holds what a joiner and the others are sent against the bytes of the
// protocol, in their order. Pid 1 is the virtual host's, 2 the fake player's.
func TestJoin(t *testing.T) { inBubble(t, testJoin) }

func testJoin(t *testing.T) {
	r := newRig(t, nil)
	g := r.lobby(4)
	order(t, g, "fakeplayer")

	alice := r.knock(g, "Alice", nil)
	alice.PID = 3
	one := `02 64 02 00 00 00 60 01 64   03 FF 02 00 01 01 60 01 64
		00 FF 00 00 00 02 60 01 64   00 FF 00 00 01 03 60 01 64`
	tail := " ?? ?? ?? ?? 01 04" // random seed, layout, start spots
	host := "F7 06 30 00 02 00 00 00 01 48 6F 73 74 00 01 00" + zeros
	fake := "F7 06 32 00 02 00 00 00 02 46 61 6B 65 20 31 00 01 00" + zeros
	mapCheck := `F7 3D 3C 00 01 00 00 00
		4D 61 70 73 5C 44 6F 77 6E 6C 6F 61 64 5C 74 2E 77 33 78 00
		A0 0F 00 00 44 33 22 11 88 77 66 55
		01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14`
	alice.Expect(
		"F7 04 42 00 2B 00 04 "+one+tail+" 03 "+seenAs(alice),
		host, fake, mapCheck,
		"F7 09 31 00 2B 00 04 "+one+tail,
	)
	if line := alice.UntilText(""); line != "You own this lobby: !help lists your commands." {
		t.Errorf("the first who joins reads %q", line)
	}

	bob := r.knock(g, "Bob", nil)
	bob.PID = 4
	two := `02 64 02 00 00 00 60 01 64   03 FF 02 00 01 01 60 01 64
		04 FF 02 00 00 02 60 01 64   00 FF 00 00 01 03 60 01 64`
	// The address that the host sees, with the port that the player listens on; then
	// their own word for it.
	addresses := " 02 00 17 E0 7F 00 00 01 00 00 00 00 00 00 00 00 02 00 17 E0 0A 00 00 05 00 00 00 00 00 00 00 00"
	bob.Expect(
		"F7 04 42 00 2B 00 04 "+two+tail+" 04 "+seenAs(bob),
		host, fake,
		"F7 06 31 00 07 00 00 00 03 41 6C 69 63 65 00 01 00"+addresses,
		mapCheck,
		"F7 09 31 00 2B 00 04 "+two+tail,
	)
	alice.Expect(
		"F7 06 2F 00 07 00 00 00 04 42 6F 62 00 01 00"+addresses,
		"F7 09 31 00 2B 00 04 "+two+tail,
	)

	// A map that is there is 100 % in the next table, which may wait a second.
	bob.Send(packet(0x42, uint32(1), byte(1), uint32(4000)))
	full := strings.Replace(two, "04 FF", "04 64", 1)
	bob.Expect("F7 09 31 00 2B 00 04 " + full + tail)
	alice.Expect("F7 09 31 00 2B 00 04 " + full + tail)

	// Colour 11 (brown) for Bob: one table for all.
	bob.Send(packet(0x28, byte(1), byte(1), byte(4), byte(0x12), byte(11)))
	brown := strings.Replace(full, "00 02 60 01 64   00 FF", "00 0B 60 01 64   00 FF", 1)
	alice.Expect("F7 09 31 00 2B 00 04 " + brown + tail)
	bob.Expect("F7 09 31 00 2B 00 04 " + brown + tail)

	// A goodbye: 0x1B and the end for Bob, 0x07 with reason 13 and a table for Alice.
	bob.Send(packet(0x21, uint32(13)))
	bob.Expect("F7 1B 04 00")
	wantFIN(t, bob)
	alice.Expect("F7 07 09 00 04 0D 00 00 00", "F7 09 31 00 ?? ?? ??"+strings.Repeat(" ??", 36)+tail)

	// The pid and slot are free for the next, and the last words went nowhere else.
	carol := r.join(g, "Carol", nil)
	if carol.PID != 4 {
		t.Errorf("Carol has pid %d, want the smallest free one, 4", carol.PID)
	}
	alice.Expect("F7 06 31 00 07 00 00 00 04 43 61 72 6F 6C 00 01 00" + addresses)
}

// TestWordsOfTheGone: one who has left, and lingers, can neither speak nor leave
// for the next who has that pid.
func TestWordsOfTheGone(t *testing.T) { inBubble(t, testWordsOfTheGone) }

func testWordsOfTheGone(t *testing.T) {
	r := newRig(t, nil)
	g := r.lobby(2)
	alice := r.join(g, "Alice", nil)
	bob := r.dial() // reads only here, and does not close
	bob.Send(joinPacket(g.ID(), g.EntryKey(), "Bob"), packet(0x21, uint32(13)))
	for {
		b, err := bob.Read()
		if err != nil {
			t.Fatal(err)
		}
		if b[1] == 0x1B {
			break
		}
	}
	carol := r.join(g, "Carol", nil)
	if carol.PID != 3 {
		t.Fatalf("Carol has pid %d, want Bob's, 3", carol.PID)
	}
	bob.Send(packet(0x28, byte(1), byte(2), byte(3), byte(0x10), "boo"), packet(0x21, uint32(13)))
	_ = bob.Conn.Close()
	carol.Say("hi", alice.PID)
	alice.UntilText("You own this lobby")
	if line := alice.UntilText(""); line != "hi" {
		t.Errorf("Alice reads %q", line)
	}
	if n := alice.Count(0x07); n != 1 || carol.Ending() != nil {
		t.Errorf("%d leaves, Carol's connection: %v", n, carol.Ending())
	}
}

// seenAs is a client's address as the host sees it, as a sockaddr_in.
func seenAs(c *client) string {
	ap := c.Conn.LocalAddr().String()
	var a, b, d, e, port int
	_, _ = fmt.Sscanf(ap, "%d.%d.%d.%d:%d", &a, &b, &d, &e, &port)
	return fmt.Sprintf("02 00 %02X %02X %02X %02X %02X %02X 00 00 00 00 00 00 00 00", port>>8, port&255, a, b, d, e)
}

// TestRefusals: every reason a joiner may be given, and the proper end after it.
func TestRefusals(t *testing.T) { inBubble(t, testRefusals) }

func testRefusals(t *testing.T) {
	r := newRig(t, func(o *Options) {
		o.RequireEntryKey = true
		o.Bans = banned("Mallory")
	})
	g := r.lobby(2)
	started := r.lobby(1)
	solo := r.join(started, "Solo", player)
	r.begin(solo)
	closed := r.lobby(1)
	order(t, closed, "unhost")
	testkit.Eventually(t, "the end of the closed lobby", func() bool { return r.h.Game(closed.ID()) == nil })
	r.join(g, "Alice", nil)

	key := g.EntryKey()
	for _, tc := range []struct {
		what string
		join []byte
		code byte
	}{
		{"wrong entry key", joinPacket(g.ID(), key+1, "Bob"), 27},
		{"unknown game", joinPacket(4711, key, "Bob"), 7},
		{"started game", joinPacket(started.ID(), started.EntryKey(), "Bob"), 10},
		{"closed lobby", joinPacket(closed.ID(), closed.EntryKey(), "Bob"), 10},
		{"name taken", joinPacket(g.ID(), key, "aLICE"), 7},
		{"name of the host", joinPacket(g.ID(), key, "host"), 7},
		{"name too long", joinPacket(g.ID(), key, "Sixteen letters!"), 7},
		{"no name", joinPacket(g.ID(), key, ""), 7},
		{"banned", joinPacket(g.ID(), key, "Mallory"), 7},
	} {
		c := r.dial()
		c.Name = tc.what
		go c.Listen()
		c.Send(tc.join)
		c.Expect(fmt.Sprintf("F7 05 08 00 %02X 00 00 00", tc.code))
		wantFIN(t, c)
	}
	r.join(g, "Bob", nil)
	full := r.knock(g, "Carol", nil)
	full.Expect("F7 05 08 00 09 00 00 00")
	wantFIN(t, full)
	if line := r.logged("join refused"); line["reason"] == nil {
		t.Errorf("the log does not say why a join was refused: %v", line)
	}
}

// TestRefusedClientThatStays: one who is refused and does not hang up is not kept.
func TestRefusedClientThatStays(t *testing.T) { inBubble(t, testRefusedClientThatStays) }

func testRefusedClientThatStays(t *testing.T) {
	r := newRig(t, nil)
	g := r.lobby(2)
	r.join(g, "Alice", nil)
	// One is refused on the way to a lobby, one by the lobby.
	outside, inside := r.dial(), r.dial()
	outside.Send(joinPacket(4711, 0, "Bob"))
	inside.Send(joinPacket(g.ID(), g.EntryKey(), "Alice"))
	for _, c := range []*client{outside, inside} {
		if b, err := c.Read(); err != nil || b[1] != 0x05 {
			t.Fatalf("got % X, %v, want a refusal", b, err)
		}
		testkit.Eventually(t, "the end of the connection", func() bool {
			_, err := c.Conn.Write([]byte{0xF7})
			return err != nil
		})
	}
}

type bannedName string

func banned(name string) bannedName { return bannedName(name) }

// Banned implements Bans.
func (b bannedName) Banned(name string, _ netip.Addr, _ string, _ bool) string {
	if name == string(b) {
		return "for the test"
	}
	return ""
}
