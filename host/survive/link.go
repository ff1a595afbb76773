package survive

import (
	"fmt"
	"net/netip"
	"slices"

	"w3host/game"
	"w3host/hold"
)

// Link is one player's connection, as it stood.
type Link struct {
	ID          game.LinkID
	Name, Realm string
	Vouched     bool
	Addr        netip.AddrPort
	PID         uint8
	Again       bool   // it has joined the running game
	Streams            // Queue is what the kernel does not have
	Skip        uint64 // bytes that the kernel has had and that were not made; 0 unless something is wrong
	Held        bool   // its socket was with the holder
	Closing     bool   // what waits goes out, then it is closed
	Over        bool
	Why         string // of the two
}

// queue adds the bytes for a link that the kernel has not had.
func (l *Link) queue(frame []byte) {
	if l == nil || !l.Held || l.Closing || l.Over {
		return
	}
	n := min(l.Skip, uint64(len(frame)))
	l.Skip -= n
	l.Queue = append(l.Queue, frame[n:]...)
}

// done says that so many more bytes of the client's are handled.
func (l *Link) done(n int) {
	l.Taken += uint64(n)
	l.Rest = l.Rest[min(n, len(l.Rest)):]
}

// wrote takes note of how much the kernel has by now. A link without a socket, or with one that
// was reset, is over.
func (l *Link) wrote(written map[game.LinkID]uint64, id game.LinkID) {
	now, known := written[id]
	if l.Over = !known || now < l.Written; l.Over {
		return
	}
	more := now - l.Written
	n := min(more, uint64(len(l.Queue)))
	l.Queue, l.Skip, l.Written = l.Queue[n:], l.Skip+more-n, now
}

// Missing are the bytes of a link that were read and not noted; read is how many the kernel
// has given. The flights are those of the processes before, the last one first.
func (l *Link) Missing(read uint64, name hold.Name, flights []*Flight) ([]byte, error) {
	noted := l.Taken + uint64(len(l.Rest))
	if read == noted {
		return nil, nil
	}
	for _, f := range flights {
		base := f.mem.Word(flightBase)
		if hold.Name(f.mem.Word(flightLink)) == name && base <= noted && noted < read && read-base <= flightLen {
			return slices.Clone(f.Buffer()[noted-base : read-base]), nil
		}
	}
	return nil, fmt.Errorf("%d bytes of its stream were read and %d noted", read, noted)
}
