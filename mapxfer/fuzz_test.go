package mapxfer

import (
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// watcher is a sink that checks every call against what a host may be asked to do.
type watcher struct {
	t     *testing.T
	s     *Scheduler
	now   time.Duration
	at    map[uint8]uint32 // where the next Parts must begin, unless it goes back
	open  map[uint8]bool   // between Begin and the end of a download
	sent  int64
	last  uint8              // who got the last parts of a call
	parts map[uint8][]extent // of a call
	whole bool               // a download brought the whole map
}

type extent struct{ off, end uint32 }

func watch(t *testing.T, cfg Config) *watcher {
	w := &watcher{t: t, at: map[uint8]uint32{}, open: map[uint8]bool{}, parts: map[uint8][]extent{}}
	w.s = New(cfg, w)
	return w
}

func (w *watcher) Begin(pid uint8) {
	if w.open[pid] {
		w.t.Fatalf("0x3F twice for %d", pid)
	}
	w.open[pid] = true
	w.at[pid] = w.s.byPID[pid].base
}

func (w *watcher) Parts(pid uint8, off, end uint32) {
	p, size := w.s.byPID[pid], w.s.cfg.Size
	switch {
	case end > size || off >= end:
		w.t.Fatalf("parts %d-%d of %d", off, end, size)
	case off != w.at[pid] && off != p.acked:
		w.t.Fatalf("parts from %d for %d, want %d, or %d again", off, pid, w.at[pid], p.acked)
	case end%PartLen != 0 && end != size:
		w.t.Fatalf("parts end at %d", end)
	case !w.open[pid] || p.state != active:
		w.t.Fatalf("parts for %d, who downloads nothing", pid)
	}
	w.at[pid], w.last = end, pid
	w.sent += int64(end - off)
	w.parts[pid] = append(w.parts[pid], extent{off, end})
}

func (w *watcher) Percent(_, percent uint8) {
	if percent > 100 {
		w.t.Fatalf("%d %%", percent)
	}
}

func (w *watcher) Ended(pid uint8, d Download) { w.open[pid], w.whole = false, w.whole || d.Why == 0 }

func (*watcher) Queued(uint8, int)  {}
func (*watcher) Refused(uint8, Why) {}
func (*watcher) Ignored(uint8, Why) {}
func (*watcher) Remove(uint8, Why)  {}

// do makes one call of the scheduler and looks at what it has come to.
func (w *watcher) do(call func()) {
	w.t.Helper()
	size := w.s.cfg.Size
	w.last, w.whole = 0, false
	clear(w.parts)
	call()
	if p := w.s.byPID[w.last]; p != nil && p.state == active && p.unanswered() > int64(w.s.cfg.MaxWindow) {
		w.t.Fatalf("%d bytes in flight, window %d", p.unanswered(), w.s.cfg.MaxWindow)
	}
	running, lines := 0, map[*line]int64{}
	for _, p := range w.s.players {
		if p.state != active {
			continue
		}
		running++
		if !w.open[p.pid] {
			w.t.Fatalf("player %d downloads after the end", p.pid)
		}
		if !(p.acked <= p.next && p.next <= p.high && p.high <= size) {
			w.t.Fatalf("player %d: acked %d next %d high %d of %d", p.pid, p.acked, p.next, p.high, size)
		}
		lines[p.line] += p.figures.inflight()
	}
	if running != w.s.running {
		w.t.Fatalf("%d players download, %d counted", running, w.s.running)
	}
	for l, n := range lines {
		if n != l.inflight || l.size < leastWindow {
			w.t.Fatalf("%d bytes on a line, %d counted, window %d", n, l.inflight, l.size)
		}
	}
	if rate := w.s.cfg.TotalRate; rate > 0 {
		most := int64(w.now.Seconds()*float64(rate)) + max(int64(float64(rate)*burst.Seconds()), minBurst) + 1
		if w.sent > most {
			w.t.Fatalf("%d bytes in %v at %d bytes/s", w.sent, w.now, rate)
		}
	}
	if at, ok := w.s.Next(); ok && at < w.now {
		w.t.Fatalf("next tick at %v, now is %v", at, w.now)
	}
}

// FuzzScheduler plays random events. Whatever clients say, the host is never
// asked for something it must not do, every download ends, and an honest player
// who comes afterwards gets the map.
func FuzzScheduler(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 0})
	f.Add([]byte{1, 2, 3, 0x00, 0x12, 10, 0x31, 20, 0x31, 30, 0x41, 1, 0x71, 200, 0x31, 2})
	f.Add([]byte{0xFF, 3, 9, 0x01, 0x02, 0x03, 0x04, 0x45, 0x45, 0x31, 0x33, 0x90, 0x80, 0x62, 0x61, 0x53})
	scripts, _ := filepath.Glob("testdata/script/*.txt")
	for _, name := range scripts {
		if text, err := os.ReadFile(name); err == nil {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		next := func() byte {
			if len(data) == 0 {
				return 0
			}
			b := data[0]
			data = data[1:]
			return b
		}
		flags, sizeByte, maxByte := next(), next(), next()
		cfg := Config{
			Size: 1 + uint32(sizeByte)*977, MaxDownloaders: int(maxByte % 4), Mode: Mode(maxByte>>2) % 3,
			Timeout: 20 * time.Second, Stall: 2 * time.Second, MaxWindow: maxWindow,
		}
		if flags&1 != 0 {
			cfg.TotalRate = int64(flags) * 5000
		}
		if flags&2 != 0 {
			cfg.PlayerRate = int64(flags) * 3000
		}
		if flags&4 != 0 {
			cfg.MaxWindow = 3 * PartLen
		}
		w := watch(t, cfg)
		for len(data) > 0 {
			op := next()
			pid := 2 + op&3
			held := uint32(0)
			if p := w.s.byPID[pid]; p != nil {
				held = p.acked
			}
			amount := uint32(next())
			switch op >> 4 {
			case 0, 1:
				w.do(func() { w.s.Report(w.now, pid, w3gs.MapSize{Flag: w3gs.MapFlag(1 + amount&2), Size: amount * 911}) })
			case 2, 3, 4, 5:
				w.do(func() { w.s.Ack(w.now, pid, w3gs.MapPartOK{To: 1, From: pid, Size: min(held+amount*97, cfg.Size)}) })
			case 6:
				if p := w.s.byPID[pid]; p != nil {
					w.do(func() { w.s.Ack(w.now, pid, w3gs.MapPartOK{To: 1, From: pid, Size: p.next}) })
				}
			case 7, 8:
				w.do(func() { w.s.Refuse(w.now, pid, w3gs.MapPartNotOK{To: pid, From: 1}) })
			case 9:
				w.do(func() { w.s.Allow(w.now, pid) })
			case 10:
				w.do(func() { w.s.Leave(w.now, pid) })
			case 11:
				w.do(func() { w.s.SetMode(w.now, Mode(amount%3)) })
			case 12:
				w.s.Late(w.now, time.Duration(amount)*time.Millisecond)
			case 13:
				w.s.Measured(w.now, pid, Figures{
					Addr: netip.AddrFrom4([4]byte{10, 0, 0, byte(amount & 1)}), Queued: int(amount) * 100, Unacked: int(amount) * 200,
					RTT: time.Duration(amount&7) * 20 * time.Millisecond, MinRTT: time.Duration(amount&3) * 20 * time.Millisecond,
				})
			default:
				w.now += time.Duration(amount) * time.Duration(amount) * 40 * time.Microsecond
				w.do(func() { w.s.Tick(w.now) })
			}
		}
		w.settle()
		w.honest()
	})
}

// look says that all parts of a player have arrived.
func (w *watcher) look(pid uint8) {
	rtt := 20 * time.Millisecond
	w.s.Measured(w.now, pid, Figures{RTT: rtt, MinRTT: rtt})
}

// settle ticks until all downloads have ended: each one does, by a timeout.
func (w *watcher) settle() {
	for ticks := 0; ; ticks++ {
		for _, p := range w.s.players {
			w.look(p.pid)
		}
		at, ok := w.s.Next()
		if !ok {
			return
		}
		if ticks > 200_000 {
			w.t.Fatalf("%d players download for ever", w.s.running)
		}
		w.now = at
		w.do(func() { w.s.Tick(w.now) })
	}
}

// honest plays a well-behaved player. Nothing that happened before may
// keep them from getting the map.
func (w *watcher) honest() {
	const pid = 20
	for pid := range 256 {
		w.do(func() { w.s.Leave(w.now, uint8(pid)) })
	}
	w.s.cfg.Timeout = 0
	w.do(func() { w.s.SetMode(w.now, On) })
	w.do(func() { w.s.Report(w.now, pid, w3gs.MapSize{Flag: w3gs.MapHave}) })
	held := uint32(0)
	for range 1_000_000 {
		progress := false
		for _, e := range w.parts[pid] {
			if e.off == held {
				held, progress = e.end, true
			}
		}
		if w.whole {
			return
		}
		if progress {
			w.now += time.Millisecond
			w.look(pid)
			w.do(func() { w.s.Ack(w.now, pid, w3gs.MapPartOK{To: 1, From: pid, Size: held}) })
			continue
		}
		at, ok := w.s.Next()
		if !ok {
			break
		}
		w.now = at
		w.do(func() { w.s.Tick(w.now) })
	}
	w.t.Fatalf("an honest player got %d of %d bytes", held, w.s.cfg.Size)
}
