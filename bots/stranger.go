package bots

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

	"w3host/protocol/w3gs"
)

// strangerWait is the time that a host has to close a connection that never joins. Hosts wait ten seconds for the first
// packet; the rest is tolerance.
const strangerWait = 30 * time.Second

// strangers lists the kinds of connections that never join.
var strangers = []struct {
	kind string
	send func() []byte
	slow bool // sends one byte per second
}{
	{"sends nothing", func() []byte { return nil }, false},
	{"sends random bytes", func() []byte { return garbage(512) }, false},
	{"sends half a header", func() []byte { return []byte{w3gs.Magic, byte(w3gs.OpReqJoin)} }, false},
	{"sends a packet of 65,535 bytes", func() []byte {
		b := make([]byte, w3gs.MaxFrame)
		b[0], b[1] = w3gs.Magic, byte(w3gs.OpReqJoin)
		binary.LittleEndian.PutUint16(b[2:], w3gs.MaxFrame)
		return b
	}, false},
	{"sends a byte a second", func() []byte {
		return (&w3gs.ReqJoin{Name: "slow", Extra: []byte{0}}).AppendTo(nil)
	}, true},
}

// garbage returns n random bytes whose first cannot begin a packet.
func garbage(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	b[0] = 0x16
	return b
}

// startStrangers opens the connections and returns a function that blocks until they have ended, at most strangerWait
// after they were opened.
func (r *run) startStrangers(ctx context.Context) func() []StrangerReport {
	if r.opts.Strangers == 0 {
		return func() []StrangerReport { return nil }
	}
	reports := make([]StrangerReport, len(strangers))
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range r.opts.Strangers {
		kind := i % len(strangers)
		rep := &reports[kind]
		rep.Kind = strangers[kind].kind
		rep.Count++
		wg.Go(func() {
			took, closed := r.stranger(ctx, i, strangers[kind].send(), strangers[kind].slow)
			mu.Lock()
			defer mu.Unlock()
			if closed {
				rep.Closed++
				rep.Slowest = max(rep.Slowest, took)
			}
		})
	}
	return func() []StrangerReport {
		wg.Wait()
		return reports[:min(len(reports), r.opts.Strangers)]
	}
}

// stranger opens one connection and waits until the host closes it. A connection that is not accepted counts as closed.
func (r *run) stranger(ctx context.Context, number int, b []byte, slow bool) (took time.Duration, closed bool) {
	c, err := r.dialFrom(ctx, netip.AddrFrom4([4]byte{127, 254, byte(number / 250), byte(number%250 + 1)}), r.opts.Addr, nil)
	if err != nil {
		return 0, ctx.Err() == nil
	}
	start := time.Now()
	defer c.Close()
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	go func() { // ends with the connection, or when everything is sent
		size, pause := len(b), time.Duration(0)
		if slow {
			size, pause = 1, time.Second
		}
		for part := range slices.Chunk(b, max(size, 1)) {
			if _, err := c.Write(part); err != nil {
				return
			}
			time.Sleep(pause)
		}
	}()
	if err := c.SetReadDeadline(start.Add(strangerWait)); err != nil {
		return 0, false
	}
	if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) || ctx.Err() != nil {
		return 0, false
	}
	return time.Since(start), true
}
