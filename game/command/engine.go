package command

import (
	"maps"
	"slices"
	"strings"

	"w3host/internal/nearest"
	"w3host/texts"
)

// Act carries a parsed command out on a target: a game, say. The error is one
// line for the caller.
type Act[T any] func(target T, c *Call) error

// Spec is one command: all that is known of it stands here.
type Spec[T any] struct {
	Name    string
	Aliases []string
	// Forms are names that stand for the command with some arguments: "sn" for "start now".
	Forms map[string]string
	Usage string // of the arguments
	// Examples are uses of the command without the trigger, for help and documentation.
	Examples []string
	Help     string
	Level    Level // who may use it
	Phase    Phase
	// AskAnyone lets everybody use it without arguments, to ask.
	AskAnyone bool
	// Urgent commands are obeyed however many came before them, Costly ones less
	// often than others.
	Urgent, Costly bool
	// Secret commands have arguments that nobody may read or keep.
	Secret bool
	// Bare is carried out where there are no arguments; nil: Parse decides.
	Bare Act[T]
	// Parse reads the arguments; nil: there are none. What it returns is called only
	// if they were right and nothing was left over.
	Parse func(a *Args) Act[T]
}

// Call is one use of a command.
type Call struct {
	*Caller
	Target string // whom or what it was about, for the audit; the Act says so
}

// Synopsis is the command with its arguments.
func (s *Spec[T]) Synopsis() string { return strings.TrimSpace(s.Name + " " + s.Usage) }

// needs is who may use it like this; asking may need less than setting.
func (s *Spec[T]) needs(rest string) Level {
	if rest == "" && s.AskAnyone {
		return Anyone
	}
	return s.Level
}

// Table is the commands of a target, in the order of the help.
type Table[T any] []Spec[T]

// find looks a command up by its name or an alias; nil if there is none.
func (t Table[T]) find(name string) *Spec[T] {
	for i := range t {
		if _, form := t[i].Forms[name]; form || t[i].Name == name || slices.Contains(t[i].Aliases, name) {
			return &t[i]
		}
	}
	return nil
}

// split finds the command of a line.
func (t Table[T]) split(line string) (s *Spec[T], name, rest string) {
	name, rest, _ = strings.Cut(strings.TrimSpace(line), " ")
	name, rest = strings.ToLower(name), strings.TrimSpace(rest)
	if s = t.find(name); s != nil && s.Forms[name] != "" {
		rest = strings.TrimSpace(s.Forms[name] + " " + rest)
	}
	return s, name, rest
}

// Lookup finds the command of a line; nil if the table does not have it.
func (t Table[T]) Lookup(line string) *Spec[T] {
	s, _, _ := t.split(line)
	return s
}

// Has reports whether the table has the command of a line.
func (t Table[T]) Has(line string) bool { return t.Lookup(line) != nil }

// Usable finds the command of a line if somebody of this level may use it.
func (t Table[T]) Usable(level Level, line string) *Spec[T] {
	s, _, rest := t.split(line)
	if s == nil || level < s.needs(rest) {
		return nil
	}
	return s
}

// Secret reports whether a line is a command that is secret, and takes its
// arguments.
func (t Table[T]) Secret(line string) (rest string, ok bool) {
	s, _, rest := t.split(line)
	return rest, s != nil && s.Secret
}

// NoCommand says that no table has the command of a line, and which of the known ones
// may be meant.
func NoCommand(line, trigger string, known []string) error {
	_, name, _ := Table[any](nil).split(line)
	if len(name) > longestName {
		name = strings.ToValidUTF8(name[:longestName], "") + "…"
	}
	near := nearest.Word(name, known)
	if near != "" && len(name) > 1 && nearest.Distance(name, near) <= min(2, len(name)/2) {
		return texts.Refuse(texts.Unknown, "there is no command %q. Did you mean %s?", trigger+name, trigger+near)
	}
	return texts.Refuse(texts.Unknown, "there is no command %q. Type %shelp for a list", trigger+name, trigger)
}

// longestName bounds what is repeated of a command that does not exist.
const longestName = 20

// Names are all words for the commands that somebody of this level may use.
func (t Table[T]) Names(level Level) (names []string) {
	for i := range t {
		if s := &t[i]; s.Level <= level || s.AskAnyone {
			names = slices.Concat(names, []string{s.Name}, s.Aliases, slices.Sorted(maps.Keys(s.Forms)))
		}
	}
	return names
}

// Outcome is what became of a line.
type Outcome struct {
	Name   string // of the command; empty: there is none of that name
	Detail string // the arguments as they were typed
	Target string
	Needs  Level
	Denied bool  // the caller may not
	Acted  bool  // it was carried out, or refused by its Act
	Err    error // why it was not done, for the caller
}

// Run carries out a line without its trigger. The names are those of the players
// that it may be about.
func (t Table[T]) Run(target T, phase Phase, by *Caller, line string, names []string) Outcome {
	s, _, rest := t.split(line)
	if s == nil {
		return Outcome{Err: NoCommand(line, "", t.Names(by.Level))}
	}
	o := Outcome{Name: s.Name, Detail: rest, Needs: s.needs(rest)}
	if by.Level < o.Needs {
		o.Denied, o.Err = true, by.Refusal(o.Needs, s.Name)
		return o
	}
	a := &Args{left: rest, names: names}
	act := s.Bare
	if act == nil || rest != "" && s.Parse != nil {
		act = s.Parse(a)
	}
	if a.left != "" {
		a.Fail("%q was not expected", a.left)
	}
	switch {
	case a.err != nil:
		o.Err = texts.Refuse(texts.Malformed, "%v. Usage: %s", a.err, s.Synopsis())
	case s.Phase&phase == 0:
		o.Err = texts.Refuse(texts.WrongPhase, "the command %s works only in the %v", s.Name, s.Phase)
	default:
		call := &Call{Caller: by}
		o.Acted, o.Err = true, act(target, call)
		o.Target = call.Target
	}
	return o
}

// Help explains the command of a topic.
func (t Table[T]) Help(topic, trigger string) (texts.Text, error) {
	s := t.find(strings.ToLower(strings.TrimPrefix(topic, trigger)))
	if s == nil {
		return texts.Text{}, texts.Refuse(texts.Unknown, "there is no command %q", topic)
	}
	text := texts.Of("%s%s: %v", trigger, s.Synopsis(), texts.Known(s.Help))
	if len(s.Examples) > 0 {
		text = texts.Of("%v. Example: %s", text, trigger+strings.Join(s.Examples, ", "+trigger))
	}
	return text, nil
}

// List names the commands that somebody of this level may use.
func (t Table[T]) List(level Level, phase Phase, trigger string) string {
	var names []string
	for _, s := range t {
		if s.Phase&phase != 0 && (s.Level <= level || s.AskAnyone) {
			names = append(names, trigger+s.Name)
		}
	}
	return strings.Join(names, " ")
}
