package host

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/bots"
	"w3host/formats/replay"
	"w3host/formats/w3map"
	"w3host/formats/w3map/builtin"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
	"w3host/record/journal"
	"w3host/record/recording"
)

// TestVersions plays a game of each group of versions, by bots that behave like clients of
// it and refuse what those refuse: one downloads the map, one stops reading until the
// lag screen is up, one leaves early. The replay has no fault, and the journal runs again.
func TestVersions(t *testing.T) {
	for _, v := range []w3gs.Version{26, 29, 32, 36, w3gs.VersionTwo, w3gs.VersionThree} {
		bubbled(t, v.String(), func(t *testing.T) {
			dir := t.TempDir()
			archive, err := recording.Open(recording.Options{Dir: filepath.Join(dir, "replays"), Name: "game", Log: zerolog.Nop()})
			if err != nil {
				t.Fatal(err)
			}
			r := newRig(t, func(o *Options) {
				o.Game.Version, o.Game.Turns.SyncLimit, o.Replays = v, 8, archive
				o.Journal = journal.Options{Dir: filepath.Join(dir, "journals"), KeepAll: true}
			})
			m := versionMap(t, v)
			g, err := r.h.OpenLobby("versions", m)
			if err != nil {
				t.Fatal(err)
			}
			check := w3gs.MapCheck{Path: m.Path, Size: m.Size, CRC32: m.CRC32, Checksum: m.Checksum, SHA1: m.SHA1, HasSHA1: true}
			prefix := "bot-"
			if v >= 32 {
				check.Path, prefix = v.MapPath(m.Path), "bot#" // battle tags
			}
			const players = 4
			report, err := bots.Run(t.Context(), bots.Options{
				Network: r.memory(), Addr: r.h.Addr().String(), GameID: g.ID(), EntryKey: g.EntryKey(), Version: v, Map: &check, NamePrefix: prefix,
				Players: players, Play: 3 * time.Second, LoadTime: 100 * time.Millisecond, Actions: 10, SlowStart: v.Reforged(),
				Conduct: func(_, seat int) bots.Conduct {
					return []bots.Conduct{
						{},
						{LeaveAfter: time.Second},
						{StallAfter: time.Second, StallFor: 1500 * time.Millisecond},
						{Download: filepath.Join(dir, "maps")},
					}[seat]
				},
			})
			if err != nil || !report.OK || report.LagScreens == 0 || len(report.Downloads) != 1 || !report.Downloads[0].Intact {
				t.Errorf("%v: %s; %d lag screens, downloads %+v, faults %+v", err, report.Verdict(), report.LagScreens, report.Downloads, report.Faults)
			}
			r.shutDown()
			if err := archive.Close(time.Minute); err != nil {
				t.Fatal(err)
			}
			wantReplayOf(t, filepath.Join(dir, "replays", "game.w3g"), v, players)
			files, _ := filepath.Glob(filepath.Join(dir, "journals", "*"))
			if len(files) != 1 {
				t.Fatalf("%d journals", len(files))
			}
			if result, err := rerunFile(t, files[0]); err != nil || !result.Checked || !result.Over {
				t.Errorf("the journal: %+v, %v", result, err)
			}
		})
	}
}

// versionMap is the built-in map as clients of a version see it.
func versionMap(t *testing.T, v w3gs.Version) *Map {
	name, data := builtin.Map()
	read, err := w3map.Read(bytes.NewReader(data), int64(len(data)), name, w3map.Options{Version: v})
	if err != nil {
		t.Fatal(err)
	}
	parts, err := mapxfer.NewParts(data)
	if err != nil {
		t.Fatal(err)
	}
	return &Map{Map: read, Parts: parts}
}

// wantReplayOf wants a replay without a fault that begins as real ones of its version do:
// from 1.32 on with skins, a pair and a profile of each player, in this order.
func wantReplayOf(t *testing.T, file string, v w3gs.Version, players int) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := replay.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var metas, want []byte
	for _, m := range r.Start.Metas {
		metas = append(metas, m.ID, m.Kind)
	}
	for _, p := range r.Start.Players {
		if len(p.Extra) != v.JoinExtra() {
			t.Errorf("player %d has % X behind the name", p.PID, p.Extra)
		}
		switch {
		case v >= w3gs.VersionTwo:
			want = append(want, 0x38, 4, 0x38, 5, 0x38, 3)
		case v >= 32:
			want = append(want, 0x39, 4, 0x39, 5, 0x39, 3)
		}
	}
	if !bytes.Equal(metas, want) || len(r.Start.Players) != players {
		t.Errorf("%d players, records % X, want % X", len(r.Start.Players), metas, want)
	}
	if found := replay.Verify(r); slices.ContainsFunc(found, func(f replay.Finding) bool { return f.Fault }) {
		t.Errorf("faults of the replay: %+v", found)
	}
}
