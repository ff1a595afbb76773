package host

import (
	"slices"
	"testing"

	"w3host/lan"
	"w3host/protocol/w3gs"
)

// adverts is an Advertiser that keeps what it is told.
type adverts chan lan.Advert

func (a adverts) Open(ad lan.Advert) error { a <- ad; return nil }
func (a adverts) Update(uint32, lan.Count) {}
func (a adverts) Close(uint32)             {}

// TestVersionsOfAnEntry: a lobby is shown to the versions of its entry, and to no other.
func TestVersionsOfAnEntry(t *testing.T) {
	t.Parallel()
	shown := make(adverts, 10)
	r := newRig(t, func(o *Options) {
		o.Advertiser = shown
		o.Game.Versions = []w3gs.Version{27, 28}
	})
	if _, err := r.h.OpenLobby("three", testMap(2)); err != nil {
		t.Fatal(err)
	}
	ad := <-shown
	if got := ad.Versions([]uint32{7}); !slices.Equal(got, []uint32{26, 27, 28}) {
		t.Errorf("it is shown to %v", got)
	}
	for _, v := range ad.Variants {
		if v.EntryKey != ad.EntryKey || v.Checksum != ad.Stat.Checksum || v.SHA1 != ad.Stat.SHA1 {
			t.Errorf("1.%d is told %+v", v.Version, v)
		}
	}
}
