package control

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"w3host/game/command"
	"w3host/internal/terminal"
)

// mostListed is the maximum number of choices that Tab lists.
const mostListed = 100

// complete is the terminal's callback for each key. On Tab it completes the word before the cursor, or lists the choices
// if there are several.
func (c *Console) complete(line string, pos int, key rune) (string, int, bool) {
	o := c.operator.Load()
	if key != '\t' || o == nil {
		return line, pos, key == '\t'
	}
	if trigger := o.opts.Trigger; trigger != "" && strings.HasPrefix(line[:pos], trigger) {
		line, pos, ok := c.complete(line[len(trigger):], pos-len(trigger), key)
		return trigger + line, pos + len(trigger), ok
	}
	at := wordStart(line[:pos])
	part := strings.TrimPrefix(line[at:pos], `"`)
	choices := o.choices(split(line[:at]))
	word, done, list := completed(part, choices)
	if list != nil {
		c.list(list)
		return line, pos, true
	}
	if strings.ContainsRune(word, ' ') || line[at:pos] != part {
		word = `"` + word
		if done {
			word += `"`
		}
	}
	if done {
		word += " "
	}
	return line[:at] + word + line[pos:], at + len(word), true
}

// list prints the choices in columns.
func (c *Console) list(choices []string) {
	more := len(choices) - mostListed
	for _, row := range terminal.InColumns(choices[:min(len(choices), mostListed)], terminal.Width(c.Log)) {
		c.say(row)
	}
	if more > 0 {
		c.say(fmt.Sprintf("… and %d more", more))
	}
}

// completed extends a partial word. done means that word is the only choice; list holds the choices if the word cannot
// be extended.
func completed(part string, choices []string) (word string, done bool, list []string) {
	fold := strings.ToLower(part)
	matching := func(match func(s, part string) bool) (hits []string) {
		for _, choice := range choices {
			if match(strings.ToLower(choice), fold) && !slices.Contains(hits, choice) {
				hits = append(hits, choice)
			}
		}
		return hits
	}
	hits := matching(strings.HasPrefix)
	if len(hits) == 0 { // like commands, accept any part of a name
		hits = matching(strings.Contains)
	}
	switch len(hits) {
	case 0:
		return part, false, []string{}
	case 1:
		return hits[0], true, nil
	}
	common := hits[0]
	for _, hit := range hits[1:] {
		for !strings.HasPrefix(hit, common) {
			common = common[:len(common)-1]
		}
	}
	if len(common) > len(part) && strings.HasPrefix(strings.ToLower(common), fold) {
		return strings.ToValidUTF8(common, ""), false, nil
	}
	slices.Sort(hits)
	return part, false, hits
}

// wordStart returns the index at which the last word of a line begins, or the opening quote before it.
func wordStart(line string) (at int) {
	quoted := false
	for i, r := range line {
		switch {
		case r == '"' && !quoted:
			quoted, at = true, i
		case r == '"':
			quoted = false
		case r == ' ' && !quoted:
			at = i + 1
		}
	}
	return at
}

// split splits a line into words, keeping quoted words together.
func split(line string) (words []string) {
	for line = strings.TrimSpace(line); line != ""; {
		at := wordStart(line)
		words = append(words, strings.Trim(line[at:], `"`))
		line = strings.TrimSpace(line[:at])
	}
	slices.Reverse(words)
	return words
}

// choices returns the words that can follow the given words of a line.
func (o *Operator) choices(words []string) []string {
	if len(words) == 0 {
		return commandNames(slices.DeleteFunc(slices.Clone(everything), func(s command.Spec[*target]) bool { return !s.Phase.Has(command.Outside) }))
	}
	u := everything.Find(words[0])
	if u.Spec == nil {
		return nil
	}
	arguments := argument.FindAllString(u.Usage, -1)
	if i := slices.Index(arguments, "<command>"); i >= 0 && i+1 < len(words) { // the command has arguments of its own
		return o.choices(words[i+1:])
	}
	return o.values(u.Usage, arguments, len(words)-1)
}

// argument matches one argument in the usage text of a command.
var argument = regexp.MustCompile(`<[^>]*>|\[[^]]*\]`)

// values returns the possible values of the nth argument of a command.
func (o *Operator) values(usage string, all []string, nth int) (list []string) {
	if strings.HasSuffix(usage, "...") {
		nth = min(nth, len(all)-1)
	}
	if nth >= len(all) {
		return nil
	}
	for kind := range strings.SplitSeq(all[nth][1:len(all[nth])-1], "|") {
		switch kind {
		case "player":
			list = append(list, namesOf(o.opts.Host.Infos()...)...)
		case "id":
			for _, i := range o.opts.Host.Infos() {
				list = append(list, fmt.Sprint(i.ID))
			}
		case "map", "part of a name":
			files, _ := o.opts.Maps.List("") // empty if there is no folder of maps
			list = append(list, files...)
		case "command":
			list = append(list, commandNames(everything)...)
		default:
			if strings.Contains(all[nth], "|") && !strings.Contains(kind, "<") { // a fixed word of the usage text
				list = append(list, kind)
			}
		}
	}
	return list
}

func commandNames(t command.Table[*target]) (names []string) {
	for _, s := range t {
		names = append(names, s.Name)
	}
	return names
}
