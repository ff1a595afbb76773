package host

import (
	"cmp"
	"fmt"
	"time"

	"w3host/host/loop"
	"w3host/host/survive"
)

// heirs holds the state for the next process, and the state that the one before has left.
type heirs struct {
	left   *Survivors
	flight *survive.Flight // takes the bytes read, so that the next process finds them; nil without a holder
	epoch  time.Duration   // when the shard's clock began, on that of the machine

	leaving bool // another process goes on, and takes over the games that it can
}

// open begins to hold everything that the next process needs.
func (h *heirs) open(left *Survivors, l *loop.Loop) error {
	h.left = cmp.Or(left, new(Survivors))
	shelf := h.left.Shelf
	if shelf == nil {
		return nil
	}
	var err error
	if h.flight, err = survive.NewFlight(shelf); err != nil {
		return fmt.Errorf("memory for bytes that were read: %w", err)
	}
	name := firstFlight
	if len(h.left.held) > 0 {
		name = h.left.held[0] + 1
	}
	if err = shelf.Put(name, h.flight.Memory().FD()); err != nil {
		return fmt.Errorf("the holder: %w", err)
	}
	l.ReadInto(h.flight.Buffer())
	h.epoch = shelf.Clock() - time.Since(l.Began())
	return nil
}

// end says that this host ends in order.
func (h *heirs) end() {
	if shelf := h.left.Shelf; shelf != nil {
		shelf.Ending()
		shelf.Drop(heldMain)
		shelf.Drop(heldReturns)
	}
}

// endingWithin is how long the end of the process waits for the holder to take its last messages.
const endingWithin = time.Second

// ended comes after the end of the loop. A holder that has not heard of it would start another host.
func (h *heirs) ended() {
	if shelf := h.left.Shelf; shelf != nil {
		shelf.Flush(endingWithin)
	}
}
