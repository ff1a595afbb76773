//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"encoding/binary"
	"errors"

	"golang.org/x/sys/unix"
)

// message is one message, in either direction.
type message struct {
	verb  byte
	names []Name
	fds   []int  // descriptors of the names, in the same order
	text  string // for verbs that have a text instead of names
}

// fdSet maps names to the descriptors that this side owns.
type fdSet map[Name]int

// drop closes a descriptor; false: there is none of that name.
func (k fdSet) drop(n Name) bool {
	fd, ok := k[n]
	if ok {
		_ = unix.Close(fd)
		delete(k, n)
	}
	return ok
}

// take carries out a put or drop message of the other side.
func (k fdSet) take(m *message) {
	for i, n := range m.names {
		k.drop(n)
		if i < len(m.fds) {
			k[n] = m.fds[i]
		}
	}
}

// mostText is the longest text of a message in bytes; paths are about as long at most.
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

// receive blocks until a message comes.
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
