package w3gs

import (
	"fmt"
	"strings"
)

// Choice is one of the choices of the "create game" screen: the settings' bits that
// it takes, and the words that operators write for its values.
type Choice struct {
	Mask   GameSettings
	values []GameSettings
	words  []string
}

// The choices. Observers on defeat are players who have lost.
var (
	Speeds = Choice{
		Mask:   SpeedNormal | SpeedFast,
		values: []GameSettings{SpeedSlow, SpeedNormal, SpeedFast},
		words:  []string{"slow", "normal", "fast"},
	}
	Visibilities = Choice{
		Mask:   VisibilityHideTerrain | VisibilityExplored | VisibilityAlwaysVisible | VisibilityDefault,
		values: []GameSettings{VisibilityDefault, VisibilityHideTerrain, VisibilityExplored, VisibilityAlwaysVisible},
		words:  []string{"default", "hide-terrain", "explored", "always-visible"},
	}
	ObserverChoices = Choice{
		Mask:   ObserversOn | Referees,
		values: []GameSettings{0, ObserversOn, ObserversOn | Referees, ObserversOnDefeat},
		words:  []string{"off", "on", "referees", "on-defeat"},
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
	return Choice{Mask: bits, values: []GameSettings{0, bits}, words: []string{"off", "on"}}
}

// Words lists what can be chosen.
func (c Choice) Words() []string { return c.words }

// Parse reads a word.
func (c Choice) Parse(word string) (GameSettings, error) {
	for i, w := range c.words {
		if w == word {
			return c.values[i], nil
		}
	}
	return 0, fmt.Errorf("is %q: it must be one of %s", word, strings.Join(c.words, ", "))
}

// Word returns the chosen word in settings; empty for bits that no screen can set.
func (c Choice) Word(settings GameSettings) string {
	for i, v := range c.values {
		if settings&c.Mask == v {
			return c.words[i]
		}
	}
	return ""
}
