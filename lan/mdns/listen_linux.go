package mdns

import (
	"errors"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// The sockets are bound to the group, so that what is sent to this machine alone is
// left to the machine's own responder. Package net would bind them to all addresses.

func listen4(*net.Interface) (*net.UDPConn, error) {
	return bound(unix.AF_INET, &unix.SockaddrInet4{Port: Port, Addr: group4.Addr().As4()},
		// Only what comes to the interface that is joined.
		[3]int{unix.IPPROTO_IP, unix.IP_MULTICAST_ALL, 0})
}

func listen6(ifi *net.Interface) (*net.UDPConn, error) {
	return bound(unix.AF_INET6, &unix.SockaddrInet6{Port: Port, Addr: group6.Addr().As16(), ZoneId: uint32(ifi.Index)},
		[3]int{unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 1})
}

func bound(family int, at unix.Sockaddr, option [3]int) (*net.UDPConn, error) {
	fd, err := unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	file := os.NewFile(uintptr(fd), "mdns")
	defer file.Close()
	for _, o := range [][3]int{{unix.SOL_SOCKET, unix.SO_REUSEADDR, 1}, {unix.SOL_SOCKET, unix.SO_REUSEPORT, 1}, option} {
		err = errors.Join(err, unix.SetsockoptInt(fd, o[0], o[1], o[2]))
	}
	if err := errors.Join(err, os.NewSyscallError("bind", unix.Bind(fd, at))); err != nil {
		return nil, err
	}
	conn, err := net.FilePacketConn(file)
	if err != nil {
		return nil, err
	}
	return conn.(*net.UDPConn), nil
}
