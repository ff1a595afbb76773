package survive

import (
	"time"

	"w3host/game"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
)

// The packet counts of a reconnect proxy are not part of the game's machine, which does not know of
// all packets that a proxy counts. So a rerun keeps them in the same way as the host.

// took counts an input of the client.
func (l *Link) took(in *game.Input) {
	if in.Bytes == 0 {
		return
	}
	l.done(in.Bytes)
	if in.Kind != game.Proxy && in.Kind != game.Acked && in.Kind != game.Extended { // which nobody counts
		l.got(1)
	}
	if p, is := in.Packet.(*w3gs.MapPartOK); is && p != nil && l.Parts > 0 {
		l.Parts--
	}
}

// got counts n packets of the client that the proxy counts, too.
func (l *Link) got(n uint64) {
	for ; n > 0 && n < 1<<16; n-- {
		l.Line.Got()
	}
}

// meetProxy processes the note that a player is behind a reconnect proxy.
func (v *Rerun) meetProxy(l *Link, text []byte) error {
	n, err := numbers(&text, 7)
	if err != nil {
		return err
	}
	if l.Proxy == nil {
		l.Line = gproxy.LineAt(uint32(n[0]), uint32(n[1]))
	}
	if l.PID != 0 {
		v.Proxies[l.PID] = l.Person
	}
	l.Proxy = &Proxy{Most: int(n[2]), Version: uint32(n[3]), Key: uint32(n[4]), Port: uint16(n[5]), Offered: n[6] != 0}
	return nil
}

// extension processes a packet of a reconnect proxy as the host does.
func (v *Rerun) extension(l *Link, text []byte) error {
	n, err := numbers(&text, 1)
	if err != nil || l.Proxy == nil || len(text) < w3gs.HeaderSize {
		return errBroken
	}
	l.done(int(n[0]))
	packet, err := gproxy.Decode(text)
	if err != nil {
		return err
	}
	if answer, err := l.Proxy.Take(packet, &l.Line); err == nil { // else the link has ended
		l.queue(answer)
	}
	return nil
}

// Take updates the state by a packet of the proxy, and returns the answer to send at once. It
// returns an error if the packet count in it is impossible.
func (p *Proxy) Take(packet any, line *gproxy.Line) (answer []byte, err error) {
	switch packet := packet.(type) {
	case gproxy.Count:
		return nil, line.Ack(packet.Last)
	case gproxy.ChangeKey:
		p.Key = packet.Key
		return packet.AppendTo(nil), nil
	}
	return nil, nil
}

// offer sends proxies the packet that tells them how to reconnect.
func (v *Rerun) offer(op *game.Op) {
	for pid := range op.To.All() {
		l := v.seats[pid]
		if l == nil || l.Proxy == nil {
			continue
		}
		v.Proxies[pid] = l.Person
		l.queue(l.Proxy.Offer(op, pid, v.Config.ID, v.Config.Reconnect.ExtendedWait))
	}
}

// FirstExtended is the first proxy version that supports the extended protocol (SUPPORT_EXTENDED).
const FirstExtended = 2

// Offer returns the packet that tells a proxy how to reconnect.
func (p *Proxy) Offer(op *game.Op, pid uint8, id uint32, wait time.Duration) []byte {
	b := gproxy.Offer{Port: p.Port, PID: pid, Key: p.Key, Empties: op.Empties}.AppendTo(nil)
	if p.Version >= FirstExtended && !p.Offered {
		p.Offered = true
		b = gproxy.Extended{Seconds: uint32(wait / time.Second), GameID: id}.AppendTo(b)
	}
	return b
}
