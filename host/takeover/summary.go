package takeover

import (
	"slices"

	"w3host/game"
	"w3host/storage"
)

// HasPlayers reports whether there are connections of players, who wait for this process.
func (in *Inheritance) HasPlayers() bool {
	return slices.ContainsFunc(in.games, func(g *Game) bool { return len(g.sockets) > 0 })
}

// Keys returns the keys of the games in the game log.
func (in *Inheritance) Keys() (keys []storage.GameKey) {
	for _, g := range in.games {
		if g.Key != (storage.GameKey{}) {
			keys = append(keys, g.Key)
		}
	}
	return keys
}

// Sessions returns the sessions whose process has died, by the leases of its lobbies.
func (in *Inheritance) Sessions() (list []string) {
	for _, g := range in.games {
		if g.state == Claimed && g.Session != "" && !slices.Contains(list, g.Session) {
			list = append(list, g.Session)
		}
	}
	return list
}

// Files returns the names of the games' replays and journals.
func (in *Inheritance) Files() (replays, journals []string) {
	for _, g := range in.games {
		if g.Replay.File != "" {
			replays = append(replays, g.Replay.File)
		}
		if g.Journal != "" {
			journals = append(journals, g.Journal)
		}
	}
	return replays, journals
}

// Socket returns the descriptor of a link, and takes it out of the inheritance: the caller owns it from then on.
func (g *Game) Socket(link game.LinkID) int {
	fd := g.sockets[link]
	delete(g.sockets, link)
	return fd
}
