package game

import (
	"slices"

	"w3host/command"
	"w3host/lobby"
)

// inGameOnly are the commands about people that mean those of one game.
var inGameOnly = []string{"checkme", "from", "banlast", "login"}

// PeopleCommands lists the commands about people that need no game: a caller
// outside has them by Question.
func PeopleCommands() command.Table[*Machine] {
	return slices.DeleteFunc(slices.Clone(people), func(s command.Spec[*Machine]) bool { return slices.Contains(inGameOnly, s.Name) })
}

// Question reads a command about people, of their table, for a caller who means no
// game. The query is nil if the command was refused, or answered without one.
// Names are those of players elsewhere.
func Question(table command.Table[*Machine], by *command.Caller, line string, names []string) (q *Query, o command.Outcome) {
	var out Out
	m := &Machine{lobby: lobby.New(lobby.Defaults()), out: &out}
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
