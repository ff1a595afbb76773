package main

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"w3host/bots"
	"w3host/formats/replay"
	"w3host/internal/tier"
	"w3host/storage"
)

// TestEvidence takes the evidence of a game that bots have played.
func TestEvidence(t *testing.T) {
	tier.All(t, "plays games in real time")
	t.Parallel()
	h := startHost(t, "[log]\nkeep_journals = \"none\"\n[game]\nlatency = \"50ms\"\n[lobby]\ncountdown = 0\nautostart = 3\n")
	report, err := bots.Run(t.Context(), bots.Options{
		Addr: h.addr, Players: 3, Play: 2 * time.Second, ChatEvery: 500 * time.Millisecond, Patience: time.Minute, GameID: 1, NoStart: true,
	})
	if err != nil || !report.OK {
		t.Fatalf("%s: %v %v", report.Verdict(), err, report.Faults)
	}
	row := h.ended(t)
	h.replay(t, row.Replay)
	db := h.store(t)
	g, err := db.Game(t.Context(), row.Key)
	if err != nil {
		t.Fatal(err)
	}
	who, other := g.People[1], g.People[2]
	for _, b := range []storage.Ban{
		{Network: netip.MustParsePrefix("127.0.0.1/32"), Reason: "flood", By: "root"},
		{Name: strings.ToUpper(who.Name), Reason: "again from 127.0.0.1.", By: "root"},
		{Name: "Elsewhere", Reason: "not theirs"},
	} {
		if _, err := db.AddBan(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range []storage.Remark{{Kind: storage.Warning, Line: "feeding"}, {Kind: storage.Note, Line: "a friend of Cid"}} {
		r.Name, r.By, r.At = who.Name, "root", time.Now()
		if _, err := db.AddRemark(t.Context(), r, time.Time{}); err != nil {
			t.Fatal(err)
		}
	}

	out := filepath.Join(t.TempDir(), "evidence.zip")
	line := func(game, player string) string {
		return fmt.Sprintf("player evidence %s %s --config %s --output %s", game, player, h.config, out)
	}
	for _, wrong := range []struct {
		line string
		code int
		want string
	}{
		{line("last", "Nobody"), 1, `"Nobody" was not in that game; its players were: `},
		{line(storage.NewGameKey().String(), who.Name), 1, "not found"},
		{line("7x", who.Name), 2, "a game key looks like"},
		{"player evidence last", 2, "name a game and a player"},
	} {
		if code, _, errs := ask(t, wrong.line); code != wrong.code || !strings.Contains(errs, wrong.want) {
			t.Errorf("%s: %d %s", wrong.line, code, errs)
		}
	}
	if code, said, errs := ask(t, line("last", strings.ToLower(who.Name))); code != 0 || !strings.Contains(said, "what "+who.Name+" did") || strings.Contains(said, "without") {
		t.Fatalf("%d %s%s", code, said, errs)
	}
	if code, _, errs := ask(t, line("last", who.Name)); code != 1 || !strings.Contains(errs, "already exists") {
		t.Errorf("over another: %d %s", code, errs)
	}

	files := unzip(t, out)
	var game storage.GameDetail
	if err := json.Unmarshal([]byte(files["game.json"]), &game); err != nil {
		t.Fatal(err)
	}
	word := game.People[1].Address
	if !strings.HasPrefix(word, "address-") || !strings.Contains(files["report.txt"], word) || !strings.Contains(files["record.json"], "again from "+word+".") {
		t.Errorf("the address is %q\n%s", word, files["record.json"])
	}
	for _, name := range []string{"report.txt", "game.json", "record.json"} {
		if strings.Contains(files[name], "127.0.0.1") || strings.Contains(files[name], "a friend of Cid") || strings.Contains(files[name], "not theirs") {
			t.Errorf("%s tells too much", name)
		}
	}
	if strings.Count(files["record.json"], `"reason"`) != 2 || strings.Count(files["record.json"], "feeding") != 1 {
		t.Errorf("bans and warnings: %s", files["record.json"])
	}
	acts := files["actions.txt"]
	if !strings.Contains(acts, who.Name) || strings.Contains(acts, "  "+other.Name+" ") || !strings.Contains(acts, "leaves: reason") {
		t.Errorf("actions:\n%.2000s", acts)
	}
	r, err := replay.NewReader(strings.NewReader(files["replay.w3g"]))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range replay.Verify(r) {
		if f.Fault {
			t.Error(f.Text)
		}
	}
}

// TestHiddenAddresses: the same address is the same word in each form, under each key another, and nothing else is touched.
func TestHiddenAddresses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.key")
	a, err := newAddressHider(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := newAddressHider(path)
	if err != nil {
		t.Fatal(err)
	}
	b := addressHider{make([]byte, hiderKeyLen)}
	word := string(a.in([]byte("192.0.2.7")))
	if word == "192.0.2.7" || string(again.in([]byte("192.0.2.7"))) != word || string(b.in([]byte("192.0.2.7"))) == word {
		t.Errorf("%q", word)
	}
	six := string(a.in([]byte("2001:db8::7")))
	for text, want := range map[string]string{
		"from 192.0.2.7, then 192.0.2.7:6112.":                      "from " + word + ", then " + word + ":6112.",
		`"::ffff:192.0.2.7/32"`:                                     `"` + word + `/32"`,
		"[2001:db8::7]:6112, 2001:DB8:0::7":                         "[" + six + "]:6112, " + six,
		"is:2001:db8::7: yes":                                       "is:" + six + ": yes",
		"at 20:15:03 on 2026-11-20T14:05:06Z, 1.26.0.6401, 0.0.0.0": "at 20:15:03 on 2026-11-20T14:05:06Z, 1.26.0.6401, 0.0.0.0",
	} {
		if got := string(a.in([]byte(text))); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func unzip(t *testing.T, name string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(text)
	}
	return files
}
