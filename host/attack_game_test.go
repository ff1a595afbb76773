package host

import (
	"fmt"
	"testing"
	"time"

	"w3host/config"
	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
)

// company has the victims and attackers, two for each address as far as the host lets them in, join a lobby of eight slots that nothing
// starts. It returns the victims' clients and those of the attackers.
func (s *siege) company(f force, bots int, conduct func(*client, []byte)) (people, others []*client) {
	s.t.Helper()
	time.Sleep(time.Second)
	for i := range victims {
		people = append(people, s.visit(victim(i), fmt.Sprintf("Honest%d", i+1), player))
	}
	for i := range bots {
		if c := s.visit(attacker(f.kind, i%f.addresses), fmt.Sprintf("Bot%d", i), conduct); c != nil {
			others = append(others, c)
		}
	}
	time.Sleep(5 * time.Second)
	return people, others
}

// byHand has no lobby start by itself.
func byHand(slots int) func(*Options) {
	return func(o *Options) {
		entry(o).Setup.Lobby.Start.Humans = 0
		o.Autohost.Open = func(string, []w3gs.Version) (*Map, error) { return testMap(slots), nil }
	}
}

// TestAttackVotes: attackers with as many clients as get in vote a victim out.
func TestAttackVotes(t *testing.T) {
	underAttack(t, func(t *testing.T, f force, unlimited bool) {
		s := besiege(t, unlimited, func(o *Options) {
			byHand(12)(o)
			if unlimited {
				entry(o).Setup.Lobby.Admission.ShareOfLobby = 0
			}
		})
		people, bots := s.company(f, 8, player)
		bots[0].Say("!votekick Honest1", bots[0].PID)
		bots[0].UntilText("wants to kick")
		for _, c := range bots[1:] {
			c.Say("!yes", c.PID)
		}
		time.Sleep(2 * time.Minute)
		gone := people[0].Ending() != nil
		t.Logf("%d bots: the victim was voted out: %v", len(bots), gone)
		if gone != unlimited {
			t.Errorf("the victim was voted out: %v, want %v", gone, unlimited)
		}
	})
}

// TestAttackDropVotes: attackers vote to drop a victim who lags.
func TestAttackDropVotes(t *testing.T) {
	underAttack(t, func(t *testing.T, f force, unlimited bool) {
		s := besiege(t, unlimited, byHand(12))
		people, bots := s.company(f, 4, player)
		s.start()
		for _, c := range people {
			c.Until(0x0C)
		}
		resume := people[0].Stall()
		bots[0].Until(0x10)
		for _, c := range bots {
			c.Send(packet(0x29))
		}
		time.Sleep(time.Second)
		resume()
		time.Sleep(10 * time.Second)
		if dropped := people[0].Ending() != nil; len(bots) != 4 || dropped != unlimited {
			t.Errorf("%d bots; the victim was dropped: %v, want %v", len(bots), dropped, unlimited)
		}
	})
}

// waits returns how long a player has waited for turns that were late by more than half a second, in all.
func waits(c *client) (late time.Duration) {
	var last time.Time
	for _, p := range c.All() {
		if p.B[1] != 0x0C {
			continue
		}
		if gap := p.At.Sub(last); !last.IsZero() && gap > 500*time.Millisecond {
			late += gap
		}
		last = p.At
	}
	return late
}

// start has the host start the lobby at once.
func (s *siege) start() {
	s.t.Helper()
	order(s.t, s.lobbyNow(), "start now")
}

// TestAttackLag: attackers lag for 13 seconds, recover, and lag again.
func TestAttackLag(t *testing.T) {
	const length = 20 * time.Minute
	underAttack(t, func(t *testing.T, f force, unlimited bool) {
		s := besiege(t, unlimited, func(o *Options) {
			byHand(12)(o)
			turns := &entry(o).Setup.Turns
			if turns.DropAfter = config.Default().Game.DropAfter.D(); unlimited {
				turns.DropAfter = 0
			}
		})
		people, bots := s.company(f, min(f.addresses, 3), player)
		s.start()
		for _, c := range people {
			c.Until(0x0C)
		}
		for i, c := range bots {
			s.wg.Go(func() {
				for s.pause(time.Duration(5+5*i)*time.Second) && c.Ending() == nil {
					resume := c.Stall()
					s.pause(13 * time.Second)
					resume()
				}
			})
		}
		time.Sleep(length)
		late := waits(people[0])
		t.Logf("%d bots: %.0f %% of %v went by in waiting", len(bots), 100*late.Seconds()/length.Seconds(), length)
		if share := late.Seconds() / length.Seconds() / float64(len(bots)); share > 0.1 != unlimited {
			t.Errorf("%.2f of the time went by in waiting for each bot", share)
		}
	})
}

// TestAttackLoad: attackers never load the map.
func TestAttackLoad(t *testing.T) {
	underAttack(t, func(t *testing.T, f force, unlimited bool) {
		s := besiege(t, unlimited, func(o *Options) {
			byHand(12)(o)
			if unlimited {
				entry(o).Setup.Turns.LoadBehind = 0
			}
		})
		people, bots := s.company(f, 3, testkit.Lobbyist)
		s.start()
		begin := time.Now()
		for _, c := range people {
			c.Until(0x0C)
		}
		t.Logf("%d bots: the first turn came after %v", len(bots), time.Since(begin))
		if took := time.Since(begin); took > 2*time.Minute+10*time.Second != unlimited {
			t.Errorf("the victims waited %v for the first turn", took)
		}
	})
}
