package mdns

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"
	"golang.org/x/time/rate"
)

const (
	// A name is probed three times before it is used (RFC 6762, 8.1).
	probes     = 3
	probePause = 250 * time.Millisecond
	// lostPause is how long a service waits after losing a simultaneous probe for a name.
	lostPause = time.Second
	// maxConflicts is the number of conflicts after which probes are conflictPause apart.
	maxConflicts  = 15
	conflictPause = 5 * time.Second

	// repeatPause is the minimum time between two announcements, and between two multicast answers about one service.
	repeatPause = time.Second
	// Answers that several hosts may give are delayed by a random time from answerSoonest to answerLatest, to avoid
	// collisions.
	answerSoonest, answerLatest = 20 * time.Millisecond, 120 * time.Millisecond

	// linkRate and linkBurst limit the multicast answers on each interface, in messages per second, because strangers
	// can cause them.
	linkRate, linkBurst = 100, 200
)

// zone holds the services published by this machine and their deadlines. It has no socket and no clock.
type zone struct {
	host     string // full name of this host
	services []*service
	links    []*link
	gone     []*service // services whose goodbye is due
}

// link is one interface with one IP version.
type link struct {
	addresses []record // addresses of this host on the link
	last, due map[*service]time.Time
	answers   *rate.Limiter
	send      func(message []byte)
}

func newLink(addresses []record, send func([]byte)) *link {
	return &link{
		addresses: addresses, last: map[*service]time.Time{}, due: map[*service]time.Time{},
		answers: rate.NewLimiter(linkRate, linkBurst), send: send,
	}
}

// set replaces the services of an owner.
func (z *zone) set(now time.Time, owner uint32, list []Service) {
	var had []*service
	z.services = slices.DeleteFunc(z.services, func(s *service) bool {
		if s.owner == owner {
			had = append(had, s)
		}
		return s.owner == owner
	})
	for i := range list {
		var s *service
		if at := slices.IndexFunc(had, func(s *service) bool {
			return s.Name == list[i].Name && s.Port == list[i].Port && slices.Equal(s.Subtypes, list[i].Subtypes)
		}); at >= 0 {
			s = had[at]
			had = slices.Delete(had, at, at+1)
			if !bytes.Equal(s.Data, list[i].Data) {
				s.Data = list[i].Data
				z.changed(now, s)
			}
		} else {
			s = &service{Service: list[i], owner: owner, next: now.Add(rand.N(probePause))}
			s.rename(z.taken)
		}
		z.services = append(z.services, s)
	}
	for _, s := range had {
		if s.established() {
			z.gone = append(z.gone, s)
		}
		z.forget(s)
	}
}

func (z *zone) taken(instance string) bool { return z.find(instance) != nil }

func (z *zone) forget(s *service) {
	for _, l := range z.links {
		delete(l.last, s)
		delete(l.due, s)
	}
}

// changed schedules an announcement on all links.
func (z *zone) changed(now time.Time, s *service) {
	if s.established() {
		for _, l := range z.links {
			l.want(s, now, repeatPause)
		}
	}
}

// want schedules an answer about a service, but not within pause after the last one.
func (l *link) want(s *service, at time.Time, pause time.Duration) {
	if last, ok := l.last[s]; ok && at.Before(last.Add(pause)) {
		at = last.Add(pause)
	}
	if due, ok := l.due[s]; !ok || at.Before(due) {
		l.due[s] = at
	}
}

// add adds a link and schedules announcements on it.
func (z *zone) add(now time.Time, l *link) {
	z.links = append(z.links, l)
	for _, s := range z.services {
		if s.established() {
			l.want(s, now, 0)
		}
	}
}

// sending is a message for a link.
type sending struct {
	to      *link
	message []byte
}

// pass returns the messages that are due and the time of the next ones, which is zero if only a change can cause some.
func (z *zone) pass(now time.Time) (out []sending, next time.Time) {
	for _, s := range z.gone {
		for _, l := range z.links {
			out = append(out, sending{l, s.announcement(z.host, nil, true)})
		}
	}
	z.gone = nil
	soonest := func(at time.Time) {
		if !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	for _, s := range z.services {
		if !s.next.IsZero() && !now.Before(s.next) {
			out = append(out, z.step(now, s)...)
		}
		soonest(s.next)
		for _, l := range z.links {
			due, waits := l.due[s]
			switch {
			case !waits:
				continue
			case now.Before(due):
			case !l.answers.AllowN(now, 1):
				due = now.Add(answerLatest)
			default:
				delete(l.due, s)
				l.last[s] = now
				out = append(out, sending{l, s.announcement(z.host, l.addresses, false)})
				continue
			}
			soonest(due)
		}
	}
	return out, next
}

// step performs the next probe or announcement of a service.
func (z *zone) step(now time.Time, s *service) (out []sending) {
	if s.probes < probes {
		s.probes++
		s.next = now.Add(probePause)
		for _, l := range z.links {
			out = append(out, sending{l, s.probe(z.host)})
		}
		return out
	}
	s.said++
	s.next = time.Time{}
	if s.said == 1 {
		s.next = now.Add(repeatPause)
	}
	z.changed(now, s)
	return nil
}

// lost handles a conflict: another host has or wants the name of a service.
func (z *zone) lost(now time.Time, s *service) {
	s.conflicts++
	again := now
	if s.conflicts > maxConflicts {
		again = now.Add(conflictPause)
	}
	if !s.established() {
		s.rename(z.taken) // otherwise the other host may be wrong: probe for the same name once more
	}
	z.forget(s)
	s.reprobe(again)
}

// heard checks other hosts' answers for conflicts.
func (z *zone) heard(now time.Time, m *dns.Msg) {
	for _, rr := range slices.Concat(m.Answer, m.Extra) {
		srv, ok := rr.(*dns.SRV)
		if !ok || srv.Hdr.Ttl == 0 {
			continue
		}
		if s := z.find(srv.Hdr.Name); s != nil && !z.own(s, srv) && s.probes > 0 {
			z.lost(now, s)
		}
	}
}

func (z *zone) find(instance string) *service {
	for _, s := range z.services {
		if strings.EqualFold(s.instance, instance) {
			return s
		}
	}
	return nil
}

// own reports whether a record is one of this zone's, because its messages come back to it.
func (z *zone) own(s *service, srv *dns.SRV) bool {
	return srv.Port == s.Port && strings.EqualFold(srv.Target, z.host)
}

// probed resolves simultaneous probes for a name: the host whose record is lexicographically later wins (RFC 6762, 8.2).
func (z *zone) probed(now time.Time, s *service, authority []dns.RR) {
	var theirs []dns.RR
	for _, rr := range authority {
		if srv, ok := rr.(*dns.SRV); ok && strings.EqualFold(srv.Hdr.Name, s.instance) && z.own(s, srv) {
			return // the zone's own probe
		}
		if strings.EqualFold(rr.Header().Name, s.instance) {
			theirs = append(theirs, rr)
		}
	}
	if len(theirs) == 0 {
		return
	}
	ours := []dns.RR{&dns.SRV{
		Hdr: dns.RR_Header{Name: s.instance, Rrtype: dns.TypeSRV, Class: dns.ClassINET}, Port: s.Port, Target: z.host,
	}}
	if slices.CompareFunc(sorted(ours), sorted(theirs), bytes.Compare) < 0 {
		s.reprobe(now.Add(lostPause))
	}
}

// sorted returns class, type and data of records in lexicographical order.
func sorted(list []dns.RR) (keys [][]byte) {
	for _, rr := range list {
		h := rr.Header()
		buf := make([]byte, messageSize)
		end, err := dns.PackRR(rr, buf, 0, nil, false)
		at, nameErr := dns.PackDomainName(h.Name, make([]byte, 256), 0, nil, false)
		if err != nil || nameErr != nil {
			continue
		}
		class := h.Class &^ unique
		keys = append(keys, append([]byte{byte(class >> 8), byte(class), byte(h.Rrtype >> 8), byte(h.Rrtype)}, buf[at+10:end]...))
	}
	slices.SortFunc(keys, bytes.Compare)
	return keys
}
