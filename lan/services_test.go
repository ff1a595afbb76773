package lan

import (
	"context"
	"net/netip"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/internal/tier"
	"w3host/protocol/w3gs"
)

var reforged = w3gs.SearchGame{Product: w3gs.ProductTFT, Version: 36}

// listen36 is listen for lobbies of 1.36, on loopback.
func listen36(t *testing.T, change func(*Options)) (*Advertiser, netip.AddrPort) {
	t.Helper()
	return listen(t, func(o *Options) {
		o.Version = 36
		if change != nil {
			change(o)
		}
	})
}

// until searches until the lobbies are as the test wants them.
func until(t *testing.T, what string, ask func(context.Context) ([]Found, error), good func([]Found) bool) []Found {
	t.Helper()
	var found []Found
	var err error
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if found, err = ask(t.Context()); good(found) {
			return found
		}
	}
	t.Fatalf("%s: %+v, %v", what, found, err)
	return nil
}

// A host of ours is asked for lobbies of 1.36 by the question of clients, at its own port.
func TestSearchForReforged(t *testing.T) {
	a, addr := listen36(t, nil)
	open(t, a, 1, 2)
	ask := func(ctx context.Context) ([]Found, error) { return search(ctx, addr, reforged, quickPace) }
	found := until(t, "two of one name", ask, func(f []Found) bool { return len(f) == 2 })
	info := found[0].Info
	if info.GameID != 1 || info.EntryKey != capturedAdvert.EntryKey || info.Name != capturedAdvert.Name || info.Version != 36 ||
		info.Port != 6112 || info.Stat.HostName != "vs" || info.Stat.MapPath != "Maps/Download/DotA Allstars v6.61c.w3x" ||
		found[0].Players() != 1 || info.Slots != 10 || info.Stat.Checksum != capturedAdvert.Stat.Checksum || found[0].From.Addr() != loopback {
		t.Errorf("got %+v", found[0])
	}
	a.Update(1, Count{Slots: 10, Open: 4})
	until(t, "six players", ask, func(f []Found) bool { return len(f) == 2 && f[0].Players() == 6 })
	a.Close(1)
	until(t, "one is closed", ask, func(f []Found) bool { return len(f) == 1 && f[0].Info.GameID == 2 })
}

// A lobby that is hidden for a while is not shown to 1.36 either.
func TestHiddenFromReforged(t *testing.T) {
	a, addr := listen36(t, func(o *Options) { o.interval = 20 * time.Millisecond })
	var hidden atomic.Bool
	ad := capturedAdvert
	ad.Hidden = hidden.Load
	advertise(t, a, ad)
	ask := func(ctx context.Context) ([]Found, error) { return search(ctx, addr, reforged, quickPace) }
	for range 2 {
		until(t, "shown", ask, func(f []Found) bool { return len(f) == 1 })
		hidden.Store(true)
		until(t, "hidden", ask, func(f []Found) bool { return len(f) == 0 })
		hidden.Store(false)
	}
}

// Each version is shown a lobby in its own way, and no other is: 1.26 by UDP only, 1.36
// by mDNS only.
func TestNoVersionSeesAnothersLobby(t *testing.T) {
	tier.All(t, "waits for real time")
	a, addr := listen(t, func(o *Options) { o.Version, o.Versions = 26, []uint32{34, 36} })
	both, classic := capturedAdvert, capturedAdvert
	classic.GameID, classic.Variants = 2, []Variant{{Version: 26, EntryKey: 7}}
	for _, ad := range []Advert{both, classic} {
		advertise(t, a, ad)
	}
	ask := func(version uint32, p pace) func(context.Context) ([]Found, error) {
		return func(ctx context.Context) ([]Found, error) {
			return search(ctx, addr, w3gs.SearchGame{Product: w3gs.ProductTFT, Version: version}, p)
		}
	}
	found := until(t, "1.36", ask(36, quickPace), func(f []Found) bool { return len(f) > 0 })
	if len(found) != 1 || found[0].Info.GameID != 1 {
		t.Errorf("1.36 is shown %+v", found)
	}
	if found, err := ask(26, searchPace)(t.Context()); err != nil || len(found) != 2 {
		t.Errorf("1.26 is shown %+v, %v", found, err)
	}
	list := func(version uint32) (all []Found) {
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		err := Browse(ctx, BrowseOptions{To: []netip.AddrPort{addr}, Every: 100 * time.Millisecond, Ask: []w3gs.SearchGame{{Product: w3gs.ProductTFT, Version: version}}},
			func(found []Found) { all = found })
		if err != nil {
			t.Error(err)
		}
		return all
	}
	for version, want := range map[uint32]int{36: 1, 34: 1, 33: 0, 26: 2} {
		got := list(version)
		if len(got) != want || want > 0 && got[0].Info.Version != version {
			t.Errorf("%v finds %+v, want %d", version, got, want)
		}
	}
	for _, version := range []uint32{35, 32, 100} {
		if found, err := ask(version, quickPace)(t.Context()); err == nil {
			t.Errorf("%v is shown %+v", version, found)
		}
	}
	c := newClient(t)
	c.send(addr, "F7 2F 10 00 50 58 33 57 24 00 00 00 00 00 00 00") // 1.36 by UDP
	c.send(addr, "F7 2F 10 00 50 58 33 57 1A 00 00 00 00 00 00 00")
	if d, _ := c.receive(); d[8] != 26 {
		t.Errorf("1.36 is answered by UDP: % X", d)
	}
}

// By multicast, on the loopback interface, as clients ask.
func TestBrowseForReforged(t *testing.T) {
	a, _ := listen36(t, func(o *Options) { o.GamePort = 6300 })
	ad := capturedAdvert
	ad.Port, ad.EntryKey = 0, 0xABCD1234
	advertise(t, a, ad)
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	var got []Found
	err := Browse(ctx, BrowseOptions{Ask: []w3gs.SearchGame{reforged}, Every: 300 * time.Millisecond}, func(found []Found) {
		for _, f := range found {
			if f.Info.EntryKey == ad.EntryKey && f.RTT > 0 { // an answer that comes after the next question has no round trip
				got = append(got, f)
				stop()
			}
		}
	})
	if err != nil || len(got) == 0 {
		t.Fatalf("nothing heard by multicast on loopback: %v", err)
	}
	if f := got[0]; f.JoinAddr() != netip.MustParseAddrPort("127.0.0.1:6300") {
		t.Errorf("got %+v", f)
	}
}

// byMulticast browses by multicast on the loopback interface until the lobbies with the
// key are as the test wants them.
func byMulticast(t *testing.T, what string, key uint32, good func([]Found) bool) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	met, last := false, []Found(nil)
	o := BrowseOptions{Ask: []w3gs.SearchGame{reforged}, Every: 200 * time.Millisecond, Forget: time.Second}
	err := Browse(ctx, o, func(found []Found) {
		last = slices.DeleteFunc(slices.Clone(found), func(f Found) bool { return f.Info.EntryKey != key })
		if met = met || good(last); met {
			stop()
		}
	})
	if err != nil || !met {
		t.Fatalf("%s: %v, %+v", what, err, last)
	}
}

// A lobby that closes is gone from a list that is kept up.
func TestReforgedLobbyIsGone(t *testing.T) {
	a, _ := listen36(t, func(o *Options) { o.GamePort = 6301 })
	ad := capturedAdvert
	ad.Port, ad.EntryKey = 0, 0xABCD4321
	advertise(t, a, ad)
	shown := false
	byMulticast(t, "a lobby that closes while the list is kept", ad.EntryKey, func(f []Found) bool {
		if len(f) > 0 && !shown {
			shown = true
			a.Close(ad.GameID)
		}
		return shown && len(f) == 0
	})
}

// A relay shows lobbies of 1.30 and later, too, beside the host's own responder.
func TestRelayForReforged(t *testing.T) {
	a, addr := listen36(t, func(o *Options) { o.GamePort = 6302 })
	ad := capturedAdvert
	ad.Port, ad.EntryKey = 0, 0xABCD5678
	advertise(t, a, ad)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- Relay(ctx, RelayOptions{
			From: addr, Ask: reforged, Bind: loopback, Forward: true, Log: zerolog.Nop(), every: 100 * time.Millisecond, forget: time.Second,
		})
	}()
	defer func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	byMulticast(t, "the lobby at the relay", ad.EntryKey, func(found []Found) bool {
		return slices.ContainsFunc(found, func(f Found) bool { return f.Info.Port != 6302 && f.Info.Port != 0 && f.Info.Name == ad.Name })
	})
}
