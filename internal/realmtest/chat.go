package realmtest

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/protocol/w3gs"
	"w3host/realm/bncs"
)

// The default flood quota: within 5 s four units of 40 bytes are accepted, the fifth is refused, and the
// tenth closes the connection.
const (
	quotaUnits = 5
	quotaKick  = 10
	quotaWrap  = 40
	quotaLine  = 200
)

// flooded counts a line against the quota, including refused ones, and reports whether it is refused.
func (s *Server) flooded(u *user, text string) bool {
	now, sum := time.Now(), 0
	for len(u.spent) > 0 && now.Sub(u.spent[0].at) > s.quota {
		u.spent = u.spent[1:]
	}
	u.spent = append(u.spent, spent{now, max((len(text)+quotaWrap-1)/quotaWrap, 1)})
	for _, x := range u.spent {
		sum += x.units
	}
	if sum >= quotaKick {
		s.kicked++
		u.close()
	}
	if sum >= quotaUnits {
		s.refused++
	}
	return sum >= quotaUnits
}

// say executes a chat line or command of a user.
func (s *Server) say(u *user, text string) {
	errorText := func(text string) { u.out(&bncs.ChatEvent{Event: bncs.EventError, Text: text}) }
	switch {
	case len(text) > quotaLine:
		s.refused++
		errorText(say(s.locale, tooLong))
		return
	case s.flooded(u, text):
		errorText(say(s.locale, overQuota))
		return
	}
	command, rest, _ := strings.Cut(text, " ")
	switch command {
	case "/w", "/m", "/msg", "/whisper":
		name, line, _ := strings.Cut(rest, " ")
		to := s.find(name)
		if to == nil {
			errorText(say(s.locale, whisperGone))
			return
		}
		info := func(format, remark string) {
			u.out(&bncs.ChatEvent{Event: bncs.EventInfo, Text: fmt.Sprintf(format, to.name, remark)})
		}
		if to.dnd != "" {
			info("%s is unavailable (%s)", to.dnd)
			return
		}
		to.out(&bncs.ChatEvent{Event: bncs.EventWhisper, Name: u.name, Text: line})
		u.out(&bncs.ChatEvent{Event: bncs.EventWhisperSent, Name: to.name, Text: line})
		if to.away != "" {
			info("%s is away (%s)", to.away)
		}
	case "/whereis", "/whois":
		s.asks = append(s.asks, rest)
		for _, a := range s.where(rest) {
			event := bncs.EventInfo
			if a.Error {
				event = bncs.EventError
			}
			u.out(&bncs.ChatEvent{Event: event, Text: a.Text})
		}
	case "/dnd":
		u.dnd = rest
	case "/away":
		u.away = rest
	case "/join":
		s.leave(u)
		u.channel = rest
	default:
		if strings.HasPrefix(text, "/") {
			errorText("Unknown command.")
			return
		}
		for _, other := range s.users {
			if other != u && u.channel != "" && other.channel == u.channel {
				other.out(&bncs.ChatEvent{Event: bncs.EventTalk, Name: u.name, Text: text})
			}
		}
	}
}

// Person is a user of the realm played by the test.
type Person struct {
	s     *Server
	u     *user
	Heard chan bncs.ChatEvent
}

// Person logs a test user on to the realm, in a channel.
func (s *Server) Person(name, channel string) *Person {
	p := &Person{s: s, Heard: make(chan bncs.ChatEvent, 1024)}
	p.u = &user{name: name, channel: channel, product: w3gs.ProductTFT, addr: netip.MustParseAddr("127.0.0.1"), port: 6112, close: func() {}}
	p.u.out = func(packet bncs.Packet) {
		if e, ok := packet.(*bncs.ChatEvent); ok {
			p.Heard <- *e
		}
	}
	s.Locked(func() { s.users = append(s.users, p.u) })
	return p
}

// Say executes a chat line or command. The quota does not apply.
func (p *Person) Say(text string) {
	p.s.Locked(func() {
		p.u.spent = nil
		p.s.say(p.u, text)
	})
}

// Join reports to the realm, as clients do, that the person has joined a game.
func (p *Person) Join(game string) { p.s.Locked(func() { p.s.join(p.u, game) }) }

// Leave reports to the realm that the person has left the game.
func (p *Person) Leave() { p.s.Locked(func() { p.s.leave(p.u) }) }

// Host lists a game of the person, which may already be started.
func (p *Person) Host(name string, started bool) {
	p.s.Locked(func() {
		p.s.leave(p.u)
		p.s.open(p.u, name, "", bncs.StatePublic)
		p.u.game.started = started
	})
}

// Begin marks a game as started.
func (s *Server) Begin(name string) {
	s.Locked(func() {
		for _, g := range s.games {
			g.started = g.started || strings.EqualFold(g.Name, name)
		}
	})
}

// Asks returns the names that /whereis was called with.
func (s *Server) Asks() (names []string) {
	s.Locked(func() { names = slices.Clone(s.asks) })
	return names
}

// Await returns the next chat event of the given kind that the person receives.
func (p *Person) Await(t testing.TB, event bncs.EventID) bncs.ChatEvent {
	t.Helper()
	late := time.After(30 * time.Second)
	for {
		select {
		case e := <-p.Heard:
			if e.Event == event {
				return e
			}
		case <-late:
			t.Fatalf("%s never heard an event %#x", p.u.name, event)
		}
	}
}
