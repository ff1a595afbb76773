package lan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"time"

	"w3host/lan/mdns"
	"w3host/protocol/w3gs"
)

const (
	// browseEvery is slightly more than the minimum interval that hosts allow between two searches.
	browseEvery = 1250 * time.Millisecond
	// maxFound limits the list, since any machine can send a 0x30.
	maxFound = 2000
)

// BrowseOptions configure which hosts are searched for which games.
type BrowseOptions struct {
	// To lists the addresses to search. If it is empty, all hosts are searched by broadcast and announcements count as
	// well, as for clients.
	To []netip.AddrPort
	// Ask lists the products and versions to search for.
	Ask []w3gs.SearchGame
	// Port is the UDP port for broadcast searches and announcements; 0 means 6112.
	Port uint16
	// Every is the interval of searches; 0 means 1.25 s.
	Every time.Duration
	// Forget is how long after its last datagram a lobby is removed; 0 means never.
	Forget time.Duration

	localPort uint16 // for tests; 0 means LocalPort
}

// browser is the state of one Browse, owned by one goroutine.
type browser struct {
	opts   BrowseOptions
	conn   *net.UDPConn
	round  round // the current round
	before round // the previous round, whose answers may still arrive
	found  map[lobbyKey]*Found
}

// round is one search of all hosts.
type round struct {
	sent  time.Time
	asked map[netip.AddrPort]time.Time // hosts queried individually since
}

// times returns when a host was queried.
func (r round) times(host netip.AddrPort) (list []time.Time) {
	if !r.sent.IsZero() {
		list = append(list, r.sent)
	}
	if at, ok := r.asked[host]; ok {
		list = append(list, at)
	}
	return list
}

// lobbyKey identifies a lobby. A host may answer from several ports.
type lobbyKey struct {
	addr   netip.Addr
	gameID uint32
	port   uint16 // TCP
}

// message is a datagram of a host.
type message struct {
	packet w3gs.Packet
	from   netip.AddrPort
	at     time.Time
	answer bool // received on the socket used for searches
}

// Browse maintains a list of lobbies until ctx ends: it searches at each interval and listens to announcements. It calls
// changed with the whole list, sorted by address and game id, after each change and each round; changed must not block
// for long. It returns an error if no host can be searched.
func Browse(ctx context.Context, opts BrowseOptions, changed func([]Found)) error {
	opts.Port = cmp.Or(opts.Port, DefaultPort)
	opts.Every, opts.localPort = cmp.Or(opts.Every, browseEvery), cmp.Or(opts.localPort, LocalPort)
	conn, err := net.ListenUDP("udp4", nil)
	if err != nil {
		return fmt.Errorf("search for lobbies: %w", err)
	}
	conns := []*net.UDPConn{conn}
	if len(opts.To) == 0 {
		conns = append(conns, announcementSockets(opts.Port)...)
		if slices.ContainsFunc(opts.Ask, isLocal) {
			if local := listenLocal(opts.localPort); local != nil {
				conns = append(conns, local)
			}
		}
	}
	for _, c := range conns {
		defer c.Close()
	}
	return browse(ctx, opts, conns, changed)
}

// browse searches on the first of the sockets.
func browse(ctx context.Context, opts BrowseOptions, conns []*net.UDPConn, changed func([]Found)) error {
	b := &browser{opts: opts, conn: conns[0], found: map[lobbyKey]*Found{}}
	if err := b.askAll(); err != nil {
		return err // before starting readers, which would hold their datagrams until ctx ends
	}
	in := make(chan message)
	for i, c := range conns {
		go listenTo(ctx, c, i == 0, in) // ends when its socket is closed
	}
	tick := time.NewTicker(opts.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case h := <-in:
			if b.handle(h) {
				changed(b.list())
			}
		case now := <-tick.C:
			b.forget(now)
			_ = b.askAll() // the network may come back
			changed(b.list())
		}
	}
}

// announcementSockets returns sockets that receive announcements like a client: everything sent to the port if no other
// program uses it, otherwise only broadcasts, if the system allows that. A second socket for everything would take
// datagrams addressed to this machine away from the other program.
func announcementSockets(number uint16) []*net.UDPConn {
	if conn, err := net.ListenUDP("udp4", &net.UDPAddr{Port: int(number)}); err == nil {
		if raw, err := conn.SyscallConn(); err == nil {
			_ = shareAddr("", "", raw) // allows a game or host to start later
		}
		return []*net.UDPConn{conn}
	}
	var out []*net.UDPConn
	for _, addr := range append(InterfaceBroadcasts(), limitedBroadcast, loopbackBroadcast) {
		if conn, err := bind(addr, number); err == nil {
			out = append(out, conn)
		}
	}
	return out
}

// listenTo reads datagrams of hosts until the socket is closed.
func listenTo(ctx context.Context, conn *net.UDPConn, answers bool, in chan<- message) {
	buf, services := make([]byte, 4*datagramSize), serviceReader{}
	for {
		n, from, err := conn.ReadFromUDPAddrPort(buf)
		if errors.Is(err, net.ErrClosed) || ctx.Err() != nil {
			return
		}
		if err != nil {
			continue // some systems report a closed port of a host this way
		}
		from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
		var heard []message
		if frame, err := w3gs.ParseDatagram(buf[:n]); err == nil {
			if packet, err := w3gs.Decode(frame, w3gs.LAN); err == nil {
				fromWire(packet)
				heard = []message{{packet: packet, from: from}}
			}
		} else if answers {
			var more []byte
			switch heard, more = services.read(buf[:n], from); {
			case more == nil:
			case from.Port() == mdns.Port: // several programs may share this port
				_ = mdns.Ask(conn, more)
			default:
				_ = writeTo(conn, more, nil, from)
			}
		}
		for _, m := range heard {
			m.at, m.answer = time.Now(), answers
			select {
			case in <- m:
			case <-ctx.Done():
				return
			}
		}
	}
}

// askAll begins a round. It fails if it could send to no address.
func (b *browser) askAll() error {
	b.before, b.round = b.round, round{time.Now(), map[netip.AddrPort]time.Time{}}
	to := b.opts.To
	if len(to) == 0 {
		for _, addr := range append(InterfaceBroadcasts(), limitedBroadcast, loopbackBroadcast) {
			to = append(to, netip.AddrPortFrom(addr, b.opts.Port))
		}
	}
	var faults []error
	for _, addr := range to {
		if err := b.ask(addr, 0); err != nil {
			faults = append(faults, fmt.Errorf("search for lobbies at %v: %w", addr, err))
		}
	}
	if len(b.opts.To) == 0 {
		if err := b.askGroup(); err != nil {
			faults = append(faults, fmt.Errorf("search for lobbies by multicast: %w", err))
		}
	}
	if len(faults) >= len(to) {
		return errors.Join(faults...)
	}
	return nil
}

// askGroup searches for lobbies of 1.30 to 2.0 by multicast.
func (b *browser) askGroup() error {
	for _, search := range b.opts.Ask {
		if q := serviceQuestion(search); q != nil {
			if err := mdns.Ask(b.conn, q); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *browser) ask(to netip.AddrPort, gameID uint32) error {
	for _, search := range b.opts.Ask {
		search.GameID = gameID
		q := serviceQuestion(search)
		at := to
		switch {
		case q == nil:
			q = onWire(search)
			if isLocal(search) && len(b.opts.To) == 0 && gameID == 0 {
				at = netip.AddrPortFrom(to.Addr(), b.opts.localPort)
			}
		case len(b.opts.To) == 0: // askGroup covers these
			continue
		}
		if err := sendAll(b.conn, at, nil, [][]byte{q}); err != nil {
			return err
		}
	}
	return nil
}

// askOne asks a host about a lobby that it has announced, once per round.
func (b *browser) askOne(h message, gameID uint32) {
	asked := b.round.asked
	if _, ok := asked[h.from]; ok || len(asked) >= maxFound {
		return
	}
	asked[h.from] = time.Now()
	_ = b.ask(h.from, gameID)
}

// handle processes a datagram of a host and reports whether the list has changed.
func (b *browser) handle(h message) bool {
	switch p := h.packet.(type) {
	case *w3gs.GameInfo:
		return b.info(h, *p)
	case *w3gs.CreateGame:
		b.askOne(h, p.GameID)
	case *w3gs.RefreshGame:
		return b.refresh(h, *p)
	case *w3gs.DecreateGame:
		before := len(b.found)
		maps.DeleteFunc(b.found, func(key lobbyKey, _ *Found) bool { return key.addr == h.from.Addr() && key.gameID == p.GameID })
		return len(b.found) < before
	}
	return false
}

func (b *browser) info(h message, info w3gs.GameInfo) bool {
	if !slices.ContainsFunc(b.opts.Ask, func(s w3gs.SearchGame) bool { return s.Product == info.Product && s.Version == info.Version }) {
		return false // an answer may be for several versions
	}
	key := lobbyKey{h.from.Addr(), info.GameID, info.Port}
	f := b.found[key]
	if f == nil {
		if len(b.found) >= maxFound {
			return false
		}
		f = &Found{}
		b.found[key] = f
	}
	f.Info, f.From, f.Heard = info, h.from, h.at
	if h.answer {
		f.RTT = roundTrip(h.at, slices.Concat(b.before.times(h.from), b.round.times(h.from)))
	}
	return true
}

// refresh updates the slots of a known lobby and asks about an unknown one.
func (b *browser) refresh(h message, p w3gs.RefreshGame) (changed bool) {
	known := false
	for key, f := range b.found {
		if key.addr != h.from.Addr() || key.gameID != p.GameID {
			continue
		}
		known, f.Heard = true, h.at
		open := f.Info.Unknown + p.Slots - p.Players
		if p.Players <= f.Info.Unknown+p.Slots && (f.Info.Slots != p.Slots || f.Info.SlotsOpen != open) {
			f.Info.Slots, f.Info.SlotsOpen = p.Slots, open
			changed = true
		}
	}
	if !known {
		b.askOne(h, p.GameID)
	}
	return changed
}

func (b *browser) forget(now time.Time) {
	maps.DeleteFunc(b.found, func(_ lobbyKey, f *Found) bool { return b.opts.Forget > 0 && now.Sub(f.Heard) > b.opts.Forget })
}

// list returns the lobbies, sorted. It omits those on loopback that were also found at another address, since a host on
// this machine is heard on both.
func (b *browser) list() []Found {
	type joinAt struct {
		entryKey uint32
		port     uint16
	}
	out, reachable := []Found{}, map[joinAt]bool{}
	for key, f := range b.found {
		if !key.addr.IsLoopback() {
			reachable[joinAt{f.Info.EntryKey, key.port}] = true
		}
	}
	for key, f := range b.found {
		if !key.addr.IsLoopback() || !reachable[joinAt{f.Info.EntryKey, key.port}] {
			out = append(out, *f)
		}
	}
	slices.SortFunc(out, Found.compare)
	return out
}
