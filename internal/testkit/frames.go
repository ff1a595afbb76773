package testkit

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"time"

	"w3host/protocol/w3gs"
)

// The methods of Client in this file replace Listen in tests that read packet by packet on their own
// goroutine, and compare structs instead of bytes.

// Refused is the error of a join that the host refused with 0x05.
type Refused struct{ Reason w3gs.RejectReason }

func (e *Refused) Error() string { return fmt.Sprintf("refused with reason %d", e.Reason) }

// Tell sends packets in a single write.
func (c *Client) Tell(packets ...w3gs.Packet) error {
	var b []byte
	for _, p := range packets {
		b = p.AppendTo(b)
	}
	_, err := c.Conn.Write(b)
	return err
}

// Take returns the next packet, answering and skipping pings. It returns os.ErrDeadlineExceeded if none
// arrives in time, and io.EOF if the host has closed the connection.
func (c *Client) Take(within time.Duration) (w3gs.Frame, error) {
	if err := c.Conn.SetReadDeadline(time.Now().Add(within)); err != nil {
		return nil, err
	}
	for {
		f, err := c.Read()
		if err != nil || w3gs.Frame(f).Op() != w3gs.OpPingFromHost {
			return f, err
		}
		c.Send(Packet(byte(w3gs.OpPongToHost), f[4:]))
	}
}

// mayFollow lists the valid next packets to a joining player, by the previous packet.
var mayFollow = map[w3gs.Op][]w3gs.Op{
	w3gs.OpReqJoin:      {w3gs.OpRejectJoin, w3gs.OpSlotInfoJoin},
	w3gs.OpSlotInfoJoin: {w3gs.OpPlayerInfo, w3gs.OpMapCheck},
	w3gs.OpPlayerInfo:   {w3gs.OpPlayerInfo, w3gs.OpMapCheck},
	w3gs.OpMapCheck:     {w3gs.OpSlotInfo},
}

// Join asks to enter a lobby, reads up to the first 0x09, and returns the map that the host asks for. It
// returns a *Refused if the host refuses, and another error if packets do not arrive in the order 0x04, 0x06
// …, 0x3D, 0x09.
func (c *Client) Join(gameID, entryKey uint32, name string) (check w3gs.MapCheck, err error) {
	c.Name = name
	err = c.Tell(&w3gs.ReqJoin{GameID: gameID, EntryKey: entryKey, ListenPort: 6112, JoinCounter: 1, Name: name, Extra: []byte{0}})
	if err != nil {
		return check, err
	}
	for last := w3gs.OpReqJoin; ; {
		f, err := c.Take(Patience)
		if err != nil {
			return check, fmt.Errorf("join as %s: %w", name, err)
		}
		if !slices.Contains(mayFollow[last], f.Op()) {
			return check, fmt.Errorf("join as %s: %v has no place there", name, f.Op())
		}
		last = f.Op()
		packet, err := w3gs.Decode(f, w3gs.FromHost)
		if err != nil {
			return check, err
		}
		switch q := packet.(type) {
		case *w3gs.RejectJoin:
			return check, &Refused{q.Reason}
		case *w3gs.SlotInfoJoin:
			c.PID = q.PID
		case *w3gs.MapCheck:
			check = *q
		case *w3gs.SlotInfo:
			return check, nil
		}
	}
}

// HaveMap answers the map check with the whole map.
func (c *Client) HaveMap(check w3gs.MapCheck) error {
	return c.Tell(&w3gs.MapSize{Flag: w3gs.MapHave, Size: check.Size})
}

// WaitClosed reads until the host closes the connection and returns the packets received before.
func (c *Client) WaitClosed(within time.Duration) ([]w3gs.Frame, error) {
	deadline := time.Now().Add(within)
	var last []w3gs.Frame
	for {
		f, err := c.Take(time.Until(deadline))
		_, reset := errors.AsType[*net.OpError](err)
		switch {
		case err == nil:
			last = append(last, f)
		case errors.Is(err, os.ErrDeadlineExceeded):
			return last, fmt.Errorf("the host has not closed within %v", within)
		case errors.Is(err, io.EOF), reset:
			return last, nil
		default:
			return last, err
		}
	}
}
