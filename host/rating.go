package host

import (
	"context"
	"time"

	"w3host/game"
	"w3host/rating"
)

const (
	// rateTimeout is how long a rating may take; after it the player is a newcomer.
	rateTimeout = 5 * time.Second
	// mostRated is how many ratings of all games are looked up at once.
	mostRated = 8
)

// rate looks up how strong a link's player is, on a goroutine of its own that
// ends with the answer or a little after rateTimeout.
func (g *Game) rate(l *link) {
	name, vouched, realm, ratings, busy := l.name, l.vouched, "", g.host.opts.Ratings, g.host.rating
	if vouched {
		realm = l.realm
	}
	if ratings == nil {
		g.step(&game.Input{Kind: game.Rated, Link: l.id, Skill: rating.Newcomer()})
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), rateTimeout)
		defer cancel()
		skill, err := rating.Newcomer(), error(nil)
		select {
		case busy <- struct{}{}:
			if skill, err = ratings.Skill(ctx, name, realm, g.m.Name); err != nil {
				skill = rating.Newcomer()
			}
			<-busy
		case <-ctx.Done():
			err = ctx.Err()
		}
		if err != nil {
			g.log.Debug().Err(err).Str("player", name).Msg("no rating is known: the player counts as a newcomer")
		}
		g.call(func(g *Game) {
			if l.vouched == vouched { // or another answer is on its way
				g.step(&game.Input{Kind: game.Rated, Link: l.id, Skill: skill})
			}
		})
	}()
}
