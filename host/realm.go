package host

import (
	"maps"
	"strings"
	"time"

	"w3host/game"
)

// whisperFor is how long before the join a player may whisper to the host: such a
// name counts as soon as it joins, once.
const whisperFor = 2 * time.Minute

// askRealm has the realm say whether the player is in this game. Until then the
// name counts for nothing, but its bearer may play.
func (g *Game) askRealm(l *link) {
	g.host.opts.Realms.Confirm(l.realm, l.name, g.name(), func(in bool) {
		if in {
			g.call(func(g *Game) { g.vouch(l) })
		}
	})
}

// vouch takes the realm's word for a player's name.
func (g *Game) vouch(l *link) {
	if l.vouched || l.pid == 0 || l.state >= closing {
		return
	}
	l.vouched = true
	g.step(&game.Input{Kind: game.Vouch, Link: l.id, Level: l.level()})
	if why := l.banned(); why != "" && l.pid != 0 {
		g.step(&game.Input{Kind: game.Ban, Link: l.id, Why: why})
	}
}

// Vouch says that a person has spoken to the host by a realm, which vouches for
// the name: it is true of those who play under it, or of who joins next.
func (h *Host) Vouch(realm, name string) {
	h.shard.call(func() {
		found := false
		h.shard.each(realm, name, func(l *link) {
			found = true
			l.game.vouch(l)
		})
		if !found {
			h.shard.expect(realm, name)
		}
	})
}

// each calls f with the links of a name of a realm that have a seat.
func (s *shard) each(realm, name string, f func(*link)) {
	for _, g := range s.games {
		for _, l := range g.seats {
			if l != nil && strings.EqualFold(l.realm, realm) && strings.EqualFold(l.name, name) {
				f(l)
			}
		}
	}
}

// maxExpected bounds the names that are expected at the same time.
const maxExpected = 1024

// account is the key of a name of a realm.
func account(realm, name string) string { return strings.ToLower(name + "@" + realm) }

// expect remembers who has whispered.
func (s *shard) expect(realm, name string) {
	maps.DeleteFunc(s.expected, func(_ string, until time.Duration) bool { return until < s.now })
	if len(s.expected) < maxExpected {
		s.expected[account(realm, name)] = s.now + whisperFor
	}
}

// claim reports whether a joiner is expected, once.
func (s *shard) claim(realm, name string) bool {
	until, ok := s.expected[account(realm, name)]
	delete(s.expected, account(realm, name))
	return ok && s.now <= until
}

// Standing says in which lobby or game a person of a realm is, whose name it has
// confirmed, and whether they own it; 0: in none. It must not be called on the
// shard.
func (h *Host) Standing(realm, name string) (id uint32, owns bool) {
	h.shard.wait(func() {
		h.shard.each(realm, name, func(l *link) {
			if l.vouched {
				id, owns = l.game.id, l.game.machine.Owns(l.pid)
			}
		})
	})
	return id, owns
}

// Open reports whether the lobby still takes joins.
func (g *Game) Open() bool { return g.open.Load() }
