package host

import (
	"context"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/internal/flood"
	"w3host/internal/testkit"
	"w3host/internal/tier"
)

// Attackers in the process of the host would take its goroutines' turns at the
// processors. They are a process of their own, which is the test binary again.
const attackEnv = "W3HOST_TEST_ATTACK"

// TestAttackers is the other process; by itself it has nothing to do.
func TestAttackers(t *testing.T) {
	name, addr, ok := strings.Cut(os.Getenv(attackEnv), "@")
	if !ok {
		t.Skip("only for the tests of bystanders")
	}
	a, err := flood.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() { // ends when the parent closes the pipe
		_, _ = os.Stdin.Read(make([]byte, 1))
		stop()
	}()
	a.Run(ctx, flood.Target{Addr: addr, Game: 2})
}

// attack lets attackers loose on the host, and returns what ends them.
func (r *rig) attack(names ...string) (end func()) {
	var ends []func()
	for _, name := range names {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestAttackers$")
		cmd.Env = append(os.Environ(), attackEnv+"="+name+"@"+r.h.Addr().String())
		in, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			r.t.Fatal(err)
		}
		ends = append(ends, func() { _, _, _ = in.Close(), cmd.Process.Kill(), cmd.Wait() })
	}
	return func() {
		for _, end := range ends {
			end()
		}
	}
}

// TestBystanderOfAttacks: whatever somebody does, the players of another game get their
// turns, and nobody else loses the connection.
func TestBystanderOfAttacks(t *testing.T) {
	tier.All(t, "judges lateness in real time")
	attacks := [][]string{{"whole map reports", "unknown packets of 64 KB", "connections"}}
	for _, a := range flood.Attacks {
		attacks = append(attacks, []string{a.Name})
	}
	for _, names := range attacks {
		t.Run(strings.Join(names, " and "), func(t *testing.T) { bystanderOf(t, names) })
	}
}

func bystanderOf(t *testing.T, attacks []string) {
	const lasts = 1200 * time.Millisecond
	r := newRig(t, func(o *Options) {
		o.Listing, o.Limits.Unjoined, o.Limits.Exempt = true, 1024, []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
		o.Game.Reconnect.Wait, o.Game.Reconnect.Silence = time.Minute, 20*time.Second
	})
	playing, players := r.play(3)
	late := new(lateTape)
	ask(t, playing, func(g *Game) bool { g.observers = append(g.observers, late); return true })
	g := r.lobby(12)
	var waiting []*client
	if attacks[0] != "returns" { // they start their game
		waiting = append(waiting, r.join(g, "Waiting", player))
	}
	jitter := watchMachine(t)
	end := r.attack(attacks...)
	testkit.Eventually(t, "the attack", func() bool {
		links := 0
		return r.h.shard.Wait(func() { links = r.h.shard.Connections() }) && links > len(players)+len(waiting) || len(r.log.find("")) > 100
	})
	time.Sleep(lasts)
	waiting = append(waiting, r.join(r.lobby(2), "Newcomer", player))
	end()
	checkUndisturbed(t, playing, late, players, jitter())
	for _, c := range waiting {
		if err := c.Ending(); err != nil {
			t.Errorf("%s lost the connection: %v", c.Name, err)
		}
	}
}

// checkUndisturbed: the turns of a game were late by little more than the machine.
func checkUndisturbed(t *testing.T, g *Game, late *lateTape, players []*client, machine time.Duration) {
	t.Helper()
	worst := ask(t, g, func(*Game) time.Duration { return slices.Max(*late) })
	if most := 20*time.Millisecond + 2*machine; worst > most {
		t.Errorf("a turn was %v late, want %v at most", worst, most)
	}
	t.Logf("turns were at most %v late, the machine %v", worst, machine)
	checkBeat(t, players, period+100*time.Millisecond+2*machine)
}
