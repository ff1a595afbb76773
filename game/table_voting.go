package game

import (
	"slices"

	"w3host/game/command"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// voting holds the commands by which players decide together.
var voting = command.Table[*Machine]{
	{
		Name:     "votekick",
		Usage:    "<player>",
		Help:     "let the players vote to remove one of them",
		Examples: []string{"votekick bob"},
		Parse:    func(a *args) act { return onPlayer(a.OnlyPlayer(), votekick) },
	},
	{
		Name:     "votemute",
		Usage:    "<player>",
		Help:     "let the players vote to mute one of them",
		Examples: []string{"votemute bob"},
		Parse:    func(a *args) act { return onPlayer(a.OnlyPlayer(), votemute) },
	},
	{
		Name:  "votestart",
		Help:  "let the players vote to start the game",
		Phase: command.InLobby,
		Bare:  votestart,
	},
	{
		Name:     "votemode",
		Aliases:  []string{"voteoptions"},
		Usage:    "[mode]",
		Help:     "vote for the map's mode, or show the modes and the votes",
		Examples: []string{"votemode", "votemode ap"},
		Phase:    command.InLobby,
		Bare:     show(modes),
		Parse:    with((*args).Rest, votemode),
	},
	{
		Name:     "swaprequest",
		Usage:    "<player>",
		Help:     "ask a player to change places with you, who agrees with yes",
		Examples: []string{"swaprequest bob"},
		Phase:    command.InLobby,
		Parse:    func(a *args) act { return onPlayer(a.OnlyPlayer(), askToSwap) },
	},
	{
		Name: "votecancel",
		Help: "cancel the open vote, if you called it, own the lobby or are an admin",
		Bare: votecancel,
	},
	{
		Name:    "yes",
		Aliases: []string{"accept"},
		Help:    "vote yes",
		Bare:    answerPoll(true),
	},
	{
		Name:  "ready",
		Help:  "say that you are ready to start",
		Phase: command.InLobby,
		Bare:  ready(false),
	},
	{
		Name:    "unready",
		Aliases: []string{"afk"},
		Help:    "mark yourself as not ready",
		Phase:   command.InLobby,
		Urgent:  true,
		Bare:    ready(true),
	},
	{
		Name:  "no",
		Forms: map[string]string{"undraw": "", "unff": "", "swapabort": ""},
		Help:  "vote no",
		Bare:  answerPoll(false),
	},
}

// ready marks a player as ready or not ready.
func ready(off bool) act {
	return func(m *Machine, c *call) error {
		if err := m.voter(c); err != nil {
			return cannot("only players in the lobby can be ready")
		}
		return m.try(lobby.Ready{PID: c.PID, Off: off})
	}
}

// cannot refuses a command that is not possible now.
func cannot(format string, values ...any) error {
	return texts.Refuse(texts.NotYet, format, values...)
}

// voter returns an error unless the caller is in the game.
func (m *Machine) voter(c *call) error {
	if m.seats[c.PID] == nil {
		return cannot("only players in the game can vote")
	}
	return nil
}

func votekick(m *Machine, c *call, p lobby.Player) error {
	return m.pollOthers(c, p, texts.Of("kick %s", p.Name),
		kickLater{PID: p.PID, Why: texts.Of("voted out"), By: "vote of " + c.Name, KeepOut: true})
}

func votemute(m *Machine, c *call, p lobby.Player) error {
	return m.pollOthers(c, p, texts.Of("mute %s", p.Name), muteLater{PID: p.PID})
}

// pollOthers opens a poll about a player that all others can answer. Admins, trusted and exempt players cannot be the
// subject of a poll; a player who owns the lobby by joining first can.
func (m *Machine) pollOthers(c *call, p lobby.Player, what texts.Text, then task) error {
	victim := m.seats[p.PID]
	switch err := m.voter(c); {
	case err != nil:
		return err
	case victim == nil:
		return texts.Refuse(texts.NotHuman, "%s is a fake player", p.Name)
	case p.PID == c.PID:
		return cannot("you cannot call a vote about yourself")
	case victim.level >= command.Admin || p.Spared:
		return cannot("%s has a reserved place: votes cannot be about them", p.Name)
	case victim.level >= command.Trusted:
		return cannot("%s is trusted here: votes cannot be about them", p.Name)
	case m.ballots(m.lobby.Humans(), m.lobby.Humans()) < 3:
		return cannot("a vote about a player needs at least three players")
	case m.poll(c.Command, c.PID) != nil || m.poll(c.Command, p.PID) != nil:
		return cannot("a vote is already open: answer it with %cyes or %[1]cno", m.cfg.Trigger)
	}
	return m.openPoll(&poll{
		command: c.Command, caller: *c.Caller, about: p.PID, target: p.Name, paced: true, what: what, agreed: func() { m.later(then) },
		groups: func() []w3gs.PIDs {
			if !m.lobby.Humans().Has(p.PID) {
				return nil // the player is leaving
			}
			return []w3gs.PIDs{m.lobby.Humans() &^ w3gs.Only(p.PID)}
		},
	})
}

// leastToStart is the minimum number of players for a vote to start, unless lobby.min_players requires more.
const leastToStart = 2

// votestart asks all players of the lobby.
func votestart(m *Machine, c *call) error {
	need := max(m.lobby.MinPlayers(), leastToStart)
	switch err := m.voter(c); {
	case err != nil:
		return err
	case m.lobby.Humans().Len() < need:
		return texts.Refuse(texts.NotYet, "a vote to start needs at least %d players", need)
	}
	return m.openPoll(&poll{
		command: c.Command, caller: *c.Caller, paced: true, what: texts.Of("start the game"),
		groups: func() []w3gs.PIDs {
			if m.turns != nil {
				return nil // the game has started
			}
			return []w3gs.PIDs{m.lobby.Humans()}
		},
		agreed: func() { m.later(startAgreed{}) },
	})
}

// votecancel cancels the poll in which the caller can vote, or else the latest one.
func votecancel(m *Machine, c *call) error {
	p := m.poll("", c.PID)
	if p == nil && len(m.polls) > 0 {
		p = m.polls[len(m.polls)-1]
	}
	switch {
	case p == nil:
		return texts.Refuse(texts.NoSuch, "no vote is open")
	case (c.PID == 0 || p.caller.PID != c.PID) && c.Level < command.Owner:
		return texts.Refuse(texts.Denied, "only %s, who called the vote, the owner and admins can cancel it", p.caller.Name)
	}
	m.polls = slices.DeleteFunc(m.polls, func(q *poll) bool { return q == p })
	m.sayToAsked(p, texts.Of("%s canceled the vote to %v.", c.Name, p.what))
	return nil
}

func answerPoll(yes bool) act {
	return func(m *Machine, c *call) error {
		if err := m.voter(c); err != nil {
			return err
		}
		p := m.poll("", c.PID)
		if p == nil {
			return cannot("there is no vote you can take part in")
		}
		return m.vote(p, c.PID, yes)
	}
}
