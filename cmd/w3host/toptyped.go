package main

import (
	"fmt"
	"strings"
	"unicode"

	"w3host/control"
	"w3host/internal/terminal"
)

// topOrder is a console command for one lobby or game.
type topOrder struct {
	id   uint32
	line string
}

// typing is the kind of input that the bottom line accepts.
type typing uint8

const (
	notTyping typing = iota
	aFilter          // a filter for the games
	aLine            // a chat line, or a command after "!"
	aQuestion        // yes or no: whether to send a command
)

// topTyped is the state of the input line at the bottom of the screen.
type topTyped struct {
	what   typing
	text   string
	filter string
	bad    bool     // show only games with problems
	order  topOrder // the command to confirm or to send
	given  bool
	said   string // answer to the last command
}

// typedKey handles a key that starts an input or toggles the problem filter.
func (s *topScreen) typedKey(key string) {
	begin := func(what typing, text string) { s.typed.what, s.typed.text, s.typed.said = what, text, "" }
	switch key {
	case "/":
		begin(aFilter, s.typed.filter)
		return
	case "p":
		s.typed.bad = !s.typed.bad
		s.filterNow()
		return
	}
	if s.selected == 0 {
		return
	}
	s.typed.order.id = s.selected
	switch key {
	case "c":
		begin(aLine, "")
	case "x":
		begin(aLine, "!kick ")
	case "d":
		s.typed.order.line = "drop"
		begin(aQuestion, "")
	}
}

// typeKey handles a key while the input line is active.
func (s *topScreen) typeKey(key string) {
	t := &s.typed
	switch {
	case key == "esc" || key == "ctrl-c":
		if t.what == aFilter {
			t.filter = ""
			s.filterNow()
		}
		t.what = notTyping
	case t.what == aQuestion:
		t.what, t.given = notTyping, key == "y"
	case key == "enter":
		s.typedLine()
	case key == "backspace":
		if runes := []rune(t.text); len(runes) > 0 {
			t.text = string(runes[:len(runes)-1])
		}
	case len([]rune(key)) == 1 && unicode.IsPrint([]rune(key)[0]) && len(t.text) < 200:
		t.text += key
	}
	if t.what == aFilter {
		t.filter = t.text
		s.filterNow()
	}
}

// typedLine handles Enter. Commands need a confirmation; chat lines do not.
func (s *topScreen) typedLine() {
	t := &s.typed
	line, command := strings.CutPrefix(strings.TrimSpace(t.text), "!")
	switch {
	case t.what == aFilter || line == "":
		t.what = notTyping
	case command:
		t.order.line, t.what = line, aQuestion
	default:
		t.order.line, t.what, t.given = "say "+line, notTyping, true
	}
}

// bottom returns the bottom line, and false if there is no input or answer to show.
func (s *topScreen) bottom() (string, bool) {
	t := &s.typed
	switch t.what {
	case aFilter:
		return "Filter: " + t.text + "▏  Enter keeps it, Esc shows all", true
	case aLine:
		return fmt.Sprintf("Chat or !command to #%d: %s▏  Esc cancels", t.order.id, t.text), true
	case aQuestion:
		return fmt.Sprintf("Send %q to #%d? y yes, any other key no", t.order.line, t.order.id), true
	}
	return t.said, t.said != ""
}

// answered shows the answer to a command.
func (s *topScreen) answered(lines []string, err error) {
	s.typed.said = strings.Join(lines, " · ")
	if err != nil {
		s.typed.said = err.Error()
	} else if s.typed.said == "" {
		s.typed.said = "Done."
	}
	s.typed.said = terminal.Printable(s.typed.said)
}

// filterNow applies the filter. If the selected game disappears, the game at its index is selected.
func (s *topScreen) filterNow() {
	at := max(s.at(), 0)
	s.order()
	if s.at() < 0 {
		s.opened = false
		s.choose(at)
	}
}

// wanted reports whether a game matches the filter by its name, map or a player, and has problems if only those are
// shown.
func (s *topScreen) wanted(g *control.Game) bool {
	if s.typed.bad && stageOf(g) != "lagging" && mostLate(g) < troubleMS && worstPing(g) < troublePing {
		return false
	}
	has := func(text string) bool {
		return strings.Contains(strings.ToLower(text), strings.ToLower(s.typed.filter))
	}
	found := has(g.Name) || has(g.Map)
	for i := range g.Players {
		found = found || has(g.Players[i].Name)
	}
	return found
}

// A game has problems if a player lags, if turns are troubleMS late or if a ping reaches troublePing, both in
// milliseconds.
const troubleMS, troublePing = 20, 250
