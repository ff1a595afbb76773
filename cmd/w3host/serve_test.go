package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
	"w3host/storage"
	"w3host/storage/storagetest"
)

// patience is for what happens at once unless something is broken.
const patience = 30 * time.Second

// testHost is "w3host serve" in this process, on a port of its own, with a
// SQLite file in a temporary folder.
type testHost struct {
	addr, config, database string

	log  *testkit.Log
	stop func() // returns when it has ended
}

// startHost runs it with more lines of configuration until the test ends, and
// returns when its first lobby is open.
func startHost(t *testing.T, settings string) testHost {
	t.Helper()
	dir := t.TempDir()
	h := testHost{config: filepath.Join(dir, "config.toml"), database: "sqlite:" + filepath.Join(dir, "w3host.db"), log: new(testkit.Log)}
	text := fmt.Sprintf("[host]\nlisten = \"127.0.0.1:0\"\ndata_dir = %q\n[lan]\nenabled = false\n[replays]\ndir = %q\n%s",
		dir, filepath.Join(dir, "replays"), settings)
	write(t, h.config, text)
	ctx, stop := context.WithCancel(t.Context())
	out, log := io.Pipe()
	ended := make(chan int, 1)
	go func() { // ends with the host
		code := run(ctx, []string{"serve", "--config", h.config}, strings.NewReader(""), io.Discard, log)
		_ = log.Close()
		ended <- code
	}()
	opened := make(chan string, 1)
	go func() { // ends with the log
		for lines := bufio.NewScanner(io.TeeReader(out, h.log)); lines.Scan(); {
			t.Log(lines.Text())
			var line struct{ Message, Listen string }
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Message == "lobby open" {
				select {
				case opened <- line.Listen:
				default:
				}
			}
		}
		close(opened)
	}()
	h.stop = sync.OnceFunc(func() {
		stop()
		if code := <-ended; code != exitOK {
			t.Errorf("serve exits with %d", code)
		}
		for range opened { // the log has been read
		}
	})
	t.Cleanup(h.stop)
	var ok bool
	if h.addr, ok = <-opened; !ok {
		t.Fatal("the host has ended")
	}
	return h
}

func (h testHost) dial(t *testing.T) *testkit.Client {
	t.Helper()
	return testkit.Dial(t, netip.MustParseAddrPort(h.addr))
}

// store is another program's look at the host's database.
func (h testHost) store(t *testing.T) *storage.Store {
	t.Helper()
	return storagetest.Open(t, h.database)
}

// Admins of the database may command from the LAN only where the operator
// trusts names there.
func TestLANAdmins(t *testing.T) {
	for _, trusted := range []bool{false, true} {
		t.Run(fmt.Sprint(trusted), func(t *testing.T) {
			t.Parallel()
			h := startHost(t, fmt.Sprintf("[lobby]\nowner = \"\"\nlan_admins = %v\n", trusted))
			db := h.store(t)
			if err := db.AddAdmin(t.Context(), storage.Admin{Name: "ann", Role: storage.RoleAdmin}); err != nil {
				t.Fatal(err)
			}
			ann := h.dial(t)
			if _, err := ann.Join(1, 0, "Ann"); err != nil {
				t.Fatal(err)
			}
			// The host learns of the admin a moment after the database does: Ann
			// tries until she is heard. In vain, she only tries a few times.
			heard := false
			for tries := 0; !heard && tries < 30 && (trusted || tries < 8); tries++ {
				ann.Say("!say heard")
				for !heard {
					f, err := ann.Take(250 * time.Millisecond)
					if errors.Is(err, os.ErrDeadlineExceeded) {
						break
					}
					if err != nil {
						t.Fatal(err)
					}
					var line w3gs.ChatFromHost
					heard = f.Op() == w3gs.OpChatFromHost && line.Decode(f.Body()) == nil && line.Text == "heard"
				}
			}
			if heard != trusted {
				t.Errorf("lobby.lan_admins = %v: an admin's command is obeyed: %v", trusted, heard)
			}
		})
	}
}
