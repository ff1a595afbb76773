package mapxfer

import (
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// watcher checks every effect against what a host may be asked to do.
type watcher struct {
	t    *testing.T
	s    *Scheduler
	now  time.Duration
	at   map[uint8]uint32 // where the next Send must begin, unless it goes back
	open map[uint8]bool   // between Begin and the end of a download
	sent int64
	out  []Effect
}

func watch(t *testing.T, cfg Config) *watcher {
	return &watcher{t: t, s: New(cfg), at: map[uint8]uint32{}, open: map[uint8]bool{}}
}

func (w *watcher) check(out []Effect) {
	w.t.Helper()
	size := w.s.cfg.Size
	w.out = out
	for i, e := range out {
		switch e.Kind {
		case Begin:
			if w.open[e.PID] {
				w.t.Fatalf("0x3F twice for %d: %v", e.PID, out)
			}
			w.open[e.PID] = true
			w.at[e.PID] = w.s.byPID[e.PID].base
		case Send:
			p := w.s.byPID[e.PID]
			switch {
			case e.End > size || e.Offset >= e.End:
				w.t.Fatalf("parts %d-%d of %d", e.Offset, e.End, size)
			case e.Offset != w.at[e.PID] && e.Offset != p.acked:
				w.t.Fatalf("parts from %d for %d, want %d, or %d again", e.Offset, e.PID, w.at[e.PID], p.acked)
			case e.End%PartLen != 0 && e.End != size:
				w.t.Fatalf("parts end at %d", e.End)
			case !w.open[e.PID] && p.state != active:
				w.t.Fatalf("parts for %d, who downloads nothing", e.PID)
			case p.state == active && i == len(out)-1 && p.unanswered() > int64(w.s.cfg.MaxWindow):
				w.t.Fatalf("%d bytes in flight, window %d", p.unanswered(), w.s.cfg.MaxWindow)
			}
			w.at[e.PID] = e.End
			w.sent += int64(e.End - e.Offset)
		case Done, Stopped:
			w.open[e.PID] = false
		case Percent:
			if e.Percent > 100 {
				w.t.Fatalf("%d %%", e.Percent)
			}
		}
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
				w.check(w.s.Handle(w.now, Report{pid, w3gs.MapSize{Flag: w3gs.MapFlag(1 + amount&2), Size: amount * 911}}, nil))
			case 2, 3, 4, 5:
				w.check(w.s.Handle(w.now, Ack{pid, w3gs.MapPartOK{To: 1, From: pid, Size: min(held+amount*97, cfg.Size)}}, nil))
			case 6:
				if p := w.s.byPID[pid]; p != nil {
					w.check(w.s.Handle(w.now, Ack{pid, w3gs.MapPartOK{To: 1, From: pid, Size: p.next}}, nil))
				}
			case 7, 8:
				w.check(w.s.Handle(w.now, Refuse{pid, w3gs.MapPartNotOK{To: pid, From: 1}}, nil))
			case 9:
				w.check(w.s.Handle(w.now, Allow{pid}, nil))
			case 10:
				w.open[pid] = false
				w.check(w.s.Handle(w.now, Leave{pid}, nil))
			case 11:
				w.check(w.s.Handle(w.now, SetMode{Mode(amount % 3)}, nil))
			case 12:
				w.s.Handle(w.now, Late{time.Duration(amount) * time.Millisecond}, nil)
			case 13:
				w.s.Handle(w.now, Measured{pid, Figures{
					Addr: netip.AddrFrom4([4]byte{10, 0, 0, byte(amount & 1)}), Queued: int(amount) * 100, Unacked: int(amount) * 200,
					RTT: time.Duration(amount&7) * 20 * time.Millisecond, MinRTT: time.Duration(amount&3) * 20 * time.Millisecond,
				}}, nil)
			default:
				w.now += time.Duration(amount) * time.Duration(amount) * 40 * time.Microsecond
				w.check(w.s.Tick(w.now, nil))
			}
		}
		w.settle()
		w.honest()
	})
}

// look says that all parts of a player have arrived.
func (w *watcher) look(pid uint8) {
	rtt := 20 * time.Millisecond
	w.s.Handle(w.now, Measured{pid, Figures{RTT: rtt, MinRTT: rtt}}, nil)
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
		w.check(w.s.Tick(w.now, nil))
	}
}

// honest plays a well-behaved player. Nothing that happened before may
// keep them from getting the map.
func (w *watcher) honest() {
	const pid = 20
	for pid := range 256 {
		w.open[uint8(pid)] = false
		w.check(w.s.Handle(w.now, Leave{uint8(pid)}, nil))
	}
	w.s.cfg.Timeout = 0
	w.check(w.s.Handle(w.now, SetMode{On}, nil))
	w.check(w.s.Handle(w.now, Report{pid, w3gs.MapSize{Flag: w3gs.MapHave}}, nil))
	held := uint32(0)
	for range 1_000_000 {
		progress := false
		for _, e := range w.out {
			if e.Kind == Done {
				return
			}
			if e.Kind == Send && e.Offset == held {
				held, progress = e.End, true
			}
		}
		if progress {
			w.now += time.Millisecond
			w.look(pid)
			w.check(w.s.Handle(w.now, Ack{pid, w3gs.MapPartOK{To: 1, From: pid, Size: held}}, nil))
			continue
		}
		at, ok := w.s.Next()
		if !ok {
			break
		}
		w.now = at
		w.check(w.s.Tick(w.now, nil))
	}
	w.t.Fatalf("an honest player got %d of %d bytes", held, w.s.cfg.Size)
}
