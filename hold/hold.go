// Package hold keeps the sockets and the memory of a host in a small process beside it, so
// that both outlive the host: when it dies another is started and gets everything. The
// holder understands neither what it holds nor the names.
//
// Both speak over a socket pair that nobody else can reach. A message is a verb and, for
// most, a name; the descriptors go with it.
//
//	host to holder   put name, with a descriptor · drop name · serving · ending
//	holder to host   put names, each with a descriptor · go
package hold

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// Name is what a descriptor is held under. The host chooses it.
type Name uint64

const (
	verbPut byte = iota + 1
	verbDrop
	verbServing // this host has served for a while: it may be started again
	verbEnding  // this host ends in order: it is not to be started again
	verbGo      // that was all
)

// socketEnv says to a host that descriptor holderFD leads to its holder.
const (
	socketEnv = "HOLDER_OF_W3HOST"
	holderFD  = 3
)

// batch is how many descriptors go with one message; the system takes 253.
const batch = 250

// ErrUnsupported is returned where a process cannot outlive its sockets' owner.
var ErrUnsupported = errors.New("w3host hold needs Linux on a 64-bit machine, and a program that was not built with the tag portable: use w3host serve")

// Options say how a host is started.
type Options struct {
	Command func() *exec.Cmd // a new one each time; its standard files are set
	Started func(pid int) error
	Signals <-chan os.Signal // for the host; SIGTERM also says that it is not started again
	Log     func(format string, args ...any)
}

// Shelf is the holder, as its host sees it. Its methods do not wait, and belong to one
// goroutine at a time.
type Shelf interface {
	// Left are the descriptors that the host before has left.
	Left() map[Name]int
	// Put has a copy of a descriptor held, Drop ends that.
	Put(Name, int) error
	Drop(Name)
	// Serving says that this host serves: when it dies another is to be started.
	Serving()
	// Ending says that this host ends in order.
	Ending()
	// Gone reports whether the holder has ended: nothing is held any more.
	Gone() bool

	// Memory makes shared memory of so many bytes behind the words. It takes room only as
	// far as it is written to.
	Memory(name string, size int) (*Memory, error)
	// Map takes over memory that an earlier process has made.
	Map(fd int) (*Memory, error)
	// Clock is the time of the machine, the same for all processes.
	Clock() time.Duration
	// Count asks the system how far the streams of a connection have come.
	Count(fd int) (Counts, error)
}

// Counts is how far the streams of a connection have come, as the system knows also
// after the process that read and wrote them is gone.
type Counts struct {
	Read, Written uint64 // bytes that the process has taken and given
	Over          bool   // it was reset, from one side or the other
}

// GameName is what the memory of a game is held under, and LinkName one of its sockets.
// Names below game 1 are the host's own.
func GameName(game uint32) Name { return Name(game) << 32 }

// LinkName names the socket of a link, which counts from 1.
func LinkName(game, link uint32) Name { return GameName(game) | Name(link) }

// Split takes such a name apart; link 0 is the game's memory.
func (n Name) Split() (game, link uint32) { return uint32(n >> 32), uint32(n) }

// String names it in messages.
func (n Name) String() string { return fmt.Sprintf("%d/%d", n>>32, uint32(n)) }

// Memory is shared memory that outlives the process: a page of words, each of which is
// stored at once, and bytes behind them. It belongs to one goroutine.
type Memory struct {
	fd   int
	b    []byte
	room int // bytes that have memory behind them

	free func() error

	// Stored, if not nil, is called after each store; tests end a process there.
	Stored func()
}

// headLen is the page of words.
const headLen = 4096

// Of makes a Memory of the process alone, for tests.
func Of(b []byte) *Memory { return &Memory{fd: -1, b: b, room: len(b)} }

// Bytes are those behind the words.
func (m *Memory) Bytes() []byte { return m.b[headLen:] }

// FD is the descriptor of the memory.
func (m *Memory) FD() int { return m.fd }

// Close gives back what is not held elsewhere.
func (m *Memory) Close() error {
	if m.free == nil {
		return nil
	}
	err := m.free()
	*m = Memory{fd: -1}
	return err
}

func (m *Memory) stored() {
	if m.Stored != nil {
		m.Stored()
	}
}

// Store copies bytes to a place behind the words; false: there is no room for them.
func (m *Memory) Store(at int, p []byte) bool {
	if end := headLen + at + len(p); end > m.room && !m.makeRoom(end) {
		return false
	}
	copy(m.b[headLen+at:], p)
	m.stored()
	return true
}
