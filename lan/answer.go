package lan

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"w3host/protocol/w3gs"
)

// maxForeign bounds the log lines about clients of other versions.
const maxForeign = 8

// caller is the sender of a datagram, and how to answer it.
type caller struct {
	port    *port // where it came in
	addr    netip.AddrPort
	control []byte // names the address that was asked, to answer from it
}

// handle answers a search and counts everything else, which is not logged: own
// broadcasts, and datagrams of other hosts and of port scanners.
func (a *Advertiser) handle(datagram []byte, from caller) {
	if len(datagram) == 0 || datagram[0] != w3gs.Magic {
		if !a.answerMDNS(datagram, from) {
			a.counts.other.Add(1)
		}
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
	a.answer(search, from)
}

// answerMDNS answers who asks this host alone in the way of 1.30 and later.
func (a *Advertiser) answerMDNS(datagram []byte, from caller) bool {
	a.mu.Lock()
	responder := a.mdns
	a.mu.Unlock()
	if responder == nil {
		return false
	}
	out := responder.Answer(datagram, from.addr.Addr())
	if sendAll(a.conn(cmp.Or(from.port.answerPort, from.port)), from.addr, from.control, out) == nil {
		a.counts.answers.Add(uint64(len(out)))
	}
	return out != nil
}

func (a *Advertiser) answer(search w3gs.SearchGame, from caller) {
	out, owed := a.infos(search, from.addr.Addr())
	a.counts.limited.Add(uint64(owed - len(out)))
	if len(out) == 0 {
		if owed == 0 {
			a.noteForeign(search, from.addr)
		}
		return
	}
	conn := a.conn(cmp.Or(from.port.answerPort, from.port))
	if sendAll(conn, from.addr, from.control, out) == nil { // after an error the client asks again
		a.counts.answers.Add(uint64(len(out)))
	}
	if a.shares(conn, from.addr) {
		a.show(search, from.addr.Addr())
	}
}

func (a *Advertiser) conn(p *port) *net.UDPConn {
	a.mu.Lock()
	defer a.mu.Unlock()
	return p.conn
}

// infos returns the 0x30 that a source may have now, and how many its search asks
// for. Only those are built that are granted: a flood of searches must not hold the
// lock that games wait for.
func (a *Advertiser) infos(search w3gs.SearchGame, from netip.Addr) (out [][]byte, owed int) {
	now := time.Now()
	k := a.limit.interfaces.kind(now, from)
	a.mu.Lock()
	defer a.mu.Unlock()
	lobbies := a.board.matching(search, from)
	if search.GameID == 0 && len(lobbies) > 0 && !a.limit.allowSearch(now, from, k) {
		return nil, len(lobbies)
	}
	for _, l := range lobbies {
		if a.limit.grant(now, from, k, l.ad.GameID) {
			out = append(out, l.info(&a.opts, search.Version, now))
		}
	}
	return out, len(lobbies)
}

// show makes a broadcast 0x30 due for the lobbies of a search, limited as for one
// asker.
func (a *Advertiser) show(search w3gs.SearchGame, from netip.Addr) {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range a.board.matching(search, from) {
		if a.limit.grant(now, limitedBroadcast, local, l.ad.GameID) && l.ad.Only == nil {
			l.show = true
			a.notify()
		}
	}
}

// noteForeign logs once for each other version that its clients see no lobby.
func (a *Advertiser) noteForeign(search w3gs.SearchGame, from netip.AddrPort) {
	if search.GameID == unusedGameID {
		return // CheckBroadcast
	}
	search.GameID = 0
	a.mu.Lock()
	known := a.board.plays(search) || len(a.foreign) >= maxForeign || slices.Contains(a.foreign, search)
	if !known {
		a.foreign = append(a.foreign, search)
	}
	a.mu.Unlock()
	if !known {
		a.opts.Log.Info().Stringer("addr", from).
			Str("client", version(search.Product, search.Version)).Str("host", version(a.opts.Product, a.opts.Versions...)).
			Msg("a client of another version searches for games; it does not see the lobbies here")
	}
}

// version is for logs. The letters of a product are untrusted: they are quoted.
func version(p w3gs.Product, versions ...uint32) string {
	text := fmt.Sprintf("%+q", p.String())
	for _, v := range versions {
		text += fmt.Sprintf(" %v", w3gs.Version(v))
	}
	return text
}

// shares reports whether the asker is a client on this machine with the same port.
// The system delivers an answer to that port to one of the two sockets, maybe to
// ours; a broadcast reaches both.
func (a *Advertiser) shares(conn *net.UDPConn, from netip.AddrPort) bool {
	return conn != nil && from.Port() == localAddr(conn).Port() && a.limit.interfaces.kind(time.Now(), from.Addr()) == local
}
