package survive

import (
	"errors"

	"w3host/hold"
)

// The words of the host's memory.
const (
	bufferFormat = iota // refuses what another layout has written
	bufferLink          // name of the link whose read is under way, or being taken apart
	bufferBase          // how much of its stream was noted when the read began
)

// bufferLen is the maximum number of bytes of one read.
const bufferLen = 16 << 10

// ReadBuffer is shared memory that receives the bytes of each read from a socket, so that the next
// process still has them if this one dies before it has journalled them.
type ReadBuffer struct{ mem *hold.Memory }

// NewReadBuffer allocates the memory and hands it to the supervisor.
func NewReadBuffer(s hold.Client) (*ReadBuffer, error) {
	mem, err := s.Memory("w3host-read", bufferLen)
	if err != nil {
		return nil, err
	}
	if !mem.Store(0, make([]byte, bufferLen)) { // a read must find the room for it
		return nil, errors.New("there is no room in shared memory")
	}
	mem.SetWord(bufferFormat, format)
	return &ReadBuffer{mem}, nil
}

// OpenReadBuffer opens the memory of an earlier process, with the bytes of its last read.
func OpenReadBuffer(mem *hold.Memory) (*ReadBuffer, error) {
	if mem.Word(bufferFormat) != format || len(mem.Bytes()) < bufferLen {
		return nil, errFormat
	}
	return &ReadBuffer{mem}, nil
}

// Memory returns the underlying shared memory.
func (f *ReadBuffer) Memory() *hold.Memory { return f.mem }

// Buffer returns the buffer for a read.
func (f *ReadBuffer) Buffer() []byte { return f.mem.Bytes()[:bufferLen] }

// Reading records which link is read next, and how much of its stream the journal has. All bytes
// read from the link before are in the journal by then.
func (f *ReadBuffer) Reading(link hold.Name, noted uint64) {
	f.mem.Note(bufferBase, noted)
	f.mem.Note(bufferLink, uint64(link))
}
