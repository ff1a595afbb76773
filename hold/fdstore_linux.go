//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// An fdStore keeps copies of everything that a supervisor holds, for the supervisor after it: systemd's descriptor store,
// or the process of ServeFDStore.
type fdStore interface {
	put(Name, int) error
	drop(Name) error
}

// openFDStore connects to the store of this process, nil if there is none, and adds to left what an earlier supervisor has
// left there.
func openFDStore(path string, left fdSet, log func(string, ...any)) (fdStore, error) {
	notify := os.Getenv("NOTIFY_SOCKET")
	_ = os.Unsetenv("NOTIFY_SOCKET") // not meant for hosts
	switch {
	case path != "":
		return dialFDStore(path, left, log)
	case notify != "":
		return openStore(notify, left)
	}
	return nil, nil
}

// mostWait is how long one operation of a store may block the supervisor.
const mostWait = time.Second

func storeSocket(kind int) (int, error) {
	sock, err := unix.Socket(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	most := unix.NsecToTimeval(int64(mostWait))
	return sock, unix.SetsockoptTimeval(sock, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &most)
}

// store is systemd's descriptor store, which passes everything to the next process of the unit (FileDescriptorStoreMax=)
// and closes it when the unit stops.
type store struct {
	sock int
	to   unix.SockaddrUnix
}

func openStore(notify string, left fdSet) (fdStore, error) {
	sock, err := storeSocket(unix.SOCK_DGRAM)
	if err != nil {
		return nil, fmt.Errorf("systemd's store: %w", err)
	}
	if os.Getenv("LISTEN_PID") == strconv.Itoa(os.Getpid()) {
		for i, text := range strings.Split(os.Getenv("LISTEN_FDNAMES"), ":") {
			unix.CloseOnExec(3 + i)
			if name, err := strconv.ParseUint(text, 36, 64); err == nil {
				left[Name(name)] = 3 + i
			}
		}
	}
	return store{sock, unix.SockaddrUnix{Name: notify}}, nil
}

func (s store) put(name Name, fd int) error {
	return s.say("FDSTORE=1\nFDPOLL=0\nFDNAME="+storeName(name), unix.UnixRights(fd))
}

func (s store) drop(name Name) error { return s.say("FDSTOREREMOVE=1\nFDNAME="+storeName(name), nil) }

// storeName returns a short text for a name: the names of all descriptors share one environment variable, whose limit is
// 128 KiB.
func storeName(name Name) string { return strconv.FormatUint(uint64(name), 36) }

func (s store) say(text string, rights []byte) error {
	return unix.Sendmsg(s.sock, []byte(text), rights, &s.to, unix.MSG_NOSIGNAL)
}

// remote is the process of ServeFDStore, usually in another container.
type remote struct {
	sock int
	file *os.File // of the same descriptor
}

func dialFDStore(path string, left fdSet, log func(string, ...any)) (fdStore, error) {
	sock, err := storeSocket(unix.SOCK_SEQPACKET)
	if err != nil {
		return nil, err
	}
	for until := time.Now().Add(5 * mostWait); ; time.Sleep(mostWait / 10) {
		if err = unix.Connect(sock, &unix.SockaddrUnix{Name: path}); err == nil || time.Now().After(until) {
			break // otherwise the store may still be starting, as this process is
		}
	}
	waits := time.AfterFunc(2*mostWait, func() {
		log("the file descriptor store %s does not answer: is an earlier supervisor still running?", path)
	})
	defer waits.Stop()
	for err == nil {
		var m message
		if m, err = receive(sock); m.verb == verbGo {
			return remote{sock, os.NewFile(uintptr(sock), path)}, nil
		} else if err == nil && len(m.names) != len(m.fds) {
			err = errors.New("it could not pass on everything it keeps: is this process's limit of open files lower than the store's?")
		}
		left.take(&m)
	}
	return nil, fmt.Errorf("the file descriptor store %s: %w", path, err)
}

func (r remote) put(name Name, fd int) error {
	return send(r.sock, message{verb: verbPut, names: []Name{name}, fds: []int{fd}}, 0)
}

func (r remote) drop(name Name) error {
	return send(r.sock, message{verb: verbDrop, names: []Name{name}}, 0)
}
