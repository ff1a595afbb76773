package lan

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/protocol/w3gs"
)

// relaying runs a relay of a host until the test ends.
func relaying(t *testing.T, from netip.AddrPort, forward bool, to ...*client) {
	t.Helper()
	o := RelayOptions{
		From: from, Ask: wantAny, Bind: loopback, Forward: forward, Log: zerolog.Nop(),
		every: 20 * time.Millisecond, forget: time.Second,
	}
	for _, c := range to {
		o.To = append(o.To, c.addr)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { // ends with the test
		defer close(done)
		if err := Relay(ctx, o); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { stop(); <-done })
}

// What the host has is shown as the host shows it, and withdrawn when it closes.
func TestRelay(t *testing.T) {
	a, addr := listen(t, nil)
	c := newClient(t)
	relaying(t, addr, false, c)
	open(t, a, 1)
	from := c.want("F7 31 10 00 50 58 33 57 14 00 00 00 01 00 00 00")
	c.want("F7 32 10 00 01 00 00 00 01 00 00 00 0A 00 00 00")
	c.want(captured)
	if from == addr {
		t.Error("the host itself announced it")
	}
	c.send(from, searchFirst)
	if c.want(captured) != from {
		t.Error("the relay does not answer")
	}
	a.Update(1, Count{Slots: 10, Open: 6})
	c.want("F7 32 10 00 01 00 00 00 04 00 00 00 0A 00 00 00")
	c.receive() // 0x30
	a.Close(1)
	c.want("F7 33 08 00 01 00 00 00")
	open(t, a, 2) // the next one comes in its place
	c.want("F7 31 10 00 50 58 33 57 14 00 00 00 02 00 00 00")
}

// With Forward clients join at the relay: who knows the key of a lobby that is
// shown gets through to the host, and nobody else.
func TestRelayForwards(t *testing.T) {
	host, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	go func() { // ends with the listener
		for {
			conn, err := host.Accept()
			if err != nil {
				return
			}
			go func() { // echoes until its peer has finished
				defer conn.Close()
				_, _ = io.Copy(conn, conn)
			}()
		}
	}()
	a, addr := listen(t, nil)
	ad := capturedAdvert
	ad.Port = uint16(host.Addr().(*net.TCPAddr).Port)
	advertise(t, a, ad)
	c := newClient(t)
	relaying(t, addr, true, c)
	var info w3gs.GameInfo
	for info.Port == 0 {
		if d, _ := c.receive(); d[1] == byte(w3gs.OpGameInfo) {
			if err := info.Decode(d[4:]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if info.Port == ad.Port || info.EntryKey != ad.EntryKey || info.GameID != 1 {
		t.Fatalf("the relay shows %+v", info)
	}
	door := netip.AddrPortFrom(loopback, info.Port).String()
	say := func(text string) (echo []byte, err error) {
		t.Helper()
		conn, err := net.Dial("tcp4", door)
		if err != nil { // who is refused may be cut before Dial returns
			return nil, err
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
		_, _ = conn.Write(unhex(t, text))
		_ = conn.(*net.TCPConn).CloseWrite()
		return io.ReadAll(conn)
	}
	join := "F7 1E 20 00 01 00 00 00 39 69 C2 00" + strings.Repeat(" AB", 50_000)
	if echo, err := say(join); err != nil || !bytes.Equal(echo, unhex(t, join)) {
		t.Errorf("%d bytes came back of the join: %v", len(echo), err)
	}
	for name, wrong := range map[string]string{
		"another lobby": "F7 1E 20 00 02 00 00 00 39 69 C2 00 01",
		"another key":   "F7 1E 20 00 01 00 00 00 39 69 C2 01 01",
		"no join":       "F7 1F 20 00 01 00 00 00 39 69 C2 00 01",
		"no packet":     "47 45 54 20 2F 20 48 54 54 50 2F 31 2E 31",
		"too little":    "F7 1E 20 00 01 00 00 00",
	} {
		if echo, err := say(wrong); len(echo) > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: got %d bytes, %v", name, len(echo), err)
		}
	}
	const said = 6 // connections, of which the relay may still count some
	for held := 1; ; held++ {
		conn, err := net.Dial("tcp4", door)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if held < maxForwardsEach {
			continue
		}
		if echo, _ := say(join); len(echo) == 0 {
			break
		}
		if held == maxForwardsEach+said {
			t.Fatalf("one address has more than %d connections", maxForwardsEach)
		}
	}
}

// Whoever comes when the context of a mirror has ended is not left hanging.
func TestMirrorEndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	m, err := OpenMirror(ctx, MirrorOptions{
		Show:    Options{Broadcast: []netip.AddrPort{}, Ports: []uint16{0}, Bind: loopback, Product: w3gs.ProductTFT, Version: 20, Log: zerolog.Nop()},
		Forward: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	stop()
	conn, err := net.Dial("tcp4", m.forwarder.listener.Addr().String())
	if err != nil {
		return // refused
	}
	defer conn.Close()
	// Linux may drop a connection that is complete at the moment when its listener closes, and
	// resets it only when the client sends, as clients of the game do at once.
	_, _ = conn.Write([]byte{w3gs.Magic})
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := conn.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("it stays open")
	}
}

func TestCountOfFound(t *testing.T) {
	for _, tt := range []struct{ slots, listedOpen uint32 }{{12, 12}, {12, 11}, {12, 1}, {2, 1}, {1, 1}} {
		f := Found{Info: w3gs.GameInfo{Slots: tt.slots, SlotsOpen: tt.listedOpen, Unknown: 1}}
		if c := f.count(); !c.valid() || c.listedOpen() != int(tt.listedOpen) || c.players() != f.Players() {
			t.Errorf("%+v is shown as %d open, %d players", tt, c.listedOpen(), c.players())
		}
	}
	// What no honest host says makes no nonsense either.
	for _, info := range []w3gs.GameInfo{{Slots: 1 << 31, SlotsOpen: 5}, {Slots: 3, SlotsOpen: 1 << 31, Unknown: 1 << 30}, {}} {
		if c := (Found{Info: info}).count(); c.Open < 0 || c.Open > c.Slots {
			t.Errorf("%+v is shown as %+v", info, c)
		}
	}
}
