package main

import (
	"fmt"
	"strings"
	"unicode"

	"w3host/control"
	"w3host/internal/terminal"
)

// topOrder is a command for a lobby or game.
type topOrder struct {
	id   uint32
	line string
}

// typing is the kind of input that the last line of the screen takes.
type typing uint8

const (
	notTyping typing = iota
	aFilter          // the games that are shown have it
	aLine            // chat, or a command behind "!"
	aQuestion        // whether a command is to be given
)

// topTyped is the text typed at the bottom of the screen, and its result.
type topTyped struct {
	what   typing
	text   string
	filter string
	bad    bool     // only games in trouble are shown
	order  topOrder // which is asked about, or given
	given  bool
	said   string // the answer to the last
}

// typedKey begins something at the bottom of the screen, if the key does.
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

// typeKey takes a key while something is typed.
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

// typedLine carries out Enter. Commands are asked about, lines of chat are not.
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

// bottom is the last line while something is typed; false: nothing is.
func (s *topScreen) bottom() (string, bool) {
	t := &s.typed
	switch t.what {
	case aFilter:
		return "Only games with: " + t.text + "▏  Enter keeps it, Esc shows all", true
	case aLine:
		return fmt.Sprintf("To #%d, a command behind !: %s▏  Esc leaves it", t.order.id, t.text), true
	case aQuestion:
		return fmt.Sprintf("Give %q to #%d? y yes, any other key no", t.order.line, t.order.id), true
	}
	return t.said, t.said != ""
}

// answered shows the result of an order.
func (s *topScreen) answered(lines []string, err error) {
	s.typed.said = strings.Join(lines, " · ")
	if err != nil {
		s.typed.said = err.Error()
	} else if s.typed.said == "" {
		s.typed.said = "Done."
	}
	s.typed.said = terminal.Printable(s.typed.said)
}

// filterNow shows the games that are wanted. The selected game stays selected; where it is
// gone, the one in its place is.
func (s *topScreen) filterNow() {
	at := max(s.at(), 0)
	s.order()
	if s.at() < 0 {
		s.opened = false
		s.choose(at)
	}
}

// wanted reports whether a game is shown: it, its map or a player has the filter in the name, and it is in trouble if
// only such are wanted.
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

// Games are in trouble when others wait for a player, when turns are late, or when a line is slow.
const troubleMS, troublePing = 20, 250
