package game

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"w3host/game/command"
	"w3host/protocol/w3gs"
)

// comeAgain has a new client of a player join. Unless it is said otherwise, it does so from
// the address that the player had.
func (s *scene) comeAgain(words []string) error {
	name, realm, _ := strings.Cut(words[0], "@")
	s.lastLink++
	in := Input{Kind: Join, Link: s.lastLink, Realm: realm, Packet: &w3gs.ReqJoin{Name: name}}
	home := s.homes[name]
	for i, word := range words[1:] {
		switch word {
		case "shared":
			in.Shared = true
		case "banned":
			in.Banned = "rude"
		case "from":
			n, _ := strconv.Atoi(words[i+2])
			home = byte(n)
		case "in":
			in.Country = words[i+2]
		}
	}
	addr := netip.AddrFrom4([4]byte{10, 0, 0, home})
	if in.Country != "" {
		addr = netip.AddrFrom4([4]byte{203, 0, 113, home})
	}
	in.Addr = netip.AddrPortFrom(addr, 6112)
	s.coming[in.Link], s.owed[name] = name, 0
	s.step(in)
	return nil
}

// newLink is the link of the last new client of a player.
func (s *scene) newLink(name string) (last LinkID) {
	for link, n := range s.coming {
		if n == name {
			last = max(last, link)
		}
	}
	return last
}

// newClient is what the last new client of a player does.
func (s *scene) newClient(what, name string) error {
	in := Input{Kind: Packet, Link: s.newLink(name)}
	switch what {
	case "has":
		in.Packet = &w3gs.MapSize{Flag: w3gs.MapHave, Size: s.m.cfg.Lobby.MapCheck.Size}
	case "lacks":
		in.Packet = &w3gs.MapSize{Flag: w3gs.MapHave}
	case "loaded":
		in.Packet = &w3gs.LoadedSelf{}
	case "quits":
		in.Packet = &w3gs.LeaveGame{Reason: w3gs.LeaveLost}
	case "breaks":
		in.Kind, in.Why = Lost, "reset"
	case "login2":
		in.Kind, in.Level = Login, command.Admin
	case "wrong2":
		in.Kind, in.Level, in.Why = Login, command.Anyone, "the password is wrong, or none is set for your name"
	case "vouch2":
		in.Kind = Vouch
	}
	s.step(in)
	return nil
}

// newAnswers has a new client answer turns.
func (s *scene) newAnswers(words []string) error {
	link, sum := s.newLink(words[0]), uint32(1)
	if len(words) > 2 {
		n, err := strconv.Atoi(words[2])
		if err != nil {
			return err
		}
		sum = uint32(n)
	}
	n, all := 0, words[1] == "all"
	if !all {
		n, _ = strconv.Atoi(words[1])
	}
	for i := 0; i < n || all; i++ {
		r := s.m.returnerOf(link)
		if r == nil || all && len(r.flying) == 0 {
			return nil
		}
		s.owed[words[0]]--
		s.step(Input{Kind: Keepalive, Link: link, Sum: sum})
	}
	return nil
}

// toComing notes what a new client is sent.
func (s *scene) toComing(name string, b []byte) {
	for len(b) > 0 {
		f, rest, err := w3gs.Next(b, w3gs.MaxFrame)
		if err != nil || f == nil {
			s.tell("broken bytes")
			return
		}
		b = rest
		p, _ := w3gs.Decode(f, w3gs.FromHost)
		if line, ok := p.(*w3gs.ChatFromHost); ok {
			s.tell("%s: %q", name, line.Text)
			continue
		}
		if turn, ok := p.(*w3gs.IncomingAction); ok && turn.IncrementMillis > 0 {
			s.owed[name]++
		}
		s.packets = append(s.packets, fmt.Sprintf("%s gets %02X", name, byte(f.Op())))
	}
}

// tellPackets tells what new clients were sent since something else was told.
func (s *scene) tellPackets() {
	all := s.packets
	s.packets = nil
	for i := 0; i < len(all); {
		n := i
		for n < len(all) && all[n] == all[i] {
			n++
		}
		if line := all[i]; n-i > 1 {
			s.tell("%s, %d times", line, n-i)
		} else {
			s.tell("%s", line)
		}
		i = n
	}
}
