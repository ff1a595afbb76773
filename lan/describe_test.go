package lan

import (
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// meleeRecord is the record of type 66 of a lobby that a real client of 1.32 had opened
// (wc3tools/wc3-samples, gameinfo_melee).
const meleeRecord = "CgVtZWxlZRAAGhAKC3BsYXllcnNfbnVtEgExGg4KBV9uYW1lEgVtZWxlZRoQCgtwbGF5ZXJzX21heBIBMhoeChBnYW1lX2NyZWF0ZV90aW1lEgoxNTkyODA0" +
	"ODc3GgoKBV90eXBlEgExGg0KCF9zdWJ0eXBlEgEwGhkKC2dhbWVfc2VjcmV0EgoyNDc0MjExOTI5GpIBCglnYW1lX2RhdGEShAFiV1ZzWldVQUFBRURTUWNCQWFFQjhVa0JWekdMZVUyYllYRnpMeWt6S2ExamIyOTFlV05oTzNrdmR6TnRBVkdkVFVGWlJWTlBRVmROUlVsRlUwVUJoUUhKNVcvWFYvL2xqNDJOWVkwNUF5MXZQeHY3Q3gzREFBSUFBQUFKd0VJQWdEND0aDQoHZ2FtZV9pZBICMTMaCwoGX2ZsYWdzEgEw"

// TestDescription writes the captured lobby to the same bytes.
func TestDescription(t *testing.T) {
	data, err := base64.StdEncoding.DecodeString(meleeRecord)
	if err != nil {
		t.Fatal(err)
	}
	opened := time.Unix(1592804877, 0)
	info, err := described(data, w3gs.SearchGame{Product: w3gs.ProductTFT, Version: 32}, opened.Add(5*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if info.Name != "melee" || info.GameID != 13 || info.EntryKey != 2474211929 || info.Slots != 2 || info.SlotsOpen != 2 || info.Port != 16000 ||
		info.UptimeSeconds != 5 || info.Stat.MapPath != "Maps/(2)bootybay.w3m" || (Found{Info: *info}).Players() != 1 {
		t.Errorf("read as %+v", info)
	}
	if got := describe(*info, 32, opened, 0); string(got) != string(data) {
		t.Errorf("got  %q\nwant %q", got, data)
	}
}

// TestDescription130 has the order that a dump of a 1.30 client shows.
func TestDescription130(t *testing.T) {
	info := w3gs.GameInfo{GameID: 1, Name: "a", Slots: 2, SlotsOpen: 2, Unknown: 1, Stat: w3gs.StatString{MapPath: `Maps\a`}}
	var d description
	if err := d.decode(describe(info, 30, time.Unix(9, 0), 3)); err != nil || d.messageID != 3 {
		t.Fatal(err)
	}
	want := []string{"game_secret", "_type", "_subtype", "game_id", "_name", "players_max", "_flags", "players_num", "game_create_time", "game_data"}
	for i, e := range d.entries {
		if e.key != want[i] {
			t.Errorf("entry %d is %s, want %s", i, e.key, want[i])
		}
	}
	if back, err := described(describe(info, 31, time.Unix(9, 0), 3), w3gs.SearchGame{Version: 31}, time.Unix(9, 0)); err != nil || back.Stat.MapPath != `Maps\a` {
		t.Errorf("%+v, %v", back, err)
	}
}

// TestRealDescriptions: every captured record decodes, and encodes to the same bytes but for a message id of 0, which
// libraries for protobuf leave out.
func TestRealDescriptions(t *testing.T) {
	files, _ := filepath.Glob("../../shared/testdata/packets/lan/gameinfo_*.bin")
	files = append(files, "../../shared/testdata/packets/lan/mdns_gamedata.bin")
	n := 0
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Skipf("SKIP: needs captures: %v", err)
		}
		if filepath.Ext(path[:len(path)-4]) == ".data" {
			continue // protocol/w3gs reads these
		}
		n++
		var d description
		if err := d.decode(b); err != nil {
			t.Errorf("%s: %v", path, err)
		} else if got := d.appendTo(nil); string(got) != string(b) && strings.Replace(string(got), "\x10\x00", "", 1) != string(b) {
			t.Errorf("%s: got  %q\nwant %q", path, got, b)
		}
		if _, err := described(b, w3gs.SearchGame{Version: 32}, time.Now()); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if n != 7 {
		t.Errorf("%d records, want 7", n)
	}
}

func FuzzDescription(f *testing.F) {
	data, _ := base64.StdEncoding.DecodeString(meleeRecord)
	f.Add(data, uint32(32))
	f.Add(data, uint32(30))
	f.Fuzz(func(t *testing.T, b []byte, version uint32) {
		var d, again description
		if d.decode(b) == nil {
			if err := again.decode(d.appendTo(nil)); err != nil || len(again.entries) != len(d.entries) || again.name != d.name {
				t.Errorf("%s: %+v is read back as %+v, %v", hex.EncodeToString(b), d, again, err)
			}
		}
		if info, err := described(b, w3gs.SearchGame{Version: version}, time.Now()); err == nil {
			count := Found{Info: *info}.count()
			if count.Slots < 0 || count.Open > count.Slots {
				t.Errorf("%+v", count)
			}
		}
	})
}
