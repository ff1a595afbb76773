//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// shelf is a Shelf by the socket to the holder.
type shelf struct {
	sock int
	left map[Name]int
	late []Name // to be dropped when the holder has room for the message
	gone bool   // the holder has ended
}

// Open takes over what the host before has left. It is nil in a process without a
// holder; an error says why nothing can be held here.
func Open() (Shelf, error) {
	if os.Getenv(socketEnv) == "" {
		return nil, nil
	}
	_ = os.Unsetenv(socketEnv)
	unix.CloseOnExec(holderFD)
	s := &shelf{sock: holderFD, left: map[Name]int{}}
	for {
		verb, names, fds, err := receive(s.sock)
		switch {
		case err != nil:
			return nil, fmt.Errorf("the holder: %w", err)
		case verb == verbGo && len(s.left) > 0: // the host before has looked
			return s, nil
		case verb == verbGo:
			if err := checkCounts(); err != nil {
				return nil, fmt.Errorf("the counts of this system cannot be relied on: %w", err)
			}
			return s, nil
		case len(names) != len(fds):
			return nil, errors.New("the holder has not passed on all that it holds: is the limit of open files lower than the holder's?")
		}
		for i, name := range names {
			s.left[name] = fds[i]
		}
	}
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

func (s *shelf) Ending() { _ = s.say(verbEnding, 0) }

func (s *shelf) Gone() bool { return s.gone }

func (s *shelf) say(verb byte, name Name, fds ...int) error {
	err := send(s.sock, verb, []Name{name}, fds, unix.MSG_DONTWAIT)
	s.gone = s.gone || errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET)
	return err
}

func send(sock int, verb byte, names []Name, fds []int, flags int) error {
	b := []byte{verb}
	for _, n := range names {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	var rights []byte
	if len(fds) > 0 {
		rights = unix.UnixRights(fds...)
	}
	for {
		err := unix.Sendmsg(sock, b, rights, nil, flags|unix.MSG_NOSIGNAL)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// receive waits for a message.
func receive(sock int) (verb byte, names []Name, fds []int, err error) {
	b, oob := make([]byte, 1+8*batch), make([]byte, unix.CmsgSpace(4*batch))
	n, on := 0, 0
	for {
		n, on, _, _, err = unix.Recvmsg(sock, b, oob, unix.MSG_CMSG_CLOEXEC)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err == nil && n == 0 {
		err = unix.ECONNRESET
	}
	if err != nil {
		return 0, nil, nil, err
	}
	for at := 1; at+8 <= n; at += 8 {
		names = append(names, Name(binary.LittleEndian.Uint64(b[at:])))
	}
	messages, err := unix.ParseSocketControlMessage(oob[:on])
	for i := range messages {
		var more []int
		if more, err = unix.ParseUnixRights(&messages[i]); err == nil {
			fds = append(fds, more...)
		}
	}
	return b[0], names, fds, err
}
