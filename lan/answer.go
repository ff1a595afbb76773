package lan

import (
	"net"
	"net/netip"
	"time"

	"w3host/w3gs"
)

// handle answers a search and counts everything else. Own broadcasts come back
// here, and so do the datagrams of other hosts and of servers that probe the
// port; none of it is worth a log line.
func (a *Advertiser) handle(conn *net.UDPConn, datagram []byte, from netip.AddrPort) {
	if len(datagram) == 0 || datagram[0] != w3gs.Magic {
		a.counts.other.Add(1)
		return
	}
	f, err := w3gs.ParseDatagram(datagram)
	if err != nil {
		a.counts.malformed.Add(1)
		return
	}
	if f.Op() != w3gs.OpSearchGame {
		a.counts.other.Add(1)
		return
	}
	var search w3gs.SearchGame
	if search.Decode(f.Body()) != nil {
		a.counts.malformed.Add(1)
		return
	}
	a.counts.searches.Add(1)
	a.answer(conn, search, from)
}

func (a *Advertiser) answer(conn *net.UDPConn, search w3gs.SearchGame, from netip.AddrPort) {
	now := time.Now()
	a.mu.Lock()
	owed := a.board.answers(now, search)
	a.mu.Unlock()
	if len(owed) == 0 {
		return
	}
	granted := a.limit.take(now, from.Addr(), len(owed))
	a.counts.limited.Add(uint64(len(owed) - granted))
	if granted == 0 {
		return
	}
	if sendAll(conn, from, owed[:granted]) == nil { // else it asks again
		a.counts.answers.Add(uint64(granted))
	}
	if a.shares(conn, from) {
		a.mu.Lock()
		a.board.showAll(search.GameID)
		a.poke()
		a.mu.Unlock()
	}
}

// shares reports whether the asker is a client on this machine that holds the
// same port. The system gives an answer sent there to one of the two sockets,
// maybe to ours; a broadcast reaches both.
func (a *Advertiser) shares(conn *net.UDPConn, from netip.AddrPort) bool {
	if from.Port() != localAddr(conn).Port() {
		return false
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, addr := range addrs {
		if ipnet, ok := addr.(*net.IPNet); ok {
			if ip, ok := netip.AddrFromSlice(ipnet.IP); ok && ip.Unmap() == from.Addr() {
				return true
			}
		}
	}
	return false
}
