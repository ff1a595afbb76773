package w3gs

import (
	"fmt"
	"strings"
)

// Words are the words that operators write for the values of something.
type Words[T any] []struct {
	Word  string
	Value T
}

// List lists the words.
func (w Words[T]) List() (words []string) {
	for _, v := range w {
		words = append(words, v.Word)
	}
	return words
}

// Parse reads a word.
func (w Words[T]) Parse(word string) (value T, err error) {
	for _, v := range w {
		if v.Word == word {
			return v.Value, nil
		}
	}
	return value, fmt.Errorf("is %q: it must be one of %s", word, strings.Join(w.List(), ", "))
}

// Choice is one of the choices of the "create game" screen: the settings' bits that
// it takes, and the words for their values.
type Choice struct {
	Mask GameSettings
	Words[GameSettings]
}

// The choices. Observers on defeat are players who have lost.
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

// Screen are the choices by the keys under which operators write them, in the order of the
// screen.
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

// Word returns the chosen word in settings; empty for bits that no screen can set.
func (c Choice) Word(settings GameSettings) string {
	for _, v := range c.Words {
		if settings&c.Mask == v.Value {
			return v.Word
		}
	}
	return ""
}
