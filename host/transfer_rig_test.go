package host_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/bots"
	"w3host/formats/mpq"
	"w3host/formats/w3map"
	"w3host/formats/w3map/builtin"
	"w3host/game"
	"w3host/host"
	"w3host/host/admission"
	"w3host/host/loop"
	"w3host/host/takeover"
	"w3host/internal/simnet"
	"w3host/lobby"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
	"w3host/storage"
	gamesync "w3host/sync"
)

// transferRig is one host with one lobby whose map is of a size of choice.
type transferRig struct {
	t    testing.TB
	host *host.Host
	game *host.Game
	m    *host.Map
	sum  string // SHA-256 of the map file
	log  *logLines
	book *recordList
	net  *simnet.Net // nil: that of the system
}

// newTransferRig serves until the test ends. change may be nil.
func newTransferRig(t testing.TB, size int, change func(*host.Options)) *transferRig {
	t.Helper()
	m, sum := transferMap(t, size)
	r := serveTransfers(t, change)
	r.m, r.sum = m, sum
	r.game = r.open("transfer", m)
	return r
}

// serveTransfers is the same without a lobby.
func serveTransfers(t testing.TB, change func(*host.Options)) *transferRig {
	t.Helper()
	r := &transferRig{t: t, log: &logLines{}, book: &recordList{}}
	opts := host.Options{
		Product: w3gs.ProductTFT,
		Game: game.Config{
			Version: 26, Settings: w3gs.SpeedFast | w3gs.VisibilityDefault, Lobby: lobby.Defaults(),
			Turns: gamesync.Defaults(), Transfer: mapxfer.Defaults(), Trigger: '!', Silence: 2 * time.Minute,
		},
		Limits: host.Limits{
			Limits:      admission.Limits{Unjoined: 1000, UnjoinedPerIP: 1000, JoinsPerMinute: 10_000},
			JoinTimeout: 5 * time.Second, PacketRate: 200, OutQueue: 256 << 10, Shutdown: 5 * time.Second,
		},
		Recorder: r.book,
		Log:      zerolog.New(r.log),
	}
	l := &opts.Game.Lobby
	l.Owner.First, l.Countdown.Lines, l.Admission.KickCooldown, l.Pace.SlotRequests = true, 1, 0, 0
	if change != nil {
		change(&opts)
	}
	if m, ok := opts.Network.(*loop.Memory); ok {
		r.net = m.Net
	}
	if opts.Listeners.Main == nil {
		var err error
		if opts.Listeners, err = takeover.Listen(nil, "127.0.0.1:0", ""); err != nil {
			t.Fatal(err)
		}
	}
	h, err := host.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	r.host = h
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- h.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-over; err != nil {
			t.Errorf("the host did not stop: %v", err)
		}
		if t.Failed() {
			t.Logf("log of the host:\n%s", r.log.tail(40))
		}
	})
	return r
}

func (r *transferRig) open(name string, m *host.Map) *host.Game {
	r.t.Helper()
	g, err := r.host.OpenLobby(name, m)
	if err != nil {
		r.t.Fatal(err)
	}
	return g
}

// bots fetch the map into a directory of the test until as many downloads as
// wanted are complete; then they leave. The report's OK says nothing here.
func (r *transferRig) bots(wanted int, opts bots.Options) bots.Report {
	r.t.Helper()
	if opts.Addr == "" {
		opts.Addr = r.host.Addr().String()
	}
	opts.GameID, opts.EntryKey = r.game.ID(), r.game.EntryKey()
	opts.NoStart = true
	ctx, cancel := context.WithTimeout(r.t.Context(), 3*time.Minute)
	defer cancel()
	go func() { // ends with the bots
		r.book.await(ctx, func() bool { return r.book.complete() >= wanted })
		cancel()
	}()
	report, err := bots.Run(ctx, opts)
	if err != nil {
		r.t.Error(err)
	}
	for _, f := range report.Faults {
		r.t.Errorf("fault: %v", f)
	}
	return report
}

// whole fails unless so many bots hold a file with the map's bytes.
func (r *transferRig) whole(report bots.Report, wanted int) {
	r.t.Helper()
	if n := len(report.Downloads); n != wanted {
		r.t.Errorf("%d bots have the map, want %d", n, wanted)
	}
	for _, d := range report.Downloads {
		file, err := os.ReadFile(d.Path)
		if err != nil {
			r.t.Error(err)
			continue
		}
		if sum := sha256.Sum256(file); hex.EncodeToString(sum[:]) != r.sum || d.SHA256 != r.sum || !d.Intact {
			r.t.Errorf("%s: %d bytes that are not the map", d.Player, len(file))
		}
	}
}

// transferMaps keeps the maps that were made, by size: making one takes longer
// than sending it.
var transferMaps sync.Map

type madeMap struct {
	m   *host.Map
	sum string
}

// transferMap makes a map of about this size: the built-in one and a file that
// does not compress.
func transferMap(t testing.TB, size int) (*host.Map, string) {
	t.Helper()
	if made, ok := transferMaps.Load(size); ok {
		return made.(madeMap).m, made.(madeMap).sum
	}
	m, data := makeTransferMap(t, size)
	sum := sha256.Sum256(data)
	made := madeMap{m, hex.EncodeToString(sum[:])}
	transferMaps.Store(size, made)
	return made.m, made.sum
}

func makeTransferMap(t testing.TB, size int) (*host.Map, []byte) {
	t.Helper()
	_, small := builtin.Map()
	a, err := mpq.Open(bytes.NewReader(small), int64(len(small)))
	if err != nil {
		t.Fatal(err)
	}
	w := mpq.NewWriter(small[:512])
	for _, name := range []string{"war3map.j", "war3map.w3e", "war3map.w3i", "war3map.wts", "war3map.wpm", "war3map.shd", "war3mapMap.blp"} {
		file, err := a.ReadFile(name)
		if err == nil {
			err = w.Add(name, file, mpq.AddOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	filler := make([]byte, max(size-len(small), 0))
	_, _ = rand.NewChaCha8([32]byte{byte(size)}).Read(filler)
	if err := w.Add("filler.bin", filler, mpq.AddOptions{Store: true}); err != nil {
		t.Fatal(err)
	}
	data, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	read, err := w3map.Read(bytes.NewReader(data), int64(len(data)), "filler.w3x", w3map.Options{Version: 26})
	if err != nil {
		t.Fatal(err)
	}
	parts, err := mapxfer.NewParts(data)
	if err != nil {
		t.Fatal(err)
	}
	return &host.Map{Map: read, Parts: parts}, data
}

// logLines keeps what the host logs.
type logLines struct {
	mu    sync.Mutex
	lines []string
}

func (l *logLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, strings.TrimSpace(string(p)))
	return len(p), nil
}

// count is how many lines have all the words in them.
func (l *logLines) count(words ...string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
next:
	for _, line := range l.lines {
		for _, word := range words {
			if !strings.Contains(line, word) {
				continue next
			}
		}
		n++
	}
	return n
}

func (l *logLines) tail(n int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines[max(0, len(l.lines)-n):], "\n")
}

// recordList is a Recorder that keeps the downloads.
type recordList struct {
	mu        sync.Mutex
	downloads []storage.MapDownload
	news      chan struct{} // closed when there is another one
}

func (l *recordList) Record(r storage.Record) {
	d, ok := r.(storage.MapDownload)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.downloads = append(l.downloads, d)
	if l.news != nil {
		close(l.news)
		l.news = nil
	}
}

func (l *recordList) all() []storage.MapDownload {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]storage.MapDownload(nil), l.downloads...)
}

func (l *recordList) complete() int {
	n := 0
	for _, d := range l.all() {
		if d.Complete {
			n++
		}
	}
	return n
}

// await returns when enough has been recorded, or ctx is over.
func (l *recordList) await(ctx context.Context, enough func() bool) {
	for {
		l.mu.Lock()
		if l.news == nil {
			l.news = make(chan struct{})
		}
		news := l.news
		l.mu.Unlock()
		if enough() {
			return
		}
		select {
		case <-news:
		case <-ctx.Done():
			return
		}
	}
}

func megabytes(n int) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
