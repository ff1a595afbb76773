package mdns

import (
	"cmp"
	"encoding/hex"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/miekg/dns"
	"golang.org/x/net/ipv4"
)

// Question returns a question for the instances of a subtype.
func Question(subtype string) []byte {
	return ask(subtypeName(subtype), dns.TypePTR)
}

// More returns a question for the records missing from the answers about an instance.
func More(e Instance) []byte {
	return ask(e.Name, typeData, dns.TypeSRV)
}

// ask encodes questions for records of a name.
func ask(name string, kinds ...uint16) []byte {
	var questions []dns.Question
	for _, kind := range kinds {
		questions = append(questions, dns.Question{Name: name, Qtype: kind, Qclass: dns.ClassINET})
	}
	b, _ := compose(0, 0, questions, nil, nil, nil)
	return b
}

// Ask sends a question to the multicast group on every interface, from a socket on another port than mDNS, so that
// answers come back by unicast. It returns an error only if it could not send on any interface.
func Ask(conn *net.UDPConn, message []byte) (err error) {
	p, sent := ipv4.NewPacketConn(conn), false
	err = errNoNetwork
	for at, n := range multicastInterfaces(netip.IPv4Unspecified()) {
		if at.six {
			continue
		}
		fault := p.SetMulticastInterface(&net.Interface{Index: at.index, Name: n.name})
		if fault == nil {
			_, fault = conn.WriteToUDPAddrPort(message, group4)
		}
		sent, err = sent || fault == nil, cmp.Or(fault, err)
	}
	if sent {
		return nil
	}
	return err
}

var errNoNetwork = errors.New("no interface for multicast DNS is up")

// maxSubtypes is the maximum number of subtypes stored for one instance.
const maxSubtypes = 32

// Instance is an instance of the service, collected from answers.
type Instance struct {
	Name     string
	Subtypes []string // subtypes under which it was found
	Data     []byte
	Host     string
	Addr     netip.Addr // IPv4 address of the host
	Gone     bool
}

// Read returns the instances described in an answer.
func Read(datagram []byte) (entries []Instance) {
	m := parse(datagram)
	if m == nil || !m.Response {
		return nil
	}
	at := map[string]int{} // by instance name in lower case
	of := func(instance string) *Instance {
		key := strings.ToLower(instance)
		if _, known := at[key]; !known {
			at[key] = len(entries)
			entries = append(entries, Instance{Name: instance})
		}
		return &entries[at[key]]
	}
	addrs := map[string]netip.Addr{}
	for _, rr := range append(m.Answer, m.Extra...) {
		name := strings.ToLower(rr.Header().Name)
		ours := strings.HasSuffix(name, "."+serviceType)
		switch rr := rr.(type) {
		case *dns.PTR:
			if subtype, found := strings.CutSuffix(name, "._sub."+serviceType); found {
				e := of(rr.Ptr)
				e.Subtypes, e.Gone = append(e.Subtypes, subtype), rr.Hdr.Ttl == 0
			}
		case *dns.SRV:
			if ours {
				of(rr.Hdr.Name).Host = rr.Target
			}
		case *dns.A:
			if addr, fine := netip.AddrFromSlice(rr.A.To4()); fine {
				addrs[name] = addr
			}
		case *dns.RFC3597:
			if ours && rr.Hdr.Rrtype == typeData {
				of(rr.Hdr.Name).Data, _ = hex.DecodeString(rr.Rdata) // hexadecimal, as the dns library formats it
			}
		}
	}
	for i := range entries {
		entries[i].Addr = addrs[strings.ToLower(entries[i].Host)]
	}
	return entries
}

// Update merges a further answer about the same instance.
func (e *Instance) Update(news Instance) {
	e.Name, e.Gone = news.Name, news.Gone
	for _, subtype := range news.Subtypes {
		if !slices.Contains(e.Subtypes, subtype) && len(e.Subtypes) < maxSubtypes {
			e.Subtypes = append(e.Subtypes, subtype)
		}
	}
	if news.Data != nil {
		e.Data = news.Data
	}
	e.Host, e.Addr = cmp.Or(news.Host, e.Host), cmp.Or(news.Addr, e.Addr)
}

// Complete reports whether no more questions are necessary. A host need not announce its address; then the sender of the
// answer is used.
func (e *Instance) Complete() bool { return e.Data != nil && e.Host != "" && len(e.Subtypes) > 0 }
