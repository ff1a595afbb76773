package view

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"time"

	"w3host/formats/w3map"
	"w3host/game"
	"w3host/texts"
)

const (
	// lonelyAfter is the time without a join after which a page reports a listed lobby as needing attention.
	lonelyAfter = 10 * time.Minute
	// lateOver is the number of seconds over which the maximum lateness of the host's turns is computed.
	lateOver = 10
)

// buildGames writes the page of all lobbies and games. If inside is false, it is the public page, without private lobbies,
// games from private lobbies and the state of the host.
func (v *View) buildGames(to *Values, w words, inside bool) {
	lobbies, games := v.split()
	if !inside {
		private := func(g *watched) bool { return !g.snap.Listed }
		lobbies, games = slices.DeleteFunc(lobbies, private), slices.DeleteFunc(games, private)
	}
	players := v.buildLobbies(to, lobbies, w, inside)
	players += v.buildRunning(to, games, w)
	v.buildFleet(to, w, inside)
	to.number("count-lobbies", len(lobbies))
	to.number("count-games", len(games))
	to.number("count-players", players)
	if !inside {
		return
	}
	v.buildAttention(to, w)
	to.text("max", when(v.host.MaxGames > 0, "/ "+strconv.Itoa(v.host.MaxGames)))
	worst := time.Duration(0)
	for _, g := range games {
		for _, l := range g.late.items[max(0, len(g.late.items)-lateOver):] {
			worst = max(worst, l.Max)
		}
	}
	to.text("late", millis(worst))
	to.number("records", v.host.RecordsWaiting)
	database, state := w.of("the database answers"), "good"
	if !v.host.DatabaseUp {
		database, state = w.of("the database is away"), "bad"
	}
	to.text("database", database)
	to.text("databasestate", state)
}

// split returns the open lobbies and the running games, each in the order of worstFirst.
func (v *View) split() (lobbies, games []*watched) {
	for _, g := range v.worstFirst() {
		switch {
		case g.snap == nil || g.ended > 0:
		case g.playing:
			games = append(games, g)
		default:
			lobbies = append(lobbies, g)
		}
	}
	return lobbies, games
}

// worstFirst returns all games in descending order of trouble.
func (v *View) worstFirst() []*watched {
	return v.sorted(func(a, b *watched) int { return cmp.Compare(b.trouble(), a.trouble()) })
}

// trouble returns how urgently a game needs attention: 2 while the lag screen is shown, 1 after a desync, otherwise 0.
func (g *watched) trouble() int {
	switch {
	case g.lagging > 0:
		return 2
	case !g.desync.Empty():
		return 1
	}
	return 0
}

func (v *View) buildLobbies(to *Values, lobbies []*watched, w words, inside bool) (players int) {
	list(to, "lobbies", lobbies, (*watched).number, func(at string, g *watched) {
		g.head(to, at, w)
		if inside { // the public page shows no player names; package site shows those that are public
			g.buildSlots(to, at+"slots", w, false)
		}
		open := g.snap.Counts.Open
		to.text(at+"vacant", when(open > 0, w.of("%d open", open)))
		players += g.players()
	})
	return players
}

func (v *View) buildRunning(to *Values, games []*watched, w words) (players int) {
	list(to, "games", games, (*watched).number, func(at string, g *watched) {
		g.head(to, at, w)
		to.text(at+"ping", millis(g.ping))
		to.tail(at+"health", g.health.in(w, func(level byte) []string { return []string{"l" + strconv.Itoa(int(level))} }))
		players += g.players()
	})
	return players
}

// number returns the game's number, which is also the id of its rows.
func (g *watched) number() int { return int(g.id) }

// path returns the path of the game's page.
func (g *watched) path() string { return "/games/" + strconv.Itoa(g.number()) }

// head writes the values of a lobby or game that all pages show.
func (g *watched) head(to *Values, at string, w words) {
	s := g.snap
	to.text(at+"link", g.path())
	to.text(at+"action", g.path()+"/commands")
	to.text(at+"name", s.Name)
	to.text(at+"map", w3map.Plain(s.Map.Name))
	to.text(at+"size", FileSize(s.Map.Size))
	to.text(at+"minimap", "/minimap/"+url.PathEscape(s.Map.File))
	to.text(at+"since", since(g.since))
	to.number(at+"players", g.players())
	to.number(at+"places", places(s))
	stage, state := w.in(stages[s.Stage]), "on"
	switch {
	case g.ended > 0:
		stage, state = w.of("over"), "off"
	case s.Stage == game.StageLagging:
		state = "bad"
	case !g.desync.Empty():
		stage, state = w.of("desync"), "warn"
	}
	to.text(at+"stage", stage)
	to.text(at+"state", state)
	to.text(at+"waits", w.in(s.Waits))
	to.text(at+"private", when(!s.Listed && !g.playing, w.of("private")))
}

// places returns the number of player slots: occupied and open ones in a lobby, occupied ones in a game.
func places(s *game.Snapshot) int {
	if s.Stage < game.StageLoading {
		return s.Counts.Open + s.Counts.Players()
	}
	n := 0
	for _, slot := range s.Slots {
		if slot.Name != "" {
			n++
		}
	}
	return n
}

// buildAttention writes the list of games and lobbies that need attention, with the command that helps.
func (v *View) buildAttention(to *Values, w words) {
	type item struct {
		g       *watched
		state   string
		text    texts.Text
		command string
	}
	var items []item
	for _, g := range v.worstFirst() {
		switch {
		case g.snap == nil || g.ended > 0:
		case g.lagging > 0:
			items = append(items, item{g, "bad", g.laggers(), "drop"})
		case !g.desync.Empty():
			items = append(items, item{g, "warn", g.desync, ""})
		case !g.playing && g.snap.Listed && v.now > max(g.joined, g.since)+lonelyAfter:
			quiet := (v.now - max(g.joined, g.since)).Truncate(time.Minute)
			items = append(items, item{g, "warn", texts.Of("nobody has joined for %v", quiet), "unhost"})
		}
	}
	list(to, "attention", items, func(i item) int { return i.g.number() }, func(at string, i item) {
		to.text(at+"link", i.g.path())
		to.text(at+"name", i.g.snap.Name)
		to.text(at+"state", i.state)
		to.text(at+"text", w.in(i.text))
		to.text(at+"line", i.command)
		to.text(at+"action", i.g.path()+"/commands")
	})
	to.number("count-attention", len(items))
}

// laggers returns a text that names the players the game waits for.
func (g *watched) laggers() texts.Text {
	var waits []texts.Text
	for _, s := range g.snap.Slots {
		if s.Lags {
			waits = append(waits, texts.Of("%s: %d turns behind, ping %s ms", s.Name, s.Behind, millis(s.RTT)))
		}
	}
	if waits == nil {
		return texts.Of("the lag screen is up")
	}
	return texts.Join(waits, "; ")
}
