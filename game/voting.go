package game

import (
	"time"

	"w3host/command"
	"w3host/lobby"
	"w3host/texts"
	"w3host/w3gs"
)

// voting are the commands by which players decide together.
var voting = command.Table[*Machine]{
	{Name: "votekick", Usage: "<player>", Help: "let the players vote to remove one of them", Phase: command.Always, Parse: func(a *args) act { return onPlayer(a.OnlyPlayer(), votekick) }},
	{Name: "yes", Help: "agree to the vote that runs", Phase: command.Always, Bare: answerPoll(true)},
	{Name: "ready", Help: "say that you are ready to start", Phase: command.InLobby, Bare: ready(false)},
	{Name: "unready", Help: "say that you are not ready any more", Phase: command.InLobby, Urgent: true, Bare: ready(true)},
	{Name: "no", Help: "disagree with the vote that runs", Phase: command.Always, Bare: answerPoll(false)},
}

// ready marks a player as ready to start, or not any more.
func ready(off bool) act {
	return func(m *Machine, c *call) error {
		if _, err := m.voter(c); err != nil {
			return cannot("only players of the lobby can be ready")
		}
		return m.tell(lobby.Ready{PID: c.PID, Off: off})
	}
}

// cannot refuses what is not possible now.
func cannot(format string, values ...any) error {
	return texts.Refuse(texts.NotYet, format, values...)
}

// voter is the seat of a caller who is in the game.
func (m *Machine) voter(c *call) (*seat, error) {
	if s := m.seats[c.PID]; s != nil {
		return s, nil
	}
	return nil, cannot("only players of the game vote")
}

// votekick asks all other players. Admins and players with a reserved place, such as
// the owner, cannot be voted out.
func votekick(m *Machine, c *call, p lobby.Player) error {
	s, err := m.voter(c)
	victim := m.seats[p.PID]
	switch {
	case err != nil:
		return err
	case victim == nil:
		return texts.Refuse(texts.NotHuman, "%s is a fake player", p.Name)
	case p.PID == c.PID:
		return cannot("you cannot vote yourself out: just leave")
	case victim.level >= command.Admin || p.Reserved:
		return cannot("%s has a reserved place and cannot be voted out", p.Name)
	case m.lobby.Humans().Len() < 3:
		return cannot("a vote against somebody needs at least three players")
	case m.poll("votekick", c.PID) != nil || m.poll("votekick", p.PID) != nil:
		return cannot("a vote runs already: answer it with %cyes or %[1]cno", m.cfg.Trigger)
	case m.now < s.mayVote:
		return cannot("you have just called a vote: wait %v", (s.mayVote - m.now).Round(time.Second))
	}
	s.mayVote = m.now + m.cfg.Votes.Cooldown
	return m.ask(&poll{
		command: "votekick", caller: *c.Caller, about: p.PID, target: p.Name, what: texts.Of("kick %s", p.Name),
		groups: func() []w3gs.PIDs {
			if !m.lobby.Humans().Has(p.PID) {
				return nil // on the way out
			}
			return []w3gs.PIDs{m.lobby.Humans() &^ w3gs.Only(p.PID)}
		},
		agreed: func() {
			m.later(lobby.Kick{PID: p.PID, Why: texts.Of("voted out"), By: "vote of " + c.Name, KeepOut: true})
		},
	})
}

func answerPoll(yes bool) act {
	return func(m *Machine, c *call) error {
		if _, err := m.voter(c); err != nil {
			return err
		}
		p := m.poll("", c.PID)
		if p == nil {
			return cannot("there is no vote for you")
		}
		return m.vote(p, c.PID, yes)
	}
}
