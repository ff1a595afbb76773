// Package hold keeps the sockets and the memory of a host in a small process beside it, so
// that both outlive the host: when it dies another is started and gets everything. The
// holder understands neither its contents nor the names.
//
// Both speak over a socket pair that nobody else can reach. A message is a verb and, for
// most, a name or a text; the descriptors go with it.
//
//	host to holder   put name, with a descriptor · drop name · serving · alive · ending ·
//	                 upgrade path · ready · busy · done · keep a standby
//	holder to host   put names, each with a descriptor · drop name · go · stand by · be
//	                 the standby · refused why · hand over
//
// An upgrade starts another program beside the host. It stands by: it is given copies of
// everything, and says that it is ready, or ends and nothing has happened. Then the host
// is told to hand over, and done says that it touches nothing any more; all that it has put
// belongs to the other, which goes on.
//
// A standby is another process of the program that hosts. It is given copies of everything,
// too, and goes on when the host has died.
package hold

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// Name is the name of a held descriptor. The host chooses it.
type Name uint64

const (
	verbPut byte = iota + 1
	verbDrop
	verbServing // this host has served for a while: it may be started again
	verbEnding  // this host ends in order: it is not to be started again
	verbGo      // that was all

	verbAlive    // the loop of this host goes round: it is killed when it does no longer
	verbUpgrade  // start the program of this path beside this host
	verbReady    // this host could go on
	verbBusy     // it has not come to that yet
	verbDone     // this host has handed over
	verbStandBy  // that was all, and the host before goes on
	verbRefused  // there is no upgrade, and why
	verbHandOver // another host is ready

	verbKeepStandby // have another process stand by for the death of this host
	verbBeStandby   // that was all, and the host lives
)

// version is that of these messages. A holder tells it to its hosts, which must do with
// any: it lives longer than they do.
const version = 1

// socketEnv says to a host that descriptor holderFD leads to its holder, of that version.
const (
	socketEnv = "HOLDER_OF_W3HOST"
	holderFD  = 3
)

// batch is how many descriptors go with one message; the system takes 253.
const batch = 250

// ErrUnsupported is returned where a process cannot outlive its sockets' owner.
var ErrUnsupported = errors.New("w3host hold needs Linux on a 64-bit machine, and a program that was not built with the tag portable: use w3host serve")

// ErrEnded is returned when the holder has ended.
var ErrEnded = errors.New("the holder (w3host hold) has ended: games end with this process, and only a new start of w3host hold holds them again")

// Options say how a host is started.
type Options struct {
	Program string                         // the path of the program; an upgrade takes what stands there then
	Command func(program string) *exec.Cmd // a new one each time; its standard files are set
	Started func(pid int) error
	Ended   func()           // the process that hosts has; nil: nobody is told
	Signals <-chan os.Signal // for the host; SIGTERM also says that it is not started again, SIGUSR2 means an upgrade
	Log     func(format string, args ...any)
	Vault   string // the socket of a ServeVault; empty: systemd's store, if there is one
}

// Shelf is the holder, as its host sees it. Its methods do not wait, and belong to one
// goroutine at a time.
type Shelf interface {
	// Left are the descriptors that the host before has left.
	Left() map[Name]int
	// Put has a copy of a descriptor held, Drop ends that. Put returns unix.EAGAIN while the holder
	// has no room for messages; Drop, Serving and Ending are then sent later, by the next call.
	Put(Name, int) error
	Drop(Name)
	// Serving says that this host serves: when it dies another is to be started.
	Serving()
	// Alive says that the loop of this host goes round. From the first time on, silence
	// means that it stands still, and this host is killed.
	Alive()
	// Ending says that this host ends in order.
	Ending()
	// Flush sends the messages that are late; it waits for the holder at most so long, and returns
	// false if it had no room for all of them by then.
	Flush(within time.Duration) bool
	// News carries the messages of the holder from then on; it is closed with the holder.
	News() <-chan News

	// Upgrade asks for an upgrade to the program of a path; empty: the one at the path of
	// the holder's. The answer comes as news.
	Upgrade(path string) error
	// StandsBy reports whether this host is one that an upgrade has started, and the host
	// before goes on until there is news.
	StandsBy() bool
	// KeepStandby asks for a process that stands by for the death of this host, if there is
	// none. It may be asked again and again.
	KeepStandby()
	// IsStandby reports whether this is that process: it stands by until there is news.
	IsStandby() bool
	// Ready says that this host, which stands by, could go on; false: that it is about to.
	Ready(is bool)
	// Done says that this host has handed over. Nothing is put or dropped any more.
	Done() error

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

// News is something that the holder says.
type News struct {
	Verb Verb
	Name Name   // of Held and Dropped
	FD   int    // of Held
	Why  string // of Refused
}

// Verb is the kind of an event.
type Verb byte

// Messages of a holder.
const (
	Held     = Verb(verbPut)      // the host before has put this
	Dropped  = Verb(verbDrop)     // the host before has dropped it
	GoOn     = Verb(verbGo)       // the host before has handed over
	Refused  = Verb(verbRefused)  // there is no upgrade
	HandOver = Verb(verbHandOver) // the upgrade is ready
)

// Counts is how far the streams of a connection have come, as the system knows also
// after the process that read and wrote them is gone.
type Counts struct {
	Read, Written uint64 // bytes that the process has taken and given
	Over          bool   // it was reset, from one side or the other
}

// GameName is the name of the memory of a game, and LinkName that of one of its sockets.
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
	own  func() bool // of a simulation; nil: the system's lock

	// Stored, if not nil, is called after each store; tests end a process there.
	Stored func()
}

// headLen is the page of words.
const headLen = 4096

// Of makes a Memory of the process alone, for tests.
func Of(b []byte) *Memory { return &Memory{fd: -1, b: b, room: len(b)} }

// Shared makes a Memory of one process of a simulation, in which several have the same bytes: own takes
// the lock of the one that writes, free gives it and the memory back.
func Shared(fd int, b []byte, own func() bool, free func() error) *Memory {
	return &Memory{fd: fd, b: b, room: len(b), own: own, free: free}
}

// Bytes are those behind the words.
func (m *Memory) Bytes() []byte { return m.b[headLen:] }

// FD is the descriptor of the memory.
func (m *Memory) FD() int { return m.fd }

// Close gives back everything that is not held elsewhere.
func (m *Memory) Close() error {
	if m.free == nil {
		return nil
	}
	err := m.free()
	*m = Memory{fd: -1}
	return err
}

// HeadLen is the length of the words.
const HeadLen = headLen

// Own makes this process the one that writes to the memory, until it closes it or ends;
// false: another one is. A process closes no second descriptor of memory that it owns.
func (m *Memory) Own() bool {
	if m.own != nil {
		return m.own()
	}
	return m.fd < 0 || m.lock()
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
