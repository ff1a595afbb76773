// Package gproxy is a GProxy++ proxy as players run it: it forwards the packets
// between a game client and a host, and reconnects to the host when the connection
// breaks. Its behaviour and timing were measured on GProxy++ 1.0. It is a state machine without a
// socket or a clock, written from the client's side of the extension and independent of
// package protocol/gproxy. `w3host play` and the bots use it.
package gproxy

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"
)

// State is the state of the connection to the host.
type State uint8

// States.
const (
	Linked State = iota // packets are forwarded
	Lost                // no connection: dial Port and call Connected
	Asking              // connected again, RECONNECT is not answered yet
	Over                // no reconnection is possible
)

// mostLaggers are the players of a game.
const mostLaggers = 24

// Defaults of Proxy.
const (
	emptyEvery = time.Minute
	silence    = 20 * time.Second
)

// Proxy is one player's proxy. Its fields may be set before the first call.
type Proxy struct {
	Version    uint32        // 1, or 2 and more: knows SUPPORT_EXTENDED
	EmptyEvery time.Duration // from the last 0x0C to an empty one for the client; 0: a minute
	Silence    time.Duration // without a byte, until the connection is given up; 0: 20 s. An ACK is sent at half of it
	MostKept   int           // bytes that wait for the host's acknowledgement; 0: no bound

	ToClient []byte // to be sent; the caller empties it
	ToHost   []byte // likewise, on the current connection

	State State
	Why   string // when Over

	Entered bool   // a lobby: 0x04 has come
	Refused uint32 // why the host has refused the join, with 0x05; 0: it has not

	Offer

	Got     uint32 // packets of the game from the host
	Sent    uint32 // and to it
	Resumed int    // successful reconnections
	RanOut  int    // lines to the player that no empty action is left

	backlog backlog
	turns   turns
	Left    bool // 0x21 has been sent

	host, client   []byte        // incomplete packets
	heard, ackedAt time.Duration // bytes of the host, the last ACK to it
}

// Offer is the host's message about coming back.
type Offer struct {
	Offered  bool
	Port     uint16
	PID      uint8
	Key      uint32
	Empties  int
	Extended bool          // the host knows that no empty actions are needed
	Wait     time.Duration // that the host waits for an extended proxy
}

// turns is the state of the game's turns at the client, which it needs while none come.
type turns struct {
	begun   bool          // a 0x0C has come
	at      time.Duration // of the last one, or of the empty action that stands in for it
	used    int           // empty actions since the last one
	laggers [][]byte      // as in a 0x10: five bytes, of which the first is who
}

var empty = []byte{0xF7, 0x0C, 6, 0, 0, 0}

// next cuts a packet off b; nil while it is incomplete.
func next(b []byte) (packet, rest []byte, err error) {
	if len(b) > 0 && b[0] != 0xF7 && b[0] != 0xF8 {
		return nil, b, fmt.Errorf("a packet of 0x%02X", b[0])
	}
	if len(b) < 4 {
		return nil, b, nil
	}
	n := int(binary.LittleEndian.Uint16(b[2:]))
	if n < 4 {
		return nil, b, errors.New("a packet shorter than its header")
	}
	if len(b) < n {
		return nil, b, nil
	}
	return b[:n:n], b[n:], nil
}

// FromClient handles bytes of the game client.
func (p *Proxy) FromClient(b []byte) error {
	b = append(p.client, b...)
	p.client = nil
	for {
		packet, rest, err := next(b)
		if err != nil {
			return err
		}
		if packet == nil {
			p.client = bytes.Clone(rest)
			return nil
		}
		b = rest
		p.Sent++
		p.Left = p.Left || packet[1] == 0x21
		p.keep(packet)
		if p.State == Linked {
			p.ToHost = append(p.ToHost, packet...)
		}
	}
}

// keep keeps a packet until the host acknowledges it. Where that is more than may be kept,
// the proxy cannot return any more: without a connection, all is over.
func (p *Proxy) keep(packet []byte) {
	if !p.backlog.keep(packet, p.MostKept) && (p.State == Lost || p.State == Asking) {
		p.State, p.Why = Over, "more was to be sent than the proxy keeps while it has no connection"
	}
}

// FromHost handles bytes of the current connection. An error is a fault of the host.
func (p *Proxy) FromHost(now time.Duration, b []byte) error {
	if p.State != Linked && p.State != Asking {
		return nil
	}
	p.heard = now
	b = append(p.host, b...)
	p.host = nil
	for p.State != Over {
		packet, rest, err := next(b)
		if err != nil {
			return err
		}
		if packet == nil {
			p.host = bytes.Clone(rest)
			return nil
		}
		b = rest
		if packet[0] == 0xF8 {
			err = p.extension(packet)
		} else {
			err = p.game(now, packet)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// game forwards a packet of the game.
func (p *Proxy) game(now time.Duration, packet []byte) error {
	if p.State == Asking {
		return fmt.Errorf("packet 0x%02X before the answer to a RECONNECT", packet[1])
	}
	p.Got++
	switch packet[1] {
	case 0x04:
		p.Entered = true
		if p.Version > 0 {
			p.say(1, p.Version)
		}
	case 0x0C:
		p.feed()
		if !p.turns.begun {
			p.acknowledge(now)
		}
		p.turns.used, p.turns.begun, p.turns.at = 0, true, now
	case 0x48:
		p.feed()
		p.turns.used = p.Empties
	case 0x05:
		if len(packet) == 8 {
			p.Refused = binary.LittleEndian.Uint32(packet[4:])
		}
	case 0x10:
		if n := len(packet) - 5; n >= 0 && n <= 5*mostLaggers {
			p.turns.laggers = slices.Collect(slices.Chunk(bytes.Clone(packet[5:5+n-n%5]), 5))
		}
	case 0x11:
		if len(packet) > 4 {
			p.turns.laggers = slices.DeleteFunc(p.turns.laggers, func(lagger []byte) bool { return lagger[0] == packet[4] })
		}
	}
	p.ToClient = append(p.ToClient, packet...)
	return nil
}

// feed sends the client the empty actions of this turn that are left over.
func (p *Proxy) feed() {
	if p.Offered {
		for ; p.turns.used < p.Empties; p.turns.used++ {
			p.ToClient = append(p.ToClient, empty...)
		}
	}
}

// bid sends the host that the player leaves.
func (p *Proxy) bid() {
	if !p.Left {
		p.Left = true
		p.Sent++
		p.ToHost = append(p.ToHost, 0xF7, 0x21, 8, 0, 100, 0, 0, 0)
	}
}

// ClientGone takes the end of the client's connection. A host that the proxy
// has no connection to never hears of it.
func (p *Proxy) ClientGone() {
	if p.State == Linked {
		p.bid()
	}
	if p.State != Over {
		p.State, p.Why = Over, "the client has left"
	}
}

// CanReturn reports whether the proxy can reconnect if the connection breaks.
func (p *Proxy) CanReturn() bool { return p.Offered && p.turns.begun && !p.Left && !p.backlog.lapsed }

// Broken takes the end of the connection. Packets that were not sent are kept.
func (p *Proxy) Broken() {
	p.host, p.ToHost = nil, nil
	switch {
	case p.State == Over:
	case !p.CanReturn():
		p.State, p.Why = Over, "the connection broke, and the proxy cannot reconnect to this game"
	default:
		p.State = Lost
	}
}

// Tick does the work that is due. It reports whether the host has been silent for too long:
// the caller then closes the connection and calls Broken.
func (p *Proxy) Tick(now time.Duration) (silent bool) {
	if !p.Offered || p.State == Over {
		return false
	}
	if p.turns.begun && !p.Extended && now-p.turns.at >= cmp.Or(p.EmptyEvery, emptyEvery) {
		p.turns.at = now
		p.keepAlive()
	}
	silence := cmp.Or(p.Silence, silence)
	if p.turns.begun && p.State == Linked && now-p.ackedAt >= silence/2 {
		p.acknowledge(now)
	}
	return p.turns.begun && p.State != Lost && now-p.heard >= silence
}

// keepAlive sends the client one empty action, for which it takes the lag screen
// down and shows it again.
func (p *Proxy) keepAlive() {
	if p.turns.used >= p.Empties {
		p.RanOut++
		return
	}
	p.turns.used++
	laggers := p.turns.laggers
	for _, lagger := range laggers {
		p.ToClient = append(append(p.ToClient, 0xF7, 0x11, 9, 0), lagger...)
	}
	p.ToClient = append(p.ToClient, empty...)
	if n := len(laggers); n > 0 {
		p.ToClient = append(append(p.ToClient, 0xF7, 0x10, byte(5+5*n), 0, byte(n)), slices.Concat(laggers...)...)
	}
}
