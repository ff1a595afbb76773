package mdns

import (
	"bytes"
	"encoding/binary"
	"net/netip"

	"github.com/miekg/dns"
)

const (
	// serviceType is the service published by hosts of every version.
	serviceType = "_blizzard._udp.local."
	// typeData is the type of the record that describes a game. IANA has since assigned the number to something else;
	// here its data is private to the game.
	typeData = 66

	metaQuery = "_services._dns-sd._udp.local." // asks which types of services exist

	// TTLs in seconds: two minutes for records about hosts, 75 minutes for others (RFC 6762, 10).
	hostTTL, otherTTL = 120, 4500
	// legacyTTL is the maximum TTL for ordinary DNS resolvers.
	legacyTTL = 10

	// unique is the cache-flush bit in the class of a record, and in that of a question the wish for a unicast answer.
	unique = 1 << 15

	// maxMessage limits messages with several records; a single record may be longer.
	maxMessage = 1400
	// messageSize is the maximum message length of RFC 6762.
	messageSize = 9000
)

// record is a resource record. PTR, SRV and NSEC records contain a target name, which follows the data (for NSEC it
// precedes the data).
type record struct {
	name   string
	kind   uint16
	class  uint16
	ttl    uint32
	data   []byte
	target string
}

// message is an encoder. It compresses all names, as responders do; the dns library does not compress those in SRV.
type message struct {
	b     [messageSize]byte
	n     int
	names map[string]int
}

const headerSize = 12

// flagAnswer has the flags of an authoritative response.
const flagAnswer = 1<<15 | 1<<10

// compose encodes a message. ok is false if it would be too long.
func compose(id, flags uint16, questions []dns.Question, answers, authority, extra []record) (b []byte, ok bool) {
	m := &message{n: headerSize, names: map[string]int{}}
	for i, v := range []int{int(id), int(flags), len(questions), len(answers), len(authority), len(extra)} {
		binary.BigEndian.PutUint16(m.b[2*i:], uint16(v))
	}
	for _, q := range questions {
		if !m.name(q.Name) || !m.u16(q.Qtype) || !m.u16(q.Qclass) {
			return nil, false
		}
	}
	for _, section := range [][]record{answers, authority, extra} {
		for i := range section {
			if !m.record(&section[i]) {
				return nil, false
			}
		}
	}
	return bytes.Clone(m.b[:m.n]), true
}

func (m *message) record(r *record) bool {
	if !m.name(r.name) || !m.u16(r.kind) || !m.u16(r.class) || !m.u16(uint16(r.ttl>>16)) || !m.u16(uint16(r.ttl)) || !m.u16(0) {
		return false
	}
	at := m.n
	if r.kind == dns.TypeNSEC && !m.name(r.target) || !m.bytes(r.data) {
		return false
	}
	if r.target != "" && r.kind != dns.TypeNSEC && !m.name(r.target) {
		return false
	}
	binary.BigEndian.PutUint16(m.b[at-2:], uint16(m.n-at))
	return true
}

func (m *message) name(name string) bool {
	n, err := dns.PackDomainName(name, m.b[:], m.n, m.names, true)
	if err != nil {
		return false
	}
	m.n = n
	return true
}

func (m *message) u16(v uint16) bool { return m.bytes([]byte{byte(v >> 8), byte(v)}) }

func (m *message) bytes(b []byte) bool {
	if m.n+len(b) > len(m.b) {
		return false
	}
	m.n += copy(m.b[m.n:], b)
	return true
}

// instanceName returns the full name of an instance of the service, in the form in which the dns library returns names.
func instanceName(label string) string {
	label = label[:min(len(label), 63)]
	wire := append([]byte{byte(len(label))}, label...)
	for _, part := range dns.SplitDomainName(serviceType) {
		wire = append(append(wire, byte(len(part))), part...)
	}
	name, _, _ := dns.UnpackDomainName(append(wire, 0), 0)
	return name
}

// subtypeName returns the full name of a subtype of the service, such as _w3xp2730.
func subtypeName(label string) string { return label + "._sub." + serviceType }

// address returns the record of a host's address.
func address(host string, addr netip.Addr) record {
	kind := dns.TypeA
	if addr.Is6() {
		kind = dns.TypeAAAA
	}
	return record{name: host, kind: kind, class: dns.ClassINET | unique, ttl: hostTTL, data: addr.AsSlice()}
}
