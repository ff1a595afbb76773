package host

import (
	"errors"
	"os"
	"time"

	"w3host/w3gs"
)

// packetReader passes one client's packets to its game.
type packetReader struct {
	c      *conn
	g      *Game
	meter  *meter
	action w3gs.OutgoingAction
	alive  w3gs.Keepalive
}

// read takes what the client sends until the connection ends or the client
// breaks the protocol. It may wait for the game, which makes TCP slow the client
// down; the game never waits for it.
func (p *packetReader) read(stream *w3gs.Stream) (err error) {
	defer p.c.caught(&err)
	for {
		frame, err := stream.Next()
		if err != nil {
			return err
		}
		if frame != nil {
			if err := p.take(frame, true); err != nil {
				return err
			}
			continue
		}
		n, err := p.c.nc.Read(stream.Free())
		if errors.Is(err, os.ErrDeadlineExceeded) && p.c.leaving.Load() {
			return errHandOver
		}
		if err != nil {
			return err
		}
		stream.Commit(n)
	}
}

// take passes one packet on. Where it may not wait, a game that has too much
// waiting already costs the client his connection.
func (p *packetReader) take(frame w3gs.Frame, mayWait bool) error {
	if err := p.meter.count(frame.Op(), p.g.open.Load()); err != nil {
		return err
	}
	e := event{c: p.c}
	var data []byte
	var err error
	switch op := frame.Op(); op {
	case w3gs.OpKeepalive:
		err = p.alive.Decode(frame.Body())
		e.kind, e.sum = evKeepalive, p.alive.Checksum
	case w3gs.OpOutgoingAction:
		err = p.action.Decode(frame.Body())
		e.kind, data = evAction, p.action.Data
	default:
		e.kind = evPacket
		if e.packet = w3gs.New(op, w3gs.FromClient); e.packet == nil || op == w3gs.OpReqJoin {
			p.c.skipped.Add(1)
			return nil // unknown to a host, or a second join: skipped and counted
		}
		err = e.packet.Decode(frame.Body())
		if errors.Is(err, w3gs.ErrTrailing) && harmless(op) {
			p.c.oversize(err)
			err = nil
		}
	}
	if err != nil {
		return err
	}
	return p.g.inbox.push(e, data, mayWait)
}

// harmless reports whether a packet may be longer than it should: what it says
// stands at its beginning, and clients of other makes append to it.
func harmless(op w3gs.Op) bool {
	return op == w3gs.OpPeerSet || op == w3gs.OpPongToHost || op == w3gs.OpMapSize || op == w3gs.OpLoadedSelf
}

// oversize logs the first packet of a client that is too long.
func (c *conn) oversize(err error) {
	if c.odd.CompareAndSwap(false, true) {
		c.log.Info().Err(err).Msg("packets with bytes behind their end are read without them; only the first is logged")
	}
}

// discard reads until the client closes or the deadline of finish passes, so
// that closing does not reset the connection under our last packet.
func (c *conn) discard() {
	var scrap [512]byte
	for {
		if _, err := c.nc.Read(scrap[:]); err != nil {
			return
		}
	}
}

// meter counts a player's packets against a rate. In a lobby acknowledgements
// of map parts come as fast as the line carries the map and are not counted.
type meter struct {
	rate   float64
	tokens float64
	at     time.Time
}

// meterBurst is how many seconds' worth of packets may come at once: a client
// whose line hung for a while sends everything it has saved up.
const meterBurst = 10

func newMeter(rate int) *meter {
	return &meter{rate: float64(rate), tokens: float64(rate) * meterBurst, at: time.Now()}
}

func (m *meter) count(op w3gs.Op, lobby bool) error {
	if lobby && (op == w3gs.OpMapPartOK || op == w3gs.OpMapSize) {
		return nil
	}
	m.tokens--
	if m.tokens > 0 {
		return nil
	}
	now := time.Now()
	m.tokens = min(m.rate*meterBurst, m.tokens+now.Sub(m.at).Seconds()*m.rate)
	m.at = now
	if m.tokens <= 0 {
		return errFlood
	}
	return nil
}
