package game

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"w3host/game/command"
	"w3host/lobby"
	"w3host/texts"
)

// mostChoice is the maximum length in bytes of a choice in the host's line. A longer line would be split, and its later
// parts would not show whose words they are.
const mostChoice = 60

// Limits of the dice.
const (
	mostDice, mostSides = 20, 1_000_000
	usualSides          = 100
)

// chance holds the commands for random choices (dice.go) and apm (apm.go).
var chance = command.Table[*Machine]{
	{
		Name:     "roll",
		Usage:    "[sides | dice like 2d6]",
		Help:     "roll dice for all to see: one of 100 sides, or as you say",
		Examples: []string{"roll", "roll 20", "roll 2d6"},
		Bare:     rollDice(1, usualSides),
		Parse:    roll,
	},
	{
		Name: "flip",
		Help: "flip a coin for all to see",
		Bare: publicly(flip),
	},
	{
		Name:     "pick",
		Usage:    "[choice, choice ... | player]",
		Help:     "let the host pick one of several for all to see; one of the players if you name nothing; a captain's choice in a draft",
		Examples: []string{"pick", "pick orc, human, undead", "pick bob"},
		Bare:     publicly(pickPlayer),
		Parse:    pick,
	},
	{
		Name:  "apm",
		Help:  "show how many actions you make in a minute",
		Phase: command.InGame,
		Bare:  apm,
	},
}

// publicly wraps an act that makes the host say something to all. It refuses muted callers and applies the rate limit of
// spoken.
func publicly(do act) act {
	return func(m *Machine, c *call) error {
		if !m.lobby.MaySpeak(c.PID) {
			return cannot("you cannot do that while you are muted")
		}
		return spoken(do)(m, c)
	}
}

// spoken wraps an act that makes the host say something to all with the rate limit of maySpeak.
func spoken(do act) act {
	return func(m *Machine, c *call) error {
		if err := m.maySpeak(c.Caller); err != nil {
			return err
		}
		return do(m, c)
	}
}

// lots returns a random source that players cannot predict: clients know the seed, but only the host knows the time.
func (m *Machine) lots() *rand.Rand {
	return rand.New(rand.NewPCG(uint64(m.cfg.Lobby.RandomSeed)<<32|m.seq, uint64(m.now)))
}

// roll parses a number of sides, or dice such as 2d6.
func roll(a *args) act {
	word := strings.ToLower(a.Rest())
	number, size, dice := strings.Cut(word, "d")
	if !dice {
		number, size = "1", word
	} else if number == "" {
		number = "1"
	}
	n, err := strconv.Atoi(number)
	sides, errSides := strconv.Atoi(size)
	if err != nil || errSides != nil || n < 1 || n > mostDice || sides < 2 || sides > mostSides {
		a.Fail("%q cannot be rolled: write a number of sides from 2 to %d, or up to %d dice like 2d6", word, mostSides, mostDice)
	}
	return rollDice(n, sides)
}

func rollDice(n, sides int) act {
	return publicly(func(m *Machine, c *call) error {
		lots, sum := m.lots(), 0
		each := make([]string, n)
		for i := range each {
			eyes := 1 + lots.IntN(sides)
			sum += eyes
			each[i] = strconv.Itoa(eyes)
		}
		if n == 1 {
			return m.say(0, "%s rolls %d (1 to %d).", c.Name, sum, sides)
		}
		return m.say(0, "%s rolls %dd%d: %s = %d.", c.Name, n, sides, strings.Join(each, " + "), sum)
	})
}

func flip(m *Machine, c *call) error {
	return m.sayText(0, texts.If(m.lots().IntN(2) == 0, "%s flips a coin: heads.", "%s flips a coin: tails.", c.Name))
}

// pick parses choices separated by commas or spaces. For a captain in a draft it picks a player.
func pick(a *args) act {
	text := a.Rest()
	var choices []string
	for choice := range strings.SplitSeq(text, ",") {
		if choice = strings.TrimSpace(choice); choice != "" {
			choices = append(choices, choice)
		}
	}
	if !strings.Contains(text, ",") {
		choices = strings.Fields(text)
	}
	lot := publicly(func(m *Machine, c *call) error {
		if len(choices) < 2 {
			return texts.Refuse(texts.Malformed, "at least two choices are needed")
		}
		choice, _ := texts.Cut(choices[m.lots().IntN(len(choices))], mostChoice)
		return m.say(0, "%s lets the host pick: %s.", c.Name, choice)
	})
	return func(m *Machine, c *call) error {
		if m.drafts(c.PID) && !strings.Contains(text, ",") {
			return m.choose(c, text)
		}
		return lot(m, c)
	}
}

func pickPlayer(m *Machine, c *call) error {
	if m.drafts(c.PID) {
		return texts.Refuse(texts.Malformed, "the player is missing. Usage: %s <player>", c.Command)
	}
	var playing []lobby.Player
	for _, p := range m.lobby.Players() {
		if !p.Observer && m.lobby.Humans().Has(p.PID) {
			playing = append(playing, p)
		}
	}
	if playing == nil {
		return texts.Refuse(texts.NoSuch, "there is no player to pick")
	}
	return m.say(0, "%s lets the host pick: %s.", c.Name, playing[m.lots().IntN(len(playing))].Name)
}
