//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

func (*client) Clock() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // never fails for this clock
	return time.Duration(t.Nano())
}

// Count repeats its query until no bytes came or went during it, so that the counts are consistent.
func (*client) Count(fd int) (Counts, error) { return count(fd) }

func count(fd int) (Counts, error) {
	for {
		a, err1 := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
		in, err2 := unix.IoctlGetInt(fd, unix.SIOCINQ)
		out, err3 := unix.IoctlGetInt(fd, unix.SIOCOUTQ)
		b, err4 := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			return Counts{}, fmt.Errorf("the counts of a connection: %w", err)
		}
		if a.Bytes_acked != b.Bytes_acked || a.Bytes_received != b.Bytes_received || a.State != b.State {
			continue
		}
		c := Counts{Read: a.Bytes_received - uint64(in), Written: a.Bytes_acked + uint64(out)}
		switch a.State { // the end of a stream is counted as a byte by the system
		case unix.BPF_TCP_CLOSE_WAIT:
			c.Read--
		case unix.BPF_TCP_FIN_WAIT1, unix.BPF_TCP_FIN_WAIT2:
			c.Written--
		case unix.BPF_TCP_LAST_ACK, unix.BPF_TCP_CLOSING, unix.BPF_TCP_TIME_WAIT:
			c.Read--
			c.Written--
		case unix.BPF_TCP_CLOSE:
			c.Over = true
		}
		return c, nil
	}
}

// checkCounts tests the system's counts with a connection to this process itself, because some sandboxes do not count.
func checkCounts() error {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	to, err := net.DialTimeout("tcp4", listener.Addr().String(), time.Second)
	if err != nil {
		return err
	}
	defer to.Close()
	from, err := listener.Accept()
	if err != nil {
		return err
	}
	defer from.Close()
	_ = from.SetDeadline(time.Now().Add(time.Second))
	_, err1 := to.Write(make([]byte, 1000))
	_, err2 := io.ReadFull(from, make([]byte, 600))
	_, err3 := from.Write(make([]byte, 300))
	raw, err4 := from.(*net.TCPConn).SyscallConn()
	if err = errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	var c Counts
	err4 = raw.Control(func(fd uintptr) { c, err = count(int(fd)) })
	if err = errors.Join(err, err4); err == nil && c != (Counts{Read: 600, Written: 300}) {
		err = fmt.Errorf("of 600 bytes read and 300 written the system has counted %d and %d", c.Read, c.Written)
	}
	return err
}
