package lan

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"time"

	"w3host/protocol/w3gs"
)

// unusedGameID is a game id that no host uses, so that a search for it gets no answer.
const unusedGameID = 0xFFFFFFFF

// probeEvery is the interval of searches in CheckBroadcast.
const probeEvery = 100 * time.Millisecond

// CheckPort reports whether the UDP port of an address can be opened, and whether another program uses it too.
func CheckPort(addr netip.Addr, number uint16) (shared bool, err error) {
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(addr, number)))
	if err != nil {
		shared = true
		conn, err = bind(addr, number)
	}
	if err != nil {
		return false, err
	}
	return shared, conn.Close()
}

// CheckBroadcast sends searches, which no host answers, from an address to a broadcast address and returns an error unless this
// machine receives them before ctx ends. For the limited broadcast it uses the same fallback as announcements.
func CheckBroadcast(ctx context.Context, from netip.Addr, to netip.AddrPort) error {
	conn, err := bind(from, 0)
	if err != nil {
		return err
	}
	defer conn.Close()
	err = hearOwn(ctx, conn, to)
	if err == nil || to.Addr() != limitedBroadcast {
		return err
	}
	for _, addr := range InterfaceBroadcasts() {
		if hearOwn(ctx, conn, netip.AddrPortFrom(addr, to.Port())) == nil {
			return nil
		}
	}
	return err
}

func hearOwn(ctx context.Context, conn *net.UDPConn, to netip.AddrPort) error {
	at := to.Addr()
	if runtime.GOOS != "linux" {
		at = netip.IPv4Unspecified() // a socket cannot be bound to a broadcast address
	}
	listener, err := bind(at, to.Port())
	if err != nil {
		return fmt.Errorf("%v is not a broadcast address of this machine's networks: %w", to.Addr(), err)
	}
	defer listener.Close()
	question := (&w3gs.SearchGame{Product: w3gs.ProductTFT, GameID: unusedGameID}).AppendTo(nil)
	buf := make([]byte, datagramSize)
	for ctx.Err() == nil {
		if err := sendAll(conn, to, nil, [][]byte{question}); err != nil {
			return err
		}
		_ = listener.SetReadDeadline(time.Now().Add(probeEvery))
		for {
			_, heard, err := listener.ReadFromUDPAddrPort(buf)
			if err != nil {
				break
			}
			if heard.Port() == localAddr(conn).Port() {
				return nil
			}
		}
	}
	return errors.New("broadcasts are sent but not received; check the firewall")
}
