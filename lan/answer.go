package lan

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"w3host/w3gs"
)

// maxForeign bounds the log lines about clients of other versions.
const maxForeign = 8

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
	out, owed := a.infos(search, from.Addr())
	a.counts.limited.Add(uint64(owed - len(out)))
	if len(out) == 0 {
		a.noteForeign(search, from)
		return
	}
	if sendAll(conn, from, out) == nil { // else it asks again
		a.counts.answers.Add(uint64(len(out)))
	}
	if a.shares(conn, from) {
		a.show(search)
	}
}

// infos gives the 0x30 that a source may have now, and how many its search asks
// for. Only what is granted is built: a flood of searches must not hold the
// lock that games wait for.
func (a *Advertiser) infos(search w3gs.SearchGame, from netip.Addr) (out [][]byte, owed int) {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	lobbies := a.board.asked(search)
	if len(lobbies) == 0 {
		return nil, 0
	}
	granted := a.limit.take(now, from, len(lobbies))
	for _, l := range lobbies[:granted] {
		out = append(out, l.info(&a.opts, now))
	}
	return out, len(lobbies)
}

// show makes a broadcast 0x30 due for the lobbies that a search asks for.
func (a *Advertiser) show(search w3gs.SearchGame) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range a.board.asked(search) {
		l.show = true
	}
	a.poke()
}

// noteForeign says once for each other version that its clients see no lobby:
// "why is my game not in the list?" has its answer there.
func (a *Advertiser) noteForeign(search w3gs.SearchGame, from netip.AddrPort) {
	if a.newForeign(search) {
		a.opts.Log.Info().Stringer("addr", from).
			Str("client", version(search.Product, search.Version)).Str("host", version(a.opts.Product, a.opts.Version)).
			Msg("a client of another version searches for games; it does not see the lobbies here")
	}
}

func (a *Advertiser) newForeign(search w3gs.SearchGame) bool {
	search.GameID = 0
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.board.plays(search) || len(a.foreign) >= maxForeign || slices.Contains(a.foreign, search) {
		return false
	}
	a.foreign = append(a.foreign, search)
	return true
}

// version is for logs; the letters of a product come from anybody.
func version(p w3gs.Product, v uint32) string { return fmt.Sprintf("%+q 1.%d", p.String(), v) }

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
