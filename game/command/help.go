package command

import (
	"slices"
	"strings"

	"w3host/texts"
)

// HostGroup is the help group of the host's commands.
const HostGroup = "hosting"

// Grouped concatenates tables and sets the help group of their commands.
func Grouped[T any](group string, tables ...Table[T]) Table[T] {
	all := slices.Concat(tables...)
	for i := range all {
		all[i].Group = group
	}
	return all
}

// Help explains a command, or lists the commands of a group that callers of this level can use in one of the phases.
func (t Table[T]) Help(topic, trigger string, level Level, phases Phase) (texts.Text, error) {
	topic = strings.ToLower(strings.TrimPrefix(topic, trigger))
	if s := t.Find(topic).Spec; s != nil {
		text := texts.Of("%s%s: %v", trigger, s.Synopsis(), texts.Known(s.Help))
		if len(s.Examples) > 0 {
			text = texts.Of("%v. Example: %s", text, trigger+strings.Join(s.Examples, ", "+trigger))
		}
		return text, nil
	}
	var names []string
	known := false
	for i := range t {
		if s := &t[i]; s.Group == topic {
			known = true
			if s.Phase.Has(phases) && s.listed(level) {
				names = append(names, trigger+s.Name)
			}
		}
	}
	switch {
	case !known:
		return texts.Text{}, texts.Refuse(texts.Unknown, "there is no command %q", topic)
	case names == nil:
		return texts.Text{}, texts.Refuse(texts.WrongPhase, "you cannot use any of the commands in %s here", topic)
	}
	return texts.Plain(strings.Join(names, " ")), nil
}

// Groups lists the groups that have commands for callers of this level in a phase.
func (t Table[T]) Groups(level Level, phase Phase, trigger string) texts.Text {
	var names []string
	for i := range t {
		if s := &t[i]; s.Phase.Has(phase) && s.listed(level) && !slices.Contains(names, s.Group) {
			names = append(names, s.Group)
		}
	}
	if !slices.Contains(names, HostGroup) {
		names = append(names, HostGroup)
	}
	return texts.Of("Commands come in groups: %s. Type %shelp and a group, or a command.", strings.Join(names, ", "), trigger)
}
