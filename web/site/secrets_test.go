package site

import (
	"bytes"
	"fmt"
	"image"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/storage"
	"w3host/storage/storagetest"
)

// TestSecrets plants 200 secrets in a game log: addresses, private and allied chat, reasons of bans, kicks and drops, what admins did, private
// games, names of the LAN and of hidden players. No byte of a public answer has one, in either language, for anybody.
func TestSecrets(t *testing.T) {
	for name, url := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := storagetest.Open(t, url(t))
			var secrets []string
			secret := func(kind string) string {
				s := fmt.Sprintf("%s%03dq", kind, len(secrets))
				secrets = append(secrets, strings.ToLower(s))
				return s
			}
			records, keys := planted(secret, func(addr netip.Addr) { secrets = append(secrets, addr.String()) })
			hidden := secret("hidden")
			records, keys = plantMatch(records, keys, secret, "public", hidden)
			batch := storage.Batch{HostID: storage.NewGameKey().String(), Run: storage.NewGameKey().String()}
			for i, r := range records {
				batch.Records = append(batch.Records, storage.SequencedRecord{Seq: uint64(i + 1), Record: r})
			}
			if err := db.Apply(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
			ban := secret("banreason")
			if _, err := db.AddBan(t.Context(), storage.Ban{Name: "Ann", Realm: "home", Reason: ban, By: secret("banner")}); err != nil {
				t.Fatal(err)
			}
			if err := db.Hide(t.Context(), hidden); err != nil {
				t.Fatal(err)
			}
			l := Ladder{Name: "All", Ladder: storage.Ladder{Slug: "all"}}
			if n, err := db.UpdateLadder(t.Context(), l.Ladder, time.Now().Add(time.Hour)); err != nil || n < 10 {
				t.Fatalf("%d games: %v", n, err)
			}
			if len(secrets) < 200 {
				t.Fatalf("only %d secrets", len(secrets))
			}
			x := newFixture(t, nil)
			x.games, x.matches = nil, nil
			x.site.opts.Log, x.site.opts.Ladders = db, func() []Ladder { return []Ladder{l} }
			x.site.opts.Logger, x.site.opts.Minimap = zerolog.Nop(), func(string) (image.Image, error) { return image.NewNRGBA(image.Rect(0, 0, 9, 9)), nil }
			paths := append(x.paths(), "/matches?player=Ann@home", "/player/Ann@home", "/player/Bob@home", "/player/"+hidden+"@home", "/matches?player="+hidden+"@home", "/ladder/all", "/ladder/all?find="+hidden, "/map/harrow-bridge", "/zh/map/harrow-bridge", "/matches?map=harrow-bridge")
			for _, key := range keys {
				paths = append(paths, "/match/"+key.String(), "/zh/match/"+key.String())
			}
			good := 0
			for _, path := range paths {
				w := x.get(path)
				if w.Code == 200 {
					good++
				}
				body := bytes.ToLower(w.Body.Bytes())
				for _, s := range secrets {
					if bytes.Contains(body, []byte(s)) && !strings.Contains(strings.ToLower(path), s) || strings.Contains(fmt.Sprint(w.Header()), s) {
						t.Errorf("%s has %s", path, s)
					}
				}
			}
			if w := x.get("/map/harrow-bridge"); w.Code != 200 || !strings.Contains(w.Body.String(), "Harrow Bridge") {
				t.Errorf("the map: %d %s", w.Code, w.Body)
			}
			if page := x.get("/match/" + keys[0].String()).Body.String(); good < 40 || !strings.Contains(page, "said to all") || !strings.Contains(page, "Ann") {
				t.Errorf("%d pages, and one with %s", good, page)
			}
		})
	}
}

// planted are public matches with what strangers may not read, and private games.
func planted(secret func(string) string, address func(netip.Addr)) (records []storage.Record, keys []storage.GameKey) {
	for i := range 12 {
		records, keys = plantMatch(records, keys, secret, "public", secret("lan"))
		addr := netip.AddrFrom4([4]byte{203, 0, 113, byte(100 + i)})
		address(addr)
		records = append(records, storage.PlayerJoined{Game: keys[len(keys)-1], At: time.Now(), PID: 9, Name: secret("leftlobby"), Realm: "home", Addr: addr})
	}
	for range 12 {
		key, at := storage.NewGameKey(), time.Now().Add(-time.Hour)
		records = append(records, storage.GameCreated{Game: key, At: at, Name: secret("privategame"), Owner: secret("owner"), Private: true, Version: "1.26", Map: storage.MapID{Name: secret("privatemap")}},
			storage.PlayerJoined{Game: key, At: at, PID: 1, Name: secret("guest"), Realm: "home"},
			storage.GameStarted{Game: key, At: at, Slots: []storage.StartedSlot{{PID: 1, Name: "guest", Realm: "home", Occupant: storage.OccupantPlayer}}},
			storage.GameLoaded{Game: key, At: at}, storage.GameEnded{Game: key, At: at.Add(time.Minute), How: storage.EndFinished})
		keys = append(keys, key)
	}
	return records, keys
}

// plantMatch adds a public match of Ann, Bob and somebody whose name is secret.
func plantMatch(records []storage.Record, keys []storage.GameKey, secret func(string) string, name, third string) ([]storage.Record, []storage.GameKey) {
	key, at := storage.NewGameKey(), time.Now().Add(-2*time.Hour).UTC().Truncate(time.Millisecond)
	realm := map[bool]string{true: "home", false: ""}[strings.HasPrefix(third, "hidden")]
	records = append(records, storage.GameCreated{
		Game: key, At: at, Name: third + "'s " + name, Owner: third, Version: "1.26", Map: storage.MapID{Name: "Harrow Bridge", Path: `Maps\Bridge.w3x`}, Settings: storage.Settings{PublicChat: true},
	})
	var slots []storage.StartedSlot
	for i, p := range []struct{ name, realm string }{{"Ann", "home"}, {"Bob", "home"}, {third, realm}, {"Cid", "home"}} {
		pid := uint8(i + 1)
		records = append(records, storage.PlayerJoined{Game: key, At: at, PID: pid, Name: p.name, Realm: p.realm})
		slots = append(slots, storage.StartedSlot{Slot: uint8(i), PID: pid, Name: p.name, Realm: p.realm, Occupant: storage.OccupantPlayer, Team: uint8(i % 2), Colour: uint8(i)})
	}
	say := func(pid uint8, scope storage.ChatScope, text string) {
		records = append(records, storage.ChatLine{Game: key, At: at.Add(2 * time.Minute), Turn: 9, PID: pid, Name: slots[pid-1].Name, Scope: scope, To: secret("receiver"), Text: text})
	}
	records = append(records, storage.GameStarted{Game: key, At: at, Slots: slots, Replay: secret("replay") + ".w3g"}, storage.GameLoaded{Game: key, At: at.Add(time.Minute)})
	say(1, storage.ChatAll, "said to all")
	say(1, storage.ChatAllies, secret("allies"))
	say(1, storage.ChatPrivate, secret("whisper"))
	say(1, storage.ChatLobby, secret("lobbyline"))
	say(2, storage.ChatObservers, secret("observers"))
	say(3, storage.ChatAll, secret("unnamed"))
	for i, outcome := range []string{"won", "lost", "won", "lost"} {
		records = append(records, storage.PlayerResult{Game: key, Source: storage.SourceW3MMD, Sender: 1, PID: uint8(i + 1), Name: storage.ResultOutcome, Value: outcome})
	}
	records = append(records,
		storage.DropEvent{Game: key, At: at.Add(3 * time.Minute), PID: 2, Reason: secret("dropreason"), By: secret("decider")},
		storage.PlayerLeft{Game: key, At: at.Add(3 * time.Minute), PID: 2, Reason: secret("kickreason"), Ping: time.Second},
		storage.MapDownload{Game: key, At: at, PID: 2, Name: "Bob", Detail: secret("download")},
		storage.AdminAction{Game: key, At: at, Who: secret("admin"), Action: "kick", On: "Bob", Detail: secret("detail"), Refused: secret("refused")},
		storage.GameEnded{Game: key, At: at.Add(30 * time.Minute), How: storage.EndFinished, Detail: secret("enddetail"), Played: 29 * time.Minute})
	return records, append(keys, key)
}
