package lan

import (
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// TestVariants: clients of each version are shown their own key and identifiers, and
// those of a version that has none are shown nothing.
func TestVariants(t *testing.T) {
	o := Options{Product: w3gs.ProductTFT, Version: 26, Versions: []uint32{26, 27, 28}}
	b := board{opts: &o}
	now := time.Now()
	for _, ad := range []Advert{
		{GameID: 1, EntryKey: 5, Name: "all", Port: 6112, Count: Count{10, 10}},
		{GameID: 2, EntryKey: 6, Name: "two", Port: 6112, Count: Count{10, 10}, Stat: w3gs.StatString{HasSHA1: true, Checksum: 9}, Variants: []Variant{
			{Version: 27, EntryKey: 270, Checksum: 27, SHA1: [20]byte{27}}, {Version: 25, EntryKey: 250, Checksum: 25, SHA1: [20]byte{25}},
		}},
	} {
		if err := b.open(now, ad); err != nil {
			t.Fatal(err)
		}
	}
	for version, want := range map[uint32][]uint32{26: {5}, 27: {5, 270}, 28: {5}, 25: {250}, 23: nil} {
		found := b.matching(w3gs.SearchGame{Product: w3gs.ProductTFT, Version: version})
		if len(found) != len(want) {
			t.Errorf("1.%d is shown %d lobbies, want %d", version, len(found), len(want))
			continue
		}
		for i, l := range found {
			info := l.ad.Info(o.Product, version, 0)
			if info.EntryKey != want[i] {
				t.Errorf("1.%d is shown the key %d, want %d", version, info.EntryKey, want[i])
			}
			if len(l.ad.Variants) > 0 && (info.Stat.Checksum != version || info.Stat.SHA1 != [20]byte{byte(version)}) {
				t.Errorf("1.%d is shown the identifiers %08x %x", version, info.Stat.Checksum, info.Stat.SHA1)
			}
		}
	}
	if b.plays(w3gs.SearchGame{Product: w3gs.ProductTFT, Version: 23}) || !b.plays(w3gs.SearchGame{Product: w3gs.ProductTFT, Version: 25}) {
		t.Error("which versions are foreign is wrong")
	}
}
