package testkit

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

func TestJoin(t *testing.T) {
	t.Parallel()
	table := w3gs.SlotTable{Slots: make([]w3gs.Slot, 2)}
	c, far := speak(t, &w3gs.SlotInfoJoin{SlotTable: table, PID: 1}, &w3gs.PlayerInfo{PID: 12, Name: "host", Extra: []byte{0}},
		&w3gs.MapCheck{Path: `Maps\x.w3x`, Size: 5000}, &w3gs.SlotInfo{SlotTable: table}, &w3gs.LeaveAck{})
	check, err := c.Join(1, 2, "bot-1")
	if err != nil {
		t.Fatal(err)
	}
	if c.PID != 1 || check.Size != 5000 {
		t.Errorf("PID %d, map %+v", c.PID, check)
	}
	if err := c.HaveMap(check); err != nil {
		t.Fatal(err)
	}
	join := &w3gs.ReqJoin{GameID: 1, EntryKey: 2, ListenPort: 6112, JoinCounter: 1, Name: "bot-1", Extra: []byte{0}}
	want := (&w3gs.MapSize{Flag: w3gs.MapHave, Size: 5000}).AppendTo(join.AppendTo(nil))
	got := make([]byte, len(want))
	if _, err := io.ReadFull(far, got); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the client sent % x, want % x: %v", got, want, err)
	}
	far.(*net.TCPConn).CloseWrite()
	last, err := c.WaitClosed(Patience)
	if err != nil || len(last) != 1 || last[0].Op() != w3gs.OpLeaveAck {
		t.Errorf("last packets %v, %v", last, err)
	}
}

func TestJoinRefused(t *testing.T) {
	t.Parallel()
	c, _ := speak(t, &w3gs.RejectJoin{Reason: w3gs.RejectWrongKey})
	_, err := c.Join(1, 0, "bot-1")
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

// take wants the next packet to have this opcode.
func take(t *testing.T, c *Client, want w3gs.Op) {
	t.Helper()
	if f, err := c.Take(Patience); err != nil || f.Op() != want {
		t.Errorf("packet % x, %v, want %v", f, err, want)
	}
}

func TestClientErrors(t *testing.T) {
	t.Parallel()
	c, far := speak(t, &w3gs.CountdownStart{})
	take(t, c, w3gs.OpCountdownStart)
	if _, err := c.Take(10 * time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("no packet: %v", err)
	}
	if _, err := c.WaitClosed(10 * time.Millisecond); err == nil || !strings.Contains(err.Error(), "has not closed") {
		t.Errorf("not closed: %v", err)
	}
	far.Close()
	if _, err := c.WaitClosed(Patience); err != nil {
		t.Errorf("closed: %v", err)
	}
}

func TestClientAnswersPings(t *testing.T) {
	t.Parallel()
	c, far := speak(t, &w3gs.PingFromHost{Tick: 5}, &w3gs.CountdownStart{})
	take(t, c, w3gs.OpCountdownStart)
	b := make([]byte, 64)
	if n, _ := far.Read(b); string(b[:n]) != "\xf7\x46\x08\x00\x05\x00\x00\x00" {
		t.Errorf("pong % x", b)
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
