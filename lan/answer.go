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

// maxForeign is the number of log lines about clients of other versions.
const maxForeign = 8

// caller is the sender of a datagram, with what is needed to answer it.
type caller struct {
	port    *port // port that received it
	addr    netip.AddrPort
	control []byte // control message with the queried local address, to answer from it
}

// handle answers a search. It ignores everything else without a log line: own broadcasts, and datagrams of other hosts
// and port scanners.
func (a *Advertiser) handle(datagram []byte, from caller) {
	if len(datagram) == 0 || datagram[0] != w3gs.Magic {
		a.answerMDNS(datagram, from)
		return
	}
	var search w3gs.SearchGame
	f, err := w3gs.ParseDatagram(datagram)
	if err == nil && f.Op() == w3gs.OpSearchGame && search.Decode(f.Body()) == nil {
		fromWire(&search)
		a.answer(search, from)
	}
}

// answerMDNS answers a client of 1.30 to 2.0 that queries this host directly.
func (a *Advertiser) answerMDNS(datagram []byte, from caller) {
	a.mu.Lock()
	responder := a.mdns
	a.mu.Unlock()
	if responder != nil {
		a.reply(from, responder.Answer(datagram, from.addr.Addr()))
	}
}

// reply sends datagrams from the socket that sends the answers for a port. Errors are ignored, since the client will
// repeat its search.
func (a *Advertiser) reply(to caller, out [][]byte) (by *net.UDPConn) {
	a.mu.Lock()
	by = cmp.Or(to.port.answerPort, to.port).conn
	a.mu.Unlock()
	_ = sendAll(by, to.addr, to.control, out)
	return by
}

func (a *Advertiser) answer(search w3gs.SearchGame, from caller) {
	out, owed := a.infos(search, from.addr.Addr())
	switch {
	case owed == 0:
		a.noteForeign(search, from.addr)
	case len(out) > 0 && a.shares(a.reply(from, out), from.addr):
		a.show(search)
	}
}

// infos returns the 0x30 that a client may receive now, and how many match its search. It builds only those that are
// within the rate limit, so that a flood of searches does not hold the lock that games wait for.
func (a *Advertiser) infos(search w3gs.SearchGame, from netip.Addr) (out [][]byte, owed int) {
	now := time.Now()
	k := a.limit.interfaces.kind(now, from)
	a.mu.Lock()
	defer a.mu.Unlock()
	lobbies := a.board.matching(search)
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

// show schedules a broadcast 0x30 for the lobbies of a search, with the rate limit of a single client.
func (a *Advertiser) show(search w3gs.SearchGame) {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range a.board.matching(search) {
		if a.limit.grant(now, limitedBroadcast, local, l.ad.GameID) {
			l.show = true
			a.notify()
		}
	}
}

// noteForeign logs once per foreign version that its clients see no lobby.
func (a *Advertiser) noteForeign(search w3gs.SearchGame, from netip.AddrPort) {
	if search.GameID == unusedGameID {
		return // a search sent by CheckBroadcast
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
			Msg("a client with another game version is searching; it cannot see this host's lobbies")
	}
}

// version formats versions for logs. The letters of a product are quoted, because they are untrusted.
func version(p w3gs.Product, versions ...uint32) string {
	text := fmt.Sprintf("%+q", p.String())
	for _, v := range versions {
		text += fmt.Sprintf(" %v", w3gs.Version(v))
	}
	return text
}

// shares reports whether the client runs on this machine and uses the same port. The system delivers an answer to that
// port to either socket, possibly to this host's; a broadcast reaches both.
func (a *Advertiser) shares(conn *net.UDPConn, from netip.AddrPort) bool {
	return conn != nil && from.Port() == localAddr(conn).Port() && a.limit.interfaces.kind(time.Now(), from.Addr()) == local
}
