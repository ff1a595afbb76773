package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"w3host/control"
	"w3host/internal/terminal"
)

// topColumn is a column of the game list.
type topColumn struct {
	title string
	width int // width is in characters; terminals narrower than least do not show the column
	least int
	cell  func(*control.Game, time.Time) string
	order func(a, b *control.Game) int // sort order of the column
}

// Indexes into topColumns.
const (
	byNumber = 0
	byStage  = 1
)

// topColumns are the columns of fixed width; name, map and the reason a lobby waits share the rest of the line.
var topColumns = []topColumn{
	{"#", 5, 0, func(g *control.Game, _ time.Time) string { return strconv.Itoa(int(g.ID)) }, func(_, _ *control.Game) int { return 0 }},
	{"STATE", 8, 30, func(g *control.Game, _ time.Time) string { return stageOf(g) }, func(a, b *control.Game) int { return urgency(a) - urgency(b) }},
	{"PLAYERS", 7, 38, playersOf, func(a, b *control.Game) int { return len(b.Players) - len(a.Players) }},
	{"AGE", 6, 46, ageOf, func(a, b *control.Game) int { return a.Since.Compare(b.Since) }},
	{"LATE ms", 7, 56, lateOf, func(a, b *control.Game) int { return cmp.Compare(mostLate(b), mostLate(a)) }},
	{"PING", 5, 64, pingOf, func(a, b *control.Game) int { return cmp.Compare(worstPing(b), worstPing(a)) }},
}

func stageOf(g *control.Game) string { return cmp.Or(g.Stage, g.State) }

// urgency returns the rank of a game's stage, with the most urgent stage first.
func urgency(g *control.Game) int {
	return slices.Index([]string{"lagging", "counting", "lobby", "loading", "running", "playing"}, stageOf(g))
}

func playersOf(g *control.Game, _ time.Time) string {
	return fmt.Sprintf("%d/%d", len(g.Players), g.Slots)
}

func ageOf(g *control.Game, now time.Time) string {
	d := max(now.Sub(g.Since), 0)
	switch {
	case d < time.Minute:
		return d.Truncate(time.Second).String()
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

func mostLate(g *control.Game) float64 {
	if g.LateMS == nil {
		return -1
	}
	return g.LateMS.Max
}

func lateOf(g *control.Game, _ time.Time) string {
	if g.LateMS == nil {
		return ""
	}
	return strconv.FormatFloat(g.LateMS.Max, 'f', 1, 64)
}

func worstPing(g *control.Game) (most int64) {
	for _, p := range g.Players {
		most = max(most, p.PingMS)
	}
	return most
}

func pingOf(g *control.Game, _ time.Time) string { return pingText(worstPing(g)) }

func pingText(ms int64) string {
	if ms == 0 {
		return ""
	}
	return strconv.FormatInt(ms, 10)
}

// topScreen is the state of the screen of "w3host top". It does no I/O: its methods take pressed keys and the host's
// answers, and return the lines to show.
type topScreen struct {
	all        []control.Game
	games      []control.Game // the games shown, in display order
	typed      topTyped
	now        time.Time
	fault      error // why games could not be refreshed, or nil
	sort       int   // index of the sort column
	reverse    bool
	selected   uint32 // game id, or 0
	first      int    // index of the topmost visible game
	opened     bool   // the selected game is shown in detail
	width      int
	height     int
	scrollable int // number of list lines that fit on the screen
}

// take replaces the games with those of the host's answer. It escapes control characters in all texts, because players
// choose some of them.
func (s *topScreen) take(games []control.Game) {
	for i := range games {
		g := &games[i]
		texts := []*string{&g.Name, &g.Map, &g.Waits, &g.State, &g.Stage}
		for n := range g.Players {
			p := &g.Players[n]
			texts = append(texts, &p.Name, &p.Realm, &p.Address)
		}
		for _, text := range texts {
			*text = terminal.Printable(*text)
		}
	}
	s.all = games
	s.filterNow()
}

// order filters and sorts the games.
func (s *topScreen) order() {
	s.games = s.games[:0:0]
	for i := range s.all {
		if s.wanted(&s.all[i]) {
			s.games = append(s.games, s.all[i])
		}
	}
	slices.SortFunc(s.games, func(a, b control.Game) int {
		by := cmp.Or(topColumns[s.sort].order(&a, &b), cmp.Compare(a.ID, b.ID))
		if s.reverse {
			return -by
		}
		return by
	})
}

// update stores the games of the host's answer, or the error if the request failed.
func (s *topScreen) update(games []control.Game, err error) {
	s.now = time.Now()
	if s.fault = err; err == nil {
		s.take(games)
	}
}

// at returns the index of the selected game, or -1 if it is not in the list.
func (s *topScreen) at() int {
	return slices.IndexFunc(s.games, func(g control.Game) bool { return g.ID == s.selected })
}

// choose selects the game at an index of the list. An index outside the list selects its first or last game.
func (s *topScreen) choose(at int) {
	if s.selected = 0; len(s.games) > 0 {
		s.selected = s.games[min(max(at, 0), len(s.games)-1)].ID
	}
}

// press handles a key. It returns false if the program should end.
func (s *topScreen) press(key string) bool {
	page := max(s.scrollable-1, 1)
	if s.typed.what != notTyping {
		s.typeKey(key)
		return true
	}
	s.typedKey(key)
	switch key {
	case "q", "ctrl-c":
		return false
	case "enter":
		s.opened = !s.opened && s.selected != 0
	case "esc", "left", "backspace":
		s.opened = false
	case "s":
		s.sort = (s.sort + 1) % len(topColumns)
		s.order()
	case "r":
		s.reverse = !s.reverse
		s.order()
	}
	moves := map[string]int{"up": -1, "k": -1, "down": 1, "j": 1, "pgup": -page, "pgdn": page, "home": -len(s.games), "end": len(s.games)}
	if by := moves[key]; by != 0 {
		s.choose(s.at() + by)
	}
	return true
}

// lines returns the whole screen: a summary, the heading, the list or the selected game, and the keys.
func (s *topScreen) lines() (lines []topLine) {
	s.scrollable = max(s.height-3, 0)
	text := []topLine{{text: s.sum()}}
	if g := s.at(); s.opened && g >= 0 {
		text = append(text, s.game(&s.games[g])...)
	} else {
		text = append(text, s.list()...)
	}
	last := fmt.Sprintf("sorted by %s · s sort  r reverse  / filter  p problems  ↑↓ move  Enter open  q quit", topColumns[s.sort].title)
	if s.opened {
		last = "Esc back  ↑↓ next game  c chat or !command  x kick  d drop  q quit"
	}
	if typed, is := s.bottom(); is {
		last = typed
	}
	for len(text) < s.height-1 {
		text = append(text, topLine{})
	}
	text = append(text[:max(s.height-1, 0)], topLine{text: last})
	for i := range text {
		text[i].text = fit(text[i].text, s.width-1)
	}
	return text[:s.height]
}

// topLine is one line of the screen.
type topLine struct {
	text   string
	strong bool // shown in reverse video
}

func (s *topScreen) sum() string {
	if s.fault != nil {
		return "No answer: " + terminal.Printable(s.fault.Error())
	}
	lobbies, players, shown := 0, 0, ""
	for i := range s.all {
		if players += len(s.all[i].Players); s.all[i].State == "lobby" {
			lobbies++
		}
	}
	if s.typed.bad || s.typed.filter != "" {
		shown = fmt.Sprintf("   shown %d", len(s.games))
	}
	return fmt.Sprintf("w3host top  %s   lobbies %d   games %d   players %d%s", s.now.Format(time.TimeOnly), lobbies, len(s.all)-lobbies, players, shown)
}

// list returns the heading and the visible games around the selected one.
func (s *topScreen) list() []topLine {
	at := max(s.at(), 0)
	s.first = min(s.first, at, max(len(s.games)-s.scrollable, 0))
	s.first = max(s.first, at-s.scrollable+1)
	lines := []topLine{{s.heading(), true}}
	for i := s.first; i < min(s.first+s.scrollable, len(s.games)); i++ {
		lines = append(lines, topLine{s.row(&s.games[i]), i == at})
	}
	if len(s.all) > 0 && len(s.games) == 0 {
		lines = append(lines, topLine{text: "No game matches: / changes the filter, p toggles problems only."})
	} else if len(s.games) == 0 {
		lines = append(lines, topLine{text: "No lobby is open and no game is running."})
	}
	return lines
}

func (s *topScreen) heading() string {
	var cells []string
	for i, c := range topColumns {
		title := c.title
		if i == s.sort && len(title) < c.width {
			title += "↓"
		}
		cells = append(cells, title)
	}
	return s.laid(cells, "NAME", "MAP", "WAITS FOR")
}

func (s *topScreen) row(g *control.Game) string { return s.laid(s.cells(g), g.Name, g.Map, g.Waits) }

// cells returns the fixed-width columns of a game.
func (s *topScreen) cells(g *control.Game) []string {
	return mapped(topColumns, func(c topColumn) string { return c.cell(g, s.now) })
}

// laid formats a row. On terminals narrower than 120 columns, the reason why a lobby waits replaces its map.
func (s *topScreen) laid(cells []string, name, file, waits string) string {
	line := ""
	for i, c := range topColumns {
		if s.width >= c.least {
			line += terminal.Pad(fit(cells[i], c.width), c.width) + " "
		}
	}
	rest := max(s.width-1-terminal.Columns(line), 0)
	texts := []string{name, cmp.Or(waits, file)}
	if s.width >= 120 {
		texts = []string{name, file, waits}
	} else if rest < 20 {
		texts = texts[:1]
	}
	each := max(rest/len(texts)-1, 1)
	for _, text := range texts {
		line += terminal.Pad(fit(text, each), each) + " "
	}
	return line
}

// game returns the lines that show one game in detail: its title, the delay of its turns, the reason why it waits, and
// a table of its players.
func (s *topScreen) game(g *control.Game) []topLine {
	var rows [][]string
	for _, p := range g.Players {
		state, got := either(p.Lags, "lagging", either(p.Away, "away", "")), ""
		if p.Map != nil && *p.Map <= 100 {
			got = strconv.Itoa(int(*p.Map)) + " %"
		}
		rows = append(rows, []string{p.Name, pingText(p.PingMS), strconv.Itoa(p.Behind), got, state, p.Realm, p.Address})
	}
	title := fmt.Sprintf("#%d %s · %s · %s", g.ID, g.Name, stageOf(g), g.Map)
	lines := []topLine{{title, true}}
	if g.LateMS != nil {
		lines = append(lines, topLine{text: fmt.Sprintf("Turns in the last second: %d; median delay %.1f ms, maximum %.1f ms", g.LateMS.Turns, g.LateMS.Median, g.LateMS.Max)})
	}
	if g.Waits != "" {
		lines = append(lines, topLine{text: g.Waits})
	}
	for _, line := range terminal.Table([]string{"PLAYER", "PING", "BEHIND", "MAP", "", "REALM", "ADDRESS"}, rows) {
		lines = append(lines, topLine{text: line})
	}
	return lines
}

// fit shortens a text to at most n terminal columns; a shortened text ends with "…".
func fit(text string, n int) string {
	if terminal.Columns(text) <= n {
		return text
	}
	if n < 1 {
		return ""
	}
	return strings.TrimRight(terminal.Cut(text, n-1), " ") + "…"
}
