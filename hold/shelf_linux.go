//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// shelf is a Shelf by the socket to the holder.
type shelf struct {
	sock     int
	left     kept
	late     []Name // to be dropped when the holder has room for the message
	gone     bool   // the holder has ended
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

func (s *shelf) KeepStandby() { _ = s.say(verbKeepStandby, 0) } // it is said again and again

func (s *shelf) Upgrade(path string) error {
	return send(s.sock, message{verb: verbUpgrade, text: path}, unix.MSG_DONTWAIT)
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

func (s *shelf) Left() map[Name]int          { return s.left }
func (s *shelf) Put(name Name, fd int) error { return s.say(verbPut, name, fd) }

func (s *shelf) Drop(name Name) {
	s.late = append(s.late, name)
	for len(s.late) > 0 && !s.gone && s.say(verbDrop, s.late[0]) == nil {
		s.late = s.late[1:]
	}
}

func (s *shelf) Serving() { _ = s.say(verbServing, 0) }

func (s *shelf) Alive() { // also when it has handed over
	s.heard(send(s.sock, message{verb: verbAlive, names: []Name{0}}, unix.MSG_DONTWAIT))
}

func (s *shelf) Ending() { _ = s.say(verbEnding, 0) }

func (s *shelf) Gone() bool { return s.gone }

func (s *shelf) say(verb byte, name Name, fds ...int) error {
	if s.done {
		return nil
	}
	err := send(s.sock, message{verb: verb, names: []Name{name}, fds: fds}, unix.MSG_DONTWAIT)
	s.heard(err)
	return err
}

// heard notes from the fault of a message when the holder has ended.
func (s *shelf) heard(err error) {
	s.gone = s.gone || errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET)
}
