package dockertest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/formats/w3map/builtin"
	"w3host/internal/testkit"
)

// checkHosting plays a game on the image: with a map from a folder that cannot
// be written to, and with everything that is stored in /data.
func (i image) checkHosting(t *testing.T) {
	t.Helper()
	name, data := builtin.Map()
	if err := os.WriteFile(filepath.Join(i.dir, "maps", name), data, 0o444); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(i.dir, "maps"), 0o555); err != nil {
		t.Fatal(err)
	}
	addr := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	i.env = []string{
		"TZ=Asia/Tokyo", "W3HOST_HOST_LISTEN=" + addr, "W3HOST_LAN_ENABLED=false",
		"W3HOST_LOBBY_MAP=" + strings.TrimSuffix(name, filepath.Ext(name)), "W3HOST_LOBBY_AUTOSTART=2", "W3HOST_LOBBY_COUNTDOWN=0",
	}
	before := i.files(t)
	health := i.config.Healthcheck.Test[2:]

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	serve := i.command(ctx)
	log, w := io.Pipe()
	serve.Stderr = w
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	opened, logged := make(chan string, 1), make(chan struct{})
	go func() { // ends with the log
		defer close(logged)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			t.Log(lines.Text())
			var line struct{ Message, Time string }
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Message == "lobby open" && len(opened) == 0 {
				opened <- line.Time
			}
		}
	}()
	select {
	case at := <-opened:
		if !strings.HasSuffix(at, "+09:00") {
			t.Errorf("TZ=Asia/Tokyo, and the log says %s", at)
		}
		i.output(t, health...)
		i.output(t, "bots", "--addr", addr, "--game", "1", "--players", "2", "--minutes", "0.03")
	case <-time.After(patience):
		t.Error("no lobby was opened")
	}
	stop()
	err := serve.Wait()
	_ = w.Close()
	<-logged
	if state := serve.ProcessState; !state.Success() {
		t.Errorf("the host exits with %v (%v)", state, err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if out, err := i.command(ctx, health...).CombinedOutput(); err == nil {
		t.Errorf("the health check finds a host that has stopped: %s", out)
	}
	type game struct{ Players int }
	var games []game
	out := i.output(t, "game", "list", "--json")
	if err := json.Unmarshal([]byte(out), &games); err != nil || !slices.Contains(games, game{2}) {
		t.Errorf("the game of two is not in the log: %v\n%s", err, out)
	}
	i.compare(t, before)
}

// compare wants all that has changed to be in /data.
func (i image) compare(t *testing.T, before map[string]fs.FileInfo) {
	t.Helper()
	after := i.files(t)
	stored := 0
	for name, info := range after {
		old := before[name]
		changed := old == nil || old.Mode() != info.Mode() || !info.IsDir() && (old.Size() != info.Size() || !old.ModTime().Equal(info.ModTime()))
		switch {
		case strings.HasPrefix(name, "/data/"):
			stored++
		case changed:
			t.Errorf("the host has written to %s", name)
		}
	}
	for name := range before {
		if after[name] == nil {
			t.Errorf("the host has deleted %s", name)
		}
	}
	if stored == 0 {
		t.Error("the host has stored nothing")
	}
}
