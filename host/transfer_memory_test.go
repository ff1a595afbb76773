package host_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"
	"weak"

	"w3host/host"
	"w3host/internal/testkit"
	"w3host/mapxfer"
)

// TestTransferMemory: lobbies with the same map share its bytes and checksums,
// and nothing holds them any longer when the last of these lobbies has ended.
func TestTransferMemory(t *testing.T) {
	r := serveTransfers(t, nil)
	size := 4 << 20
	parts, games := r.openMany(t, size, 10)

	// One of the lobbies is used: a whole download, and one that breaks off.
	r.game = games[0]
	whole, broken := r.fetcher(t, "whole"), r.fetcher(t, "broken")
	whole.have(0).fetch(20 * time.Second)
	broken.have(0).hear(30*time.Second, func() bool { return broken.file.Len() > 1<<20 })
	broken.Conn.Close()
	whole.file.Reset() // that was the client's copy
	broken.file.Reset()

	for _, g := range games[1:] {
		r.unhost(t, g)
	}
	runtime.GC()
	if parts.Value() == nil {
		t.Fatal("the map of an open lobby is gone")
	}
	whole.Say("!unhost")
	whole.idle(30 * time.Second)
	clear(games)
	r.game = nil
	testkit.Eventually(t, "the map is gone with its last lobby", func() bool {
		runtime.GC()
		return parts.Value() == nil
	})
}

// openMany opens lobbies with one map, which only they hold, and watches what
// they add to the heap.
func (r *transferRig) openMany(t *testing.T, size, lobbies int) (weak.Pointer[mapxfer.Parts], []*host.Game) {
	m, data := makeTransferMap(t, size)
	before := heap()
	games := make([]*host.Game, lobbies)
	for i := range games {
		games[i] = r.open(fmt.Sprintf("shared %d", i+1), m)
	}
	if grown := heap() - before; grown > size/10 {
		t.Errorf("%d lobbies took %s for a map of %s", lobbies, megabytes(grown), megabytes(len(data)))
	}
	return weak.Make(m.Parts), games
}

// unhost joins a lobby as its owner and closes it.
func (r *transferRig) unhost(t *testing.T, g *host.Game) {
	t.Helper()
	r.game = g
	f := r.fetcher(t, "owner").haveAll()
	f.Say("!unhost")
	f.idle(30 * time.Second)
	testkit.Eventually(t, "the lobby is closed", func() bool { return r.host.Game(g.ID()) == nil })
}

func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
