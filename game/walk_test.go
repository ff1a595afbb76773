package game

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"w3host/game/command"
)

// uses counts how the scripts use a command.
type uses struct {
	done       map[command.Phase]int // carried out
	denied     int                   // the caller may not
	bad        int                   // refused for its arguments, or for what they mean
	wrongPhase int
}

// TestScriptsUseEveryCommand walks the table: for each command, the scripts must
// have a right caller in each phase, a caller who may not, bad arguments, and the
// wrong phase, as far as there is such a thing.
func TestScriptsUseEveryCommand(t *testing.T) {
	used := map[string]*uses{}
	for _, c := range commands {
		used[c.Name] = &uses{done: map[command.Phase]int{}}
	}
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := newScene()
		s.watch(used)
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSuffix(line, "\n"); line == "" || line[0] == '#' || line[0] == ' ' {
				continue
			}
			s.told = nil
			if err := s.event(line); err != nil {
				t.Fatalf("%s: %s: %v", file, line, err)
			}
			for _, told := range s.told {
				if who, name, ok := strings.Cut(strings.TrimRight(told, `."`), " can use "); ok && strings.Contains(who, "Only ") {
					used[name].denied++
				}
			}
		}
	}
	for _, c := range commands {
		u := used[c.Name]
		for _, phase := range []command.Phase{command.InLobby, command.InGame} {
			if c.Phase.Has(phase) && u.done[phase] == 0 && !c.Secret { // the host takes those itself
				t.Errorf("no script has %s carried out in the %v", c.Name, phase)
			}
		}
		if c.Phase != command.Always && c.Phase != command.Anywhere && u.wrongPhase == 0 {
			t.Errorf("no script tries %s in the wrong phase", c.Name)
		}
		if c.Level > command.Anyone && u.denied == 0 {
			t.Errorf("no script has %s denied to somebody", c.Name)
		}
		if c.Usage != "" && u.bad == 0 && c.Name != "help" { // the host has the last word on a topic of help
			t.Errorf("no script has bad arguments of %s", c.Name)
		}
	}
}

// watch counts the uses of commands from here on.
func (s *scene) watch(used map[string]*uses) {
	s.used = used
	table := make(command.Table[*Machine], len(s.m.commands))
	for i, spec := range s.m.commands {
		u, bare, parse := used[spec.Name], spec.Bare, spec.Parse
		if spec.Ask != nil {
			table[i] = s.watchQuestion(spec, u)
			continue
		}
		spec.Bare = nil
		spec.Parse = func(a *args) act {
			typed, phase := !a.Empty(), s.m.phase()
			do := bare
			if do == nil || typed && parse != nil {
				do = parse(a)
			}
			if spec.Phase&phase == 0 {
				u.wrongPhase++
				return do
			}
			u.bad++ // unless it is carried out
			return func(m *Machine, c *call) error {
				u.bad--
				err := do(m, c)
				switch {
				case err == nil:
					u.done[phase]++
				case typed:
					u.bad++
				}
				return err
			}
		}
		table[i] = spec
	}
	s.m.commands = table
}

// watchQuestion counts the uses of a command that asks the database.
func (s *scene) watchQuestion(spec command.Spec[*Machine], u *uses) command.Spec[*Machine] {
	ask, before := spec.Ask, spec.Before
	spec.Ask = func(a *args) command.Question {
		if !spec.Phase.Has(s.m.phase()) {
			u.wrongPhase++
		}
		u.bad++ // unless it is asked
		return ask(a)
	}
	spec.Before = func(m *Machine, by *command.Caller, q *command.Query) error {
		if before != nil {
			if err := before(m, by, q); err != nil {
				return err
			}
		}
		u.bad--
		u.done[m.phase()]++
		return nil
	}
	return spec
}
