package game

import (
	"cmp"
	"fmt"
	"net/netip"
	"time"

	"w3host/game/command"
	"w3host/lobby"
	"w3host/texts"
)

// Query is what a command asks of the database, or has changed there. The
// answer comes later, as a Tell for its caller.
type Query struct {
	What     string        // the name of the command
	Name     string        // whom or what it is about; as typed if no such player is here
	Here     bool          // Name is the name of a player, and Addr their address
	Addr     netip.Addr    // invalid: not known
	For      time.Duration // of a ban; 0: for good
	Reason   string
	Root     bool   // an admin is to make admins
	From     string // where joins must come from for an admin's role to count; empty: anywhere
	By       string
	Realm    string
	Map      string         // as it calls itself
	Language texts.Language // of the answer
}

// people are the commands about players, bans and admins.
var people = command.Table[*Machine]{
	{Name: "stats", Usage: "[player]", Help: "show a player's games, or your own", Examples: []string{"stats", "stats bob"}, Phase: command.Always, Parse: func(a *args) act { return about("stats", a.Rest()) }},
	{Name: "rank", Usage: "[player]", Help: "show a player's rating on this map, or your own", Examples: []string{"rank bob"}, Phase: command.Always, Parse: func(a *args) act { return about("rank", a.Rest()) }},
	{Name: "statsdota", Aliases: []string{"sd"}, Usage: "[player]", Help: "show a player's DotA games, or your own", Examples: []string{"statsdota bob"}, Phase: command.Always, Parse: func(a *args) act { return about("statsdota", a.Rest()) }},
	{Name: "checkme", Help: "show what the host knows about you", Phase: command.Always, Bare: about("check", "")},
	{Name: "login", Usage: "<password>", Help: "prove that you are the admin of your name; nobody else sees the line", Examples: []string{"login correct-horse-battery"}, Secret: true, Phase: command.Always, Parse: func(a *args) act {
		a.Text("password")
		return func(*Machine, *call) error {
			return cannot("log in from the chat of a lobby or game on the LAN")
		}
	}},
	{Name: "lang", Aliases: []string{"language"}, Usage: "[en|zh]", Help: "show or choose the language the host uses with you", Examples: []string{"lang zh"}, Phase: command.Always, Bare: show(language), Parse: with((*args).Rest, speakTo)},
	{Name: "check", Usage: "<player>", Help: "show a player's address, games, bans and other names", Examples: []string{"check bob"}, Level: command.Admin, Phase: command.Always, Parse: func(a *args) act { return about("check", a.OnlyPlayer()) }},
	{Name: "alts", Usage: "<player>", Help: "list other names seen from a player's addresses", Examples: []string{"alts bob"}, Level: command.Admin, Phase: command.Always, Parse: func(a *args) act { return about("alts", a.OnlyPlayer()) }},
	{Name: "from", Aliases: []string{"where", "f"}, Help: "show everyone's address", Level: command.Admin, Phase: command.Always, Bare: from},
	{Name: "ban", Aliases: []string{"addban", "tempban", "tban", "pban"}, Usage: "<player|address|network> [time] [reason]", Help: "ban a player for a time such as 30m, 12h, 7 days or 1 month; permanently without one", Examples: []string{"ban bob 7 days feeding", "ban 203.0.113.7 12h", "ban 203.0.113.0/24"}, Level: command.Admin, Phase: command.Always, Parse: func(a *args) act { return ban("ban", a.Player(0), a.Span(), a.Reason()) }},
	{Name: "banip", Usage: "<player|address|network> [time] [reason]", Help: "ban a player's address", Examples: []string{"banip bob 2w"}, Level: command.Admin, Phase: command.Always, Parse: func(a *args) act { return ban("banip", a.Player(0), a.Span(), a.Reason()) }},
	{Name: "banlast", Aliases: []string{"bl", "pbanlast"}, Usage: "[time] [reason]", Help: "ban the player who left last", Examples: []string{"banlast 1d left early"}, Level: command.Admin, Phase: command.Always, Parse: func(a *args) act { return banLast(a.Span(), a.Reason()) }},
	{Name: "unban", Aliases: []string{"delban", "punban"}, Usage: "<player|address|network>", Help: "end the bans of a name, an address or a network", Examples: []string{"unban Bob", "unban 203.0.113.7"}, Level: command.Admin, Phase: command.Always, Parse: func(a *args) act { return asTyped(Query{What: "unban", Name: a.OnlyPlayer()}) }},
	{Name: "bans", Aliases: []string{"listbans"}, Help: "list the latest bans", Level: command.Admin, Phase: command.Always, Bare: asTyped(Query{What: "bans"})},
	{Name: "checkban", Usage: "<player|address>", Help: "check whether somebody is banned", Examples: []string{"checkban bob"}, Level: command.Admin, Phase: command.Always, Parse: func(a *args) act { return about("checkban", a.OnlyPlayer()) }},
	{Name: "addadmin", Aliases: []string{"staff"}, Usage: "<player|address|network> [root] [from <address|network>]", Help: "make somebody an admin, or root, who makes admins; optionally only when they join from a network", Examples: []string{"addadmin Ann", "addadmin Ann root from 192.168.1.0/24"}, Level: command.Root, Phase: command.Always, Parse: func(a *args) act {
		q := Query{What: "addadmin", Name: a.Player(0), Root: a.Begins("root")}
		if a.Begins("from") {
			q.From = a.Word("address or network")
		}
		return asTyped(q)
	}},
	{Name: "deladmin", Aliases: []string{"delstaff"}, Usage: "<player|address|network>", Help: "remove an admin", Examples: []string{"deladmin Ann"}, Level: command.Root, Phase: command.Always, Parse: func(a *args) act { return asTyped(Query{What: "deladmin", Name: a.OnlyPlayer()}) }},
	{Name: "admins", Aliases: []string{"liststaff"}, Help: "list the admins", Level: command.Root, Phase: command.Always, Bare: asTyped(Query{What: "admins"})},
	{Name: "checkadmin", Aliases: []string{"checkstaff"}, Usage: "<player>", Help: "check whether somebody is an admin", Examples: []string{"checkadmin Ann"}, Level: command.Root, Phase: command.Always, Parse: func(a *args) act { return asTyped(Query{What: "checkadmin", Name: a.OnlyPlayer()}) }},
}

// query passes a question to the host.
func (m *Machine) query(c *call, q Query) {
	q.By, q.Realm, q.Map, q.Language, c.Target = c.Name, c.Realm, m.cfg.Map.Name, c.Language, q.Name
	m.out.add(Op{Kind: Ask, Caller: c.Caller, Query: &q, Text: q.What + " " + q.Name})
}

// whom fills in the player who is meant: the only one here whose name contains the
// text, or else the text itself. Several are an error.
func (m *Machine) whom(q *Query, part string) (lobby.Player, error) {
	q.Name = part
	if len(m.lobby.Find(part)) == 0 {
		return lobby.Player{}, nil
	}
	p, err := m.find(part)
	if err != nil {
		return p, err
	}
	q.Name, q.Here = p.Name, true
	if s := m.seats[p.PID]; s != nil {
		q.Addr = s.Addr.Addr()
	}
	return p, nil
}

// about asks about a player, who need not be here; "" is the caller.
func about(what, part string) act {
	return func(m *Machine, c *call) error {
		if part == "" && c.PID == 0 && c.Realm == "" { // the operator
			return cannot("the player is missing. Usage: %s <player>", what)
		}
		q := Query{What: what}
		p, err := m.whom(&q, cmp.Or(part, c.Name))
		if err != nil {
			return err
		}
		if s := m.seats[p.PID]; s != nil && what == "check" {
			m.reply(c.Caller, m.describe(s, p), false)
		}
		m.query(c, q)
		return nil
	}
}

// asTyped asks about a name or address exactly as typed: a part of a name is not
// enough to make an admin.
func asTyped(q Query) act {
	return func(m *Machine, c *call) error {
		m.query(c, q)
		return nil
	}
}

// describe is what the game knows of a player.
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
	return texts.Of("%s is in slot %d%v, for %v, ping %s ms, from %v.", p.Name, p.Slot+1, role,
		(m.now - p.Joined).Round(time.Second), ping, place(s.Addr.Addr()))
}

// place is an address with a note if it is local.
func place(a netip.Addr) texts.Text {
	switch {
	case a.IsLoopback():
		return texts.Of("%v (this machine)", a)
	case a.IsPrivate(), a.IsLinkLocalUnicast():
		return texts.Of("%v (local network)", a)
	}
	return texts.Plain(a.String())
}

func from(m *Machine, c *call) error {
	for _, p := range m.lobby.Players() {
		if s := m.seats[p.PID]; s != nil {
			m.answer(c, "%s: %v", p.Name, place(s.Addr.Addr()))
		}
	}
	return nil
}

// ban stores a ban and kicks the player at once. Other players that the ban applies
// to, in any game of the host, are found by CheckBans.
func ban(what, part string, span time.Duration, why string) act {
	return func(m *Machine, c *call) error {
		q := Query{What: what, For: span, Reason: why}
		p, err := m.whom(&q, part)
		if err != nil {
			return err
		}
		s := m.seats[p.PID]
		switch {
		case !q.Here:
		case s == nil:
			return texts.Refuse(texts.NotHuman, "%s is a fake player", p.Name)
		case p.PID == c.PID:
			return cannot("you cannot ban yourself")
		case s.level >= command.Admin && s.level >= c.Level:
			return cannot("%s is %v and cannot be banned", p.Name, s.level)
		}
		m.query(c, q)
		if s != nil {
			m.later(lobby.Kick{PID: p.PID, Why: banned(why), By: c.Name, KeepOut: true})
		}
		return nil
	}
}

func banned(why string) texts.Text {
	if why == "" {
		return texts.Of("banned")
	}
	return texts.Of("banned: %s", why)
}

// banLast bans the player who left last, for whatever reason.
func banLast(span time.Duration, why string) act {
	return func(m *Machine, c *call) error {
		if m.lastGone.Name == "" {
			return texts.Refuse(texts.NoSuch, "nobody has left yet")
		}
		m.query(c, Query{What: "ban", Name: m.lastGone.Name, Here: true, Addr: m.lastGone.Addr.Addr(), For: span, Reason: why})
		return nil
	}
}
