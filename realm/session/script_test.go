package session

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
	"w3host/realm/bncs"
)

const testPassword = "Hunter2"

func testConfig() Config {
	v, _ := bncs.VersionOf(26)
	return Config{
		Account: "bot", Password: testPassword, Channel: "w3", Product: w3gs.ProductTFT, Version: v, Language: "enUS",
		Port: 6113, Games: 3, Seed: 1,
	}
}

// TestScripts plays testdata/*.txt. A line is what happens; the indented lines
// below it are what must come of it, with the time.
func TestScripts(t *testing.T) {
	testkit.Scripts(t, "testdata/*.txt", func(t *testing.T) testkit.Play {
		p := &player{t: t, cfg: testConfig()}
		return func(line string) ([]string, error) {
			p.raw, p.out = line, nil
			p.run(strings.Fields(line))
			if strings.Contains(strings.ToLower(strings.Join(p.out, " ")), strings.ToLower(testPassword)) {
				t.Error("the password shows")
			}
			return p.out, nil
		}
	})
}

type player struct {
	t   *testing.T
	cfg Config
	m   *Machine
	now time.Duration
	out []string // of the line at hand

	asks uint64
	raw  string // the line
}

func (p *player) run(words []string) {
	if p.m == nil && words[0] != "config" {
		p.m = New(p.cfg)
	}
	arg := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	num := func(i int) uint32 {
		n, err := strconv.ParseUint(arg(i), 0, 32)
		if err != nil {
			p.t.Fatal(words, err)
		}
		return uint32(n)
	}
	rest := func(i int) string { return strings.Join(words[min(i, len(words)):], " ") }
	switch words[0] {
	case "config":
		switch arg(1) {
		case "create":
			p.cfg.Create = true
		case "announce":
			p.cfg.Announce = true
		case "games":
			p.cfg.Games = int(num(2))
		}
	case "wait":
		d, err := time.ParseDuration(arg(1))
		if err != nil {
			p.t.Fatal(err)
		}
		for end := p.now + d; p.now < end; {
			p.now = min(max(p.m.Next(), p.now+time.Millisecond), end)
			p.feed(Tick{})
		}
	case "dial":
		for p.m.state != dialing {
			p.now = max(p.m.Next(), p.now+time.Millisecond)
			p.feed(Tick{})
		}
	case "tick":
		p.feed(Tick{})
	case "connected":
		p.feed(Connected{Random: [32]byte{1}})
	case "lost":
		p.feed(Lost{rest(1)})
	case "auth":
		p.recv(&bncs.AuthInfoReply{LogonType: 2, ServerToken: 7, File: "IX86ver1.mpq", Formula: "A=1"})
	case "check":
		p.recv(&bncs.AuthCheckReply{Result: num(1)})
	case "created":
		p.recv(&bncs.CreateReply{Result: num(1)})
	case "logon":
		r := &bncs.LogonReply{Result: num(1)}
		if arg(2) == "key" {
			r.Key[3] = 9
		}
		p.recv(r)
	case "proof":
		p.recv(&bncs.ProofReply{Result: num(1), Text: rest(2)})
	case "entered":
		p.recv(&bncs.EnterChatReply{Name: "bot", Account: "bot"})
	case "online":
		p.feed(Tick{})
		p.feed(Connected{})
		p.recv(&bncs.AuthInfoReply{})
		p.recv(&bncs.AuthCheckReply{})
		p.recv(&bncs.LogonReply{})
		p.recv(&bncs.ProofReply{Result: bncs.LoggedOnNoMail})
		p.recv(&bncs.EnterChatReply{Name: "bot"})
	case "adv":
		p.recv(&bncs.AdvertiseReply{Result: num(1)})
	case "found":
		p.recv(&bncs.GameList{Games: []bncs.ListedGame{{Name: arg(1), Addr: netip.MustParseAddrPort(arg(2))}}})
	case "event":
		p.recv(&bncs.ChatEvent{Event: bncs.EventID(num(1)), Name: arg(2), Text: rest(3)})
	case "info":
		p.recv(&bncs.ChatEvent{Event: bncs.EventInfo, Text: strings.TrimPrefix(p.raw, "info ")})
	case "error":
		p.recv(&bncs.ChatEvent{Event: bncs.EventError, Text: rest(1)})
	case "null":
		p.recv(bncs.Empty(bncs.IDNull))
	case "ping":
		p.recv(&bncs.Ping{Tick: 77})
	case "bytes":
		b, err := hex.DecodeString(strings.Join(words[1:], ""))
		if err != nil {
			p.t.Fatal(err)
		}
		p.feed(Received{bncs.Frame(b)})
	case "list":
		p.feed(List{Listing{
			ID: num(1), Name: arg(2), Stat: arg(3), Full: arg(4) == "full", Private: arg(4) == "private", Asked: arg(4) == "asked",
		}})
	case "unlist":
		p.feed(Unlist{num(1)})
	case "whisper":
		p.asks++
		p.feed(Whisper{To: arg(1), Text: rest(2), Ask: p.asks})
	case "answer": // to a question of the kind of its first word
		p.asks++
		to, admin := strings.CutPrefix(arg(1), "admin:")
		p.feed(Whisper{To: to, Text: rest(2), Kind: arg(2), Ask: p.asks, Admin: admin})
	case "long":
		p.asks++
		p.feed(Whisper{To: "bob", Text: strings.Repeat("wörd ", int(num(1))), Ask: p.asks, Admin: arg(2) == "admin"})
	case "confirm":
		id := num(2)
		p.feed(Confirm{Name: arg(1), ID: id, Seat: 5, From: arg(3)})
	case "forget":
		p.feed(Forget{5})
	case "allow":
		p.feed(Allow{arg(1) == "on"})
	case "listed": // the name was free, and the game is listed
		p.recv(&bncs.GameList{})
		p.recv(&bncs.AdvertiseReply{})
		p.recv(&bncs.GameList{})
	case "free":
		p.recv(&bncs.GameList{})
	case "status":
		p.recv(&bncs.GameList{Status: num(1)})
	default:
		p.t.Fatalf("no command %q", words[0])
	}
}

func (p *player) recv(packet bncs.Packet) {
	p.feed(Received{bncs.Frame(bncs.Append(nil, packet))})
}

func (p *player) feed(e Event) {
	for _, e := range p.m.Handle(p.now, e) {
		text := fmt.Sprintf("%s%+v", reflect.TypeOf(e).Name(), e)
		if s, ok := e.(Send); ok {
			text = "Send" + sent(p.t, s.Bytes)
		}
		p.out = append(p.out, fmt.Sprintf("%v %s", p.now.Round(time.Millisecond), text))
	}
}

// sent describes frames of the client.
func sent(t *testing.T, b []byte) (text string) {
	if len(b) == 1 && b[0] == bncs.ProtocolGame {
		return " 01"
	}
	for len(b) > 0 {
		f, rest, err := bncs.Next(b)
		if err != nil || f == nil {
			t.Fatalf("%X: %v", b, err)
		}
		b = rest
		show := func(p bncs.Packet) {
			if err := f.Decode(p); err != nil {
				t.Fatal(err)
			}
			text += fmt.Sprintf(" %v%+v", f.ID(), reflect.ValueOf(p).Elem())
		}
		switch f.ID() {
		case bncs.IDChat:
			show(new(bncs.Chat))
		case bncs.IDListGames:
			show(new(bncs.ListGames))
		case bncs.IDAdvertise:
			show(new(bncs.Advertise))
		case bncs.IDGamePort:
			show(new(bncs.GamePort))
		case bncs.IDJoinChannel:
			show(new(bncs.JoinChannel))
		case bncs.IDPing:
			show(new(bncs.Ping))
		default:
			text += " " + f.ID().String()
		}
	}
	return text
}

func TestSecretDoesNotPrint(t *testing.T) {
	cfg := testConfig()
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if text := fmt.Sprintf(format, cfg); strings.Contains(text, testPassword) {
			t.Errorf("%s shows the password: %s", format, text)
		}
	}
}

// Whatever is asked for, no window of five seconds has more than four units, and
// every line fits.
func TestNeverFloods(t *testing.T) {
	p := &player{t: t, cfg: testConfig()}
	p.run([]string{"online"})
	p.run([]string{"list", "1", "lobby", "s"})
	p.run([]string{"free"})
	p.run([]string{"adv", "0"})
	p.run([]string{"free"})
	var all []spent
	take := func(effects []Effect) {
		for _, e := range effects {
			s, ok := e.(Send)
			if !ok {
				continue
			}
			f, _, _ := bncs.Next(s.Bytes)
			if f.ID() != bncs.IDChat {
				continue
			}
			n := len(f.Body()) - 1
			if n > units*unitBytes {
				t.Fatalf("a line of %d bytes", n)
			}
			all = append(all, spent{p.now, cost(string(f.Body()[:n])), false})
		}
	}
	for i := range 600 {
		take(p.m.Handle(p.now, Whisper{To: fmt.Sprintf("p%d", i%7), Text: strings.Repeat("x y ", i%90), Ask: uint64(i), Admin: i%7 == 0}))
		take(p.m.Handle(p.now, Confirm{Name: "Bob", ID: 1, From: fmt.Sprint(i % 5)}))
		for end := p.now + 300*time.Millisecond; p.now < end; {
			p.now = min(max(p.m.Next(), p.now+time.Millisecond), end)
			take(p.m.Handle(p.now, Tick{}))
			take(p.m.Handle(p.now, Received{bncs.Append(nil, bncs.Empty(bncs.IDNull))}))
		}
	}
	for i := range all {
		sum := 0
		for j := i; j >= 0 && all[i].at-all[j].at <= 5*time.Second; j-- {
			sum += all[j].units
		}
		if sum > units {
			t.Fatalf("%d units within 5 s at %v", sum, all[i].at)
		}
	}
	if len(all) < 30 {
		t.Errorf("only %d lines were said in 3 minutes", len(all))
	}
}
