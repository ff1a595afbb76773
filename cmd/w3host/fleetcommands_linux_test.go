package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"w3host/internal/tier"
	"w3host/storage"
	"w3host/storage/storagetest"
)

// ctl gives a command to the host of a folder.
func (f *fleetHosts) ctl(dir, line string) string {
	f.t.Helper()
	cmd := processCommand(f.t, dir, "ctl", line)
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// awaitCtl gives a command until its answer has a text.
func (f *fleetHosts) awaitCtl(dir, line, want string) (out string) {
	f.t.Helper()
	for end := time.Now().Add(25 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if out = f.ctl(dir, line); strings.Contains(out, want) {
			return out
		}
	}
	f.t.Fatalf("%s: not %q, but %s", line, want, out)
	return ""
}

// What an admin of one host says reaches the games and players of the others, and bans count everywhere
// within two seconds.
func TestFleetCommands(t *testing.T) {
	tier.All(t, "needs processes")
	t.Parallel()
	f := newFleetHosts(t, 2)
	start := time.Now()
	b := f.watch.Await(t, "dota", start, "") // one of them; the other gives the commands
	admin, number := f.dirs[0], "2"
	if strings.HasPrefix(b, "host 1") {
		admin, number = f.dirs[1], "1"
	}
	for _, stop := range f.stops {
		stop() // who joins and leaves all the time only delays the game log
	}
	lobby := f.watch.Lobbies(t.Context(), f.runs[b].addr)[0]
	bob := enter(t, f.runs[b].addr, &lobby, "Bobby")
	at := number + "-" + fmt.Sprint(lobby.GameID)
	f.awaitCtl(admin, "games", "#"+at+" ")
	f.awaitCtl(admin, "game "+at, "Players: Bobby")
	f.awaitPublic(admin, "/status.json", fmt.Sprintf(`"elsewhere":[{"host":%q,"name":%q,`, filepath.Base(f.dirs[b[5]-'1']), lobby.Name))
	f.awaitPublic(admin, "/public", lobby.Name+"<")
	f.awaitCtl(admin, "w bobb are you there", "Sent to Bobby.")
	bob.UntilChat("are you there")
	f.ctl(admin, "saygames all hear this")
	bob.UntilChat("all hear this")
	if out := f.ctl(admin, "eg 7-1 kick bob"); !strings.Contains(out, "Host 7 does not answer") {
		t.Error(out)
	}
	began := time.Now()
	f.ctl(admin, "eg "+at+" kick bobby")
	_ = bob.Ending() // it waits for the end
	t.Logf("a kick from another host took %v", time.Since(began))

	db := storagetest.Open(t, f.db.URL)
	var worst time.Duration
	for range *fleetBans {
		_, err := db.AddBan(t.Context(), storage.Ban{Name: "villain", By: "test"})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		worst = max(worst, f.until(false, began))
		if _, err := db.LiftBans(t.Context(), storage.BanTarget{Name: "villain"}, "", "test"); err != nil {
			t.Fatal(err)
		}
		worst = max(worst, f.until(true, time.Now()))
	}
	t.Logf("%d bans: known everywhere after %v at most", *fleetBans, worst)
	if worst > 2*time.Second {
		t.Errorf("a ban is known everywhere after %v", worst)
	}
	if out := f.ctl(admin, "at "+number+" exit nice"); strings.TrimSpace(out) != "The host is shutting down." {
		t.Error(out)
	}
	if err := f.runs[b].cmd.Wait(); err != nil {
		t.Errorf("a host that another has told to drain: %v", err)
	}
}

// awaitPublic asks a host's port for strangers until the answer has a text.
func (f *fleetHosts) awaitPublic(dir, path, want string) {
	f.t.Helper()
	for _, p := range f.runs {
		if p.cmd.Dir != dir {
			continue
		}
		said, _ := p.await("web.public_listen: listening on")["message"].(string)
		url := "http://" + said[strings.LastIndexByte(said, ' ')+1:] + path
		var page []byte
		for end := time.Now().Add(25 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			if answer, err := http.Get(url); err == nil {
				page, _ = io.ReadAll(answer.Body)
				_ = answer.Body.Close()
			}
			if strings.Contains(string(page), want) {
				return
			}
		}
		f.t.Fatalf("%s: not %q, but %s", url, want, page)
	}
}

// until waits until strangers come into every lobby, or into none.
func (f *fleetHosts) until(in bool, began time.Time) time.Duration {
	f.t.Helper()
	for _, p := range f.runs {
		for _, lobby := range f.watch.Lobbies(f.t.Context(), p.addr) {
			for f.watch.Knock(context.Background(), p.addr, &lobby, "villain") != in {
				if time.Since(began) > 10*time.Second {
					f.t.Fatalf("strangers in: not %v after 10 s", in)
				}
			}
		}
	}
	return time.Since(began)
}
