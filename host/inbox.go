package host

import (
	"sync"
	"sync/atomic"

	"w3host/w3gs"
)

// Bounds of what may wait for a game: beyond them its readers stop reading,
// and TCP makes the clients wait.
const (
	inboxEvents = 1 << 14
	inboxBytes  = 1 << 20
)

type eventKind uint8

const (
	evJoin      eventKind = iota // the first packet of a connection
	evPacket                     // any packet without a kind of its own
	evAction                     // 0x26: arena[off:off+n]
	evKeepalive                  // 0x27: sum
	evGone                       // the connection has ended: err
	evCall                       // something to do on the game's goroutine
)

var eventText = [...]string{"a join", "a packet", "an action", "an acknowledgement", "the end of a connection", "a call"}

// String names the kind for the story of a crash.
func (k eventKind) String() string { return eventText[k] }

// event is one thing that happened outside the game's goroutine. The two kinds
// that come ten times a second from every player need no allocation.
type event struct {
	c      *conn
	kind   eventKind
	sum    uint32
	off, n int
	packet w3gs.Packet
	err    error
	call   func(*Game)
}

// batch is what came since the game last looked. Actions lie in the arena.
type batch struct {
	events []event
	arena  []byte
}

func (b *batch) reset() {
	clear(b.events) // drop the pointers
	b.events = b.events[:0]
	b.arena = b.arena[:0]
}

// inbox carries events from the readers of a game to its goroutine, in order
// of arrival. Pushing takes one lock; between two turns nobody is woken for
// what can only be used at the next turn.
type inbox struct {
	mu     sync.Mutex
	in     batch
	space  chan struct{} // closed when a full inbox has been taken; nil while not full
	closed bool

	wake chan struct{} // holds one token when the game should look
	// lazy is set while a turn is coming anyway: actions and keepalives then
	// wait for it without waking the game.
	lazy atomic.Bool
}

func newInbox() *inbox { return &inbox{wake: make(chan struct{}, 1)} }

// push hands over one event. If the inbox is full it waits, or where it may not
// wait reports errInboxFull. What ends a connection, and calls, always fit.
func (b *inbox) push(e event, data []byte, mayWait bool) error {
	for {
		b.mu.Lock()
		if b.closed {
			b.mu.Unlock()
			return errGameOver
		}
		if len(b.in.events) < inboxEvents && len(b.in.arena) < inboxBytes || e.kind == evCall || e.kind == evGone {
			break
		}
		if !mayWait {
			b.mu.Unlock()
			return errInboxFull
		}
		if b.space == nil {
			b.space = make(chan struct{})
		}
		space := b.space
		b.mu.Unlock()
		b.signal()
		<-space
	}
	if e.kind == evAction {
		e.off, e.n = len(b.in.arena), len(data)
		b.in.arena = append(b.in.arena, data...)
	}
	b.in.events = append(b.in.events, e)
	b.mu.Unlock()
	if e.kind != evAction && e.kind != evKeepalive || !b.lazy.Load() {
		b.signal()
	}
	return nil
}

func (b *inbox) signal() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// take swaps the filled batch for an empty one, which take owns until the next
// call.
func (b *inbox) take(empty *batch) {
	b.mu.Lock()
	b.in, *empty = *empty, b.in
	b.release()
	b.mu.Unlock()
}

// close refuses what comes from now on, lets waiting readers go and returns the
// events that nobody has taken.
func (b *inbox) close() []event {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.release()
	return b.in.events
}

// setLazy is called before the game sleeps. What came while nobody was to be
// woken for it counts as news when the game no longer expects a turn.
func (b *inbox) setLazy(lazy bool) {
	b.mu.Lock()
	b.lazy.Store(lazy)
	waiting := len(b.in.events) > 0
	b.mu.Unlock()
	if waiting && !lazy {
		b.signal()
	}
}

func (b *inbox) release() {
	if b.space != nil {
		close(b.space)
		b.space = nil
	}
}
