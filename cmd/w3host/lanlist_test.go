package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/netip"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"w3host/internal/testkit"
	"w3host/internal/tier"
	"w3host/lan"
	"w3host/protocol/w3gs"
)

// shown announces a lobby on loopback until the test ends.
func shown(t *testing.T) (*lan.Advertiser, string) {
	t.Helper()
	a, err := lan.Listen(lan.Options{
		Broadcast: []netip.AddrPort{}, Ports: []uint16{0}, Bind: netip.MustParseAddr("127.0.0.1"),
		Product: w3gs.ProductTFT, Version: 26, Versions: []uint32{24}, Log: zerolog.Nop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Shutdown)
	err = a.Open(lan.Advert{
		GameID: 7, EntryKey: 0x01020304, Name: "|cFFFF0000rot\x1b[2J", Port: 6200, Count: lan.Count{Slots: 12, Open: 9},
		Stat: w3gs.StatString{Settings: 0x00064802, Width: 118, Height: 120, Checksum: 0x30B9D599, MapPath: `Maps\Download\a b.w3x`, HostName: "vs"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return a, a.Addrs()[0].String()
}

func TestLANListJSON(t *testing.T) {
	t.Parallel()
	_, addr := shown(t)
	var games []map[string]any
	testkit.Eventually(t, "the game is found", func() bool { // a busy machine may answer too late
		code, out, stderr := shell(t, "lan", "list", "--to", addr, "--timeout", "300ms", "--json")
		if err := json.Unmarshal([]byte(out), &games); code != exitOK || err != nil || len(games) > 1 {
			t.Fatalf("exit %d, %v: %s%s", code, err, out, stderr)
		}
		return len(games) == 1
	})
	want := map[string]any{
		"name": "|cFFFF0000rot\x1b[2J", "host": "vs", "map": `Maps\Download\a b.w3x`, "players": 3., "slots": 12., "slots_open": 10.,
		"version": 26., "product": "W3XP", "game_id": 7., "entry_key": float64(0x01020304), "address": "127.0.0.1", "port": 6200.,
		"settings": float64(0x00064802), "width": 118., "height": 120., "checksum": float64(0x30B9D599),
	}
	rtt, _ := games[0]["rtt_ms"].(float64)
	_, uptime := games[0]["uptime_seconds"].(float64)
	if rtt <= 0 || !uptime {
		t.Errorf("got %v", games[0])
	}
	delete(games[0], "rtt_ms")
	delete(games[0], "uptime_seconds")
	if !reflect.DeepEqual(games[0], want) {
		t.Errorf("got  %v\nwant %v", games[0], want)
	}
}

func TestLANListTable(t *testing.T) {
	t.Parallel()
	_, addr := shown(t)
	var lines []string
	testkit.Eventually(t, "the game is found", func() bool {
		code, out, _ := shell(t, "lan", "list", "--to", addr, "--timeout", "300ms", "--version", "1.24")
		lines = strings.Split(out, "\n")
		if code != exitOK || len(lines) > 3 || strings.Contains(out, "\x1b") {
			t.Fatalf("exit %d: %q", code, out)
		}
		return len(lines) == 3
	})
	if row := regexp.MustCompile(` vs +a b\.w3x +3/12 +W3XP 1\.24 +127\.0\.0\.1:6200 +\d+\.\d ms +(\d+m)?\d+s$`); !row.MatchString(lines[1]) {
		t.Errorf("got %q", lines[1])
	}
	for _, args := range [][]string{{"--version", "25"}, {"--product", "WAR3"}} {
		code, out, _ := shell(t, append([]string{"lan", "list", "--to", addr, "--timeout", "300ms"}, args...)...)
		if code != exitOK || !strings.Contains(out, "No games") {
			t.Errorf("%q: exit %d: %s", args, code, out)
		}
	}
	if code, out, _ := shell(t, "lan", "list", "--to", addr, "--timeout", "300ms", "--json", "--version", "25"); code != exitOK || out != "[]\n" {
		t.Errorf("exit %d: %q", code, out)
	}
}

// With --watch there is one array a line: at the start, and for each change.
func TestLANListWatch(t *testing.T) {
	tier.All(t, "waits for real time")
	t.Parallel()
	a, addr := shown(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() { // ends with ctx
		code := run(ctx, []string{"lan", "list", "--to", addr, "--watch", "--json"}, strings.NewReader(""), in, io.Discard)
		_ = in.Close()
		ended <- code
	}()
	lines := json.NewDecoder(out)
	next := func() (games []lanGame) {
		t.Helper()
		if err := lines.Decode(&games); err != nil {
			t.Fatal(err)
		}
		return games
	}
	if got := next(); len(got) != 0 {
		t.Errorf("the first list is %+v", got)
	}
	if got := next(); len(got) != 1 || got[0].Players != 3 {
		t.Errorf("the second list is %+v", got)
	}
	a.Update(7, lan.Count{Slots: 12, Open: 5})
	if got := next(); len(got) != 1 || got[0].Players != 7 {
		t.Errorf("after the change: %+v", got)
	}
	a.Close(7)
	if got := next(); len(got) != 0 {
		t.Errorf("after the end: %+v", got)
	}
	stop()
	if code := <-ended; code != exitOK {
		t.Errorf("exit %d", code)
	}
}

// On a terminal the list takes the place of the one before.
func TestLANScreenInPlace(t *testing.T) {
	var out bytes.Buffer
	s := &lanScreen{w: &out, live: true}
	s.update(nil)
	s.update([]lanGame{{Name: "a", Address: "10.0.0.1"}, {Name: "b", Address: "10.0.0.1"}})
	out.Reset()
	s.update([]lanGame{{Name: "a", Address: "10.0.0.1"}})
	if !strings.HasPrefix(out.String(), "\x1b[3A\x1b[J") || strings.Contains(out.String(), "b ") {
		t.Errorf("got %q", out.String())
	}
	out.Reset()
	s.update(nil)
	if !strings.HasPrefix(out.String(), "\x1b[2A\x1b[J") {
		t.Errorf("got %q", out.String())
	}
}

func TestLANUsage(t *testing.T) {
	for args, want := range map[string]string{
		"dance":                               "use list, relay, play or watch",
		"list --to nowhere.invalid":           "nowhere.invalid",
		"list --timeout 0s":                   "--timeout",
		"list --version x":                    "--version",
		"list --product W4":                   "--product",
		"list --dance":                        "unknown flag --dance",
		"relay --from 127.0.0.1":              "--to ADDR",
		"relay --to 127.0.0.1":                "--from HOST",
		"relay --from a.invalid --to 1.1.1.1": "a.invalid",
		"relay --from 127.0.0.1 --to 127.0.0.1 --version 24,26": "one --version",
		"relay --from 127.0.0.1 --to 127.0.0.1 --port 70000":    "--port",
		"relay --from 127.0.0.1 --to 127.0.0.1 --port -5":       "--port must be from 0 to 65535",
	} {
		code, _, stderr := shell(t, append([]string{"lan"}, strings.Fields(args)...)...)
		if code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d: %s", args, code, stderr)
		}
	}
}

// Versions are asked for as the flag says, else as the configuration does.
func TestLANVersions(t *testing.T) {
	t.Setenv("W3HOST_HOST_VERSION", "27")
	t.Setenv("W3HOST_LAN_VERSIONS", "24, 25")
	for flag, want := range map[string][]uint32{"": {27, 24, 25}, "26": {26}, "1.26, 23": {26, 23}} {
		c := lanCall{version: flag}
		searches, err := c.searches()
		var got []uint32
		for _, s := range searches {
			got = append(got, s.Version)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("--version %q asks for %v, %v", flag, got, err)
		}
	}
	all := lanCall{version: "all"}
	if searches, err := all.searches(); err != nil || len(searches) < 20 {
		t.Errorf("all versions: %d, %v", len(searches), err)
	}
}

func TestWithPort(t *testing.T) {
	for host, want := range map[string]string{
		"example.org": "example.org:6112", "example.org:7": "example.org:7", "10.0.0.1": "10.0.0.1:6112",
		"::1": "[::1]:6112", "[::1]": "[::1]:6112", "[::1]:7": "[::1]:7",
	} {
		if got := withPort(host); got != want {
			t.Errorf("%s: got %s, want %s", host, got, want)
		}
	}
}
