package bots

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"time"

	"w3host/w3gs"
)

// Client is one connection to a host whose every step is decided by its user:
// for tests that need a certain packet at a certain time, or wrong bytes. It is
// used from one goroutine.
type Client struct {
	// PID is the player id that 0x04 gave, after Join.
	PID uint8
	// KeepPings leaves 0x01 to the user. Otherwise pings are answered and
	// skipped wherever packets are read.
	KeepPings bool

	conn   net.Conn
	stream *w3gs.Stream
}

// Welcome is what a host sends to a player who joins, in its order.
type Welcome struct {
	Joined  w3gs.SlotInfoJoin
	Players []w3gs.PlayerInfo
	Map     w3gs.MapCheck
	Slots   w3gs.SlotInfo
	Frames  []w3gs.Frame // all of it as bytes
}

// Refused is the error of a join that the host answered with 0x05.
type Refused struct{ Reason w3gs.RejectReason }

func (e *Refused) Error() string { return refusal(e.Reason) }

// Dial connects to a host.
func Dial(ctx context.Context, addr string) (*Client, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return NewClient(conn), nil
}

// NewClient speaks over a connection that exists.
func NewClient(conn net.Conn) *Client {
	return &Client{conn: conn, stream: w3gs.NewStream(w3gs.MaxFrame)}
}

// Conn is the connection, to close it half, reset it or read from it raw.
func (c *Client) Conn() net.Conn { return c.conn }

// Close closes the connection without a word.
func (c *Client) Close() error { return c.conn.Close() }

// Send writes packets, together.
func (c *Client) Send(packets ...w3gs.Packet) error {
	var b []byte
	for _, p := range packets {
		b = p.AppendTo(b)
	}
	return c.SendRaw(b)
}

// SendRaw writes any bytes.
func (c *Client) SendRaw(b []byte) error {
	if err := c.conn.SetWriteDeadline(time.Now().Add(writeWithin)); err != nil {
		return err
	}
	_, err := c.conn.Write(b)
	return err
}

// Next returns a copy of the next packet; the error is os.ErrDeadlineExceeded
// when none comes in time and io.EOF when the host has closed.
func (c *Client) Next(within time.Duration) (w3gs.Frame, error) {
	deadline := time.Now().Add(within)
	for {
		f, err := c.stream.Next()
		switch {
		case err != nil:
			return nil, err
		case f == nil:
			if err := c.fill(deadline); err != nil {
				return nil, err
			}
		case f.Op() == w3gs.OpPingFromHost && !c.KeepPings:
			var ping w3gs.PingFromHost
			if err := ping.Decode(f.Body()); err != nil {
				return nil, err
			}
			if err := c.Send(&w3gs.PongToHost{Tick: ping.Tick}); err != nil {
				return nil, err
			}
		default:
			return slices.Clone(f), nil
		}
	}
}

func (c *Client) fill(deadline time.Time) error {
	if err := c.conn.SetReadDeadline(deadline); err != nil {
		return err
	}
	n, err := c.conn.Read(c.stream.Free())
	c.stream.Commit(n)
	if n > 0 {
		return nil
	}
	return err
}

// Join asks to enter a lobby under a name and reads up to the first 0x09. The
// error is a *Refused when the host says no, and an error as well when the
// packets come in another order than 0x04, 0x06 …, 0x3D, 0x09.
func (c *Client) Join(gameID, entryKey uint32, name string) (Welcome, error) {
	var w Welcome
	err := c.Send(&w3gs.ReqJoin{GameID: gameID, EntryKey: entryKey, ListenPort: 6112, JoinCounter: 1, Name: name, Extra: []byte{0}})
	if err != nil {
		return w, err
	}
	stage := 0 // 0x04, 0x06 or 0x3D, 0x09
	for {
		f, err := c.Next(5 * time.Second)
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
	return c.Send(&w3gs.MapSize{Flag: w3gs.MapHave, Size: w.Map.Size})
}

// Say sends a line of lobby chat.
func (c *Client) Say(text string, to ...uint8) error {
	return c.Send(&w3gs.ChatToHost{Chat: w3gs.Chat{To: to, From: c.PID, Flag: w3gs.ChatLobby, Text: text}})
}

// Skip reads until a packet with this opcode has come, and returns it.
func (c *Client) Skip(op w3gs.Op, within time.Duration) (w3gs.Frame, error) {
	deadline := time.Now().Add(within)
	var passed []w3gs.Op
	for {
		f, err := c.Next(time.Until(deadline))
		if err != nil {
			return nil, fmt.Errorf("wait for %v: %w, after %v", op, err, passed)
		}
		if f.Op() == op {
			return f, nil
		}
		passed = append(passed, f.Op())
	}
}

// WaitClosed reads until the host closes, and returns what it still sent.
func (c *Client) WaitClosed(within time.Duration) ([]w3gs.Frame, error) {
	deadline := time.Now().Add(within)
	var last []w3gs.Frame
	for {
		f, err := c.Next(time.Until(deadline))
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

// Expect reads the next packet and decodes it; another one is an error.
//
//	slots, err := bots.Expect[w3gs.SlotInfo](client, time.Second)
func Expect[T any, P interface {
	*T
	w3gs.Packet
}](c *Client, within time.Duration) (T, error) {
	var v T
	want := P(&v).Op()
	f, err := c.Next(within)
	if err != nil {
		return v, fmt.Errorf("wait for %v: %w", want, err)
	}
	if f.Op() != want {
		return v, fmt.Errorf("%v came where %v was due", f.Op(), want)
	}
	return v, P(&v).Decode(f.Body())
}

// SkipTo reads until a packet of this kind has come, and decodes it.
func SkipTo[T any, P interface {
	*T
	w3gs.Packet
}](c *Client, within time.Duration) (T, error) {
	var v T
	f, err := c.Skip(P(&v).Op(), within)
	if err != nil {
		return v, err
	}
	return v, P(&v).Decode(f.Body())
}
