package w3gs

import (
	"fmt"
	"strings"
)

// Words maps the words of a configuration option to values of type T, in display order.
type Words[T any] []struct {
	Word  string
	Value T
}

// List returns all accepted words in display order.
func (w Words[T]) List() (words []string) {
	for _, v := range w {
		words = append(words, v.Word)
	}
	return words
}

// Parse returns the value of a word. The error lists the accepted words.
func (w Words[T]) Parse(word string) (value T, err error) {
	for _, v := range w {
		if v.Word == word {
			return v.Value, nil
		}
	}
	return value, fmt.Errorf("is %q: it must be one of %s", word, strings.Join(w.List(), ", "))
}

// Choice is one option of the game's "create game" screen: the bits of GameSettings it controls and the word
// for each value.
type Choice struct {
	Mask GameSettings
	Words[GameSettings]
}

// Options of the "create game" screen with more than two values. "on-defeat" lets defeated players stay as
// observers.
var (
	Speeds = Choice{
		SpeedNormal | SpeedFast,
		Words[GameSettings]{{"slow", SpeedSlow}, {"normal", SpeedNormal}, {"fast", SpeedFast}},
	}
	Visibilities = Choice{
		VisibilityHideTerrain | VisibilityExplored | VisibilityAlwaysVisible | VisibilityDefault,
		Words[GameSettings]{
			{"default", VisibilityDefault},
			{"hide-terrain", VisibilityHideTerrain},
			{"explored", VisibilityExplored},
			{"always-visible", VisibilityAlwaysVisible},
		},
	}
	ObserverChoices = Choice{
		ObserversOn | Referees,
		Words[GameSettings]{{"off", 0}, {"on", ObserversOn}, {"referees", ObserversOn | Referees}, {"on-defeat", ObserversOnDefeat}},
	}
)

// Screen lists all options of the "create game" screen with their configuration keys, in screen order.
var Screen = []struct {
	Key string
	Choice
}{
	{"speed", Speeds},
	{"visibility", Visibilities},
	{"observers", ObserverChoices},
	{"teams_together", toggle(TeamsTogether)},
	{"lock_teams", toggle(FixedTeams)},
	{"shared_control", toggle(FullSharedControl)},
	{"random_hero", toggle(RandomHero)},
	{"random_races", toggle(RandomRaces)},
}

func toggle(bits GameSettings) Choice {
	return Choice{bits, Words[GameSettings]{{"off", 0}, {"on", bits}}}
}

// Word returns the word of the option's value in settings. It returns "" for a bit combination that the
// screen cannot produce.
func (c Choice) Word(settings GameSettings) string {
	for _, v := range c.Words {
		if settings&c.Mask == v.Value {
			return v.Word
		}
	}
	return ""
}
