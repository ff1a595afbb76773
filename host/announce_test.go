package host

import (
	"slices"
	"testing"
	"time"

	"w3host/game"
	"w3host/lan"
	"w3host/protocol/w3gs"
)

// adverts is an Advertiser that keeps what it is told.
type adverts chan lan.Advert

func (a adverts) Open(ad lan.Advert) error { a <- ad; return nil }

// next waits for the next lobby or game that is listed.
func (a adverts) next(t *testing.T) lan.Advert {
	t.Helper()
	select {
	case ad := <-a:
		return ad
	case <-time.After(patience):
		t.Fatal("nothing is listed")
	}
	return lan.Advert{}
}

func (a adverts) Update(uint32, lan.Count) {}
func (a adverts) Close(uint32)             {}

// TestVersionOfALobby: a lobby may be for another version than the host, and one that is
// asked for in it is for the same.
func TestVersionOfALobby(t *testing.T) { inBubble(t, testVersionOfALobby) }

func testVersionOfALobby(t *testing.T) {
	shown := make(adverts, 10)
	r := newRig(t, func(o *Options) { o.Advertiser, o.Game.Version, o.Game.Versions = shown, 22, []w3gs.Version{22} })
	g, err := r.h.OpenFor(LobbyRequest{Name: "modern", Map: testMap(12), For: &game.Config{Version: 36, Versions: []w3gs.Version{35}}})
	if err != nil {
		t.Fatal(err)
	}
	beside := r.h.Setup(g.ID())
	if _, err := r.h.OpenFor(LobbyRequest{Name: "another", Map: testMap(12), For: &beside}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		ad := shown.next(t)
		if got := ad.Versions(nil); !slices.Equal(got, []uint32{36, 35}) || !ad.Stat.HasSHA1 || ad.Count.Slots != 13 {
			t.Errorf("%s is shown to %v: %+v", ad.Name, got, ad)
		}
	}
	if _, err := r.h.OpenLobby("old", testMap(12)); err != nil {
		t.Fatal(err)
	}
	if ad := shown.next(t); ad.Stat.HasSHA1 || ad.Count.Slots != 12 {
		t.Errorf("old is %+v", ad)
	}
}

// TestVersionsOfAnEntry: a lobby is shown to the versions of its entry, and to no other.
func TestVersionsOfAnEntry(t *testing.T) { inBubble(t, testVersionsOfAnEntry) }

func testVersionsOfAnEntry(t *testing.T) {
	shown := make(adverts, 10)
	r := newRig(t, func(o *Options) {
		o.Advertiser = shown
		o.Game.Versions = []w3gs.Version{27, 28}
	})
	if _, err := r.h.OpenLobby("three", testMap(2)); err != nil {
		t.Fatal(err)
	}
	ad := shown.next(t)
	if got := ad.Versions([]uint32{7}); !slices.Equal(got, []uint32{26, 27, 28}) {
		t.Errorf("it is shown to %v", got)
	}
	for _, v := range ad.Variants {
		if v.EntryKey != ad.EntryKey || v.Checksum != ad.Stat.Checksum || v.SHA1 != ad.Stat.SHA1 {
			t.Errorf("1.%d is told %+v", v.Version, v)
		}
	}
}
