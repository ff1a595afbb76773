package survive

import (
	"w3host/game"
	"w3host/protocol/gproxy"
)

// outputs carries out the orders of an input as far as they change the packets that wait for links.
func (v *Rerun) outputs() {
	v.Sum = v.out.Sum(v.Sum)
	for i := range v.out.Facts {
		v.out.Facts[i].Again = true
		v.watch(&v.out.Facts[i])
	}
	for i := range v.out.Ops {
		v.order(&v.out.Ops[i])
	}
}

func (v *Rerun) order(op *game.Op) {
	l := v.link(op.Link)
	switch op.Kind {
	case game.Play:
		v.play()
	case game.Send, game.SendLast:
		for pid := range op.To.All() {
			v.send(pid, op)
		}
	case game.Parts:
		if l := v.seats[op.PID]; l != nil && l.open() {
			l.Pieces = append(l.Pieces, *op)
		}
	case game.Reply:
		l.queue(op.Frame)
	case game.Seat:
		v.seat(l, op.PID)
	case game.Close:
		if v.unseat(l); l == nil {
			return
		}
		l.Closing, l.Why, l.Pieces = true, op.Why, nil
	case game.Cut:
		if l == nil {
			return
		}
		l.Over, l.Why = true, op.Why
	case game.Offer:
		v.offer(op)
	case game.Ack:
		for pid := range op.To.All() {
			if l := v.seats[pid]; l != nil && l.Proxy != nil {
				l.queue(gproxy.Count{ID: gproxy.OpAck, Last: l.Line.Received()}.AppendTo(nil))
			}
		}
	case game.Forget:
		v.Proxies[op.PID] = nil
	case game.KeepJournal:
		v.Keep = true
	}
}

// send gives a packet to the link of a seat, or to the backlog kept for the player's next link.
func (v *Rerun) send(pid uint8, op *game.Op) {
	l := v.seats[pid]
	if l != nil && op.Kind == game.SendLast {
		l.Pieces = nil
	}
	if l != nil {
		l.send(op.Frame)
	} else if p := v.proxy(pid); p != nil {
		p.Line.Send(op.Frame)
	}
}

func (v *Rerun) seat(l *Link, pid uint8) {
	if l == nil {
		return
	}
	l.PID, v.seats[pid], l.Person.Addr = pid, l, l.Addr
	if l.Proxy != nil {
		l.comeBack()
	}
}

// play starts the turns: downloads end, and packets to players behind a reconnect proxy are kept.
func (v *Rerun) play() {
	v.Playing = true
	for _, l := range v.seats {
		if l != nil {
			l.Pieces = nil
		}
	}
	for _, p := range v.Proxies {
		if p != nil {
			p.Line.Keep(p.Proxy.Most)
		}
	}
}

// proxy returns the player of a seat if it is behind a reconnect proxy, or nil.
func (v *Rerun) proxy(pid uint8) *Person {
	if int(pid) >= len(v.Proxies) {
		return nil
	}
	return v.Proxies[pid]
}

func (v *Rerun) unseat(l *Link) {
	if l != nil && v.seats[l.PID] == l {
		v.seats[l.PID] = nil
		l.PID = 0
	}
}
