//go:build !linux

package mdns

import (
	"context"
	"net"
	"strconv"
	"syscall"
)

// Sockets are not bound to the group on these systems.

func listen4(*net.Interface) (*net.UDPConn, error) { return anywhere("udp4", "0.0.0.0") }

func listen6(*net.Interface) (*net.UDPConn, error) { return anywhere("udp6", "::") }

// decoy returns nil: only Linux needs one.
func decoy(*net.Interface) (*net.UDPConn, error) { return nil, nil }

func anywhere(network, addr string) (*net.UDPConn, error) {
	cfg := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error { return Share(c) }}
	conn, err := cfg.ListenPacket(context.Background(), network, net.JoinHostPort(addr, strconv.Itoa(Port)))
	if err != nil {
		return nil, err
	}
	return conn.(*net.UDPConn), nil
}
