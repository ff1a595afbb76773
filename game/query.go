package game

import (
	"cmp"
	"fmt"
	"time"

	"w3host/game/command"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// put sends the query of a command to the host for the database.
func (m *Machine) put(by *command.Caller, s *command.Spec[*Machine], q *command.Query) error {
	q.Map = m.cfg.Map.Name
	if !s.AsTyped {
		if err := m.meet(q); err != nil {
			return err
		}
	}
	nameless := q.Here && m.player(q.PID).Nameless && !s.ByAddress
	if nameless && (q.PID != by.PID || s.Before == nil) {
		return cannot("nothing is kept about %s, who has no name of their own; kick and banip work", q.Name)
	}
	if s.Before != nil {
		if err := s.Before(m, by, q); err != nil {
			return err
		}
	}
	if nameless || s.KeptForCaller && m.player(by.PID).Nameless {
		return nil // it applies to this game only
	}
	if s.Notice != "" && m.seats[q.PID] != nil {
		m.sayText(w3gs.Only(q.PID), command.Notice(s.Notice, q.Reason))
	}
	op := Op{Kind: Ask, Caller: by, Query: q, Text: q.What + " " + q.Name}
	if q.Quiet {
		op.Caller = nil
	}
	m.out.add(op)
	return nil
}

// meet replaces a part of a name in the query by the only connected player whose name contains it. Without a match the
// name stays as typed; several matches are an error.
func (m *Machine) meet(q *command.Query) error {
	m.asPlayer = m.asPlayer && q.Name != q.By // callers may use their own name even if names are hidden
	if q.Name == "" || len(m.lobby.Find(q.Name, m.asPlayer)) == 0 {
		return nil
	}
	p, err := m.find(q.Name)
	if err != nil {
		return err
	}
	if m.cfg.Lobby.Admission.Anonymous && m.asPlayer {
		return cannot("names are hidden in this game")
	}
	q.Name, q.Here, q.PID = p.Name, true, p.PID
	if s := m.seats[p.PID]; s != nil {
		q.Addr, q.Home = s.Addr.Addr(), s.Realm
	}
	return nil
}

// about asks about a player, who need not be connected; "" is the caller.
func about(name string) command.Question {
	return func(by *command.Caller, q *command.Query) error {
		if name == "" && by.PID == 0 && by.Realm == "" { // the operator is not a player
			return cannot("the player is missing. Usage: %s <player>", q.What)
		}
		q.Name = cmp.Or(name, by.Name)
		return nil
	}
}

// describePlayer answers with the facts about a connected player.
func describePlayer(m *Machine, by *command.Caller, q *command.Query) error {
	if s := m.seats[q.PID]; s != nil {
		p, _ := m.lobby.Player(q.PID)
		m.reply(by, m.describe(s, p), false)
	}
	return nil
}

// describeSelf does the same for the caller, with advice on reconnecting.
func describeSelf(m *Machine, by *command.Caller, q *command.Query) error {
	describePlayer(m, by, q)
	if s := m.seats[q.PID]; s != nil && s.proxy.kind == noProxy && m.cfg.Reconnect.Wait > 0 {
		m.reply(by, howToReconnect(), false)
	}
	return nil
}

// describe returns the game's facts about a player.
func (m *Machine) describe(s *seat, p lobby.Player) texts.Text {
	var role texts.Text
	switch {
	case s.level >= command.Admin:
		role = texts.Of(", %v", s.level)
	case m.lobby.Owns(p.PID):
		role = texts.Of(", owner")
	}
	ping := "?"
	if p.Pings > 0 {
		ping = fmt.Sprint(p.RTT.Milliseconds())
	}
	return texts.Of("%s is in slot %d%v, for %v, ping %s ms, from %v%v.", p.Name, p.Slot+1, role,
		(m.now - p.Joined).Round(time.Second), ping, place(s), s.back())
}

// back returns a note if the player can reconnect.
func (s *seat) back() (text texts.Text) {
	if s.proxy.kind != noProxy {
		text = texts.Of(", can reconnect (GProxy++)")
	}
	return text
}

// place returns a player's address with its country, if known, or with a note if it is local.
func place(s *seat) texts.Text {
	switch a := s.Addr.Addr(); {
	case a.IsLoopback():
		return texts.Of("%v (this machine)", a)
	case a.IsPrivate(), a.IsLinkLocalUnicast():
		return texts.Of("%v (local network)", a)
	case s.country != "":
		return texts.Plain(fmt.Sprintf("%v (%s)", a, s.country))
	default:
		return texts.Plain(a.String())
	}
}

func from(m *Machine, c *call) error {
	for _, p := range m.lobby.Players() {
		if s := m.seats[p.PID]; s != nil {
			m.answer(c, "%s: %v%v", p.Name, place(s), s.back())
		}
	}
	return nil
}

// ban asks for a ban.
func ban(name string, span time.Duration, why string) command.Question {
	return command.Filled(func(q *command.Query) { q.Name, q.For, q.Reason = name, span, why })
}

// remark asks to store a warning or note about a player.
func remark(name, text string) command.Question {
	return command.Filled(func(q *command.Query) { q.Name, q.Reason = name, text })
}

// putOut kicks the banned player at once. CheckBans finds other players to whom the ban applies, in any game of the
// host.
func putOut(m *Machine, by *command.Caller, q *command.Query) error {
	s := m.seats[q.PID]
	switch {
	case !q.Here:
		return nil
	case s == nil:
		return texts.Refuse(texts.NotHuman, "%s is a fake player", q.Name)
	case q.PID == by.PID:
		return cannot("you cannot ban yourself")
	case s.level >= command.Admin && s.level >= by.Level:
		return cannot("%s is %v and cannot be banned", q.Name, s.level)
	}
	m.later(kickLater{PID: q.PID, Why: banned(q.Reason), By: by.Name}) // no KeepOut: the ban keeps them out
	return nil
}

func banned(why string) texts.Text {
	if why == "" {
		return texts.Of("banned")
	}
	return texts.Of("banned: %s", why)
}

// lastGone makes the ban apply to the player who left last, for whatever reason.
func lastGone(m *Machine, _ *command.Caller, q *command.Query) error {
	switch {
	case m.lastGone.Name == "":
		return texts.Refuse(texts.NoSuch, "nobody has left yet")
	case m.lastGone.Nameless:
		return cannot("nothing is kept about %s, who has no name of their own; kick and banip work", m.lastGone.Name)
	}
	q.Name, q.Here, q.Addr = m.lastGone.Name, true, m.lastGone.Addr.Addr()
	return nil
}

// admin parses the name of a new admin, the kind of admin and the network.
func admin(a *args) command.Question {
	name, root, from := a.Player(0), a.Begins("root"), ""
	if a.Begins("from") {
		from = a.Word("address or network")
	}
	return command.Filled(func(q *command.Query) { q.Name, q.Root, q.From = name, root, from })
}
