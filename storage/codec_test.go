package storage

import (
	"encoding/hex"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"
)

var (
	testKey  = GameKey{0x01, 0x93, 0x4c, 0x3e, 0x5b, 0x00, 0x7a, 0xaa, 0x8b, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00, 0x11}
	testTime = time.Date(2026, 11, 20, 14, 5, 6, 123_456_000, time.UTC)
)

// everyRecord has one record of each kind with every field set.
func everyRecord() []Record {
	addr4, addr6 := netip.MustParseAddr("192.0.2.7"), netip.MustParseAddr("2001:db8::7")
	return []Record{
		GameCreated{
			Game: testKey, At: testTime, Name: "dota -apem", Owner: "Ann", Realm: "europe", Private: true, GameID: 1<<32 - 1, Version: "1.26",
			Map:      MapID{Name: "DotA", Path: `Maps\Download\DotA.w3x`, Size: 8 << 20, CRC32: 0xDEADBEEF, Checksum: 7, SHA1: [20]byte{1, 19: 20}},
			Settings: Settings{"fast", "default", "referees", true, true, true, true, true, true, true, 50, "apem"},
			Latency:  100 * time.Millisecond, Seed: 42,
		},
		PlayerJoined{testKey, testTime, 2, "Bob", "europe", addr4},
		GameStarted{testKey, testTime, []StartedSlot{
			{0, 2, OccupantPlayer, "Bob", "europe", addr6, 1, 11, 4, 100, 0},
			{1, 0, OccupantComputer, "", "", netip.Addr{}, 0, 3, 0x20, 50, 2},
		}},
		PlayerLoaded{testKey, testTime, 2, 12 * time.Second},
		GameLoaded{testKey, testTime},
		PlayerLeft{testKey, testTime, 2, 9000, 7, "lost", 45 * time.Millisecond, 1234},
		GameEnded{testKey, testTime, EndFinished, "one team left", 9001, 15 * time.Minute, "a.w3g"},
		ChatLine{testKey, testTime, 77, 2, "Bob", ChatPrivate, "Ann", "gg 当地"},
		LagEvent{testKey, testTime, 78, 2, 3 * time.Second, 51, 900 * time.Millisecond, time.Millisecond, 4096, "connection"},
		DropEvent{testKey, testTime, 79, 2, "vote", "Ann", 6},
		Desync{testKey, testTime, 80, []HashGroup{{1, []uint8{1, 3}, false}, {1<<32 - 1, []uint8{2}, true}}, []byte(`{"turns":[]}`)},
		MapDownload{testKey, testTime, 2, "Bob", 1 << 40, time.Minute, true, "done"},
		AdminAction{testKey, testTime, "Ann", "europe", "lobby", "kick", "Bob", "rude", "not allowed"},
		MapResult{testKey, testTime, 81, SourceDotA, 1, "Winner", "1", true},
		PlayerResult{testKey, testTime, 82, SourceW3MMD, 1, 2, ResultOutcome, OutcomeWon, true},
	}
}

// The bytes stay: a spool may be replayed by a later program.
func TestRecordGolden(t *testing.T) {
	tests := []struct {
		rec  Record
		want string
	}{
		{
			PlayerLoaded{testKey, testTime, 2, 3 * time.Nanosecond},
			"04" + "01934c3e5b007aaa8bbbccddeeff0011" + "80ab83b3b7adb006" + "02" + "06",
		},
		{
			ChatLine{Game: testKey, Turn: 300, PID: 2, Name: "Bob", Scope: ChatAll, Text: "gg"},
			"08" + "01934c3e5b007aaa8bbbccddeeff0011" + "00" + "ac02" + "02" + "03426f62" + "03616c6c" + "00" + "026767",
		},
	}
	for _, tt := range tests {
		if got := hex.EncodeToString(appendRecord(nil, tt.rec)); got != tt.want {
			t.Errorf("%T\n got %s\nwant %s", tt.rec, got, tt.want)
		}
	}
}

func TestRecordRoundTrip(t *testing.T) {
	for i, rec := range everyRecord() {
		b := appendRecord([]byte("before"), rec)
		if k := b[len("before")]; int(k) != i+1 {
			t.Errorf("%T has kind %d, want %d", rec, k, i+1)
		}
		got, err := decodeRecord(b[len("before"):])
		if err != nil || !reflect.DeepEqual(got, rec) {
			t.Errorf("%T: %v\n got %+v\nwant %+v", rec, err, got, rec)
		}
		zero := reflect.Zero(reflect.TypeOf(rec)).Interface().(Record)
		if got, err := decodeRecord(appendRecord(nil, zero)); err != nil || !reflect.DeepEqual(got, zero) {
			t.Errorf("zero %T: %v, %+v", rec, err, got)
		}
	}
}

// A record that an older program wrote has fewer fields; one of a newer
// program has more.
func TestRecordGrows(t *testing.T) {
	whole := appendRecord(nil, PlayerLoaded{testKey, testTime, 2, time.Second})
	got, err := decodeRecord(whole[:len(whole)-5])
	if want := (PlayerLoaded{Game: testKey, At: testTime, PID: 2}); err != nil || got != want {
		t.Errorf("older: %+v, %v", got, err)
	}
	got, err = decodeRecord(append(whole, "later field"...))
	if want := (PlayerLoaded{testKey, testTime, 2, time.Second}); err != nil || got != want {
		t.Errorf("newer: %+v, %v", got, err)
	}
	if _, err := decodeRecord([]byte{200}); err == nil || !strings.Contains(err.Error(), "newer w3host") {
		t.Errorf("unknown kind: %v", err)
	}
}

func FuzzDecodeRecord(f *testing.F) {
	for _, rec := range everyRecord() {
		f.Add(appendRecord(nil, rec))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		rec, err := decodeRecord(b)
		if err != nil {
			return
		}
		again, err := decodeRecord(appendRecord(nil, rec))
		if err != nil || !reflect.DeepEqual(again, rec) {
			t.Fatalf("%v\n got %+v\nwant %+v", err, again, rec)
		}
	})
}

func TestGameKey(t *testing.T) {
	k := NewGameKey()
	if k[6]>>4 != 7 || k[8]>>6 != 2 {
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
