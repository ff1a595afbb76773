package gamesync

import "w3host/protocol/w3gs"

// outbox holds the data passed to the sink since the last Reset, so that a turn does not allocate.
type outbox struct {
	turns   []Turn
	settled []Settled
	frames  []byte
}

// Reset allows the Loop to reuse the memory of all bytes and facts passed to the Sink so far.
func (l *Loop) Reset() {
	l.out.turns, l.out.settled, l.out.frames = l.out.turns[:0], l.out.settled[:0], l.out.frames[:0]
}

// broadcast sends the frames from offset from on.
func (l *Loop) broadcast(to w3gs.PIDs, from int) {
	if to != 0 {
		l.sink.Frames(to, l.out.frames[from:len(l.out.frames):len(l.out.frames)])
	}
}
