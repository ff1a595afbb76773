package command

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"w3host/internal/nearest"
)

// Rule is an operator's change to a command, from the configuration.
type Rule struct {
	// Level is player, trusted, owner, admin or root, or off to disable the command; empty keeps the level of the table.
	// It applies with and without arguments.
	Level   string
	Aliases []string // in addition to those of the table
}

// Rules maps names of commands to rules.
type Rules map[string]Rule

var (
	levels = []string{"player", "trusted", "owner", "admin", "root", "off"} // values of Rule.Level
	ranks  = []Level{Anyone, Trusted, Owner, Admin, Root}                   // the levels in the same order; "off" has none
)

// With returns the table with the rules applied.
func (t Table[T]) With(rules Rules) Table[T] {
	if len(rules) == 0 {
		return t
	}
	claimed := make(map[string]bool) // aliases of rules take precedence over those of the table
	for _, r := range rules {
		for _, alias := range r.Aliases {
			claimed[strings.ToLower(alias)] = true
		}
	}
	isClaimed := func(alias string) bool { return claimed[alias] }
	changed := make(Table[T], 0, len(t))
	for _, s := range t {
		r := rules[s.Name]
		s.Aliases = slices.DeleteFunc(slices.Clone(s.Aliases), isClaimed)
		s.Forms = maps.Clone(s.Forms)
		maps.DeleteFunc(s.Forms, func(alias, _ string) bool { return claimed[alias] })
		switch i := slices.Index(levels, r.Level); {
		case i == len(ranks): // the level is "off"
			continue
		case i >= 0:
			s.Level, s.AskAnyone = ranks[i], false
		}
		for _, alias := range r.Aliases {
			s.Aliases = append(slices.Clip(s.Aliases), strings.ToLower(alias))
		}
		changed = append(changed, s)
	}
	return changed
}

// Words maps every name and alias to the name of its command.
func (t Table[T]) Words() map[string]string {
	words := make(map[string]string)
	for _, s := range t {
		for _, word := range s.words() {
			words[word] = s.Name
		}
	}
	return words
}

// Check returns all errors in rules for the commands with these words, each with a suggestion.
func (r Rules) Check(words map[string]string) error {
	taken := make(map[string]string) // names of commands, which no rule may use as an alias
	for _, name := range words {
		taken[name] = name
	}
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(r)) {
		if of := words[name]; of == "" {
			faults = append(faults, fmt.Errorf("commands.%s: there is no such command; did you mean commands.%s?", name, nearest.Word(name, slices.Sorted(maps.Values(words)))))
			continue
		} else if of != name {
			faults = append(faults, fmt.Errorf("commands.%s: that is another name of %[2]s: write commands.%[2]s", name, of))
			continue
		}
		if level := r[name].Level; level != "" && !slices.Contains(levels, level) {
			faults = append(faults, fmt.Errorf("commands.%s.level = %q: must be one of %s; did you mean %q?", name, level, strings.Join(levels, ", "), nearest.Word(level, levels)))
		}
		for _, alias := range r[name].Aliases {
			alias = strings.ToLower(alias)
			if alias == "" || strings.ContainsAny(alias, " \t\"") {
				faults = append(faults, fmt.Errorf("commands.%s.aliases: %q must be one word", name, alias))
			} else if of := taken[alias]; of != "" {
				faults = append(faults, fmt.Errorf("commands.%s.aliases: %q means %s already", name, alias, of))
			}
			taken[alias] = name
		}
	}
	return errors.Join(faults...)
}
