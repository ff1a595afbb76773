package host

import (
	"maps"
	"strconv"
	"testing"
	"time"

	"w3host/bots"
	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
)

// TestWatchedVersions: in each group of versions a game is shown from a seat that never acts, to clients that ignore own
// actions that they did not send and, from 1.32 on, cannot take 0x0B within 5 s of 0x0A. They are sent each turn and
// compute what the players computed.
func TestWatchedVersions(t *testing.T) {
	for _, v := range []w3gs.Version{26, 28, 29, 31, 32, 36, w3gs.VersionTwo, w3gs.VersionThree} {
		for _, observers := range []bool{true, false} {
			bubbled(t, v.String()+" observers "+strconv.FormatBool(observers), func(t *testing.T) { testWatchedVersion(t, v, observers) })
		}
	}
}

func testWatchedVersion(t *testing.T, v w3gs.Version, observers bool) {
	r, shown := shownRig(t, func(o *Options) {
		o.Game.Version = v
		if !observers {
			o.Game.Settings &^= w3gs.ObserversOn
		}
	})
	g, err := r.h.OpenLobby("versions", versionMap(t, v))
	if err != nil {
		t.Fatal(err)
	}
	tag := "-"
	if v.Reforged() {
		tag = "#" // battle tags
	}
	played := make(chan bots.Report, 1)
	options := bots.Options{Network: r.memory(), Addr: r.h.Addr().String(), Version: v, LoadTime: 100 * time.Millisecond, SlowStart: v.Reforged()}
	go func() {
		o := options
		o.GameID, o.EntryKey, o.Players, o.Play, o.Actions = g.ID(), g.EntryKey(), 3, 90*time.Second, 10
		o.NamePrefix = "bot" + tag
		report, err := bots.Run(t.Context(), o)
		if err != nil {
			t.Error(err)
		}
		played <- report
	}()
	testkit.Eventually(t, "the game is listed", func() bool { return ask(t, g, func(g *Game) bool { return g.onShow.inList }) })
	ad := watchEntry(t, shown)
	options.NamePrefix = "fan" + tag
	options.GameID, options.EntryKey, options.Players, options.Watch = ad.GameID, ad.EntryKey, 2, true
	report, err := bots.Run(t.Context(), options)
	if err != nil || !report.OK {
		t.Errorf("watched: %v, %s, faults %+v", err, report.Verdict(), report.Faults)
	}
	if report := <-played; !report.OK {
		t.Errorf("played: %s, faults %+v", report.Verdict(), report.Faults)
	}
}

// TestNamesForViewers: viewers are told the names that the players' clients were told, although the host calls a player without
// a name by the number of the seat.
func TestNamesForViewers(t *testing.T) { inBubble(t, testNamesForViewers) }

func testNamesForViewers(t *testing.T) {
	r, shown := shownRig(t, func(o *Options) { o.Game.Version = w3gs.VersionThree })
	g, err := r.h.OpenLobby("names", versionMap(t, w3gs.VersionThree))
	if err != nil {
		t.Fatal(err)
	}
	ann, nobody := r.join(g, "Ann", player), r.join(g, "", player)
	r.begin(ann, nobody)
	ann.Until(0x0C)
	noise(ann)
	viewer := watchAs(r, watchEntry(t, shown), "")
	viewer.Until(0x0B)
	names := map[uint8]string{}
	for _, h := range viewer.All() {
		if h.B[1] == 0x06 {
			var p w3gs.PlayerInfo
			if err := p.Decode(w3gs.Frame(h.B).Body()); err != nil {
				t.Fatal(err)
			}
			names[p.PID] = p.Name
		}
	}
	if want := map[uint8]string{ann.PID: "Ann", nobody.PID: ""}; !maps.Equal(names, want) {
		t.Errorf("viewers are told %q, want %q", names, want)
	}
}
