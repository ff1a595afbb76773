//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"encoding/binary"
	"errors"

	"golang.org/x/sys/unix"
)

// message is one message of either side.
type message struct {
	verb  byte
	names []Name
	fds   []int  // of the names
	text  string // instead of names
}

// kept are the descriptors of one side.
type kept map[Name]int

// drop closes one; false: there is none.
func (k kept) drop(n Name) bool {
	fd, ok := k[n]
	if ok {
		_ = unix.Close(fd)
		delete(k, n)
	}
	return ok
}

// take obeys the other side: it puts descriptors, or drops them.
func (k kept) take(m *message) {
	for i, n := range m.names {
		k.drop(n)
		if i < len(m.fds) {
			k[n] = m.fds[i]
		}
	}
}

// mostText is the longest path of the system, more or less.
const mostText = 4096

func send(sock int, m message, flags int) error {
	b := []byte{m.verb}
	for _, n := range m.names {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	b = append(b, m.text[:min(len(m.text), mostText)]...)
	var rights []byte
	if len(m.fds) > 0 {
		rights = unix.UnixRights(m.fds...)
	}
	for {
		err := unix.Sendmsg(sock, b, rights, nil, flags|unix.MSG_NOSIGNAL)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// receive waits for a message.
func receive(sock int) (m message, err error) {
	b, oob := make([]byte, 1+mostText), make([]byte, unix.CmsgSpace(4*batch))
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
		return m, err
	}
	m.verb, b = b[0], b[1:n]
	if m.verb == verbUpgrade || m.verb == verbRefused {
		m.text, b = string(b), nil
	}
	for ; len(b) >= 8; b = b[8:] {
		m.names = append(m.names, Name(binary.LittleEndian.Uint64(b)))
	}
	messages, err := unix.ParseSocketControlMessage(oob[:on])
	for i := range messages {
		var more []int
		if more, err = unix.ParseUnixRights(&messages[i]); err == nil {
			m.fds = append(m.fds, more...)
		}
	}
	return m, err
}
