// Package flood attacks a host like malicious strangers and players would, for tests of the effect on others
// and for the table in docs/safety.md. Only tests and internal/bench use it.
package flood

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
)

// Target is the host under attack, on this machine.
type Target struct {
	Addr string
	Game uint32 // a lobby's game ID, or the first ID to try
	Key  uint32 // entry key of a lobby that requires one
	PID  uint8  // pid of a player with a GProxy++ in a running game
}

// Attack is a way to misuse a host. Run blocks until ctx ends; a client that is disconnected returns with
// another address and name.
type Attack struct {
	Name string
	Run  func(ctx context.Context, t Target)
}

// Attacks lists all attacks.
var Attacks = []Attack{
	{"whole map reports", inLobby(func(p *player) { p.flood((&w3gs.MapSize{Flag: w3gs.MapHave, Size: p.size}).AppendTo(nil)) })},
	{"parts never sent", inLobby(func(p *player) {
		p.flood((&w3gs.MapPartOK{To: p.pid, From: 1, Size: 1442}).AppendTo(nil))
	})},
	{"unknown packets of 64 KB", inLobby(func(p *player) { p.flood(frame(0x77, 65535)) })},
	{"small unknown packets", inLobby(func(p *player) { p.flood(frame(0x77, 4)) })},
	{"packets behind a leave", inLobby(func(p *player) {
		_, _ = p.Write((&w3gs.LeaveGame{Reason: w3gs.LeaveLost}).AppendTo(nil))
		p.flood(frame(0x77, 65535))
	})},
	{"a packet byte by byte", inLobby(func(p *player) {
		for _, b := range frame(0x77, 65535) {
			if _, err := p.Write([]byte{b}); err != nil {
				return
			}
		}
	})},
	{"connections", many(8, func(_ context.Context, t Target) {
		if c := connect(t, oneAddress); c != nil {
			_ = c.Close()
		}
	})},
	{"questions for lobbies", many(16, func(_ context.Context, t Target) {
		ask(t, somewhere(), gproxy.List{Format: gproxy.ListFormat}.AppendTo(nil))
	})},
	{"silent connections", hold(1200, func(net.Conn) {})},
	{"refused joins", hold(1200, func(c net.Conn) {
		join := w3gs.ReqJoin{GameID: 0x0FFFFFFF, Name: name(), Extra: []byte{0}}
		_, _ = c.Write(join.AppendTo(nil))
	})},
	{"wrong keys", many(4, func(_ context.Context, t Target) {
		ask(t, oneAddress, returns(cmp.Or(t.PID, uint8(1+rand.N(12))), rand.Uint32(), 0))
	})},
	{"returns", returning},
}

// Find returns the attack with the given name.
func Find(name string) (Attack, error) {
	for _, a := range Attacks {
		if a.Name == name {
			return a, nil
		}
	}
	return Attack{}, fmt.Errorf("no attack is called %q", name)
}

// oneAddress is the source address of attacks from a single address.
const oneAddress = "127.66.0.1"

var places atomic.Uint32

// somewhere returns a new source address after every eight calls.
func somewhere() string {
	n := places.Add(1) / 8
	return fmt.Sprintf("127.%d.%d.%d", 67+n>>16&63, n>>8&255, 1+n%250)
}

func name() string { return fmt.Sprintf("%012X", rand.Uint64()&(1<<48-1)) }

// frame returns a meaningless packet of n bytes.
func frame(op byte, n int) []byte {
	b := make([]byte, n)
	b[0], b[1] = w3gs.Magic, op
	binary.LittleEndian.PutUint16(b[2:], uint16(n))
	return b
}

func connect(t Target, from string) *net.TCPConn {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: time.Second}
	c, err := d.Dial("tcp4", t.Addr)
	if err != nil {
		return nil
	}
	_ = c.(*net.TCPConn).SetLinger(0) // otherwise the port could not be reused for a minute
	return c.(*net.TCPConn)
}

// ask connects, sends a request and discards the answer for one second.
func ask(t Target, from string, question []byte) {
	c := connect(t, from)
	if c == nil {
		return
	}
	defer c.Close()
	if _, err := c.Write(question); err == nil {
		_ = c.SetReadDeadline(time.Now().Add(time.Second))
		_, _ = io.Copy(io.Discard, c)
	}
}

// many runs do repeatedly on n goroutines.
func many(n int, do func(context.Context, Target)) func(context.Context, Target) {
	return func(ctx context.Context, t Target) {
		var wg sync.WaitGroup
		for range n {
			wg.Go(func() {
				for ctx.Err() == nil {
					do(ctx, t)
				}
			})
		}
		wg.Wait()
	}
}

// held is how long a connection stays open after the host has ended it.
const held = 3 * time.Second

// hold keeps n connections from many addresses open, even after the host has ended them. A reset connection
// is replaced.
func hold(n int, begin func(net.Conn)) func(context.Context, Target) {
	return many(n, func(ctx context.Context, t Target) {
		c := connect(t, somewhere())
		if c == nil {
			pause(ctx, 10*time.Millisecond)
			return
		}
		defer c.Close()
		defer context.AfterFunc(ctx, func() { _ = c.Close() })()
		begin(c)
		if _, err := io.Copy(io.Discard, c); err == nil {
			pause(ctx, held)
		}
	})
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
