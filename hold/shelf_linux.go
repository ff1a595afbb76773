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

// shelf is a Shelf by the socket to the holder.
type shelf struct {
	sock     int
	left     kept
	late     []message   // drops and words for which the holder had no room yet, in order
	gone     atomic.Bool // the holder has ended
	standsBy bool
	standby  bool // for the death of the host
	done     bool // everything held is another host's
	news     chan News
}

// Open takes over everything that the host before has left. It is nil in a process without a
// holder; an error says why nothing can be held here.
func Open() (Shelf, error) {
	if os.Getenv(socketEnv) == "" { // there is one version
		return nil, nil
	}
	_ = os.Unsetenv(socketEnv)
	unix.CloseOnExec(holderFD)
	s := &shelf{sock: holderFD, left: kept{}, news: make(chan News)}
	for {
		m, err := receive(s.sock)
		switch {
		case err != nil:
			return nil, fmt.Errorf("the holder: %w", err)
		case m.verb == verbGo || m.verb == verbStandBy || m.verb == verbBeStandby:
			if len(s.left) == 0 { // no host before has looked
				if err := checkCounts(); err != nil {
					return nil, fmt.Errorf("the counts of this system cannot be relied on: %w", err)
				}
			}
			s.standsBy, s.standby = m.verb != verbGo, m.verb == verbBeStandby
			go s.hear() // ends with the holder
			return s, nil
		case m.verb != verbDrop && len(m.names) != len(m.fds):
			return nil, errors.New("the holder has not passed on all that it holds: is the limit of open files lower than the holder's?")
		}
		s.left.take(&m)
	}
}

// hear passes on the holder's messages.
func (s *shelf) hear() {
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

func (s *shelf) News() <-chan News { return s.news }

func (s *shelf) StandsBy() bool { return s.standsBy }

func (s *shelf) IsStandby() bool { return s.standby }

func (s *shelf) Upgrade(path string) error {
	err := send(s.sock, message{verb: verbUpgrade, text: path}, unix.MSG_DONTWAIT)
	switch s.heard(err); {
	case s.Gone():
		return ErrEnded
	case errors.Is(err, unix.EAGAIN):
		return errors.New("the holder is busy: try again")
	}
	return err
}

func (s *shelf) Ready(is bool) {
	verb := verbBusy
	if is {
		verb = verbReady
	}
	_ = send(s.sock, message{verb: verb}, unix.MSG_DONTWAIT) // it is said again and again
}

func (s *shelf) Done() error {
	s.done = true
	return send(s.sock, message{verb: verbDone}, 0) // the holder always reads
}

func (s *shelf) Left() map[Name]int { return s.left }

// Put does not overtake messages that wait, or a drop that is late would end what was put after it.
func (s *shelf) Put(name Name, fd int) error {
	if !s.sendLate() {
		return unix.EAGAIN
	}
	return s.say(message{verb: verbPut, names: []Name{name}, fds: []int{fd}})
}

func (s *shelf) Drop(name Name) { s.sayLate(message{verb: verbDrop, names: []Name{name}}) }
func (s *shelf) Serving()       { s.sayLate(message{verb: verbServing}) }
func (s *shelf) Ending()        { s.sayLate(message{verb: verbEnding}) }

func (s *shelf) Alive() { // also when it has handed over
	s.sendLate()
	s.heard(send(s.sock, message{verb: verbAlive}, unix.MSG_DONTWAIT))
}

func (s *shelf) KeepStandby() { _ = s.say(message{verb: verbKeepStandby}) } // it is said again and again

func (s *shelf) Flush(within time.Duration) bool {
	for end := time.Now().Add(within); !s.sendLate(); time.Sleep(flushEvery) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// flushEvery is the pause between two attempts of Flush.
const flushEvery = 5 * time.Millisecond

func (s *shelf) Gone() bool { return s.gone.Load() }

// sayLate sends a message now, or later if the holder has no room for it.
func (s *shelf) sayLate(m message) {
	s.late = append(s.late, m)
	s.sendLate()
}

// sendLate sends the messages that wait; false: the holder has no room for all of them yet.
func (s *shelf) sendLate() bool {
	for len(s.late) > 0 && !s.Gone() {
		if errors.Is(s.say(s.late[0]), unix.EAGAIN) {
			return false
		}
		s.late = s.late[1:]
	}
	s.late = nil
	return true
}

func (s *shelf) say(m message) error {
	if s.done {
		return nil
	}
	err := send(s.sock, m, unix.MSG_DONTWAIT)
	s.heard(err)
	return err
}

// heard notes from the fault of a message when the holder has ended.
func (s *shelf) heard(err error) {
	if errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET) {
		s.gone.Store(true)
	}
}
