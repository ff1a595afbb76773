package mdns

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"
)

// Allow reports whether a source address may receive an owner's services by unicast now.
type Allow func(now time.Time, from netip.Addr, owner uint32) bool

// parse decodes a question or an answer. It returns nil for other messages.
func parse(datagram []byte) *dns.Msg {
	m := &dns.Msg{}
	if len(datagram) < headerSize || m.Unpack(datagram) != nil || m.Opcode != dns.OpcodeQuery {
		return nil
	}
	return m
}

// matching returns the services that a message asks about. It omits from lists those that the asker already knows for
// long enough.
func (z *zone) matching(m *dns.Msg) (list []*service) {
	known := map[pointer]bool{} // a map, because strangers can send many questions and answers
	for _, rr := range m.Answer {
		if ptr, ok := rr.(*dns.PTR); ok && ptr.Hdr.Ttl >= otherTTL/2 {
			known[pointerTo(ptr.Hdr.Name, ptr.Ptr)] = true
		}
	}
	for _, s := range z.services {
		if s.established() && slices.ContainsFunc(m.Question, func(q dns.Question) bool { return z.concerns(s, q, known) }) {
			list = append(list, s)
		}
	}
	return list
}

// pointer is a PTR record in lower case.
type pointer struct{ name, target string }

func pointerTo(name, target string) pointer {
	return pointer{strings.ToLower(name), strings.ToLower(target)}
}

func (z *zone) concerns(s *service, q dns.Question, known map[pointer]bool) bool {
	switch name := q.Name; {
	case strings.EqualFold(name, s.instance), strings.EqualFold(name, z.host), strings.EqualFold(name, metaQuery):
		return true
	case q.Qtype != dns.TypePTR && q.Qtype != dns.TypeANY:
		return false
	case !strings.EqualFold(name, serviceType) &&
		!slices.ContainsFunc(s.Subtypes, func(sub string) bool { return strings.EqualFold(name, subtypeName(sub)) }):
		return false
	}
	return !known[pointerTo(q.Name, s.instance)]
}

// listen handles a multicast message received on a link and returns the answers to send by unicast.
func (z *zone) listen(now time.Time, l *link, m *dns.Msg, from netip.AddrPort, allow Allow) [][]byte {
	if m.Response {
		if from.Port() == Port {
			z.heard(now, m)
		}
		return nil
	}
	if len(m.Question) == 0 {
		return nil
	}
	if from.Port() != Port {
		return z.direct(now, m, from.Addr().WithZone(""), l.addresses, allow)
	}
	var quietly []*service
	for _, s := range z.matching(m) {
		switch {
		case len(m.Ns) > 0: // a probe: defend the name at once
			l.want(s, now, probePause)
		case m.Question[0].Qclass&unique != 0:
			if allow(now, from.Addr().WithZone(""), s.owner) {
				quietly = append(quietly, s)
			}
		default:
			l.want(s, now.Add(answerSoonest+rand.N(answerLatest-answerSoonest)), repeatPause)
		}
	}
	if len(m.Ns) > 0 {
		for _, s := range z.services {
			if s.probes > 0 && !s.established() && strings.EqualFold(s.instance, m.Question[0].Name) {
				z.probed(now, s, m.Ns)
			}
		}
	}
	return z.answers(&dns.Msg{Question: m.Question}, quietly, l.addresses, false)
}

// direct answers a question by unicast, in the format for ordinary DNS resolvers.
func (z *zone) direct(now time.Time, m *dns.Msg, from netip.Addr, addresses []record, allow Allow) [][]byte {
	list := slices.DeleteFunc(z.matching(m), func(s *service) bool { return !allow(now, from, s.owner) })
	return z.answers(m, list, addresses, true)
}

// answers builds messages that describe services, as many per message as fit: first the requested records, then those
// that are likely to be requested next. For names of this host without a requested record they include a negative
// answer.
func (z *zone) answers(m *dns.Msg, list []*service, addresses []record, legacy bool) (out [][]byte) {
	var questions []dns.Question
	if legacy {
		questions = m.Question
	}
	for len(list) > 0 {
		var message []byte
		n := 1
		for ; n <= len(list); n++ {
			records := slices.Concat(addresses, []record{typePointer})
			for _, s := range list[:n] {
				records = append(records, s.records(z.host)...)
			}
			records = append(records, z.missing(list[:n], addresses)...)
			answers, extra := split(records, m.Question)
			if legacy {
				plain(answers)
				plain(extra)
			}
			b, ok := compose(m.Id, flagAnswer, questions, answers, nil, extra)
			if !ok || n > 1 && len(b) > maxMessage {
				break
			}
			message = b
		}
		list = list[max(n-1, 1):]
		if message != nil {
			out = append(out, message)
		}
	}
	return out
}

// missing returns NSEC records with the existing types of the services' names and this host's name.
func (z *zone) missing(list []*service, addresses []record) (out []record) {
	var types []uint16
	for _, a := range addresses {
		types = append(types, a.kind)
	}
	out = append(out, nothingBut(z.host, hostTTL, types...))
	for _, s := range list {
		out = append(out, nothingBut(s.instance, otherTTL, dns.TypeTXT, dns.TypeSRV, typeData))
	}
	return out
}

// nothingBut returns an NSEC record: the name has only these types.
func nothingBut(name string, ttl uint32, types ...uint16) record {
	var bits [32]byte
	size := 0
	for _, t := range types {
		bits[t/8] |= 0x80 >> (t % 8)
		size = max(size, int(t/8)+1)
	}
	return record{name: name, kind: dns.TypeNSEC, class: dns.ClassINET | unique, ttl: ttl, target: name, data: append([]byte{0, byte(size)}, bits[:size]...)}
}

// split separates the records that a question asks for from the additional ones. An NSEC record counts as an answer if a
// requested record does not exist; otherwise it is omitted.
func split(records []record, questions []dns.Question) (answers, extra []record) {
	has := func(name string, kind uint16) bool {
		return slices.ContainsFunc(records, func(r record) bool { return r.kind == kind && strings.EqualFold(r.name, name) })
	}
	for _, r := range records {
		wanted := func(q dns.Question) bool {
			if !strings.EqualFold(q.Name, r.name) {
				return false
			}
			if r.kind == dns.TypeNSEC {
				return q.Qtype != dns.TypeANY && !has(r.name, q.Qtype)
			}
			return q.Qtype == r.kind || q.Qtype == dns.TypeANY
		}
		switch {
		case slices.ContainsFunc(questions, wanted):
			answers = append(answers, r)
		case r.kind != dns.TypeNSEC && r.name != metaQuery && r.name != serviceType:
			extra = append(extra, r)
		}
	}
	return answers, extra
}

// plain removes from records what only mDNS understands.
func plain(records []record) {
	for i := range records {
		records[i].class = dns.ClassINET
		records[i].ttl = min(records[i].ttl, legacyTTL)
	}
}
