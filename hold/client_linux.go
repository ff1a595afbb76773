//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// client is the Client that uses the socket to the supervisor.
type client struct {
	sock     int
	left     fdSet
	late     []message   // messages that did not fit in the socket yet, in order
	gone     atomic.Bool // the supervisor has ended
	standsBy bool
	standby  bool // waits in case the host dies
	done     bool // handed over: everything held belongs to another host
	news     chan News
}

// Open connects to the supervisor and takes over everything that the previous host has left. It returns nil in a process
// that no supervisor has started; an error says why nothing can be held on this system. It blocks until all descriptors
// have come.
func Open() (Client, error) {
	if os.Getenv(socketEnv) == "" { // there is only one version, so its value is not compared
		return nil, nil
	}
	_ = os.Unsetenv(socketEnv)
	unix.CloseOnExec(holderFD)
	s := &client{sock: holderFD, left: fdSet{}, news: make(chan News)}
	for {
		m, err := receive(s.sock)
		switch {
		case err != nil:
			return nil, fmt.Errorf("receive from the supervisor: %w", err)
		case m.verb == verbGo || m.verb == verbStandBy || m.verb == verbBeStandby:
			if len(s.left) == 0 { // no previous host has checked
				if err := checkCounts(); err != nil {
					return nil, fmt.Errorf("the counts of this system cannot be relied on: %w", err)
				}
			}
			s.standsBy, s.standby = m.verb != verbGo, m.verb == verbBeStandby
			go s.hear() // ends with the supervisor
			return s, nil
		case m.verb != verbDrop && len(m.names) != len(m.fds):
			return nil, errors.New("the supervisor could not pass on everything it holds: is this process's limit of open files lower than the supervisor's?")
		}
		s.left.take(&m)
	}
}

// hear passes the supervisor's messages to news.
func (s *client) hear() {
	defer close(s.news)
	for {
		m, err := receive(s.sock)
		if err != nil {
			return
		}
		if len(m.names) == 0 {
			s.news <- News{Verb: Verb(m.verb), Why: m.text}
		}
		for i, name := range m.names {
			n := News{Verb: Verb(m.verb), Name: name, FD: -1}
			if i < len(m.fds) {
				n.FD = m.fds[i]
			}
			s.news <- n
		}
	}
}

func (s *client) News() <-chan News { return s.news }

func (s *client) StandsBy() bool { return s.standsBy }

func (s *client) IsStandby() bool { return s.standby }

func (s *client) Upgrade(path string) error {
	err := send(s.sock, message{verb: verbUpgrade, text: path}, unix.MSG_DONTWAIT)
	switch s.heard(err); {
	case s.Gone():
		return ErrEnded
	case errors.Is(err, unix.EAGAIN):
		return errors.New("the supervisor is busy; try again")
	}
	return err
}

func (s *client) Ready(is bool) {
	verb := verbBusy
	if is {
		verb = verbReady
	}
	_ = send(s.sock, message{verb: verb}, unix.MSG_DONTWAIT) // repeated by the caller, so an error does not matter
}

func (s *client) Done() error {
	s.done = true
	return send(s.sock, message{verb: verbDone}, 0) // blocks only briefly: the supervisor always reads
}

func (s *client) Inherited() map[Name]int { return s.left }

// Put never overtakes delayed messages: a late drop would close what was put after it.
func (s *client) Put(name Name, fd int) error {
	if !s.sendLate() {
		return unix.EAGAIN
	}
	return s.say(message{verb: verbPut, names: []Name{name}, fds: []int{fd}})
}

func (s *client) Drop(name Name) { s.sayLate(message{verb: verbDrop, names: []Name{name}}) }
func (s *client) Serving()       { s.sayLate(message{verb: verbServing}) }
func (s *client) Ending()        { s.sayLate(message{verb: verbEnding}) }

func (s *client) Alive() { // sent even after Done
	s.sendLate()
	s.heard(send(s.sock, message{verb: verbAlive}, unix.MSG_DONTWAIT))
}

func (s *client) KeepStandby() { _ = s.say(message{verb: verbKeepStandby}) } // repeated by the caller, so an error does not matter

func (s *client) Flush(within time.Duration) bool {
	for end := time.Now().Add(within); !s.sendLate(); time.Sleep(flushEvery) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// flushEvery is the pause between two attempts of Flush.
const flushEvery = 5 * time.Millisecond

func (s *client) Gone() bool { return s.gone.Load() }

// sayLate sends a message now, or later if the socket is full.
func (s *client) sayLate(m message) {
	s.late = append(s.late, m)
	s.sendLate()
}

// sendLate sends the delayed messages; false: the socket is still full.
func (s *client) sendLate() bool {
	for len(s.late) > 0 && !s.Gone() {
		if errors.Is(s.say(s.late[0]), unix.EAGAIN) {
			return false
		}
		s.late = s.late[1:]
	}
	s.late = nil
	return true
}

func (s *client) say(m message) error {
	if s.done {
		return nil
	}
	err := send(s.sock, m, unix.MSG_DONTWAIT)
	s.heard(err)
	return err
}

// heard records that the supervisor has ended if err says so.
func (s *client) heard(err error) {
	if errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET) {
		s.gone.Store(true)
	}
}
