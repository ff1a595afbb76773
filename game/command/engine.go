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

// Act executes a parsed command on a target such as a game. Its error is shown to the caller.
type Act[T any] func(target T, c *Call) error

// Spec describes one command completely. Commands that act on a target have Bare, Parse or Before; commands for the
// database have Ask and are implemented in package control/people.
type Spec[T any] struct {
	Name    string
	Group   string // group in the help; see Table.Grouped
	Aliases []string
	// Forms maps further names to this command with fixed arguments: "sn" means "start now".
	Forms map[string]string
	Usage string // synopsis of the arguments
	// Examples are shown in help and documentation, without the trigger.
	Examples []string
	Help     string
	Level    Level // required level
	Phase    Phase
	// AskAnyone lets everybody use the command without arguments, which only shows something.
	AskAnyone bool
	// Urgent commands are exempt from the rate limit.
	Urgent bool
	// Secret commands have arguments that must not be shown or stored.
	Secret bool
	// Private commands are typed in lines that no other player sees.
	Private bool
	// Yields passes the name to the host's command outside of this command's phase, unless a player in the game typed
	// it.
	Yields bool
	// Unaudited are the uses that change nothing on the host and are omitted from its audit log.
	Unaudited Uses
	// Hosting commands may be used by everybody where players may open lobbies.
	Hosting bool
	// AsTyped commands take the name in their query literally: a part of a name must not make someone an admin.
	AsTyped bool
	// KeptForCaller commands store something for the caller's later games.
	KeptForCaller bool
	// ByAddress commands concern the address of a connected player, so they also work for players without a name of
	// their own.
	ByAddress bool
	// Ask parses the arguments of a command for the database.
	Ask func(a *Args) Question
	// Notice is a sentence, with the reason as argument, that the player in question is shown.
	Notice string
	// Before is called on the target before the query is sent; its error prevents the query.
	Before func(target T, by *Caller, q *Query) error
	// Bare runs the command without arguments; if nil, Parse or Ask decides.
	Bare Act[T]
	// Parse parses the arguments; nil if there are none. The returned act runs only if the arguments were correct and
	// complete.
	Parse func(a *Args) Act[T]
}

// Facts converts a command for a target T to one for another target U, without the fields that act on T. Only its query
// remains.
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
	Command string // name of the command
	Target  string // what it acted on, for the audit log; set by the Act
}

// Synopsis returns the command with its arguments.
func (s *Spec[T]) Synopsis() string { return strings.TrimSpace(s.Name + " " + s.Usage) }

// words returns all names of the command.
func (s *Spec[T]) words() []string {
	return slices.Concat([]string{s.Name}, s.Aliases, slices.Sorted(maps.Keys(s.Forms)))
}

// listed reports whether the command is listed for callers of this level.
func (s *Spec[T]) listed(level Level) bool { return s.Level <= level || s.AskAnyone }

// Table is a list of commands, in the order of the help.
type Table[T any] []Spec[T]

// For concatenates tables and sets level and phase of commands that do not set their own. Commands for Anyone need a
// table of their own. (The function takes whole tables because a call around table literals would turn static data into
// code.)
func For[T any](level Level, phase Phase, tables ...Table[T]) Table[T] {
	t := slices.Concat(tables...)
	for i := range t {
		t[i].Level, t[i].Phase = cmp.Or(t[i].Level, level), cmp.Or(t[i].Phase, phase)
	}
	return t
}

// Use is a line that starts with the name of a command.
type Use[T any] struct {
	*Spec[T]        // nil if the table does not have the command
	Detail   string // the arguments as typed
}

// Find looks up the command of a line by its name, alias or form.
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

// cut splits a line into the name of the command, in lower case, and its arguments.
func cut(line string) (name, rest string) {
	name, rest, _ = strings.Cut(strings.TrimSpace(line), " ")
	return strings.ToLower(name), strings.TrimSpace(rest)
}

// Needs returns the level required for this use. Asking may need less than changing.
func (u Use[T]) Needs() Level {
	if u.Detail == "" && u.AskAnyone {
		return Anyone
	}
	return u.Level
}

// Audited reports whether this use goes to the host's audit log.
func (u Use[T]) Audited() bool {
	return u.Unaudited == None || u.Unaudited == Asking && u.Detail != ""
}

// Secret reports whether a line is a secret command, and returns its arguments.
func (t Table[T]) Secret(line string) (rest string, ok bool) {
	u := t.Find(line)
	return u.Detail, u.Spec != nil && u.Secret
}

// Unknown returns the error for an unknown command. It suggests a similar command that a caller of this level may use.
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

// longestName limits the length of an unknown command in the error.
const longestName = 20

// names returns all names of the commands for callers of this level.
func (t Table[T]) names(level Level) (names []string) {
	for i := range t {
		if s := &t[i]; s.listed(level) {
			names = append(names, s.words()...)
		}
	}
	return names
}

// Outcome is the result of running a command.
type Outcome struct {
	Target string
	Denied bool   // the caller lacks the level
	Acted  bool   // the command ran, or was refused by its Act
	Query  *Query // query for the database, or nil
	Err    error  // why it failed, for the caller
}

// Run runs a command. names are the names of the players that it may concern.
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

// parse parses the arguments and returns either an act or a question.
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
