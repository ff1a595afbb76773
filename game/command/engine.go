package command

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"w3host/internal/nearest"
	"w3host/texts"
)

// Act carries a parsed command out on a target: a game, say. The error is one
// line for the caller.
type Act[T any] func(target T, c *Call) error

// Spec is one command: all that is known of it stands here. The acts of a target are
// in Bare, Parse and Before, those of the database in the table of control/people.
type Spec[T any] struct {
	Name    string
	Group   string // under which help lists it; see Table.Grouped
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
	// Urgent commands are obeyed however many came before them.
	Urgent bool
	// Secret commands have arguments that nobody may read or keep.
	Secret bool
	// Private commands are typed in lines that no other player reads.
	Private bool
	// Yields leaves the name to the host's command outside of the phase, unless a player
	// of the game types it.
	Yields bool
	// Unaudited are the uses that change nothing of the host, and that its audit leaves out.
	Unaudited Uses
	// Hosting commands are for everybody where players may host.
	Hosting bool
	// AsTyped commands take the name that they ask the database about in full: a part of
	// it does not make an admin.
	AsTyped bool
	// KeptForCaller commands store something for the caller's later games.
	KeptForCaller bool
	// ByAddress commands ask about the address of a player who is here, who needs no name for it.
	ByAddress bool
	// Ask reads the arguments of a command that asks the database.
	Ask func(a *Args) Question
	// Notice is the sentence around the query's reason that a player who is here reads of it.
	Notice string
	// Before is called on the target first; after an error nothing is asked.
	Before func(target T, by *Caller, q *Query) error
	// Bare is carried out where there are no arguments; nil: Parse or Ask decides.
	Bare Act[T]
	// Parse reads the arguments; nil: there are none. Its result is called only
	// if they were right and nothing was left over.
	Parse func(a *Args) Act[T]
}

// Facts is a command for other targets, without the acts of these targets for it: the fields whose types
// name the target. It can only ask.
func Facts[U, T any](s Spec[T]) (facts Spec[U]) {
	from, to := reflect.ValueOf(s), reflect.ValueOf(&facts).Elem()
	for i := range from.NumField() {
		if field := from.Field(i); field.Type() == to.Field(i).Type() {
			to.Field(i).Set(field)
		}
	}
	return facts
}

// Call is one use of a command.
type Call struct {
	*Caller
	Command string // its name
	Target  string // whom or what it was about, for the audit; the Act says so
}

// Synopsis is the command with its arguments.
func (s *Spec[T]) Synopsis() string { return strings.TrimSpace(s.Name + " " + s.Usage) }

// words are the name and all other names of the command.
func (s *Spec[T]) words() []string {
	return slices.Concat([]string{s.Name}, s.Aliases, slices.Sorted(maps.Keys(s.Forms)))
}

// listed reports whether a list has the command for somebody of this level.
func (s *Spec[T]) listed(level Level) bool { return s.Level <= level || s.AskAnyone }

// Table is the commands of a target, in the order of the help.
type Table[T any] []Spec[T]

// For is the commands of tables for one level and phase, except those that name others. Commands for
// Anyone need a table of their own. (A call around the text of a table would make code of its data.)
func For[T any](level Level, phase Phase, tables ...Table[T]) Table[T] {
	t := slices.Concat(tables...)
	for i := range t {
		t[i].Level, t[i].Phase = cmp.Or(t[i].Level, level), cmp.Or(t[i].Phase, phase)
	}
	return t
}

// Use is a line that begins with the name of a command.
type Use[T any] struct {
	*Spec[T]        // nil: the table has no such command
	Detail   string // the arguments as they were typed
}

// Find looks the command of a line up by its name or an alias.
func (t Table[T]) Find(line string) (u Use[T]) {
	name, rest := cut(line)
	for i := range t {
		form, ok := t[i].Forms[name]
		if ok || t[i].Name == name || slices.Contains(t[i].Aliases, name) {
			return Use[T]{&t[i], strings.TrimSpace(form + " " + rest)}
		}
	}
	return u
}

// cut separates the word for a command from its arguments.
func cut(line string) (name, rest string) {
	name, rest, _ = strings.Cut(strings.TrimSpace(line), " ")
	return strings.ToLower(name), strings.TrimSpace(rest)
}

// Needs is the level that this use of the command takes; asking may need less than setting.
func (u Use[T]) Needs() Level {
	if u.Detail == "" && u.AskAnyone {
		return Anyone
	}
	return u.Level
}

// Audited reports whether the audit of the host has this use.
func (u Use[T]) Audited() bool {
	return u.Unaudited == None || u.Unaudited == Asking && u.Detail != ""
}

// Secret reports whether a line is a command that is secret, and takes its
// arguments.
func (t Table[T]) Secret(line string) (rest string, ok bool) {
	u := t.Find(line)
	return u.Detail, u.Spec != nil && u.Secret
}

// Unknown says that the table does not have the command of a line, and which of those for
// somebody of this level may be meant.
func (t Table[T]) Unknown(line, trigger string, level Level) error {
	name, _ := cut(line)
	if len(name) > longestName {
		name = strings.ToValidUTF8(name[:longestName], "") + "…"
	}
	near := nearest.Word(name, t.names(level))
	if near != "" && len(name) > 1 && nearest.Distance(name, near) <= min(2, len(name)/2) {
		return texts.Refuse(texts.Unknown, "there is no command %q. Did you mean %s?", trigger+name, trigger+near)
	}
	return texts.Refuse(texts.Unknown, "there is no command %q. Type %shelp for a list", trigger+name, trigger)
}

// longestName bounds the repeated part of a command that does not exist.
const longestName = 20

// names are all words for the commands that somebody of this level may use.
func (t Table[T]) names(level Level) (names []string) {
	for i := range t {
		if s := &t[i]; s.listed(level) {
			names = append(names, s.words()...)
		}
	}
	return names
}

// Outcome is the result of a use.
type Outcome struct {
	Target string
	Denied bool   // the caller may not
	Acted  bool   // it was carried out, or refused by its Act
	Query  *Query // is to be put to the database; nil: nothing is
	Err    error  // why it was not done, for the caller
}

// Run carries a command out. The names are those of the players that it may be about.
func (u Use[T]) Run(target T, phase Phase, by *Caller, names []string) (o Outcome) {
	s := u.Spec
	if needs := u.Needs(); by.Level < needs {
		return Outcome{Denied: true, Err: by.Refusal(needs, s.Name)}
	}
	if phase == Outside && !s.Phase.Has(phase) {
		return Outcome{Err: texts.Refuse(texts.WrongPhase, "the command %s needs a lobby or game: use eg <id> %s", s.Name, s.Synopsis())}
	}
	act, question, err := u.parse(names)
	call := &Call{Caller: by, Command: s.Name}
	switch {
	case err != nil:
		o.Err = texts.Refuse(texts.Malformed, "%v. Usage: %s", err, s.Synopsis())
	case !s.Phase.Has(phase):
		o.Err = texts.Refuse(texts.WrongPhase, "the command %s works only in the %v", s.Name, s.Phase)
	case question != nil:
		q := &Query{What: s.Name, By: by.Name, Realm: by.Realm, Language: by.Language}
		if o.Acted, o.Err = true, question(by, q); o.Err == nil && q.What != "" {
			o.Query = q
		}
	default:
		o.Acted, o.Err = true, act(target, call)
		o.Target = call.Target
	}
	return o
}

// parse reads the arguments for an act or a question.
func (u Use[T]) parse(names []string) (act Act[T], question Question, err error) {
	a := &Args{left: u.Detail, names: names}
	switch act = u.Bare; {
	case act != nil && (u.Detail == "" || u.Parse == nil && u.Ask == nil):
	case u.Parse != nil:
		act = u.Parse(a)
	default:
		question = u.Ask(a)
	}
	if a.left != "" {
		a.Fail("%q was not expected", a.left)
	}
	return act, question, a.err
}
