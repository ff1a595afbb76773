package game

import (
	"slices"
	"strings"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// modeVote is a vote of the lobby's players for one of the map's modes.
type modeVote struct {
	until time.Duration
	votes [w3gs.MaxPID + 1]int // by pid: the number of a mode, from 1, or 0
}

func (v *modeVote) open() bool { return v.until > 0 }

// modeVotes counts the votes for each mode, limited per address like all votes, and returns the players who have voted.
func (m *Machine) modeVotes() (each []int, voted w3gs.PIDs) {
	each = make([]int, len(m.cfg.Map.Modes))
	for i := range each {
		var voters w3gs.PIDs
		for pid, mode := range m.settings.modes.votes {
			if mode == i+1 {
				voters |= w3gs.Only(uint8(pid))
			}
		}
		each[i] = m.ballots(voters, m.lobby.Humans())
		voted |= voters
	}
	return each, voted
}

// modes lists the modes, with their votes while a vote is open.
func modes(m *Machine, _ *call) texts.Text {
	if len(m.cfg.Map.Modes) == 0 {
		return texts.Of("This map has no modes to vote for.")
	}
	var parts []texts.Text
	each, _ := m.modeVotes()
	for i, mode := range m.cfg.Map.Modes {
		if each[i] == 0 {
			parts = append(parts, texts.Plain(mode))
		} else {
			parts = append(parts, texts.Of("%s (%d)", mode, each[i]))
		}
	}
	return texts.Of("The modes: %v. Vote with %svotemode <mode>.", texts.Join(parts, ", "), string(m.cfg.Trigger))
}

// votemode counts a player's vote, replacing an earlier one. The first vote opens the poll.
func votemode(m *Machine, c *call, word string) error {
	if err := m.voter(c); err != nil {
		return err
	}
	v := &m.settings.modes
	mode := 1 + slices.IndexFunc(m.cfg.Map.Modes, func(mode string) bool { return strings.EqualFold(mode, word) })
	switch {
	case len(m.cfg.Map.Modes) == 0:
		return texts.Refuse(texts.NoSuch, "this map has no modes to vote for")
	case mode == 0:
		return texts.Refuse(texts.NoSuch, "%q is not one of the modes: %s", word, strings.Join(m.cfg.Map.Modes, ", "))
	case v.votes[c.PID] == mode:
		return texts.Refuse(texts.TooLate, "you have already voted")
	}
	if v.votes[c.PID] = mode; !v.open() {
		v.until = m.now + m.cfg.Votes.Time
		m.say(0, "%s votes for the mode %s. Type %svotemode and one of %s within %v.", c.Name, m.cfg.Map.Modes[mode-1],
			string(m.cfg.Trigger), strings.Join(m.cfg.Map.Modes, ", "), m.cfg.Votes.Time)
	}
	return m.answer(c, "Your vote is for %s.", m.cfg.Map.Modes[mode-1])
}

// settleModes ends the vote when all have voted or its time is over. If at least half of the players have voted, the
// mode with the most votes is set; among equals the first in the list wins.
func (m *Machine) settleModes() {
	v := &m.settings.modes
	if !v.open() || m.Over() {
		return
	}
	each, voters := m.modeVotes()
	all := m.lobby.Humans()
	if voters.Len() < all.Len() && m.now < v.until && m.turns == nil {
		return
	}
	*v = modeVote{}
	if m.turns != nil {
		return
	}
	if voted, there := m.ballots(voters, all), m.ballots(all, all); 2*voted < there || voted == 0 {
		m.say(0, "The vote for the mode has failed: %d of %d have voted.", voted, there)
		return
	}
	if err := hcl(m, nil, m.cfg.Map.Modes[slices.Index(each, slices.Max(each))]); err != nil {
		m.sayText(0, texts.Sentence(texts.From(err)))
	}
}
