package mdns

import (
	"bytes"
	"encoding/binary"
	"net/netip"

	"github.com/miekg/dns"
)

const (
	// serviceType is the service that hosts of every version publish.
	serviceType = "_blizzard._udp.local."
	// typeData is the type of the record that describes a game. IANA has given the number
	// to something else since; here it stands for bytes that only the game knows.
	typeData = 66

	metaQuery = "_services._dns-sd._udp.local." // asks which types of services there are

	// Records about a host live two minutes, all others 75 (RFC 6762, 10).
	hostTTL, otherTTL = 120, 4500
	// legacyTTL is as long as a resolver that is not of mDNS may keep an answer.
	legacyTTL = 10

	// unique in the class of a record: what others have of its name and type is old. In
	// that of a question: the answer may come by unicast.
	unique = 1 << 15

	// maxMessage bounds a message of several records; one record alone may be longer.
	maxMessage = 1400
	// messageSize is the longest message that RFC 6762 allows.
	messageSize = 9000
)

// record is a resource record. A PTR, SRV or NSEC has a name in it, which stands
// behind the data (in front of it for NSEC).
type record struct {
	name   string
	kind   uint16
	class  uint16
	ttl    uint32
	data   []byte
	target string
}

// message writes a message. Names are compressed everywhere, as responders do: the
// library would not compress those in SRV.
type message struct {
	b     [messageSize]byte
	n     int
	names map[string]int
}

const headerSize = 12

// flagAnswer has the flags of an answer: it is a response, and authoritative.
const flagAnswer = 1<<15 | 1<<10

// compose writes a message; ok is false if it would be too long.
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

// instanceName is the full name of an instance of the service, as the library writes
// names that it reads.
func instanceName(label string) string {
	label = label[:min(len(label), 63)]
	wire := append([]byte{byte(len(label))}, label...)
	for _, part := range dns.SplitDomainName(serviceType) {
		wire = append(append(wire, byte(len(part))), part...)
	}
	name, _, _ := dns.UnpackDomainName(append(wire, 0), 0)
	return name
}

// subtypeName is the full name of a subtype of the service, such as _w3xp2730.
func subtypeName(label string) string { return label + "._sub." + serviceType }

// address makes the record of a host's address.
func address(host string, addr netip.Addr) record {
	kind := dns.TypeA
	if addr.Is6() {
		kind = dns.TypeAAAA
	}
	return record{name: host, kind: kind, class: dns.ClassINET | unique, ttl: hostTTL, data: addr.AsSlice()}
}
