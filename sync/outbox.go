package gamesync

import "w3host/protocol/w3gs"

// outbox holds the effects of a call. The data they point to is kept here and used again, so that a turn allocates nothing.
type outbox struct {
	effects    []Effect
	broadcasts []Broadcast
	turns      []Turn
	settled    []Settled
	frames     []byte
}

// begin takes the list that the caller's effects are appended to. If it is empty, all earlier effects are done with.
func (o *outbox) begin(effects []Effect) {
	if o.effects = effects; len(effects) == 0 {
		o.broadcasts, o.turns, o.settled, o.frames = o.broadcasts[:0], o.turns[:0], o.settled[:0], o.frames[:0]
	}
}

func (o *outbox) emit(effects ...Effect) { o.effects = append(o.effects, effects...) }

// broadcast makes the effect for the frames from the given place on.
func (o *outbox) broadcast(to w3gs.PIDs, from int) {
	if to != 0 {
		o.broadcasts = append(o.broadcasts, Broadcast{To: to, Frame: o.frames[from:len(o.frames):len(o.frames)]})
		o.emit(&o.broadcasts[len(o.broadcasts)-1])
	}
}
