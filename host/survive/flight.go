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

// flightLen is the most that one read brings.
const flightLen = 16 << 10

// Flight is the memory of the host: the bytes of the read under way.
type Flight struct{ mem *hold.Memory }

// NewFlight makes that memory.
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

// FindFlight takes the memory that an earlier process has left, with the bytes it read last.
func FindFlight(mem *hold.Memory) (*Flight, error) {
	if mem.Word(flightFormat) != format || len(mem.Bytes()) < flightLen {
		return nil, errFormat
	}
	return &Flight{mem}, nil
}

// Memory is where it is.
func (f *Flight) Memory() *hold.Memory { return f.mem }

// Buffer takes the bytes of a read.
func (f *Flight) Buffer() []byte { return f.mem.Bytes()[:flightLen] }

// Reading notes the link that is read next, and how much of its stream is noted. All that was
// read of the link before is noted: nobody asks for it with the new base.
func (f *Flight) Reading(link hold.Name, noted uint64) {
	f.mem.Note(flightBase, noted)
	f.mem.Note(flightLink, uint64(link))
}
