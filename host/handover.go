package host

import (
	"cmp"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"w3host/hold"
	"w3host/host/loop"
	"w3host/host/registry"
	"w3host/host/survive"
	"w3host/host/takeover"
)

// handover holds the state inherited from the previous process and the state kept for the next one.
type handover struct {
	inherited  *takeover.Inheritance
	readBuffer *survive.ReadBuffer // shared memory for bytes read from sockets, where the next process finds them; nil without a supervisor
	epoch      time.Duration       // start of the shard's clock, on the supervisor's clock

	leaving bool // another process hosts now, and takes over the games that it can rebuild
}

// open prepares the memory that the next process needs.
func (h *handover) open(inherited *takeover.Inheritance, l *loop.Loop) error {
	h.inherited = cmp.Or(inherited, new(takeover.Inheritance))
	supervisor := h.inherited.Supervisor
	if supervisor == nil {
		return nil
	}
	var err error
	if h.readBuffer, err = survive.NewReadBuffer(supervisor); err != nil {
		return fmt.Errorf("memory for bytes that were read: %w", err)
	}
	if err = supervisor.Put(h.inherited.Buffer(), h.readBuffer.Memory().FD()); err != nil {
		return fmt.Errorf("the holder: %w", err)
	}
	l.ReadInto(h.readBuffer.Buffer())
	h.epoch = supervisor.Clock() - time.Since(l.Began())
	return nil
}

// end tells the supervisor that this host ends on purpose.
func (h *handover) end() {
	if supervisor := h.inherited.Supervisor; supervisor != nil {
		supervisor.Ending()
		supervisor.Drop(takeover.MainListener)
		supervisor.Drop(takeover.ReturnListener)
	}
}

// endingWithin is how long the end of the process waits until the supervisor has read its last messages.
const endingWithin = time.Second

// ended is called after the end of the loop. It sends the supervisor the remaining messages; without them the supervisor
// would start another host.
func (h *handover) ended() {
	if supervisor := h.inherited.Supervisor; supervisor != nil {
		supervisor.Flush(endingWithin)
	}
}

// Inherit lists the games that earlier processes have left; supervisor is nil without a supervisor.
func Inherit(supervisor hold.Client, log zerolog.Logger) *takeover.Inheritance {
	in := takeover.Inherit(supervisor, log)
	in.Facts = func(g *takeover.Game) takeover.Observer {
		return &registry.Facts{
			Registry: new(registry.Registry),
			Info:     Info{ID: g.ID, Map: g.Header.Map, Entry: g.Entry, By: g.By, Since: g.Header.Opened},
		}
	}
	return in
}
