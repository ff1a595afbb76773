package testkit

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"w3host/protocol/w3gs"
)

// The methods of Client in this file replace Listen in tests that read packet by
// packet, on their own goroutine, and compare structs instead of bytes.

// Welcome holds the packets to a player who joins, in the order of the fields.
type Welcome struct {
	Joined  w3gs.SlotInfoJoin
	Players []w3gs.PlayerInfo
	Map     w3gs.MapCheck
	Slots   w3gs.SlotInfo
	Frames  []w3gs.Frame // the packets as they came
}

// Refused is the error of a join that the host answered with 0x05.
type Refused struct{ Reason w3gs.RejectReason }

func (e *Refused) Error() string { return fmt.Sprintf("refused with reason %d", e.Reason) }

// Tell sends packets with one write.
func (c *Client) Tell(packets ...w3gs.Packet) error {
	var b []byte
	for _, p := range packets {
		b = p.AppendTo(b)
	}
	_, err := c.Conn.Write(b)
	return err
}

// Take reads the next packet. It answers and skips pings unless KeepPings is set.
// The error is os.ErrDeadlineExceeded when none comes in time and io.EOF when
// the host has closed.
func (c *Client) Take(within time.Duration) (w3gs.Frame, error) {
	if err := c.Conn.SetReadDeadline(time.Now().Add(within)); err != nil {
		return nil, err
	}
	for {
		f, err := c.Read()
		if err != nil || c.KeepPings || w3gs.Frame(f).Op() != w3gs.OpPingFromHost {
			return f, err
		}
		c.Send(Packet(byte(w3gs.OpPongToHost), f[4:]))
	}
}

// Join asks to enter a lobby under a name and reads up to the first 0x09. The
// error is a *Refused when the host says no, and an error as well when the
// packets come in another order than 0x04, 0x06 …, 0x3D, 0x09.
func (c *Client) Join(gameID, entryKey uint32, name string) (Welcome, error) {
	var w Welcome
	c.Name = name
	err := c.Tell(&w3gs.ReqJoin{GameID: gameID, EntryKey: entryKey, ListenPort: 6112, JoinCounter: 1, Name: name, Extra: []byte{0}})
	if err != nil {
		return w, err
	}
	stage := 0 // 0x04, 0x06 or 0x3D, 0x09
	for {
		f, err := c.Take(Patience)
		if err != nil {
			return w, fmt.Errorf("join as %s: %w", name, err)
		}
		w.Frames = append(w.Frames, f)
		switch op := f.Op(); {
		case stage == 0 && op == w3gs.OpRejectJoin:
			var no w3gs.RejectJoin
			if err := no.Decode(f.Body()); err != nil {
				return w, err
			}
			return w, &Refused{no.Reason}
		case stage == 0 && op == w3gs.OpSlotInfoJoin:
			if err := w.Joined.Decode(f.Body()); err != nil {
				return w, err
			}
			c.PID = w.Joined.PID
			stage = 1
		case stage == 1 && op == w3gs.OpPlayerInfo:
			var info w3gs.PlayerInfo
			if err := info.Decode(f.Body()); err != nil {
				return w, err
			}
			w.Players = append(w.Players, info)
		case stage == 1 && op == w3gs.OpMapCheck:
			if err := w.Map.Decode(f.Body()); err != nil {
				return w, err
			}
			stage = 2
		case stage == 2 && op == w3gs.OpSlotInfo:
			return w, w.Slots.Decode(f.Body())
		default:
			return w, fmt.Errorf("join as %s: %v has no place there", name, op)
		}
	}
}

// HaveMap answers the map check: the whole map is there.
func (c *Client) HaveMap(w Welcome) error {
	return c.Tell(&w3gs.MapSize{Flag: w3gs.MapHave, Size: w.Map.Size})
}

// WaitClosed reads until the host closes, and returns what it still sent.
func (c *Client) WaitClosed(within time.Duration) ([]w3gs.Frame, error) {
	deadline := time.Now().Add(within)
	var last []w3gs.Frame
	for {
		f, err := c.Take(time.Until(deadline))
		switch {
		case err == nil:
			last = append(last, f)
		case errors.Is(err, os.ErrDeadlineExceeded):
			return last, fmt.Errorf("the host has not closed within %v", within)
		case errors.Is(err, io.EOF), isReset(err):
			return last, nil
		default:
			return last, err
		}
	}
}

// isReset reports an end of the connection other than the proper one.
func isReset(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && !op.Timeout()
}
