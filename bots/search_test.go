package bots

import (
	"context"
	"testing"
	"time"
)

// A lobby of an answer that is too old to be used is not taken for one that a game has.
func TestOldAnswerClaimsNothing(t *testing.T) {
	opts, err := Options{Players: 1}.normal()
	if err != nil {
		t.Fatal(err)
	}
	f := newFinder(&opts)
	f.found, f.asked, f.size = []lobby{{id: 2, open: 1, slots: 1}}, time.Now().Add(-2*searchFresh), 1
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if l, ok, _ := f.try(ctx); ok || f.claimed[2] {
		t.Errorf("it takes %+v: %v; lobby 2 is claimed: %v", l, ok, f.claimed[2])
	}
}
