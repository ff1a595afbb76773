package realm

import (
	"testing"

	"github.com/rs/zerolog"

	"w3host/lan"
	"w3host/protocol/w3gs"
	"w3host/realm/bncs"
	"w3host/realm/session"
)

// An account that may not be used any more changes the list of its realm, and no other.
func TestUseIsOfOneRealm(t *testing.T) {
	t.Parallel()
	v, _ := bncs.VersionOf(26)
	r := &Realms{opts: Options{Log: zerolog.Nop()}, names: []string{"Home", "Away"}, listings: map[uint32][]listing{}, adverts: map[uint32]lan.Advert{}}
	for _, name := range r.names {
		r.accounts = append(r.accounts, &account{
			opts: Account{Realm: name, Session: session.Config{Account: "Bot", Product: w3gs.ProductTFT, Version: v, Games: 1}}, wake: make(chan struct{}, 1),
		})
	}
	if err := r.Open(advert(1, "lobby")); err != nil {
		t.Fatal(err)
	}
	for _, on := range []bool{false, true} {
		for _, a := range r.accounts {
			a.inbox = nil
		}
		r.Use(AccountName{"Away", "Bot"}, on)
		if home, away := len(r.accounts[0].inbox), len(r.accounts[1].inbox); home != 0 || away != 3 {
			t.Errorf("on %v: Home is told %d things, Away %d", on, home, away)
		}
		if n := len(r.listings[1]); n != 2 {
			t.Errorf("on %v: %d listings", on, n)
		}
	}
}
