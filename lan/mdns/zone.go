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
	// A name is asked for three times before it is used (RFC 6762, 8.1).
	probes     = 3
	probePause = 250 * time.Millisecond
	// lostPause is how long a service waits that has lost a name to another that probes for it.
	lostPause = time.Second
	// maxConflicts is how many there may be before conflictPause between two tries.
	maxConflicts  = 15
	conflictPause = 5 * time.Second

	// repeatPause is between two announcements, and between two answers that tell of one
	// service by multicast.
	repeatPause = time.Second
	// An answer that several hosts may give waits for a random time from answerSoonest to
	// answerLatest, so that they do not all speak at once.
	answerSoonest, answerLatest = 20 * time.Millisecond, 120 * time.Millisecond

	// linkRate and linkBurst bound the answers by multicast to each interface, in
	// messages a second: strangers ask for them.
	linkRate, linkBurst = 100, 200
)

// zone holds the services that this machine publishes, and their deadlines. It has no socket and no
// clock.
type zone struct {
	host     string // full name of this host
	services []*service
	links    []*link
	gone     []*service // whose good-bye is due
}

// link is one interface as one protocol sees it.
type link struct {
	addresses []record // of this host there
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

// set makes these the services of an owner.
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

// changed makes an announcement due everywhere.
func (z *zone) changed(now time.Time, s *service) {
	if s.established() {
		for _, l := range z.links {
			l.want(s, now, repeatPause)
		}
	}
}

// want makes an answer about a service due at a time, but not within pause after the last one.
func (l *link) want(s *service, at time.Time, pause time.Duration) {
	if last, ok := l.last[s]; ok && at.Before(last.Add(pause)) {
		at = last.Add(pause)
	}
	if due, ok := l.due[s]; !ok || at.Before(due) {
		l.due[s] = at
	}
}

// add takes a new link, on which everything is announced.
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

// pass returns the messages that are due, and when to look again: zero if only a change can make
// something due.
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

// step is the next probe of a service, or its next announcement.
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

// lost takes a record of others about a name that is ours: a service that has it, or wants it.
func (z *zone) lost(now time.Time, s *service) {
	s.conflicts++
	again := now
	if s.conflicts > maxConflicts {
		again = now.Add(conflictPause)
	}
	if !s.established() {
		s.rename(z.taken) // else the other one may be wrong: probe for the same name once more
	}
	z.forget(s)
	s.reprobe(again)
}

// heard looks for conflicts in the answers of others.
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

// own reports whether a record is one of this zone's own: its messages come back to it.
func (z *zone) own(s *service, srv *dns.SRV) bool {
	return srv.Port == s.Port && strings.EqualFold(srv.Target, z.host)
}

// probed settles who gets a name that two probe for at once: the one with the record that
// comes later in the alphabet (RFC 6762, 8.2).
func (z *zone) probed(now time.Time, s *service, authority []dns.RR) {
	var theirs []dns.RR
	for _, rr := range authority {
		if srv, ok := rr.(*dns.SRV); ok && strings.EqualFold(srv.Hdr.Name, s.instance) && z.own(s, srv) {
			return // our own probe
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

// sorted are class, type and data of records, in the order of the alphabet.
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
