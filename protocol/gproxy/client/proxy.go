// Package gproxy is a client-side GProxy++ proxy, as players run it: it forwards packets between a game
// client and a host, and reconnects when the connection to the host breaks. Its behaviour and timing follow
// measurements of GProxy++ 1.0.
//
// Proxy is a state machine without sockets, clock or goroutines: the caller passes in received bytes and the
// time, and sends the bytes in ToClient and ToHost. `w3host lan play` and the test bots use it. It shares no code
// with the host side, package protocol/gproxy, so that tests compare two independent implementations.
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

// States of a Proxy.
const (
	Linked State = iota // packets are forwarded in both directions
	Lost                // disconnected: the caller dials Port, then calls Connected
	Asking              // reconnected and waiting for the answer to RECONNECT
	Over                // ended; no reconnection is possible
)

// mostLaggers is the largest number of players in a game.
const mostLaggers = 24

// Default durations of a Proxy.
const (
	emptyEvery = time.Minute
	silence    = 20 * time.Second
)

// Proxy is the proxy of one player. Set exported options before the first call. It is not safe for concurrent
// use; all times are durations since a start that the caller chooses.
type Proxy struct {
	Version    uint32        // extension version announced to the host: 1, or 2 and higher with SUPPORT_EXTENDED; 0 disables the extension
	EmptyEvery time.Duration // idle time after the last turn before the client gets an empty one; 0 means one minute
	// time without data after which Tick reports a dead connection; 0 means 20 s. ACKs are sent at half this
	// interval.
	Silence  time.Duration
	MostKept int // limit for unacknowledged bytes; 0 means no limit

	ToClient []byte // bytes to send to the client; the caller sends and clears them
	ToHost   []byte // bytes to send on the current connection to the host; the caller sends and clears them

	State State
	Why   string // human-readable reason for state Over

	Entered bool   // the host accepted the join with a 0x04
	Refused uint32 // reason code of the host's 0x05; 0 if none was received

	Offer

	Got     uint32 // game packets received from the host
	Sent    uint32 // game packets from the client for the host
	Resumed int    // number of successful reconnections
	RanOut  int    // number of times no empty action was left to keep the client waiting

	backlog backlog
	turns   turns
	Left    bool // the leave packet (0x21) has been queued

	host, client   []byte        // trailing bytes of incomplete packets
	heard, ackedAt time.Duration // times of the last data from the host and of the last ACK to it
}

// Offer holds the host's answer to the announced extension: the credentials for a reconnect.
type Offer struct {
	Offered  bool
	Port     uint16
	PID      uint8
	Key      uint32
	Empties  int
	Extended bool          // the host supports SUPPORT_EXTENDED, so the client needs no empty actions
	Wait     time.Duration // how long the host holds the seat of an extended proxy
}

// turns tracks the turns sent to the client, to keep it waiting during an outage.
type turns struct {
	begun   bool          // a 0x0C has been received
	at      time.Duration // time of the last turn or empty replacement turn
	used    int           // empty turns sent since the last real one
	laggers [][]byte      // rows of the lag screen as in a 0x10: five bytes, of which the first is the pid
}

var empty = []byte{0xF7, 0x0C, 6, 0, 0, 0}

// next splits the first packet off b. packet is nil while it is incomplete.
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

// FromClient processes bytes received from the game client.
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

// keep stores a packet until the host acknowledges it. If the backlog overflows, the proxy can no longer
// reconnect, so without a connection it ends.
func (p *Proxy) keep(packet []byte) {
	if !p.backlog.keep(packet, p.MostKept) && (p.State == Lost || p.State == Asking) {
		p.State, p.Why = Over, "more was to be sent than the proxy keeps while it has no connection"
	}
}

// FromHost processes bytes received on the current connection. An error means that the host sent invalid
// data.
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

// game processes a W3GS packet from the host and forwards it to the client.
func (p *Proxy) game(now time.Duration, packet []byte) error {
	if p.State == Asking {
		return fmt.Errorf("packet 0x%02X before the answer to a RECONNECT", packet[1])
	}
	p.Got++
	switch packet[1] {
	case 0x04:
		p.Entered = true
		if p.Version > 0 {
			p.queue(1, p.Version)
		}
	case 0x0C:
		p.flushEmpties()
		if !p.turns.begun {
			p.acknowledge(now)
		}
		p.turns.used, p.turns.begun, p.turns.at = 0, true, now
	case 0x48:
		p.flushEmpties()
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

// flushEmpties sends the client the empty turns that the host expects between two turns but that were not used yet.
func (p *Proxy) flushEmpties() {
	if p.Offered {
		for ; p.turns.used < p.Empties; p.turns.used++ {
			p.ToClient = append(p.ToClient, empty...)
		}
	}
}

// queueLeave queues a leave packet for the host, unless one has been sent.
func (p *Proxy) queueLeave() {
	if !p.Left {
		p.Left = true
		p.Sent++
		p.ToHost = append(p.ToHost, 0xF7, 0x21, 8, 0, 100, 0, 0, 0)
	}
}

// ClientGone reports that the client closed its connection. It queues a leave packet if the host is
// connected; otherwise the host is not informed.
func (p *Proxy) ClientGone() {
	if p.State == Linked {
		p.queueLeave()
	}
	if p.State != Over {
		p.State, p.Why = Over, "the client has left"
	}
}

// CanReturn reports whether the proxy could reconnect if the connection broke now.
func (p *Proxy) CanReturn() bool {
	return p.Offered && p.turns.begun && !p.Left && !p.backlog.overflowed
}

// Broken reports that the connection to the host ended. Unsent packets stay in the backlog.
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

// Tick performs timed work; the caller calls it regularly. It returns true if the host has been silent for
// too long; the caller then closes the connection and calls Broken.
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

// keepAlive sends the client one empty turn so that it does not time out. Clients accept turns only without a
// lag screen, so it hides the screen and shows it again.
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
