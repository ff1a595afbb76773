package mdns

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What a client asks and what a host probes with, captured from programs for 1.32
// (wc3tools/wc3-samples: mdns_query, mdns_answer_1).
const (
	capturedQuery = "000000000001000000000000095f7733787032373330045f737562095f626c697a7a617264045f756470056c6f63616c00000c0001"
	capturedProbe = "00000000000100000001000003666c6f095f626c697a7a617264045f756470056c6f63616c0000ff8001c00c0021000100000078000f000000001be806462d32303139c01f"
)

func unhex(text string) []byte {
	b, _ := hex.DecodeString(text)
	return b
}

func TestCaptures(t *testing.T) {
	if got := hex.EncodeToString(Question("_w3xp2730")); got != capturedQuery {
		t.Errorf("got  %s\nwant %s", got, capturedQuery)
	}
	s := &service{Service: Service{Name: "flo", Port: 7144}, instance: instanceName("flo")}
	if got := hex.EncodeToString(s.probe("F-2019.local.")); got != capturedProbe {
		t.Errorf("got  %s\nwant %s", got, capturedProbe)
	}
	m := parse(unhex(capturedProbe))
	srv := m.Ns[0].(*dns.SRV)
	if m.Question[0].Name != "flo._blizzard._udp.local." || srv.Port != 7144 || srv.Target != "F-2019.local." || srv.Hdr.Ttl != 120 {
		t.Errorf("read as %v", m)
	}
}

// The captures are those of the files.
func TestCapturedFiles(t *testing.T) {
	for name, want := range map[string]string{"mdns_query.bin": capturedQuery, "mdns_answer_1.bin": capturedProbe} {
		b, err := os.ReadFile(filepath.Join("../../../shared/testdata/packets/lan", name))
		if err != nil {
			t.Skipf("SKIP: needs captures: %v", err)
		}
		if hex.EncodeToString(b) != want {
			t.Errorf("%s has other bytes", name)
		}
	}
}

// room is a network of zones without sockets: what one sends, all hear, itself included.
type room struct {
	t     *testing.T
	now   time.Time
	zones []*zone
	allow Allow
	// sent counts the messages by multicast.
	sent []*dns.Msg
}

var roomAddr = netip.MustParseAddr("10.0.0.1")

func newRoom(t *testing.T) *room {
	return &room{t: t, now: time.Unix(1000, 0), allow: func(time.Time, netip.Addr, uint32) bool { return true }}
}

func (r *room) host(name string) *zone {
	z := &zone{host: name + ".local."}
	z.add(r.now, newLink([]record{address(z.host, roomAddr)}, nil))
	r.zones = append(r.zones, z)
	return z
}

// run lets time pass.
func (r *room) run(d time.Duration) {
	for end := r.now.Add(d); r.now.Before(end); r.now = r.now.Add(5 * time.Millisecond) {
		for _, z := range r.zones {
			out, _ := z.pass(r.now)
			for _, s := range out {
				r.hear(s.message)
			}
		}
	}
}

func (r *room) hear(message []byte) {
	r.t.Helper()
	m := parse(message)
	if m == nil {
		r.t.Fatalf("cannot read % X", message)
	}
	r.sent = append(r.sent, m)
	for _, z := range r.zones {
		z.listen(r.now, z.links[0], m, netip.AddrPortFrom(roomAddr, Port), r.allow)
	}
}

// ask asks by unicast and returns what is answered.
func (r *room) ask(z *zone, name string, kind uint16, known ...record) []*dns.Msg {
	b, _ := compose(7, 0, []dns.Question{{Name: name, Qtype: kind, Qclass: dns.ClassINET}}, known, nil, nil)
	var out []*dns.Msg
	for _, b := range z.direct(r.now, parse(b), roomAddr, z.links[0].addresses, r.allow) {
		out = append(out, parse(b))
	}
	return out
}

func (r *room) names(z *zone) (list []string) {
	for _, s := range z.services {
		if s.established() {
			label, _, _ := strings.Cut(s.instance, "._blizzard")
			list = append(list, strings.ReplaceAll(label, `\`, ""))
		}
	}
	slices.Sort(list)
	return list
}

func game(name string) Service {
	return Service{Name: name, Subtypes: []string{"_w3xp2734"}, Port: 6112, Data: []byte("data of " + name)}
}

// A name is probed for three times, announced twice, and taken back.
func TestLifeOfAService(t *testing.T) {
	r := newRoom(t)
	z := r.host("a")
	z.set(r.now, 1, []Service{game("fun")})
	r.run(5 * time.Second)
	var story []string
	for _, m := range r.sent {
		switch {
		case !m.Response && len(m.Ns) == 1:
			story = append(story, "probe")
		case m.Response && len(m.Answer) == 7:
			story = append(story, "announcement")
		}
	}
	if got := strings.Join(story, " "); got != "probe probe probe announcement announcement" || len(r.sent) != 5 {
		t.Fatalf("%s", got)
	}
	changed := game("fun")
	changed.Data = []byte("other")
	z.set(r.now, 1, []Service{changed})
	r.run(time.Second)
	last := r.sent[len(r.sent)-1]
	if len(r.sent) != 6 || !slices.ContainsFunc(last.Answer, func(rr dns.RR) bool {
		raw, ok := rr.(*dns.RFC3597)
		return ok && raw.Hdr.Rrtype == typeData && raw.Hdr.Class == dns.ClassINET|unique && raw.Rdata == hex.EncodeToString([]byte("other"))
	}) {
		t.Errorf("the change is not announced: %v", last)
	}
	z.set(r.now, 1, nil)
	r.run(time.Second)
	last = r.sent[len(r.sent)-1]
	if len(r.sent) != 7 || len(last.Answer) != 5 {
		t.Fatalf("no good-bye: %v", last)
	}
	for _, rr := range last.Answer {
		if rr.Header().Ttl != 0 {
			t.Errorf("not taken back: %v", rr)
		}
	}
}

// Two hosts with a game of one name: who comes later has another, and so has the
// second game of one host.
func TestEqualNames(t *testing.T) {
	r := newRoom(t)
	a, b := r.host("a"), r.host("b")
	a.set(r.now, 1, []Service{game("fun")})
	r.run(3 * time.Second)
	b.set(r.now, 1, []Service{game("FUN")})
	r.run(5 * time.Second)
	a.set(r.now, 2, []Service{game("fun")})
	r.run(5 * time.Second)
	if got, want := r.names(a), []string{"fun", "fun (3)"}; !slices.Equal(got, want) {
		t.Errorf("the first has %q, want %q", got, want)
	}
	if got := r.names(b); !slices.Equal(got, []string{"FUN (2)"}) {
		t.Errorf("the second has %q", got)
	}
}

// Both probe at the same time.
func TestEqualNamesAtOnce(t *testing.T) {
	for range 20 {
		r := newRoom(t)
		a, b := r.host("a"), r.host("b")
		a.set(r.now, 1, []Service{game("fun")})
		b.set(r.now, 1, []Service{game("fun")})
		r.run(8 * time.Second)
		names := slices.Concat(r.names(a), r.names(b))
		slices.Sort(names)
		if !slices.Equal(names, []string{"fun", "fun (2)"}) {
			t.Fatalf("they have %q", names)
		}
	}
}

// Two networks that did not hear each other have been joined.
func TestEqualNamesMeet(t *testing.T) {
	r := newRoom(t)
	a := r.host("a")
	a.set(r.now, 1, []Service{game("fun")})
	r.run(3 * time.Second)
	r.zones = nil
	b := r.host("b")
	b.set(r.now, 1, []Service{game("fun")})
	r.run(3 * time.Second)
	r.zones = []*zone{a, b}
	r.hear(b.services[0].announcement(b.host, nil, false))
	r.run(8 * time.Second)
	if slices.Equal(r.names(a), r.names(b)) || len(r.names(a)) != 1 || len(r.names(b)) != 1 {
		t.Errorf("they have %q and %q", r.names(a), r.names(b))
	}
}

// Any number of questions by multicast costs an answer a second; who knows the answer
// gets none.
func TestManyQuestions(t *testing.T) {
	r := newRoom(t)
	z := r.host("a")
	z.set(r.now, 1, []Service{game("fun")})
	r.run(5 * time.Second)
	r.sent = nil
	for range 1000 {
		r.zones[0].listen(r.now, z.links[0], parse(Question("_w3xp2734")), netip.AddrPortFrom(roomAddr, Port), r.allow)
		r.run(5 * time.Millisecond)
	}
	if n := len(r.sent); n < 4 || n > 6 {
		t.Errorf("%d answers in five seconds", n)
	}
	r.run(time.Second)
	r.sent = nil
	s := z.services[0]
	b, _ := compose(0, 0, []dns.Question{{Name: subtypeName("_w3xp2734"), Qtype: dns.TypePTR, Qclass: dns.ClassINET}},
		[]record{{name: subtypeName("_w3xp2734"), kind: dns.TypePTR, class: dns.ClassINET, ttl: otherTTL, target: s.instance}}, nil, nil)
	z.listen(r.now, z.links[0], parse(b), netip.AddrPortFrom(roomAddr, Port), r.allow)
	r.run(time.Second)
	if len(r.sent) != 0 {
		t.Errorf("a known answer is given: %v", r.sent)
	}
}

// What the asker knows is not gone through again for each question: strangers fill messages with both.
func TestManyKnownAnswers(t *testing.T) {
	r := newRoom(t)
	z := r.host("a")
	m := &dns.Msg{}
	for i := range uint32(5) {
		z.set(r.now, i, []Service{game(strings.Repeat("x", int(i)+1))})
	}
	r.run(5 * time.Second)
	for range 1000 {
		m.Question = append(m.Question, dns.Question{Name: serviceType, Qtype: dns.TypePTR, Qclass: dns.ClassINET})
	}
	know := func(target string) {
		m.Answer = append(m.Answer, &dns.PTR{Hdr: dns.RR_Header{Name: serviceType, Ttl: otherTTL}, Ptr: target})
	}
	matched := func(others int) (fastest time.Duration) {
		m.Answer = nil
		for range others {
			know("other." + serviceType)
		}
		for _, s := range z.services {
			know(s.instance)
		}
		fastest = time.Hour
		for range 5 {
			began := time.Now()
			if list := z.matching(m); len(list) > 0 {
				t.Errorf("%d services are told to who knows them", len(list))
			}
			fastest = min(fastest, time.Since(began))
		}
		return fastest
	}
	if few, many := matched(0), matched(300); many > 5*few {
		t.Errorf("it takes %v with 5 known answers, and %v with 305", few, many)
	}
}

// Answers by unicast: all kinds of records, what there is not, and the limit.
func TestUnicast(t *testing.T) {
	r := newRoom(t)
	z := r.host("a")
	for i := range uint32(12) {
		s := game(strings.Repeat("x", 10) + string(rune('a'+i)))
		s.Data = bytes.Repeat([]byte{1}, 300)
		z.set(r.now, i, []Service{s})
	}
	r.run(5 * time.Second)
	instance := z.services[0].instance
	for _, tt := range []struct {
		name     string
		kind     uint16
		messages int
		answers  int // of the first
		first    uint16
	}{
		{subtypeName("_w3xp2734"), dns.TypePTR, 4, 3, dns.TypePTR},
		{strings.ToUpper(serviceType), dns.TypePTR, 4, 3, dns.TypePTR},
		{subtypeName("_w3xp2733"), dns.TypePTR, 0, 0, 0},
		{instance, dns.TypeSRV, 1, 1, dns.TypeSRV},
		{instance, dns.TypeTXT, 1, 1, dns.TypeTXT},
		{instance, typeData, 1, 1, typeData},
		{instance, dns.TypeANY, 1, 3, dns.TypeSRV},
		{instance, dns.TypeAAAA, 1, 1, dns.TypeNSEC},
		{"other." + serviceType, dns.TypeANY, 0, 0, 0},
	} {
		got := r.ask(z, tt.name, tt.kind)
		if len(got) != tt.messages {
			t.Errorf("%s %d: %d messages, want %d", tt.name, tt.kind, len(got), tt.messages)
			continue
		}
		if got == nil {
			continue
		}
		m := got[0]
		if len(m.Answer) != tt.answers || m.Answer[0].Header().Rrtype != tt.first || m.Id != 7 || len(m.Question) != 1 {
			t.Errorf("%s %d: %v", tt.name, tt.kind, m)
		}
		for _, rr := range slices.Concat(m.Answer, m.Extra) {
			if rr.Header().Ttl > legacyTTL || rr.Header().Class&unique != 0 {
				t.Errorf("a resolver that is not of mDNS is told %v", rr)
			}
		}
	}
	r.allow = func(_ time.Time, _ netip.Addr, owner uint32) bool { return owner == 3 }
	if got := r.ask(z, serviceType, dns.TypePTR); len(got) != 1 || len(got[0].Answer) != 1 {
		t.Errorf("beyond the limit: %v", got)
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"fun", "a.b c", "当地局域网内的游戏", strings.Repeat("é", 31), `back\slash`, "Abend im Büro (2)"} {
		s := &service{Service: Service{Name: name}}
		s.rename(func(instance string) bool { return instance == instanceName(name) })
		for _, instance := range []string{instanceName(name), s.instance} {
			b := make([]byte, 256)
			end, err := dns.PackDomainName(instance, b, 0, nil, false)
			if err != nil || end < len(name) {
				t.Errorf("%q: %q cannot be written: %v", name, instance, err)
				continue
			}
			if label := string(b[1 : 1+b[0]]); !strings.HasPrefix(label, name[:min(len(name), 55)]) {
				t.Errorf("%q is written as %q", name, label)
			}
		}
	}
}

func FuzzListen(f *testing.F) {
	s := &service{Service: game("fun"), instance: instanceName("fun")}
	for _, b := range [][]byte{unhex(capturedQuery), unhex(capturedProbe), s.announcement("a.local.", []record{address("a.local.", roomAddr)}, false), s.probe("a.local.")} {
		f.Add(b, true)
		f.Add(b, false)
	}
	f.Fuzz(func(t *testing.T, b []byte, own bool) {
		Read(b)
		m := parse(b)
		if m == nil {
			return
		}
		r := newRoom(t)
		z := r.host("a")
		z.set(r.now, 1, []Service{game("fun")})
		r.run(time.Second + 500*time.Millisecond)
		port := uint16(Port)
		if !own {
			port++
		}
		size := 0
		for _, out := range z.listen(r.now, z.links[0], m, netip.AddrPortFrom(roomAddr, port), r.allow) {
			size += len(out)
			if parse(out) == nil {
				t.Errorf("answered with % X", out)
			}
		}
		if size > messageSize {
			t.Errorf("%d bytes are answered by %d", len(b), size)
		}
		r.run(2 * time.Second)
	})
}
