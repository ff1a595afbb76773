package survive

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"w3host/game"
	"w3host/hold"
	"w3host/mapxfer"
	"w3host/protocol/gproxy"
)

// Link is the state of one player's connection at the end of the journal.
type Link struct {
	*Person
	ID      game.LinkID
	Addr    netip.AddrPort
	PID     uint8
	Streams        // Queue holds the bytes that the kernel does not have
	Skip    uint64 // bytes that the kernel has had and that were not made; 0 unless something is wrong
	Pieces  []game.Op
	Parts   int  // of the map that were framed and not acknowledged
	Held    bool // its socket was with the holder
	Closing bool // what waits goes out, then it is closed
	Over    bool
	Why     string // of the two

	dead bool   // its socket is gone, which the game may not know
	last uint32 // what a proxy that comes back has received
}

// Person is a player, independent of the link to it.
type Person struct {
	Name, Realm string
	Vouched     bool
	Addr        netip.AddrPort // of the last link that had the seat
	Line        gproxy.Line
	Proxy       *Proxy // nil: the client speaks for itself
}

// Proxy is the state of a player's reconnect proxy, with the values that were drawn or looked up
// for it.
type Proxy struct {
	Version, Key uint32
	Port         uint16 // where it comes back
	Most         int    // bytes that are kept for it
	Offered      bool   // it knows how long its player is waited for
}

// open reports whether the host still sends on the link.
func (l *Link) open() bool { return !l.Closing && !l.Over }

// carried reports whether the link has a working socket.
func (l *Link) carried() bool { return l.Held && !l.dead }

// gone reports whether the game still counts on the link although it has no working socket.
func (l *Link) gone() bool { return l.PID != 0 && !(l.carried() && l.open()) }

// queue adds bytes for the link, minus those that the kernel has accepted already.
func (l *Link) queue(frame []byte) {
	if l == nil || !l.carried() || !l.open() {
		return
	}
	n := min(l.Skip, uint64(len(frame)))
	l.Skip -= n
	l.Queue = append(l.Queue, frame[n:]...)
}

// send queues a packet of the game, which a reconnect proxy counts.
func (l *Link) send(frame []byte) {
	if l.open() && l.Line.Send(frame) {
		l.queue(frame)
	}
}

// frame queues the next n parts of the map. Parts that the kernel has accepted already are only
// counted, so that the map is not needed for them.
func (l *Link) frame(n uint64, cfg *game.Config, parts MapParts) error {
	for ; n > 0; n-- {
		if len(l.Pieces) == 0 {
			return errors.New("a part of the map was sent that nobody ordered")
		}
		p := &l.Pieces[0]
		at := p.At
		length, end := mapxfer.FrameLen(at, cfg.Transfer.Size)
		if p.At = end; p.At >= p.End {
			l.Pieces = l.Pieces[1:]
		}
		l.Line.Passed(1)
		l.Parts++
		if !l.carried() || !l.open() {
			continue
		}
		if l.Skip >= uint64(length) {
			l.Skip -= uint64(length)
			continue
		}
		all, err := parts(cfg)
		if err != nil {
			return fmt.Errorf("the map: %w", err)
		}
		l.queue(all.AppendFrame(nil, at, p.PID, p.From))
	}
	return nil
}

// comeBack begins a link that replaces an earlier one of the player, with the same packets as the
// host sends.
func (l *Link) comeBack() {
	missing, err := l.Line.Resume(l.last)
	if err != nil {
		l.Over = true
		return
	}
	l.queue(gproxy.Count{ID: gproxy.OpReconnect, Last: l.Line.Received()}.AppendTo(nil))
	l.queue(missing)
}

// done records that n more bytes of the client have been handled.
func (l *Link) done(n int) {
	l.Taken += uint64(n)
	l.Rest = l.Rest[min(n, len(l.Rest)):]
}

// wrote stores how many bytes the kernel has accepted. A link whose socket is missing or was reset
// is dead.
func (l *Link) wrote(written map[game.LinkID]uint64, id game.LinkID) {
	now, known := written[id]
	if l.dead = !known || now < l.Written; l.dead {
		return
	}
	more := now - l.Written
	n := min(more, uint64(len(l.Queue)))
	l.Queue, l.Skip, l.Written = l.Queue[n:], l.Skip+more-n, now
}

// Missing returns the bytes of a link that were read but not journalled. read is the number of
// bytes that the kernel has delivered. flights are the read buffers of the previous processes, the
// latest first.
func (l *Link) Missing(read uint64, name hold.Name, flights []*ReadBuffer) ([]byte, error) {
	noted := l.Taken + uint64(len(l.Rest))
	if read == noted {
		return nil, nil
	}
	for _, f := range flights {
		base := f.mem.Word(bufferBase)
		if hold.Name(f.mem.Word(bufferLink)) == name && base <= noted && noted < read && read-base <= bufferLen {
			return slices.Clone(f.Buffer()[noted-base : read-base]), nil
		}
	}
	return nil, fmt.Errorf("%d bytes of its stream were read and %d noted", read, noted)
}
