package host

import (
	"errors"
	"io"
	"net"
	"os"
	"time"

	"w3host/w3gs"
)

// accept takes connections until the listener is closed.
func (h *Host) accept() {
	var pause time.Duration
	for {
		nc, err := h.listener.AcceptTCP()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of file descriptors, most likely: it passes
			pause = min(max(2*pause, 5*time.Millisecond), time.Second)
			h.log.Warn().Err(err).Dur("again_in", pause).Msg("cannot accept a connection")
			time.Sleep(pause)
			continue
		}
		pause = 0
		c, err := newConn(h, nc)
		if err != nil {
			h.log.Warn().Err(err).Msg("cannot use a connection")
			_ = nc.Close()
			continue
		}
		if err := h.gate.enter(c.addr.Addr(), time.Now()); err != nil {
			c.log.Warn().AnErr("reason", err).Msg("connection refused")
			c.cut(err)
			continue
		}
		h.running.Add(1)
		go func() { // ends with the connection
			defer h.running.Done()
			h.serve(c)
		}()
	}
}

// serve reads one connection from its first byte to its last.
func (h *Host) serve(c *conn) {
	_ = c.nc.SetReadDeadline(time.Now().Add(h.opts.Limits.JoinTimeout))
	stream := w3gs.NewStream(firstPacketMax)
	g, err := h.welcome(c, stream)
	h.gate.leave(c.addr.Addr(), time.Now())
	if g == nil {
		var r *refusal
		switch reason := c.closedBecause(err); {
		case errors.As(reason, &r): // logged where it was made
		case errors.Is(reason, io.EOF): // gone by itself: so does w3host health, every half minute
			c.log.Debug().Msg("connection closed before it joined")
		default:
			c.log.Info().AnErr("reason", reason).Msg("connection closed before it joined")
		}
		return
	}
	stream.SetMax(w3gs.MaxFrame)
	packets := &packetReader{c: c, g: g, meter: newMeter(h.opts.Limits.PacketRate)}
	for {
		err = packets.read(stream)
		if !errors.Is(err, errHandOver) {
			break
		}
		h.running.Add(1) // the reactor's, until the connection ends
		if h.reactor.adopt(c, packets, stream.Rest()) {
			return
		}
		h.running.Done()
		c.stay()
	}
	if errors.Is(err, errGameOver) {
		c.discard()
	}
	_ = g.inbox.push(event{c: c, kind: evGone, err: c.closedBecause(err)}, nil, false)
}

// welcome reads the first packet, which must be a join, and hands it to the
// game it is for.
func (h *Host) welcome(c *conn, stream *w3gs.Stream) (_ *Game, err error) {
	defer c.caught(&err)
	frame, err := h.firstPacket(c, stream)
	if err != nil {
		return nil, err
	}
	if frame.Op() != w3gs.OpReqJoin {
		return nil, errNotAJoin
	}
	join := new(w3gs.ReqJoin)
	if err := join.Decode(frame.Body()); err != nil {
		return nil, err
	}
	_ = c.nc.SetReadDeadline(time.Time{}) // from here on the game may set one
	g, refusal := h.route(c, join)
	if refusal == nil && g.inbox.push(event{c: c, kind: evJoin, packet: join}, nil, true) != nil {
		refusal = refuse(w3gs.RejectStarted, "the game is over")
	}
	if refusal != nil {
		c.log.Info().Str("player", join.Name).Uint32("game", join.GameID).AnErr("reason", refusal).Msg("join refused")
		c.sendPacket(&w3gs.RejectJoin{Reason: refusal.code})
		c.finish(refusal)
		c.discard()
		return nil, refusal
	}
	return g, nil
}

// firstPacket waits for as long as the connection's deadline allows.
func (h *Host) firstPacket(c *conn, stream *w3gs.Stream) (w3gs.Frame, error) {
	h.expect(c)
	defer h.heardOf(c)
	for {
		n, err := c.nc.Read(stream.Free())
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, errJoinTimeout
		}
		if err != nil {
			return nil, err
		}
		stream.Commit(n)
		if frame, err := stream.Next(); frame != nil || err != nil {
			return frame, err
		}
	}
}

// route finds the game of a join: by its id, and with its key if it comes from
// the LAN.
func (h *Host) route(c *conn, join *w3gs.ReqJoin) (*Game, *refusal) {
	if err := h.gate.join(c.addr.Addr(), time.Now()); err != nil {
		return nil, refuse(w3gs.RejectInvalid, err.Error())
	}
	g := h.Game(join.GameID)
	switch {
	case g == nil && h.wasOpened(join.GameID):
		return nil, refuse(w3gs.RejectStarted, "the game is over")
	case g == nil:
		return nil, refuse(w3gs.RejectInvalid, "no game has this id")
	case !g.open.Load():
		return nil, refuse(w3gs.RejectStarted, "the game has started")
	case h.opts.RequireEntryKey && join.EntryKey != g.key:
		return nil, refuse(w3gs.RejectWrongKey, "wrong entry key: not from this lobby's LAN announcement")
	}
	return g, nil
}

func (h *Host) wasOpened(id uint32) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	id &= gameIDMask
	return id > 0 && id <= h.lastID
}

// refusal is why a join is not passed to a lobby.
type refusal struct {
	code w3gs.RejectReason
	why  string
}

func refuse(code w3gs.RejectReason, why string) *refusal { return &refusal{code, why} }

func (r *refusal) Error() string { return r.why }
