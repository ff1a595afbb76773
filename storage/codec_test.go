package storage

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"w3host/storage/spool"
)

var (
	testKey  = GameKey{uuid.MustParse("01934c3e-5b00-7aaa-8bbb-ccddeeff0011")}
	testTime = time.Date(2026, 11, 20, 14, 5, 6, 123_456_000, time.UTC)
)

// everyRecord has one record of each kind with every field set.
func everyRecord() []Record {
	addr4, addr6 := netip.MustParseAddr("192.0.2.7"), netip.MustParseAddr("2001:db8::7")
	return []Record{
		GameCreated{
			Game: testKey, At: testTime, Name: "dota -apem", Owner: "Ann", Realm: "europe", Private: true, GameID: 1<<32 - 1, Version: "1.26",
			Map:      MapID{Name: "DotA", Path: `Maps\Download\DotA.w3x`, Size: 8 << 20, CRC32: 0xDEADBEEF, Checksum: 7, SHA1: [20]byte{1, 19: 20}},
			Settings: Settings{"fast", "default", "referees", true, true, true, true, true, true, true, 50, "apem", "friday.w3z", true, "it is private"},
			Latency:  100 * time.Millisecond, Seed: 42,
		},
		PlayerJoined{testKey, testTime, 2, "Bob", "europe", addr4},
		GameStarted{testKey, testTime, []StartedSlot{
			{0, 2, OccupantPlayer, "Bob", "europe", addr6, 1, 11, 4, 100, 0},
			{1, 0, OccupantComputer, "", "", netip.Addr{}, 0, 3, 0x20, 50, 2},
		}, "a.w3g"},
		PlayerLoaded{testKey, testTime, 2, 12 * time.Second},
		PlayerVouched{testKey, testTime, 2, "Home"},
		GameLoaded{testKey, testTime},
		PlayerLeft{testKey, testTime, 2, 9000, 7, "lost", 45 * time.Millisecond, 1234},
		GameEnded{testKey, testTime, EndFinished, "one team left", 9001, 15 * time.Minute, "a.w3g"},
		ChatLine{testKey, testTime, 77, 2, "Bob", ChatPrivate, "Ann", "gg 当地"},
		LagEvent{testKey, testTime, 78, 2, 3 * time.Second, 51, 900 * time.Millisecond, time.Millisecond, 4096, "connection"},
		DropEvent{testKey, testTime, 79, 2, "vote", "Ann", 6},
		SaveEvent{testKey, testTime, 79, 2, "friday.w3z", 12 * time.Minute},
		LinkEvent{testKey, testTime, 79, 2, true, 12 * time.Second, "reset"},
		Desync{testKey, testTime, 80, []HashGroup{{1, []uint8{1, 3}, false}, {1<<32 - 1, []uint8{2}, true}}, []byte(`{"turns":[]}`)},
		MapDownload{testKey, testTime, 2, "Bob", 1 << 40, time.Minute, true, "done"},
		AdminAction{testKey, testTime, "Ann", "europe", "lobby", "kick", "Bob", "rude", "not allowed"},
		MapReports{testKey, testTime, 81, 10 * time.Minute, 2, []MapReport{{"MMD.Dat", "val:0", "init pid 0 Ann", 1<<32 - 1}}},
		MapResult{testKey, testTime, 81, SourceDotA, 1, "Winner", "1", true},
		PlayerResult{testKey, testTime, 82, SourceW3MMD, 1, 2, ResultOutcome, OutcomeWon, true, true},
		KeyedRecord{LagEvent{testKey, testTime, 78, 2, 3 * time.Second, 51, 900 * time.Millisecond, time.Millisecond, 4096, "connection"}, 1<<40 + 5},
	}
}

// line is what a record is in the spool.
func line(run string, seq uint64, rec Record) ([]byte, error) {
	l, err := encodeLine(run, SequencedRecord{seq, rec})
	return l.Append(nil), err
}

// The text stays: a spool may be replayed by a later program.
func TestRecordGolden(t *testing.T) {
	got, err := line("01934c3e-5b00-7aaa-8bbb-0000000000a1", 7, ChatLine{testKey, testTime, 77, 2, "Bob", ChatPrivate, "Ann", "<gg> \n当地"})
	want := `{"crc":"464ff0a2","run":"01934c3e-5b00-7aaa-8bbb-0000000000a1","seq":7,"type":"ChatLine","record":` +
		`{"Game":"01934c3e-5b00-7aaa-8bbb-ccddeeff0011","At":"2026-11-20T14:05:06.123456Z","Turn":77,"PID":2,` +
		`"Name":"Bob","Scope":"private","To":"Ann","Text":"<gg> \n当地"}}` + "\n"
	if err != nil || string(got) != want {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
}

func TestRecordRoundTrip(t *testing.T) {
	if len(recordTypes) != len(everyRecord()) {
		t.Errorf("%d types are read, %d are known", len(recordTypes), len(everyRecord()))
	}
	for _, rec := range everyRecord() {
		empty := reflect.Zero(reflect.TypeOf(rec)).Interface().(Record)
		if _, ok := rec.(KeyedRecord); ok {
			empty = KeyedRecord{Record: PlayerLoaded{}} // it always has a record
		}
		for _, rec := range []Record{rec, empty} {
			text, err := line("r", 1, rec)
			if err != nil {
				t.Fatal(err)
			}
			c := spool.Parse(text)
			if len(c.Lines) != 1 || bytes.Count(text, []byte("\n")) != 1 {
				t.Fatalf("%T is no line: %s", rec, text)
			}
			got, err := decodeLine(c.Lines[0])
			if d, ok := rec.(Desync); ok && d.Dossier == nil {
				d.Dossier = json.RawMessage("null")
				rec = d
			}
			if err != nil || !reflect.DeepEqual(got, rec) {
				t.Errorf("%T: %v\n got %+v\nwant %+v", rec, err, got, rec)
			}
		}
	}
}

// A record that an older program wrote has fewer fields; one of a newer
// program has more.
func TestRecordGrows(t *testing.T) {
	read := func(kind, record string) (Record, error) {
		return decodeLine(spool.Line{Run: "r", Seq: 1, Type: kind, Record: json.RawMessage(record)})
	}
	got, err := read("PlayerLoaded", `{"PID":2,"Later":[1]}`)
	if want := (PlayerLoaded{PID: 2}); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := read("Later", `{}`); err == nil || !strings.Contains(err.Error(), "newer w3host") {
		t.Errorf("unknown type: %v", err)
	}
	if _, err := read("PlayerLoaded", `{"PID":"two"}`); err == nil {
		t.Error("a text as a pid")
	}
}

// A dossier that is no JSON, or JSON over several lines, stays one line.
func TestDossierIsOneLine(t *testing.T) {
	for _, dossier := range []string{"{\n \"a\": 1\n}", "no\nJSON\x00\xff", ""} {
		text, err := line("r", 1, Desync{Dossier: json.RawMessage(dossier)})
		if err != nil || bytes.Count(text, []byte("\n")) != 1 {
			t.Errorf("%q: %s, %v", dossier, text, err)
		}
	}
}

func TestGameKey(t *testing.T) {
	k := NewGameKey()
	if k.Version() != 7 || k.Variant() != uuid.RFC4122 {
		t.Errorf("%v is no UUID version 7", k)
	}
	if got, err := ParseGameKey(k.String()); err != nil || got != k {
		t.Errorf("parse %v: %v, %v", k, got, err)
	}
	if testKey.String() != "01934c3e-5b00-7aaa-8bbb-ccddeeff0011" {
		t.Error(testKey.String())
	}
	for _, bad := range []string{"", "x", strings.Repeat("0", 36), "01934c3e-5b00-7aaa-8bbb-ccddeeff001g"} {
		if _, err := ParseGameKey(bad); err == nil {
			t.Errorf("%q parsed", bad)
		}
	}
}
