package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"w3host/storage"
	"w3host/storage/spool"
	"w3host/storage/storagetest"
)

func spoolCall(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	code, stdout, stderr := shell(t, args...)
	return code, stdout + stderr
}

// What a host left waiting, damaged or refused is shown, mended with a text
// editor, and stored.
func TestSpoolCommand(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("W3HOST_DATABASE_SPOOL", filepath.Join(dir, "spool"))
	t.Setenv("W3HOST_DATABASE_URL", "sqlite:"+filepath.Join(dir, "w3host.db"))
	aside := filepath.Join(dir, "spool", spool.Quarantine)
	if err := os.MkdirAll(aside, 0o750); err != nil {
		t.Fatal(err)
	}
	game, runID := storage.NewGameKey().String(), storage.NewGameKey().String()
	line := func(seq uint64, text string) string {
		record := `{"Game":"` + game + `","Turn":5,"Scope":"all","Text":"` + text + `"}`
		return string(spool.Line{Run: runID, Seq: seq, Type: "ChatLine", Record: json.RawMessage(record)}.Append(nil))
	}
	edited := func(text string) string { return `{"crc":"edited"` + text[len(`{"crc":"01234567"`):] }
	put := func(name, text string) {
		t.Helper()
		write(t, filepath.Join(dir, "spool", name), text)
	}
	made, err := storage.Open(t.Context(), "sqlite:"+filepath.Join(dir, "w3host.db"), storage.Options{})
	if err != nil || made.Close() != nil {
		t.Fatal(err)
	}
	put("host-id", storage.NewGameKey().String()+"\n")
	put("0000000002.jsonl", line(7, "waits")+"garbage\n"+line(9, "waits, too"))
	put(filepath.Join(spool.Quarantine, "0000000001.jsonl"), line(1, "stored before")+strings.Replace(line(2, "hurt"), "hurt", "h*rt", 1))
	put("rejected.jsonl", edited(line(3, "refused"))+strings.Replace(edited(line(4, "odd")), "ChatLine", "OddLine", 1))

	code, out := spoolCall(t, "db", "spool")
	for _, want := range []string{"2 records are waiting", "refused 2", "0000000002.jsonl  waiting", "7-9", "0000000001.jsonl  quarantined"} {
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("status lacks %q: %s", want, out)
		}
	}
	if code, out := spoolCall(t, "db", "spool", "show"); code != exitOK || !strings.Contains(out, `"Text":"waits, too"`) || !strings.Contains(out, "line 2 is damaged") {
		t.Errorf("show: %s", out)
	}
	if code, out := spoolCall(t, "db", "spool", "show", "0000000001.jsonl", "--json"); code != exitOK || !strings.Contains(out, "stored before") {
		t.Errorf("show of a file in quarantine: %s", out)
	}

	put(filepath.Join(spool.Quarantine, "0000000001.jsonl"), line(1, "stored before")+edited(line(2, "mended")))
	code, out = spoolCall(t, "db", "spool", "retry")
	if code != exitFailed || !strings.Contains(out, "Stored 2 records; 1 were refused again") {
		t.Errorf("retry: %d %s", code, out)
	}
	code, out = spoolCall(t, "db", "spool", "retry") // stores nothing twice
	if code != exitFailed || !strings.Contains(out, "Stored 0 records; 1 were refused again") {
		t.Errorf("retry again: %d %s", code, out)
	}
	db := storagetest.Open(t, "sqlite:"+filepath.Join(dir, "w3host.db"))
	key, _ := storage.ParseGameKey(game)
	g, err := db.Game(t.Context(), key)
	if err != nil || len(g.Chat) != 2 || g.Chat[0].Text != "mended" || g.Chat[1].Text != "refused" {
		t.Errorf("%+v, %v", g, err)
	}
	for _, args := range [][]string{{"db", "spool", "mend"}, {"db", "spool", "retry", "x"}, {"db", "spool", "show", "a", "b"}} {
		if code, out := spoolCall(t, args...); code != exitUsage {
			t.Errorf("%q: %d %s", args, code, out)
		}
	}
}

func TestHostsAndHealthJSON(t *testing.T) {
	dir := t.TempDir()
	p := startProcess(t, dir, "--listen", "127.0.0.1:0", "--lan=false", "--name", "x")
	t.Chdir(dir)
	code, out := spoolCall(t, "health", "--json", "--listen", p.addr)
	var answer struct {
		Alive  bool
		Status storage.Status
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil || code != exitOK || !answer.Alive || answer.Status.ID == "" {
		t.Errorf("%d %s: %v", code, out, err)
	}
	if code, out := spoolCall(t, "health", "--json", "--listen", "127.0.0.1:1"); code != exitFailed || !strings.Contains(out, `"alive": false`) {
		t.Errorf("%d %s", code, out)
	}
	if code, out := spoolCall(t, "db", "hosts", "--json"); code != exitOK || !strings.Contains(out, answer.Status.ID) {
		t.Errorf("%d %s", code, out)
	}
	if code, out := spoolCall(t, "db", "hosts"); code != exitOK || !strings.Contains(out, "running") {
		t.Errorf("%d %s", code, out)
	}
}
