package game

import (
	"fmt"
	"math"
	"strings"
	"time"

	"w3host/game/command"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// obey runs a command, or tells only the caller what to type instead. Commands of the host are passed on to it.
func (m *Machine) obey(by *command.Caller, line string) {
	u := m.commands.Find(line)
	if !m.pays(by, u.Spec) {
		return
	}
	if u.Spec == nil || u.Yields && by.PID == 0 && !u.Phase.Has(m.phase()) {
		m.out.add(Op{Kind: Outside, Caller: by, Text: line})
		return
	}
	m.asPlayer = by.PID != 0 && by.Level < command.Admin
	var names []string
	for _, p := range m.lobby.Find("", m.asPlayer) {
		if m.asPlayer {
			p.Name = p.Shown
		}
		names = append(names, p.Name)
	}
	o := u.Run(m, m.phase(), by, names)
	if o.Query != nil {
		if o.Err = m.put(by, u.Spec, o.Query); o.Err == nil {
			o.Target = o.Query.Name
		}
	}
	if o.Denied && u.Needs() == command.StandIn && m.lobby.StandIn() == 0 {
		o.Err = by.Refusal(command.Owner, u.Name)
	}
	refused := ""
	if o.Err != nil {
		refused = o.Err.Error()
	}
	if o.Acted && u.Needs() > command.Anyone {
		m.fact(&Commanded{Caller: *by, Line: line, Name: u.Name, Target: o.Target, Detail: u.Detail, Refused: refused})
	}
	if o.Err != nil {
		m.reply(by, texts.Sentence(texts.From(o.Err)), true)
	}
}

// sayHostLine says a line of the host to one player, if that player is still here.
func (m *Machine) sayHostLine(in *Input) {
	text := texts.Plain(in.Line)
	if in.Why != "" {
		text = command.Notice(in.Why, in.Line)
	}
	if by := in.Caller; by != nil && m.player(by.PID).Name == by.Name {
		m.sayText(w3gs.Only(by.PID), text)
	}
}

// caller returns a player as the caller of a command.
func (m *Machine) caller(pid uint8) *command.Caller {
	p := m.player(pid)
	c := &command.Caller{PID: pid, Name: p.Name, Realm: p.Realm, Via: command.ViaLobby, Language: m.lobby.Language(pid)}
	if m.turns != nil {
		c.Via = command.ViaGame
	}
	if s := m.seats[pid]; s != nil {
		m.rank(c, s.level, m.lobby.Owns(pid))
	}
	if m.lobby.StandIn() == pid {
		c.Level = max(c.Level, command.StandIn)
	}
	return c
}

func (m *Machine) phase() command.Phase {
	if m.turns == nil {
		return command.InLobby
	}
	return command.InGame
}

// find returns the only player whose name, as seen by the caller, contains part. An empty part matches nobody.
func (m *Machine) find(part string) (lobby.Player, error) {
	found := m.lobby.Find(part, m.asPlayer)
	switch {
	case len(found) == 0 || strings.TrimSpace(part) == "":
		return lobby.Player{}, texts.Refuse(texts.NoSuch, "no player matches %q", part)
	case len(found) == 1:
		return found[0], nil
	}
	names := make([]string, len(found))
	for i, p := range found {
		names[i] = p.Name
	}
	return lobby.Player{}, texts.Refuse(texts.Malformed, "%q could be %v: type more of the name", part, texts.Either(names))
}

// help explains a topic. Topics unknown to the game are passed to the host.
func help(m *Machine, c *call, topic string) error {
	trigger := string(m.cfg.Trigger)
	if topic == "" {
		return m.reply(c.Caller, m.commands.Groups(c.Level, m.phase(), trigger), false)
	}
	text, err := m.commands.Help(topic, trigger, c.Level, m.phase())
	if err == nil {
		return m.reply(c.Caller, text, false)
	}
	m.out.add(Op{Kind: Outside, Caller: c.Caller, Text: "help " + topic})
	return nil
}

// show returns the act of a command that only answers.
func show(text func(m *Machine, c *call) texts.Text) act {
	return func(m *Machine, c *call) error { return m.reply(c.Caller, text(m, c), false) }
}

func version(m *Machine, _ *call) texts.Text { return texts.Plain(m.cfg.Program) }

func mode(m *Machine, _ *call) texts.Text { return texts.Of("The mode is %q.", m.lobby.HCL()) }

func latency(m *Machine, _ *call) texts.Text {
	return texts.Of("The latency is %d ms.", m.cfg.Turns.Period.Milliseconds())
}

func syncLimit(m *Machine, _ *call) texts.Text {
	return texts.Of("The sync limit is %d turns.", m.cfg.Turns.SyncLimit)
}

func owner(m *Machine, _ *call) texts.Text {
	if owner := m.lobby.Owner(); owner != "" {
		return texts.Of("The owner is %s.", owner)
	}
	return texts.Of("Nobody owns this game.")
}

func keepJournal(m *Machine, _ *call) texts.Text {
	m.out.add(Op{Kind: KeepJournal})
	return texts.Of("The journal of this game will be kept.")
}

// ping shows the round trips.
func ping(m *Machine, c *call) error { return kickSlow(m, c, math.MaxInt64) }

// kickSlow shows the round trips and kicks the players of a lobby that are slower than limit. It exempts the owner,
// players with a reserved place and trusted players.
func kickSlow(m *Machine, c *call, limit time.Duration) error {
	if m.turns != nil && limit < math.MaxInt64 {
		return cannot("a ping removes players from the lobby only: in the game use kick")
	}
	var parts []string
	for _, p := range m.lobby.Players() {
		if p.Pings == 0 {
			parts = append(parts, p.Name+": ?")
			continue
		}
		parts = append(parts, fmt.Sprintf("%s: %d ms", p.Name, p.RTT.Milliseconds()))
		if s := m.seats[p.PID]; p.RTT > limit && s != nil && s.level < command.Trusted && !p.Reserved && !m.lobby.Owns(p.PID) {
			m.later(kickLater{PID: p.PID, Why: texts.Of("high ping"), By: c.Name, KeepOut: true})
		}
	}
	return m.answer(c, "%s", strings.Join(parts, ", "))
}

func setLatency(m *Machine, _ *call, period time.Duration) error {
	m.cfg.Turns.Period = period
	if m.turns != nil {
		m.turns.SetPeriod(m.playTime(), period)
	}
	return m.say(0, "The latency is now %d ms.", period.Milliseconds())
}

func equalised(m *Machine, _ *call) texts.Text {
	return texts.If(m.cfg.Turns.Equalise, "Actions wait for the slowest connection.", "Actions do not wait for the slowest connection.")
}

func setEqualise(m *Machine, c *call, on bool) error {
	m.cfg.Turns.Equalise = on
	if m.turns != nil {
		m.turns.SetEqualise(m.playTime(), on)
	}
	return m.sayText(0, equalised(m, c))
}

func sharing(m *Machine, _ *call) texts.Text {
	return texts.If(m.cfg.Turns.ShareUnits, "Players who leave share all units with their allies.",
		"Players who leave share no units, unless the map does it.")
}

func setSharing(m *Machine, c *call, on bool) error {
	m.cfg.Turns.ShareUnits = on
	if m.turns != nil {
		m.turns.SetShare(m.playTime(), on)
	}
	return m.sayText(0, sharing(m, c))
}

func setSyncLimit(m *Machine, _ *call, turns int) error {
	m.cfg.Turns.SyncLimit = turns
	if m.turns != nil {
		m.turns.SetSyncLimit(m.playTime(), turns)
	}
	return m.say(0, "The sync limit is now %d turns.", turns)
}

// dropLaggers drops the players on the lag screen.
func dropLaggers(m *Machine, c *call) error {
	laggers := m.turns.Laggers()
	if laggers == 0 {
		return texts.Refuse(texts.NoSuch, "nobody is on the lag screen")
	}
	var names []string
	for pid := range laggers.All() {
		names = append(names, m.player(pid).Name)
	}
	c.Target = strings.Join(names, ", ")
	m.say(0, "Dropped: %s.", c.Target)
	m.turns.DropLaggers(m.playTime())
	return nil
}

func end(m *Machine, _ *call) error {
	m.say(0, "The game was ended by its owner.")
	m.turns.End(m.playTime(), texts.Text{})
	return nil
}

// answer sends a text only to the caller of a command.
func (m *Machine) answer(c *call, format string, args ...any) error {
	return m.reply(c.Caller, texts.Of(format, args...), false)
}

func (m *Machine) reply(by *command.Caller, text texts.Text, refused bool) error {
	if by.PID != 0 {
		return m.sayText(w3gs.Only(by.PID), text)
	}
	m.out.add(Op{Kind: Answer, Caller: by, Text: text.In(by.Language), Refused: refused})
	return nil
}
