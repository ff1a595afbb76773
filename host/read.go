package host

import (
	"time"

	"w3host/w3gs"
)

// read passes what the client sends to its game until the connection ends or
// the client breaks the protocol. It may wait for the game, which makes TCP
// slow the client down; the game never waits for it.
func (c *conn) read(stream *w3gs.Stream, g *Game, meter *meter) error {
	var action w3gs.OutgoingAction
	var alive w3gs.Keepalive
	for {
		frame, err := stream.Next()
		if err != nil {
			return err
		}
		if frame == nil {
			n, err := c.nc.Read(stream.Free())
			if err != nil {
				return err
			}
			stream.Commit(n)
			continue
		}
		if err := meter.count(frame.Op()); err != nil {
			return err
		}
		e := event{c: c}
		var data []byte
		switch op := frame.Op(); op {
		case w3gs.OpKeepalive:
			err = alive.Decode(frame.Body())
			e.kind, e.sum = evKeepalive, alive.Checksum
		case w3gs.OpOutgoingAction:
			err = action.Decode(frame.Body())
			e.kind, data = evAction, action.Data
		default:
			e.kind = evPacket
			if e.packet = w3gs.New(op, w3gs.FromClient); e.packet == nil {
				c.skipped++
				continue // unknown to a host: skipped and counted
			}
			err = e.packet.Decode(frame.Body())
		}
		if err != nil {
			return err
		}
		if !g.inbox.push(e, data) {
			c.discard()
			return errGameOver
		}
	}
}

// discard reads until the client closes or the linger deadline of lastWords
// passes, so that closing does not reset the connection under our last packet.
func (c *conn) discard() {
	_ = c.nc.SetReadDeadline(time.Now().Add(lingerTime))
	var scrap [512]byte
	for {
		if _, err := c.nc.Read(scrap[:]); err != nil {
			return
		}
	}
}

// meter counts a player's packets against a rate. Acknowledgements of map
// parts come as fast as the line carries the map and are not counted.
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

func (m *meter) count(op w3gs.Op) error {
	if op == w3gs.OpMapPartOK || op == w3gs.OpMapSize {
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
