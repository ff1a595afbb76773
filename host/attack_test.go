package host

import (
	"fmt"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// TestAttackJoinsAndLeaves: attackers join and leave the lobby again and again, each time under a new name.
func TestAttackJoinsAndLeaves(t *testing.T) {
	underAttack(t, func(t *testing.T, f force, unlimited bool) {
		s := besiege(t, unlimited, nil)
		s.attack(f, 1400*time.Millisecond, func(from string, try int) {
			if c := s.visit(from, fmt.Sprintf("Flood%d", try), player); c != nil {
				s.pause(700 * time.Millisecond)
				_ = c.Conn.Close()
			}
		})
		s.suffers(unlimited, 2*time.Minute)
	})
}

// TestAttackLocks: the first who joins the lobby locks it in each way there is, and stays. Where nobody owns the lobbies they cannot. Where
// the first who joins does, another lobby opens for the others, unless the lobby only does not start.
func TestAttackLocks(t *testing.T) {
	for _, owned := range []bool{false, true} {
		for _, command := range []string{"!lock joins", "!closeall", "!priv", "!hold Nobody", "!fakeplayer all", "!compall", "!autostart off"} {
			bubbled(t, fmt.Sprintf("%s, owned: %v", command, owned), func(t *testing.T) {
				s := besiege(t, false, func(o *Options) {
					entry(o).Setup.Lobby.Owner.First = owned
				})
				time.Sleep(time.Second)
				c := s.visit(attacker("", 0), "First", player)
				c.Say(command, c.PID)
				time.Sleep(time.Second)
				s.suffers(owned && command == "!autostart off", 2*time.Minute)
			})
		}
	}
}

// stay joins the lobby that is open now, and does nothing else.
func (s *siege) stay(from, name string) {
	if c := s.visit(from, name, player); c != nil {
		for c.Ending() == nil && s.pause(time.Second) {
		}
		_ = c.Conn.Close()
	}
}

// TestAttackSilentGames: two silent players start each lobby, until there are as many games as there may be.
func TestAttackSilentGames(t *testing.T) {
	underAttack(t, func(t *testing.T, f force, unlimited bool) {
		s := besiege(t, unlimited, func(o *Options) {
			entry(o).Setup.Lobby.Start.Humans = 2
		})
		s.attack(f, 500*time.Millisecond, func(from string, try int) {
			if g := s.lobbyNow(); g == nil || s.h.shard.Info(g.ID()).Counts.Humans >= 2 {
				return // each game has the fewest bots of the fewest addresses
			}
			for i := range 2 {
				s.wg.Go(func() { s.stay(from, fmt.Sprintf("Bot%d-%d", try, i)) })
			}
		})
		time.Sleep(time.Minute) // all games are taken
		s.suffers(unlimited, 2*time.Minute)
	})
}

// TestAttackStartsAndLeaves: attackers fill each lobby, and leave the game when it has started.
func TestAttackStartsAndLeaves(t *testing.T) {
	underAttack(t, func(t *testing.T, f force, unlimited bool) {
		s := besiege(t, unlimited, func(o *Options) {
			o.Autohost.Open = func(string, []w3gs.Version) (*Map, error) { return testMap(victims), nil }
		})
		s.attack(f, 100*time.Millisecond, func(from string, try int) {
			if c := s.visit(from, fmt.Sprintf("Filler%d", try), player); c != nil {
				for c.Ending() == nil && c.Count(0x0B) == 0 && s.pause(time.Second) {
				}
				_ = c.Conn.Close()
			}
		})
		time.Sleep(time.Minute)
		s.suffers(unlimited, 5*time.Minute)
	})
}

// mute answers pings, but never reports the map.
func mute(c *client, b []byte) {
	if b[1] != 0x3D {
		player(c, b)
	}
}

// TestAttackSilentAboutMap: attackers never report whether they have the map.
func TestAttackSilentAboutMap(t *testing.T) {
	underAttack(t, func(t *testing.T, f force, unlimited bool) {
		s := besiege(t, unlimited, func(o *Options) {
			if unlimited {
				entry(o).Setup.Lobby.Admission.MapSilence = 0
			}
		})
		s.attack(f, time.Second, func(from string, try int) {
			if c := s.visit(from, fmt.Sprintf("Mute%d", try), mute); c != nil {
				for c.Ending() == nil && s.pause(time.Second) {
				}
				_ = c.Conn.Close()
			}
		})
		time.Sleep(5 * time.Second)
		s.suffers(unlimited, 3*time.Minute)
	})
}
