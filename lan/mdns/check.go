package mdns

import (
	"bytes"
	"context"
	"net/netip"
	"slices"
	"time"

	"github.com/miekg/dns"
)

// checkFor is how long to wait for an own question.
const checkFor = 500 * time.Millisecond

// Check sends a question on each interface and returns the names of the interfaces on which this machine receives it.
// The error is set if there are none.
func Check(ctx context.Context, bind netip.Addr) (heard []string, err error) {
	probe := ask("w3host-doctor.local.", dns.TypeA)
	err = errNoNetwork
	for at, found := range multicastInterfaces(bind) {
		if ctx.Err() != nil || slices.Contains(heard, found.name) {
			continue
		}
		s, fault := open(at, found)
		if fault == nil {
			fault = s.hears(probe)
			_ = s.close()
		}
		if fault != nil {
			err = fault
			continue
		}
		heard = append(heard, found.name)
	}
	if heard != nil {
		err = nil
	}
	slices.Sort(heard)
	return heard, err
}

// hears sends a message and waits to receive it.
func (s *socket) hears(message []byte) error {
	s.send(message)
	buf := make([]byte, messageSize)
	_ = s.conn.SetReadDeadline(time.Now().Add(checkFor))
	for {
		n, _, err := s.conn.ReadFromUDPAddrPort(buf)
		if err != nil || bytes.Equal(buf[:n], message) {
			return err
		}
	}
}
