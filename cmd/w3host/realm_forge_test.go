package main

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"w3host/internal/realmtest"
	"w3host/internal/testkit"
)

// An admin of the realm idles in a channel, and plays elsewhere later. Whoever owns a lobby
// gives it the name of the channel, then of that game, and joins under her name: that makes
// nobody an admin. She herself is one as soon as her client reports that she has joined.
func TestForgedConfirmation(t *testing.T) {
	t.Parallel()
	s := realmtest.Start(t)
	dir := t.TempDir()
	path := realmConfig(t, dir, s.Addr())
	for _, args := range [][]string{{"db", "migrate", "up"}, {"admin", "add", "Ann", "--realm", "Home"}} {
		if out, err := processCommand(t, dir, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	ann := s.Person("Ann", "w3bar")
	p := startProcess(t, dir, "--config", path, "--autostart", "-1")
	awaitLines(p, "lobby listed on the realm", 1)
	join := func(name string) *testkit.Client {
		c := testkit.Dial(t, netip.MustParseAddrPort(p.addr))
		c.Conduct = testkit.Lobbyist
		go c.Listen()
		c.Send(testkit.JoinPacket(1|1<<28, 0, name))
		b := c.Until(0x04)
		c.PID = b[6+(int(b[4])|int(b[5])<<8)]
		return c
	}
	eve := join("Eve")
	eve.UntilText("You own this lobby")
	eve.Say("!rename w3bar")
	awaitLines(p, "lobby listed on the realm", 2)
	forger := join("Ann")
	testkit.Eventually(t, "the realm is asked again and again", func() bool {
		return strings.Count(fmt.Sprint(s.Asks()), "Ann") >= 4
	})
	forger.Say("!say I am an admin")
	forger.UntilText("Only the owner can use say")
	_ = forger.Conn.Close()
	awaitLines(p, "player left", 1)

	s.Person("Cid", "").Host("raid", false)
	ann.Join("raid")
	s.Begin("raid")
	eve.Say("!rename raid")
	awaitLines(p, "lobby listed on the realm", 3)
	forger = join("Ann")
	forger.UntilText("Your name is not confirmed yet.")
	forger.Say("!say I am an admin")
	forger.UntilText("Only the owner can use say")
	_ = forger.Conn.Close()
	awaitLines(p, "player left", 2)

	eve.Say("!rename hers")
	awaitLines(p, "lobby listed on the realm", 4)
	time.Sleep(7 * time.Second) // the quota of what was asked before
	seat := join("Ann")
	time.Sleep(time.Second) // her client is slow
	ann.Join("hers")
	reported := time.Now()
	awaitLines(p, "name confirmed by the realm", 1)
	if late := time.Since(reported); late > 4*time.Second { // it is asked for a second time, or a third
		t.Errorf("confirmed %v after her client's report", late)
	}
	seat.Say("!say I am an admin")
	seat.UntilText("I am an admin")
	if s.Refused() > 0 {
		t.Errorf("%d lines were over the quota", s.Refused())
	}
}
