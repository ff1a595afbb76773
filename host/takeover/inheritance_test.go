package takeover

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/rs/zerolog"

	"w3host/game"
	"w3host/hold"
	"w3host/host/survive"
	"w3host/storage"
)

// leftGame is a game that an earlier process has left, or still owns as long as owned says so.
func leftGame(t *testing.T, id uint32, h Header, owned *bool) *Game {
	t.Helper()
	b := make([]byte, 2*hold.HeadLen)
	text, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	survive.BeginIn(hold.Of(b)).Head(text)
	left, err := survive.Find(hold.Shared(-1, b, func() bool { return !*owned }, func() error { return nil }))
	if err != nil {
		t.Fatal(err)
	}
	return &Game{ID: id, Left: left, Header: h, sockets: map[game.LinkID]int{}}
}

// droppingClient is a supervisor that takes everything back.
type droppingClient struct{ hold.Client }

func (droppingClient) Inherited() map[hold.Name]int { return nil }
func (droppingClient) Drop(hold.Name)               {}

// The leases of processes that have died are given back, each once, and those of living processes are not. What cannot be
// read is given up once nobody owns it.
func TestClaim(t *testing.T) {
	free, owned := false, true
	in := Inherit(droppingClient{}, zerolog.Nop())
	broken := leftGame(t, 4, Header{Session: "broken"}, &free)
	broken.fault = errors.New("cannot be read")
	key := storage.NewGameKey()
	in.games = []*Game{
		leftGame(t, 1, Header{Session: "ended"}, &free), leftGame(t, 2, Header{Session: "ended", Key: key}, &free),
		leftGame(t, 3, Header{Session: "living"}, &owned), broken, leftGame(t, 5, Header{}, &free),
		{ID: 6, sockets: map[game.LinkID]int{}},
	}
	in.Claim()
	if got := in.Sessions(); !slices.Equal(got, []string{"ended"}) {
		t.Errorf("sessions %q", got)
	}
	if got := in.Keys(); !slices.Equal(got, []storage.GameKey{key}) {
		t.Errorf("keys %v", got)
	}
	states := map[uint32]State{}
	for _, g := range in.games {
		states[g.ID] = g.state
	}
	if want := (map[uint32]State{1: Claimed, 2: Claimed, 3: Inherited, 5: Claimed}); !maps.Equal(states, want) {
		t.Errorf("the games are %v, not %v", states, want)
	}
	owned = false
	in.Claim()
	got := in.Sessions()
	if slices.Sort(got); !slices.Equal(got, []string{"ended", "living"}) {
		t.Errorf("once it has died: sessions %q", got)
	}
}
