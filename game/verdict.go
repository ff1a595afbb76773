package game

import (
	"fmt"

	"w3host/game/command"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// verdicts holds the commands by which players end a game with a result.
var verdicts = command.Table[*Machine]{
	{
		Name:    "ff",
		Aliases: []string{"surrender", "forfeit"},
		Help:    "let your team surrender, if enough of it agree",
		Bare:    surrender,
	},
	{
		Name:    "rmk",
		Aliases: []string{"remake"},
		Help:    "open the lobby again, with the same places, if enough players agree",
		Bare:    remake,
	},
	{
		Name: "draw",
		Help: "end the game as a draw, if enough of each team agree",
		Bare: draw,
	},
}

// Result is the result of a game for a player.
type Result uint8

// The values of Result.
const (
	Victory Result = iota + 1
	Defeat
	Tie
)

// fighter returns the caller's player, or an error unless it plays and the game has begun.
func (m *Machine) fighter(c *call) (lobby.Player, error) {
	p, ok := m.lobby.Player(c.PID)
	switch {
	case !ok || m.seats[c.PID] == nil || p.Observer:
		return p, cannot("only active players can do that")
	case m.turns.Loading():
		return p, cannot("players are still loading")
	}
	return p, nil
}

// teams returns the players of each team who are still in the game.
func (m *Machine) teams() (teams [w3gs.MaxSlots]w3gs.PIDs) {
	for _, p := range m.lobby.Players() {
		if !p.Observer {
			teams[p.Team] |= w3gs.Only(p.PID) & m.lobby.Humans()
		}
	}
	return teams
}

// playing returns the players of all teams who are still in the game.
func (m *Machine) playing() (all w3gs.PIDs) {
	for _, players := range m.teams() {
		all |= players
	}
	return all
}

// fighting returns the teams with players that have not surrendered.
func (m *Machine) fighting() (teams []int) {
	for team, players := range m.teams() {
		if players != 0 && !m.ending.surrendered[team] {
			teams = append(teams, team)
		}
	}
	return teams
}

func surrender(m *Machine, c *call) error {
	p, err := m.fighter(c)
	if err != nil {
		return err
	}
	if m.ending.surrendered[p.Team] {
		return cannot("your team has surrendered")
	}
	return m.openPoll(&poll{
		command: c.Command, caller: *c.Caller, target: fmt.Sprintf("team %d", p.Team+1), what: texts.Of("surrender"),
		groups: func() []w3gs.PIDs { return []w3gs.PIDs{m.teams()[p.Team]} },
		agreed: func() { m.surrendered(p.Team) },
	})
}

// surrendered ends the game if at most one team is left.
func (m *Machine) surrendered(team uint8) {
	m.ending.surrendered[team] = true
	m.say(0, "Team %d has surrendered.", team+1)
	left := m.fighting()
	if len(left) > 1 {
		return
	}
	m.decide(texts.Of("a team has surrendered"), func(p lobby.Player) Result {
		if len(left) == 1 && int(p.Team) == left[0] {
			return Victory
		}
		return Defeat
	})
}

func draw(m *Machine, c *call) error {
	if _, err := m.fighter(c); err != nil {
		return err
	}
	return m.openPoll(&poll{
		command: c.Command, caller: *c.Caller, what: texts.Of("end the game as a draw"),
		groups: func() (groups []w3gs.PIDs) {
			for _, team := range m.fighting() {
				groups = append(groups, m.teams()[team])
			}
			return groups
		},
		agreed: func() {
			m.decide(texts.Of("the players agreed on a draw"), func(lobby.Player) Result { return Tie })
		},
	})
}

// decide ends the game with a result for all who played, including those who have left.
func (m *Machine) decide(why texts.Text, result func(lobby.Player) Result) {
	f := &Decided{Why: why.String()}
	for _, p := range m.started.Players {
		if !p.Observer {
			f.Players = append(f.Players, playerResult{Player: Player{PID: p.PID, Name: p.Name}, Result: result(p)})
		}
	}
	m.ending.decided = true
	m.fact(f)
	m.turns.End(m.playTime(), texts.Of("The game is over: %v.", why))
}

// remake asks the players whether to play again.
func remake(m *Machine, c *call) error {
	if p, _ := m.lobby.Player(c.PID); m.seats[c.PID] == nil || p.Observer {
		return cannot("only active players can do that")
	}
	return m.openPoll(&poll{
		command: c.Command, caller: *c.Caller, what: texts.Of("play again"),
		groups: func() []w3gs.PIDs { return []w3gs.PIDs{m.playing()} },
		agreed: m.remake,
	})
}

// remake ends the game and orders a new lobby for it.
func (m *Machine) remake() {
	cfg := m.cfg
	if cfg.Saved == nil { // the places of a saved game are part of its configuration
		cfg.Lobby.Places, cfg.Lobby.HCL = m.started.Places, m.lobby.HCL()
	}
	m.ending.remade = true
	m.out.add(Op{Kind: Again, Config: &cfg})
	m.turns.End(m.playTime(), texts.Of("The game is over and will be played again. Join the lobby %s; your places are reserved.", cfg.Name))
}
