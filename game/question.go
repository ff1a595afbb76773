package game

import (
	"slices"

	"w3host/game/command"
	"w3host/lobby"
)

// inGameOnly are the people commands that need a game.
var inGameOnly = []string{"checkme", "from", "banlast", "login"}

// PeopleCommands lists the people commands that need no game. Question runs them.
func PeopleCommands() command.Table[*Machine] {
	return slices.DeleteFunc(slices.Clone(people), func(s command.Spec[*Machine]) bool { return slices.Contains(inGameOnly, s.Name) })
}

// Question runs a command of PeopleCommands for a caller outside any game. The query
// is nil if the command was refused, or answered without one. names are players of
// the host's games.
func Question(table command.Table[*Machine], by *command.Caller, line string, names []string) (q *Query, o command.Outcome) {
	var out Out
	m := &Machine{lobby: lobby.New(lobby.Defaults()), out: outputs{Out: &out}}
	o = table.Run(m, command.Always, by, line, names)
	for _, op := range out.Ops {
		switch op.Kind {
		case Ask:
			q = op.Query
		case Answer:
			by.Answer(op.Text)
		}
	}
	return q, o
}
