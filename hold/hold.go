// Package hold keeps the sockets and the shared memory of a host open in a small supervisor process (`w3host serve --supervise`, in
// the code also called the holder). They outlive the host process: when it dies, the supervisor starts another one and
// passes everything on, so running games continue. The same way a new version of the program replaces the running one.
// Serve runs the supervisor; a host process calls Open and gets a Client, its side of the connection; Memory is shared
// memory that outlives the process. The supervisor never interprets the descriptors, their contents or their names.
//
// The two processes exchange messages over a socket pair that no other process can reach. A message is a verb (the first
// byte) and, for most verbs, names or a text; descriptors are attached.
//
//	host to supervisor   put name, with a descriptor · drop name · serving · alive · ending ·
//	                     upgrade path · ready · busy · done · keep a standby
//	supervisor to host   put names, each with a descriptor · drop name · go · stand by · be
//	                     the standby · refused why · hand over
//
// An upgrade starts another program beside the host. This new process first stands by: it gets copies of everything, and
// reports that it is ready; if it ends instead, nothing has changed. Then the host is told to hand over. With "done" it
// reports that it no longer uses anything it has put, and the new process takes over.
//
// A standby is another process of the running program. It gets copies of everything too, and takes over when the host
// has died.
package hold

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// Name identifies a held descriptor. The host chooses it; see GameName and LinkName.
type Name uint64

const (
	verbPut byte = iota + 1
	verbDrop
	verbServing // this host has served for a while: start it again if it dies
	verbEnding  // this host ends in order: do not start it again
	verbGo      // everything was sent; become the host

	verbAlive    // the loop of this host runs: kill the host when these messages stop
	verbUpgrade  // start the program at this path beside this host
	verbReady    // this host is able to take over
	verbBusy     // this host is still starting
	verbDone     // this host has handed over
	verbStandBy  // everything was sent; the previous host continues until told otherwise
	verbRefused  // the upgrade was refused, with the reason
	verbHandOver // the upgraded host is ready: hand over

	verbKeepStandby // keep a standby process in case this host dies
	verbBeStandby   // everything was sent; wait as the standby
)

// version is the version of these messages. The supervisor tells it to the hosts it starts. Every host must support all
// versions, because a supervisor keeps running through upgrades of its hosts.
const version = 1

// socketEnv is an environment variable that tells a host that descriptor holderFD is its socket to the supervisor; its
// value is the version of the messages.
const (
	socketEnv = "HOLDER_OF_W3HOST"
	holderFD  = 3
)

// batch is how many descriptors are sent with one message; the system allows 253.
const batch = 250

// ErrUnsupported is returned on systems where sockets cannot be held by another process.
var ErrUnsupported = errors.New("--supervise needs Linux on a 64-bit machine and a program built without the tag portable; leave it out")

// ErrEnded is returned when the supervisor has ended.
var ErrEnded = errors.New("the supervisor (w3host serve --supervise) has ended: games end with this process until both are started again")

// Options say how the supervisor starts a host.
type Options struct {
	Program string                         // path of the program; an upgrade without a path starts the file that is there at that time
	Command func(program string) *exec.Cmd // returns a new command for each start, with its standard files set
	Started func(pid int) error
	Ended   func()           // called when the serving host has ended; nil: not called
	Signals <-chan os.Signal // passed to the host; after SIGTERM the host is not started again, and SIGUSR2 starts an upgrade
	Log     func(format string, args ...any)
	FDStore string // socket of a ServeFDStore; "": systemd's descriptor store, if there is one
}

// Client is a host's connection to its supervisor. Its methods do not block unless they say so, and must be called by one
// goroutine at a time.
type Client interface {
	// Inherited returns the descriptors that the previous host has left.
	Inherited() map[Name]int
	// Put has the supervisor hold a copy of a descriptor; Drop closes that copy. Put returns unix.EAGAIN while the
	// socket to the supervisor is full; Drop, Serving and Ending are then sent later, by the next call.
	Put(Name, int) error
	Drop(Name)
	// Serving reports that this host serves: if it dies from now on, another one is started.
	Serving()
	// Alive reports that the loop of this host runs. After the first call, a host that stops calling it is killed.
	Alive()
	// Ending reports that this host ends in order and must not be started again.
	Ending()
	// Flush sends the delayed messages. It blocks for at most within, and returns false if not all could be sent.
	Flush(within time.Duration) bool
	// News returns the channel of the supervisor's messages. It is closed when the supervisor ends.
	News() <-chan News

	// Upgrade asks the supervisor to start the program at path, or "" for its own path, in place of this host. The
	// result comes as News.
	Upgrade(path string) error
	// StandsBy reports whether this host must wait for GoOn before it serves, because another host still does.
	StandsBy() bool
	// KeepStandby asks for a standby process in case this host dies, unless there is one. It may be called repeatedly.
	KeepStandby()
	// IsStandby reports whether this process is a standby, which must wait for GoOn before it serves.
	IsStandby() bool
	// Ready reports whether this waiting host is able to take over (true) or still starting (false).
	Ready(is bool)
	// Done reports that this host has handed over. Put and Drop have no effect afterwards. It blocks until the message
	// is sent.
	Done() error

	// Gone reports whether the supervisor has ended, so that nothing is held any more.
	Gone() bool

	// Memory makes shared memory with size bytes behind the words. It uses physical memory only as far as it is written.
	Memory(name string, size int) (*Memory, error)
	// Map takes over the memory of a descriptor that an earlier process has made.
	Map(fd int) (*Memory, error)
	// Clock returns the machine's monotonic time, which is the same for all processes.
	Clock() time.Duration
	// Count asks the system how many bytes were read from and written to a connection.
	Count(fd int) (Counts, error)
}

// News is one message of the supervisor.
type News struct {
	Verb Verb
	Name Name   // only for Held and Dropped
	FD   int    // only for Held; -1 if there is none
	Why  string // only for Refused: the reason
}

// Verb is the kind of a News.
type Verb byte

// Kinds of News.
const (
	Held     = Verb(verbPut)      // the serving host has put this descriptor
	Dropped  = Verb(verbDrop)     // the serving host has dropped it
	GoOn     = Verb(verbGo)       // the previous host has ended or handed over: serve now
	Refused  = Verb(verbRefused)  // the upgrade was refused
	HandOver = Verb(verbHandOver) // the upgraded host is ready: hand over
)

// Counts are the byte counts of a connection, which the system knows even after the process that used it has died.
type Counts struct {
	Read, Written uint64 // bytes that the process has read and written
	Over          bool   // the connection was reset by either side
}

// GameName is the name of the memory of a game; LinkName that of one of its sockets. Names with game 0 are the host's
// own.
func GameName(game uint32) Name { return Name(game) << 32 }

// LinkName is the name of the socket of a link; links are numbered from 1.
func LinkName(game, link uint32) Name { return GameName(game) | Name(link) }

// Split returns the game and the link of a name; link 0 is the game's memory.
func (n Name) Split() (game, link uint32) { return uint32(n >> 32), uint32(n) }

// String returns the name as "game/link".
func (n Name) String() string { return fmt.Sprintf("%d/%d", n>>32, uint32(n)) }

// Memory is shared memory that outlives the process: a page of 64-bit words, each of which is stored atomically, and
// bytes behind them. Only one goroutine may use it at a time.
type Memory struct {
	fd   int
	b    []byte
	room int // length in bytes for which the system has reserved memory

	free func() error
	own  func() bool // lock of a simulation; nil: the system's lock

	// Stored is called after each store if it is not nil; tests end a process there.
	Stored func()
}

// headLen is the length in bytes of the page of words.
const headLen = 4096

// Of makes a Memory that is not shared, for tests.
func Of(b []byte) *Memory { return &Memory{fd: -1, b: b, room: len(b)} }

// Shared makes a Memory for one process of a simulation, in which several processes share b: own takes the writer's
// lock, and free releases the lock and the memory.
func Shared(fd int, b []byte, own func() bool, free func() error) *Memory {
	return &Memory{fd: fd, b: b, room: len(b), own: own, free: free}
}

// Bytes returns the bytes behind the words. They are valid until Close.
func (m *Memory) Bytes() []byte { return m.b[headLen:] }

// FD returns the descriptor of the memory.
func (m *Memory) FD() int { return m.fd }

// Close unmaps the memory and closes its descriptor. Copies held by other processes remain.
func (m *Memory) Close() error {
	if m.free == nil {
		return nil
	}
	err := m.free()
	*m = Memory{fd: -1}
	return err
}

// HeadLen is the length in bytes of the page of words.
const HeadLen = headLen

// Own makes this process the only writer of the memory until it closes it or ends; false: another process is. The
// process must not close any other descriptor of the memory meanwhile, since that would release the lock.
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

// Store copies p to offset at behind the words; false: there is no room.
func (m *Memory) Store(at int, p []byte) bool {
	if end := headLen + at + len(p); end > m.room && !m.makeRoom(end) {
		return false
	}
	copy(m.b[headLen+at:], p)
	m.stored()
	return true
}
