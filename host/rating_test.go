package host

import (
	"context"
	"errors"
	"strings"
	"testing"

	"w3host/internal/testkit"
	"w3host/rating"
)

// slowRatings answer for Guest only once they are let, and never for Nobody.
type slowRatings struct {
	let  chan struct{}
	maps chan string
}

func (r slowRatings) Skill(ctx context.Context, name, realm, mapName string) (rating.Skill, int, error) {
	r.maps <- mapName + "|" + realm
	switch name {
	case "Guest":
		<-r.let
	case "Nobody":
		return rating.Skill{}, 0, errors.New("the database is away")
	}
	return rating.Skill{Mu: 40, Sigma: 2}, 10, nil
}

// TestRatingsReachTheLobby: a lobby goes on while ratings are looked up, and has
// them afterwards; who cannot be looked up is a newcomer.
func TestRatingsReachTheLobby(t *testing.T) { inBubble(t, testRatingsReachTheLobby) }

func testRatingsReachTheLobby(t *testing.T) {
	ratings := slowRatings{make(chan struct{}), make(chan string, 8)}
	r := newRig(t, func(o *Options) { o.Ratings = ratings })
	g := r.lobby(4)
	owner := r.join(g, "Owner", nil)
	r.join(g, "Guest", nil)
	balance := func() string { return order(t, g, "balance") }
	testkit.Eventually(t, "the rating of Owner alone", func() bool { return strings.HasSuffix(balance(), ": Guest.") })
	close(ratings.let)
	r.join(g, "Nobody", nil)
	testkit.Eventually(t, "all ratings", func() bool { return !strings.HasPrefix(balance(), "Still looking up ratings") })
	owner.UntilText("The teams are balanced.")
	if asked := <-ratings.maps; asked != g.m.Name+"|" {
		t.Errorf("asked for %q", asked)
	}
}
