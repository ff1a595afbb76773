package host

import (
	"context"

	"w3host/game"
)

// recall looks up which language a link's player has chosen, on a goroutine of
// its own that ends with the answer or a little after askTimeout. Until then the
// player reads that of the lobby.
func (g *Game) recall(l *link) {
	people := g.host.opts.People
	if people == nil {
		return
	}
	name := l.name
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
		defer cancel()
		select {
		case g.host.rating <- struct{}{}:
		case <-ctx.Done():
			return
		}
		language, found, err := people.Language(ctx, name)
		<-g.host.rating
		if err != nil {
			g.log.Debug().Err(err).Str("player", name).Msg("no language is known: the player reads that of the lobby")
		}
		if found {
			g.call(func(g *Game) { g.step(&game.Input{Kind: game.Prefer, Link: l.id, Language: language}) })
		}
	}()
}
