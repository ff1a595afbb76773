package gamesync

import "w3host/protocol/w3gs"

// outbox holds what the sink is shown since Reset, so that a turn allocates nothing.
type outbox struct {
	turns   []Turn
	settled []Settled
	frames  []byte
}

// Reset says that the bytes and facts that the sink has had are not needed any more: their
// memory is used again.
func (l *Loop) Reset() {
	l.out.turns, l.out.settled, l.out.frames = l.out.turns[:0], l.out.settled[:0], l.out.frames[:0]
}

// broadcast sends the frames from the given place on.
func (l *Loop) broadcast(to w3gs.PIDs, from int) {
	if to != 0 {
		l.sink.Frames(to, l.out.frames[from:len(l.out.frames):len(l.out.frames)])
	}
}
