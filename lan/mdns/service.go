package mdns

import (
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/miekg/dns"
)

// Service is an instance of the service, visible to clients of some versions.
type Service struct {
	Name     string   // a number is appended if another host uses the name
	Subtypes []string // labels, such as _w3xp2730
	Port     uint16
	Data     []byte // data of the record of typeData
}

// service is a Service with the state of its announcement.
type service struct {
	Service
	owner     uint32 // see Responder.Set
	number    int    // number appended to the name; 1 is omitted
	instance  string // full name
	probes    int    // number of probes sent under this name
	said      int    // number of announcements since
	next      time.Time
	conflicts int
}

// established reports whether the name was verified to be free.
func (s *service) established() bool { return s.probes >= probes && s.said > 0 }

// rename gives the service the next free name.
func (s *service) rename(taken func(instance string) bool) {
	for {
		s.number++
		label := s.Name
		if s.number > 1 {
			behind := fmt.Sprintf(" (%d)", s.number)
			label = label[:min(len(label), 63-len(behind))]
			for !utf8.ValidString(label) && utf8.ValidString(s.Name) {
				label = label[:len(label)-1]
			}
			label += behind
		}
		if instance := instanceName(label); !taken(instance) {
			s.instance = instance
			return
		}
	}
}

// reprobe restarts probing for the name at a time.
func (s *service) reprobe(at time.Time) { s.probes, s.said, s.next = 0, 0, at }

// typePointer answers the question for the existing types of services.
var typePointer = record{name: metaQuery, kind: dns.TypePTR, class: dns.ClassINET, ttl: otherTTL, target: serviceType}

// records returns all records of the service: the pointers to it and its own.
func (s *service) records(host string) []record {
	const in, own = dns.ClassINET, dns.ClassINET | unique
	out := []record{{name: serviceType, kind: dns.TypePTR, class: in, ttl: otherTTL, target: s.instance}}
	for _, sub := range s.Subtypes {
		out = append(out, record{name: subtypeName(sub), kind: dns.TypePTR, class: in, ttl: otherTTL, target: s.instance})
	}
	return append(out,
		record{name: s.instance, kind: dns.TypeSRV, class: own, ttl: hostTTL, data: []byte{0, 0, 0, 0, byte(s.Port >> 8), byte(s.Port)}, target: host},
		record{name: s.instance, kind: dns.TypeTXT, class: own, ttl: otherTTL, data: []byte{0}},
		record{name: s.instance, kind: typeData, class: own, ttl: otherTTL, data: s.Data},
	)
}

// probe builds the question whether another host uses the name, with the record that would be published.
func (s *service) probe(host string) []byte {
	srv := s.records(host)[len(s.Subtypes)+1]
	srv.class = dns.ClassINET
	b, _ := compose(0, 0, []dns.Question{{Name: s.instance, Qtype: dns.TypeANY, Qclass: dns.ClassINET | unique}}, nil, []record{srv}, nil)
	return b
}

// announcement builds the announcement of the service or, with goodbye, its withdrawal.
func (s *service) announcement(host string, addresses []record, goodbye bool) []byte {
	records := s.records(host)
	if goodbye {
		for i := range records {
			records[i].ttl = 0
		}
	} else { // a goodbye must not include records of other services
		records = slices.Concat(records, []record{typePointer}, addresses)
	}
	b, _ := compose(0, flagAnswer, nil, records, nil, nil)
	return b
}
