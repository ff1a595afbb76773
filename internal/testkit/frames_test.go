package testkit

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"w3host/w3gs"
)

func TestClientPlays(t *testing.T) {
	t.Parallel()
	h := StartHost(t, &Host{Players: 1})
	c := Dial(t, netip.MustParseAddrPort(h.Addr))
	w, err := c.Join(1, Key, "bot-1")
	if err != nil {
		t.Fatal(err)
	}
	if c.PID != 1 || len(w.Players) != 1 || w.Players[0].Name != "host" || w.Map.Size != 5000 || len(w.Slots.Slots) != 1 || len(w.Frames) != 4 {
		t.Errorf("PID %d, welcome %+v", c.PID, w)
	}
	if err := c.HaveMap(w); err != nil {
		t.Fatal(err)
	}
	if _, err := Expect[w3gs.CountdownStart](c, time.Second); err != nil { // the ping before it is answered
		t.Fatal(err)
	}
	if _, err := SkipTo[w3gs.CountdownEnd](c, time.Second); err != nil {
		t.Fatal(err)
	}
	if err := c.Tell(&w3gs.LoadedSelf{}); err != nil {
		t.Fatal(err)
	}
	if loaded, err := Expect[w3gs.GameLoaded](c, time.Second); err != nil || loaded.PID != 1 {
		t.Fatal(loaded, err)
	}
	if turn, err := Expect[w3gs.IncomingAction](c, time.Second); err != nil || turn.IncrementMillis != 50 {
		t.Fatal(turn, err)
	}
	if err := c.Tell(&w3gs.LeaveGame{Reason: w3gs.LeaveLost}); err != nil {
		t.Fatal(err)
	}
	last, err := c.WaitClosed(time.Second)
	if err != nil || len(last) == 0 || last[len(last)-1].Op() != w3gs.OpLeaveAck {
		t.Errorf("last packets %v, %v", last, err)
	}
}

func TestClientIsRefused(t *testing.T) {
	t.Parallel()
	h := StartHost(t, &Host{Players: 1})
	_, err := Dial(t, netip.MustParseAddrPort(h.Addr)).Join(1, 0, "bot-1")
	var no *Refused
	if !errors.As(err, &no) || no.Reason != w3gs.RejectWrongKey {
		t.Errorf("error %v", err)
	}
}

// speak makes a client whose host says these packets and then nothing.
func speak(t *testing.T, packets ...w3gs.Packet) (*Client, net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	c := Dial(t, netip.MustParseAddrPort(ln.Addr().String()))
	far, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { far.Close() })
	var b []byte
	for _, p := range packets {
		b = p.AppendTo(b)
	}
	if _, err := far.Write(b); err != nil {
		t.Fatal(err)
	}
	return c, far
}

func TestClientErrors(t *testing.T) {
	t.Parallel()
	c, _ := speak(t, &w3gs.CountdownStart{})
	if _, err := Expect[w3gs.CountdownEnd](c, time.Second); err == nil || !strings.Contains(err.Error(), "COUNTDOWN_START (0x0A) came where COUNTDOWN_END (0x0B) was due") {
		t.Errorf("another packet: %v", err)
	}
	if _, err := Expect[w3gs.CountdownEnd](c, 10*time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("no packet: %v", err)
	}
	if _, err := c.WaitClosed(10 * time.Millisecond); err == nil || !strings.Contains(err.Error(), "has not closed") {
		t.Errorf("not closed: %v", err)
	}
	c, far := speak(t, &w3gs.CountdownStart{}, &w3gs.GameLoaded{PID: 3})
	if loaded, err := SkipTo[w3gs.GameLoaded](c, time.Second); err != nil || loaded.PID != 3 {
		t.Errorf("skip: %v, %v", loaded, err)
	}
	far.Close()
	if _, err := c.WaitClosed(time.Second); err != nil {
		t.Errorf("closed: %v", err)
	}
}

func TestClientAnswersPings(t *testing.T) {
	t.Parallel()
	c, far := speak(t, &w3gs.PingFromHost{Tick: 5}, &w3gs.CountdownStart{})
	if _, err := Expect[w3gs.CountdownStart](c, time.Second); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 64)
	if n, _ := far.Read(b); string(b[:n]) != "\xf7\x46\x08\x00\x05\x00\x00\x00" {
		t.Errorf("pong % x", b)
	}
	c, _ = speak(t, &w3gs.PingFromHost{Tick: 5})
	c.KeepPings = true
	if ping, err := Expect[w3gs.PingFromHost](c, time.Second); err != nil || ping.Tick != 5 {
		t.Errorf("%v, %v", ping, err)
	}
}

func TestJoinInTheWrongOrder(t *testing.T) {
	t.Parallel()
	table := w3gs.SlotTable{Slots: make([]w3gs.Slot, 2)}
	c, _ := speak(t, &w3gs.SlotInfoJoin{SlotTable: table, PID: 1}, &w3gs.SlotInfo{SlotTable: table})
	if _, err := c.Join(1, 2, "x"); err == nil || !strings.Contains(err.Error(), "SLOTINFO (0x09) has no place there") {
		t.Errorf("error %v", err)
	}
}
