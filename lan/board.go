package lan

import (
	"cmp"
	"slices"
	"time"

	"w3host/protocol/w3gs"
)

// lobby is one open lobby on the board.
type lobby struct {
	ad        Advert
	opened    time.Time
	next      time.Time // when the regular 0x32 is due
	announced bool      // its 0x31 has gone out
	changed   bool      // a 0x32 is due at once
	changes   int32     // since it opened
	show      bool      // a broadcast 0x30 is due at once
}

// board holds the open lobbies and the announcements that are due. It has no socket
// and no clock. What is due is derived from state, so that any number of changes
// costs one datagram.
type board struct {
	opts    *Options
	lobbies []*lobby // in order of opening
	gone    []uint32 // announced lobbies whose 0x33 is due
}

func (b *board) open(now time.Time, ad Advert) error {
	if ad.Port == 0 {
		ad.Port = b.opts.GamePort
	}
	ad.Type = cmp.Or(ad.Type, w3gs.GameTypeCustom)
	ad.Name = cut(ad.Name, w3gs.MaxGameNameLen)
	if err := ad.check(); err != nil {
		return err
	}
	if b.find(ad.GameID) != nil {
		return errOpen
	}
	b.lobbies = append(b.lobbies, &lobby{ad: ad, opened: now.Add(-ad.Age)})
	return nil
}

// update reports whether anything changed. An unknown lobby is ignored: its game
// may have started in the meantime.
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
	if b.lobbies[i].announced && len(b.lobbies[i].byUDP(b.opts)) > 0 {
		b.gone = append(b.gone, gameID)
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

// due returns the datagrams to send now, further ones for the targets only, and the
// next time when something is due: zero if only a change can make it so.
func (b *board) due(now time.Time) (out, push [][]byte, next time.Time) {
	for _, id := range b.gone {
		out = append(out, decreate(id))
	}
	b.gone = b.gone[:0]
	for _, l := range b.lobbies {
		if len(l.byUDP(b.opts)) == 0 {
			continue
		}
		regular := !now.Before(l.next)
		if !l.announced {
			out = append(out, l.creates(b.opts)...)
		}
		if !l.announced || l.changed || regular {
			out = append(out, l.refresh())
			l.show = l.show || b.opts.BroadcastInfo
			if b.opts.PushInfo && !l.show {
				push = append(push, l.infos(b.opts, now)...)
			}
		}
		if l.show {
			out = append(out, l.infos(b.opts, now)...)
		}
		if regular {
			l.next = l.nextRefresh(now, b.opts.interval)
		}
		l.announced, l.changed, l.show = true, false, false
		if next.IsZero() || l.next.Before(next) {
			next = l.next
		}
	}
	return out, push, next
}

// nextRefresh is the next regular 0x32 after now, a multiple of the interval after
// the lobby opened. Those missed while the machine was suspended are skipped.
func (l *lobby) nextRefresh(now time.Time, every time.Duration) time.Time {
	return l.opened.Add((now.Sub(l.opened)/every + 1) * every)
}

// asked returns the lobbies that a search is answered with: none for another
// product, version or lobby, all open ones for game id 0.
func (b *board) asked(s w3gs.SearchGame) (out []*lobby) {
	for _, l := range b.lobbies {
		if (s.GameID == 0 || s.GameID == l.ad.GameID) && b.shows(l, s) {
			out = append(out, l)
		}
	}
	return out
}

func (b *board) shows(l *lobby, s w3gs.SearchGame) bool {
	return s.Product == b.opts.Product && slices.Contains(l.byUDP(b.opts), s.Version)
}

// byUDP are the versions whose clients see the lobby and look for it by UDP.
func (l *lobby) byUDP(o *Options) []uint32 {
	return slices.DeleteFunc(slices.Clone(l.ad.Versions(o.Versions)), func(v uint32) bool { return w3gs.Version(v).UsesMDNS() })
}

// plays reports whether a search is for the product and one of the versions of the
// lobbies.
func (b *board) plays(s w3gs.SearchGame) bool {
	return s.Product == b.opts.Product && slices.Contains(b.opts.Versions, s.Version) ||
		slices.ContainsFunc(b.lobbies, func(l *lobby) bool { return b.shows(l, s) })
}
