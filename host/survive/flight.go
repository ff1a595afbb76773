package survive

import (
	"errors"

	"w3host/hold"
)

// The words of the host's memory.
const (
	flightFormat = iota // refuses what another layout has written
	flightLink          // name of the link whose read is under way, or being taken apart
	flightBase          // how much of its stream was noted when the read began
)

// flightLen is the maximum number of bytes of one read.
const flightLen = 16 << 10

// Flight is shared memory that receives the bytes of each read from a socket, so that the next
// process still has them if this one dies before it has journalled them.
type Flight struct{ mem *hold.Memory }

// NewFlight allocates the memory and hands it to the supervisor.
func NewFlight(s hold.Shelf) (*Flight, error) {
	mem, err := s.Memory("w3host-read", flightLen)
	if err != nil {
		return nil, err
	}
	if !mem.Store(0, make([]byte, flightLen)) { // a read must find the room for it
		return nil, errors.New("there is no room in shared memory")
	}
	mem.SetWord(flightFormat, format)
	return &Flight{mem}, nil
}

// FindFlight opens the memory of an earlier process, with the bytes of its last read.
func FindFlight(mem *hold.Memory) (*Flight, error) {
	if mem.Word(flightFormat) != format || len(mem.Bytes()) < flightLen {
		return nil, errFormat
	}
	return &Flight{mem}, nil
}

// Memory returns the underlying shared memory.
func (f *Flight) Memory() *hold.Memory { return f.mem }

// Buffer returns the buffer for a read.
func (f *Flight) Buffer() []byte { return f.mem.Bytes()[:flightLen] }

// Reading records which link is read next, and how much of its stream the journal has. All bytes
// read from the link before are in the journal by then.
func (f *Flight) Reading(link hold.Name, noted uint64) {
	f.mem.Note(flightBase, noted)
	f.mem.Note(flightLink, uint64(link))
}
