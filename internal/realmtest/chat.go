package realmtest

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"w3host/bncs"
)

// The stock quota: in 5 s four units of 40 bytes pass, the fifth is refused, and
// the tenth closes the connection.
const (
	quotaUnits = 5
	quotaKick  = 10
	quotaWrap  = 40
	quotaLine  = 200
)

// flooded counts a line, refused ones too.
func (s *Server) flooded(u *user, text string) bool {
	now, sum := time.Now(), 0
	for len(u.spent) > 0 && now.Sub(u.spent[0].at) > s.quota {
		u.spent = u.spent[1:]
	}
	if len(text) > quotaLine {
		s.refused++
		return true
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

// say takes a line of a user.
func (s *Server) say(u *user, text string) {
	errorText := func(text string) { u.out(&bncs.ChatEvent{Event: bncs.EventError, Text: text}) }
	if s.flooded(u, text) {
		errorText("Your message was not sent: quota")
		return
	}
	command, rest, _ := strings.Cut(text, " ")
	switch command {
	case "/w", "/m", "/msg", "/whisper":
		name, line, _ := strings.Cut(rest, " ")
		to := s.find(name)
		if to == nil {
			errorText("That user is not logged on.")
			return
		}
		to.out(&bncs.ChatEvent{Event: bncs.EventWhisper, Name: u.name, Text: line})
		u.out(&bncs.ChatEvent{Event: bncs.EventWhisperSent, Name: to.name, Text: line})
	case "/whereis", "/whois":
		u.out(s.where(rest))
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

func (s *Server) where(name string) *bncs.ChatEvent {
	u := s.find(name)
	if u == nil {
		return &bncs.ChatEvent{Event: bncs.EventError, Text: "Unknown user."}
	}
	text := u.name + " is using Warcraft III Frozen Throne"
	switch {
	case u.game != nil:
		text += fmt.Sprintf(" and is currently in  game %q.", u.game.Name)
	case u.channel != "":
		text += fmt.Sprintf(" and is currently in channel %q.", u.channel)
	}
	return &bncs.ChatEvent{Event: bncs.EventInfo, Text: text}
}

// Person is somebody on the realm whom the test plays.
type Person struct {
	s     *Server
	u     *user
	Heard chan bncs.ChatEvent
}

// Person comes onto the realm, into a channel.
func (s *Server) Person(name, channel string) *Person {
	p := &Person{s: s, Heard: make(chan bncs.ChatEvent, 1024)}
	p.u = &user{name: name, channel: channel, addr: netip.MustParseAddr("127.0.0.1"), port: 6112, close: func() {}}
	p.u.out = func(packet bncs.Packet) {
		if e, ok := packet.(*bncs.ChatEvent); ok {
			p.Heard <- *e
		}
	}
	s.Locked(func() { s.users = append(s.users, p.u) })
	return p
}

// Say says a line, or gives a command. The quota does not count.
func (p *Person) Say(text string) {
	p.s.Locked(func() {
		p.u.spent = nil
		p.s.say(p.u, text)
	})
}

// Join tells the realm that the person is in a game, as clients do.
func (p *Person) Join(game string) { p.s.Locked(func() { p.s.join(p.u, game) }) }

// Await is the next thing of a kind that the person hears.
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
