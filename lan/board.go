package lan

import (
	"cmp"
	"net/netip"
	"slices"
	"time"

	"w3host/protocol/w3gs"
)

// lobby is an open lobby on the board.
type lobby struct {
	ad        Advert
	opened    time.Time
	next      time.Time // when the regular 0x32 is due
	announced bool      // its 0x31 was sent
	changed   bool      // a 0x32 is due at once
	changes   int32     // number of changes since it opened
	hidden    bool      // as of the last call of due
	show      bool      // a broadcast 0x30 is due at once
	also      []extra   // additional addresses of this lobby
	told      bool      // clients of 3.0 have received an unsolicited 0x30
	nextTold  time.Time // when the next one is due
}

// extra is an address to which one lobby is announced in addition to those of the options.
type extra struct {
	to      netip.AddrPort
	created bool // its 0x31 was sent there
}

// maxExtra is the maximum number of extra addresses of a lobby.
const maxExtra = 16

// post holds datagrams to send now.
type post struct {
	all    [][]byte                    // to every address
	push   [][]byte                    // additionally to the targets
	local  [][]byte                    // to clients of 3.0
	single map[netip.AddrPort][][]byte // to the extra addresses of lobbies
	turned []uint32                    // lobbies whose Hidden has changed
}

func (p *post) add(to netip.AddrPort, datagrams ...[]byte) {
	if p.single == nil {
		p.single = map[netip.AddrPort][][]byte{}
	}
	p.single[to] = append(p.single[to], datagrams...)
}

// board holds the open lobbies and knows which announcements are due. It has no socket and no clock. Due datagrams are
// derived from state, so that any number of changes costs one datagram.
type board struct {
	opts    *Options
	lobbies []*lobby // in order of opening
	gone    []*lobby // announced lobbies whose 0x33 is due
}

func (b *board) open(now time.Time, ad Advert) error {
	if ad.Port == 0 {
		ad.Port = b.opts.GamePort
	}
	ad.Type = cmp.Or(ad.Type, w3gs.GameTypeCustom)
	ad.Name = w3gs.Cut(ad.Name, w3gs.MaxGameNameLen)
	if err := ad.check(); err != nil {
		return err
	}
	if b.find(ad.GameID) != nil {
		return errOpen
	}
	b.lobbies = append(b.lobbies, &lobby{ad: ad, opened: now.Add(-ad.age)})
	return nil
}

// update reports whether anything changed. It ignores an unknown lobby, whose game may have started meanwhile.
func (b *board) update(gameID uint32, c Count) bool {
	l := b.find(gameID)
	if l == nil || !c.valid() || l.ad.Count == c {
		return false
	}
	l.ad.Count = c
	l.changed = true
	l.changes++
	return true
}

func (b *board) close(gameID uint32) bool {
	i := slices.IndexFunc(b.lobbies, func(l *lobby) bool { return l.ad.GameID == gameID })
	if i < 0 {
		return false
	}
	if l := b.lobbies[i]; l.announced {
		b.gone = append(b.gone, l)
	}
	b.lobbies = slices.Delete(b.lobbies, i, i+1)
	return true
}

func (b *board) closeAll() {
	for len(b.lobbies) > 0 {
		b.close(b.lobbies[0].ad.GameID)
	}
}

func (b *board) find(gameID uint32) *lobby {
	for _, l := range b.lobbies {
		if l.ad.GameID == gameID {
			return l
		}
	}
	return nil
}

// showTo announces a lobby to one more address.
func (b *board) showTo(gameID uint32, to netip.AddrPort) error {
	l := b.find(gameID)
	switch {
	case l == nil:
		return ErrNotListed
	case !l.foundBy(b.opts, w3gs.DiscoveryBroadcast) && !l.foundBy(b.opts, w3gs.DiscoveryLocal):
		return ErrMulticast
	case slices.ContainsFunc(l.also, func(e extra) bool { return e.to == to }):
	case len(l.also) == maxExtra:
		return errExtra
	default:
		l.also = append(l.also, extra{to: to})
		l.told = false
	}
	return nil
}

// due returns the datagrams to send now and the time of the next ones, which is zero if only a change can cause some.
func (b *board) due(now time.Time) (p post, next time.Time) {
	for _, l := range b.gone {
		bye := (&w3gs.DecreateGame{GameID: l.ad.GameID}).AppendTo(nil)
		p.all = append(p.all, bye)
		for _, e := range l.also {
			p.add(e.to, bye)
		}
	}
	b.gone = b.gone[:0]
	for _, l := range b.lobbies {
		if hidden := l.ad.IsHidden(); hidden != l.hidden {
			l.hidden = hidden
			p.turned = append(p.turned, l.ad.GameID)
		}
		if at := b.say(l, now, &p); !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return p, next
}

// say adds to p the datagrams that are due for one lobby, and returns when to check it again; zero means after a change.
func (b *board) say(l *lobby, now time.Time, p *post) (next time.Time) {
	local, broadcast := l.foundBy(b.opts, w3gs.DiscoveryLocal), l.foundBy(b.opts, w3gs.DiscoveryBroadcast)
	if l.hidden {
		local, broadcast = false, false
	}
	if local {
		b.tell(l, now, p)
		next = l.nextTold
	}
	if broadcast {
		b.announce(l, now, p)
	} else {
		l.next, l.changed = l.after(now, b.opts.interval), l.changed && l.hidden
	}
	if (broadcast || l.ad.Hidden != nil) && (next.IsZero() || l.next.Before(next)) {
		next = l.next // Hidden may have changed by then
	}
	return next
}

// announce adds to p the datagrams that are due for one lobby: 0x31 if it is new, 0x32 if it is new, has changed or is
// due, and 0x30 if one was requested.
func (b *board) announce(l *lobby, now time.Time, p *post) {
	regular := !now.Before(l.next)
	var news [][]byte
	if !l.announced {
		news = l.creates(b.opts)
	}
	if !l.announced || l.changed || regular {
		news = append(news, l.refresh())
		l.show = l.show || b.opts.BroadcastInfo
		if b.opts.PushInfo && !l.show {
			p.push = append(p.push, l.infos(b.opts, now, w3gs.DiscoveryBroadcast)...)
		}
	}
	if l.show {
		news = append(news, l.infos(b.opts, now, w3gs.DiscoveryBroadcast)...)
	}
	p.all = append(p.all, news...)
	for i := range l.also {
		if e := &l.also[i]; e.created {
			p.add(e.to, news...)
		} else {
			e.created = true
			p.add(e.to, append(l.creates(b.opts), l.refresh())...)
		}
	}
	if regular {
		l.next = l.after(now, b.opts.interval)
	}
	l.announced, l.changed, l.show = true, false, false
}

// after returns the next regular announcement after now, a multiple of the interval after the lobby opened. Those missed
// during a suspension are skipped.
func (l *lobby) after(now time.Time, every time.Duration) time.Time {
	return l.opened.Add((now.Sub(l.opened)/every + 1) * every)
}

// matching returns the lobbies that match a search: with game id 0 all open ones, none for another product or version.
func (b *board) matching(s w3gs.SearchGame) (out []*lobby) {
	for _, l := range b.lobbies {
		if (s.GameID == 0 || s.GameID == l.ad.GameID) && b.shows(l, s) {
			out = append(out, l)
		}
	}
	return out
}

func (b *board) shows(l *lobby, s w3gs.SearchGame) bool {
	return s.Product == b.opts.Product && !w3gs.Version(s.Version).UsesMDNS() && slices.Contains(l.ad.Versions(b.opts.Versions), s.Version) &&
		!l.ad.IsHidden()
}

// versions returns the versions whose clients see the lobby and use this discovery method.
func (l *lobby) versions(o *Options, way w3gs.Discovery) []uint32 {
	return slices.DeleteFunc(slices.Clone(l.ad.Versions(o.Versions)), func(v uint32) bool { return w3gs.Version(v).Discovery() != way })
}

func (l *lobby) foundBy(o *Options, way w3gs.Discovery) bool {
	return slices.ContainsFunc(l.ad.Versions(o.Versions), func(v uint32) bool { return w3gs.Version(v).Discovery() == way })
}

// plays reports whether a search is for the product and one of the versions of this host.
func (b *board) plays(s w3gs.SearchGame) bool {
	return s.Product == b.opts.Product && slices.Contains(b.opts.Versions, s.Version) ||
		slices.ContainsFunc(b.lobbies, func(l *lobby) bool { return b.shows(l, s) })
}
