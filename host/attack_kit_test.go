package host

import (
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"w3host/config"
	"w3host/game"
	"w3host/game/autohost"
	"w3host/protocol/w3gs"
)

// siege is a public host that strangers attack while four people, each at an address of their own, want to play. Its
// lobbies have eight slots and start with four players; its limits are the defaults. The figures are the victims':
// how soon the four play one game together, and how many of their tries to join were admitted.
type siege struct {
	*rig
	done            chan struct{}
	wg              sync.WaitGroup
	tries, admitted atomic.Int32
}

// victims is the number of people who want to play together.
const victims = 4

// besiege starts the host. Attackers are addresses of 203.0.113.0/24, 45.0.0.0/8 and 2001:db8::/32; with unlimited true these are
// in limits.exempt, as if the host had no limits per address.
func besiege(t *testing.T, unlimited bool, change func(*Options)) *siege {
	t.Helper()
	c := config.Default()
	s := &siege{done: make(chan struct{})}
	s.rig = newRig(t, func(o *Options) {
		l := &o.Limits
		l.UnjoinedPerIP, l.JoinsPerMinute, l.SeatsPerIP, l.GamesPerIP = c.Limits.UnjoinedPerIP, c.Limits.JoinsPerMinute, c.Limits.SeatsPerIP, c.Limits.GamesPerIP
		l.LobbyLeaves, l.LobbyLeavesWithin, l.JoinTimeout = c.Limits.LobbyLeaves, 2*time.Minute, 10*time.Second
		if l.Exempt = nil; unlimited {
			for _, network := range []string{"203.0.113.0/24", "45.0.0.0/8", "2001:db8::/32"} {
				l.Exempt = append(l.Exempt, netip.MustParsePrefix(network))
			}
		}
		o.Autohost = oneEntry(1, 8, func(string, []w3gs.Version) (*Map, error) { return testMap(8), nil })
		e := &o.Autohost.Entries[0].Setup
		e.Turns.Period, e.IdleTimeout, e.Turns.LoadBehind = 100*time.Millisecond, c.Game.IdleTimeout.D(), 2*time.Minute
		e.Lobby.Start.Humans, e.Lobby.Owner.First, e.Lobby.Countdown.Lines = victims, false, c.Lobby.Countdown
		e.Lobby.Admission.KickCooldown, e.Lobby.Admission.MapSilence = c.Lobby.KickCooldown.D(), 15*time.Second
		e.Lobby.Admission.ShareOfLobby = c.Limits.ShareOfLobby
		e.Lobby.Close.Idle, e.Lobby.Close.Abandoned = c.Lobby.IdleAfter.D(), c.Lobby.AbandonedAfter.D()
		if change != nil {
			change(o)
		}
	})
	t.Cleanup(func() {
		close(s.done)
		s.wg.Wait()
	})
	return s
}

// entry returns the setup of the lobbies.
func entry(o *Options) *autohost.Entry { return &o.Autohost.Entries[0] }

// pause waits, and returns false when the attack is over.
func (s *siege) pause(d time.Duration) bool {
	select {
	case <-s.done:
		return false
	case <-time.After(d):
		return true
	}
}

// lobbies returns the lobbies that strangers find in the list, with an open slot.
func (s *siege) lobbies() (list []*Game) {
	for _, info := range s.h.Infos() {
		if g := s.h.Game(info.ID); g != nil && !info.Playing && info.Public && info.Counts.Open > 0 {
			list = append(list, g)
		}
	}
	return list
}

// lobbyNow returns the first of the lobbies; nil: there is none.
func (s *siege) lobbyNow() *Game {
	if list := s.lobbies(); len(list) > 0 {
		return list[0]
	}
	return nil
}

// visit tries to join each of the lobbies that are open now. It returns nil if the host refuses all.
func (s *siege) visit(from, name string, conduct func(*client, []byte)) *client {
	for _, g := range s.lobbies() {
		if c := s.knockAt(g, from, name, conduct); c != nil {
			return c
		}
	}
	return nil
}

// knockAt joins a lobby; nil: the host refuses.
func (s *siege) knockAt(g *Game, from, name string, conduct func(*client, []byte)) *client {
	nc, err := s.net.Dial(netip.MustParseAddr(from), s.h.Addr(), line, line)
	if err != nil {
		return nil
	}
	c := clientOn(s.t, nc)
	c.Name, c.Conduct = name, conduct
	c.Send(joinPacket(g.ID(), g.EntryKey(), name))
	_ = nc.SetReadDeadline(time.Now().Add(20 * time.Second))
	b, err := c.Read()
	if err != nil || b[1] != 0x04 {
		_ = nc.Close()
		return nil
	}
	_ = nc.SetReadDeadline(time.Time{})
	c.PID = b[6+(int(b[4])|int(b[5])<<8)]
	s.wg.Go(c.Listen)
	return c
}

// spoilt reports whether too few others play in the game of a player.
func (s *siege) spoilt(from string) bool {
	for _, info := range s.h.Infos() {
		if info.Playing && len(info.Players) < victims && slices.ContainsFunc(info.Players, func(p game.Player) bool { return p.Addr.Addr() == netip.MustParseAddr(from) }) {
			return true
		}
	}
	return false
}

// person joins lobbies until the end of the test, and leaves games in which too few are left.
func (s *siege) person(from, name string) {
	for s.pause(time.Second) {
		c := s.visit(from, name, player)
		if s.tries.Add(1); c == nil {
			continue
		}
		s.admitted.Add(1)
		for c.Ending() == nil && !s.spoilt(from) && s.pause(time.Second) {
		}
		_ = c.Conn.Close()
	}
}

// homes is the network of the victims.
var homes = netip.MustParsePrefix("20.0.0.0/8")

func victim(i int) string { return fmt.Sprintf("20.0.%d.1", i+1) }

// arrive has the victims come, two seconds apart.
func (s *siege) arrive() {
	for i := range victims {
		s.wg.Go(func() {
			if s.pause(time.Duration(2*i) * time.Second) {
				s.person(victim(i), fmt.Sprintf("Honest%d", i+1))
			}
		})
	}
}

// together returns the players of the game that all victims play; nil: they do not play yet.
func (s *siege) together() *Info {
	for _, info := range s.h.Infos() {
		n := 0
		for _, p := range info.Players {
			if homes.Contains(p.Addr.Addr()) {
				n++
			}
		}
		if info.Playing && n == victims {
			return &info
		}
	}
	return nil
}

// suffers waits until the victims play and logs their figures. It fails if they do not play within the limit, or, for a host without
// the rule that stops the attack, if they do.
func (s *siege) suffers(unlimited bool, limit time.Duration) {
	s.t.Helper()
	begin := time.Now()
	s.arrive()
	for s.together() == nil && time.Since(begin) < limit {
		time.Sleep(time.Second)
	}
	playing := s.together() != nil
	s.t.Logf("the victims play: %v, after %v; %d of %d tries to join were admitted", playing, time.Since(begin), s.admitted.Load(), s.tries.Load())
	if playing == unlimited {
		s.t.Errorf("the victims play within %v: %v, want %v", limit, playing, !unlimited)
	}
}

// attacker returns addresses of attackers: of one network, of networks of their own, or of one network of IPv6.
func attacker(kind string, i int) string {
	switch kind {
	case "network":
		return fmt.Sprintf("203.0.113.%d", i+1)
	case "IPv6":
		return fmt.Sprintf("2001:db8:1:%x::1", i+1)
	default:
		return fmt.Sprintf("45.0.%d.1", i+1)
	}
}

// force is where attackers come from.
type force struct {
	kind      string
	addresses int
}

func (f force) String() string { return fmt.Sprintf("%d %s", f.addresses, f.kind) }

// forces are the attackers of each test.
var forces = []force{{"address", 1}, {"addresses", 3}, {"network", 200}, {"IPv6", 200}}

// attack has one attacker for each address act again and again, after a pause of at least every for all together.
func (s *siege) attack(f force, every time.Duration, act func(from string, try int)) {
	s.wg.Go(func() {
		for try := 0; s.pause(every); try++ {
			from := attacker(f.kind, try%f.addresses)
			s.wg.Go(func() { act(from, try) })
		}
	})
}

// underAttack runs a test for each force, and one without limits for one address.
func underAttack(t *testing.T, play func(t *testing.T, f force, unlimited bool)) {
	bubbled(t, "without limits", func(t *testing.T) { play(t, forces[0], true) })
	for _, f := range forces {
		bubbled(t, f.String(), func(t *testing.T) { play(t, f, false) })
	}
}
