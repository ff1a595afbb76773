package site

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"w3host/game"
	"w3host/protocol/w3gs"
	"w3host/storage"
	"w3host/texts"
	"w3host/web/view"
)

// Outcomes of players in the game log.
const (
	outcomeWon      = "won"
	outcomeLost     = "lost"
	outcomeDrew     = "drew"
	outcomeLeft     = "left"
	outcomeDisputed = "disputed"
)

// resultView holds the values of a finished match that lists show.
type resultView struct {
	Key      storage.GameKey
	Result   string
	Disputed bool
	Name     string
	Map      string
	MapName  string // with colour codes
	Length   time.Duration
	Players  int
	Ended    time.Time
	Teams    string // who played
}

func (f *frame) result(m *storage.PublicMatch) resultView {
	r := resultView{Key: m.Key, Name: view.Visible(m.Name), Map: plain(m.MapName), MapName: m.MapName, Length: m.Played, Ended: m.EndedAt, Teams: f.line(m)}
	for i := range m.Seats {
		if !m.Seats[i].Computer && !observes(m, &m.Seats[i]) {
			r.Players++
		}
	}
	r.Result, r.Disputed = f.outcome(m)
	return r
}

// observes reports whether a player is an observer.
func observes(m *storage.PublicMatch, p *storage.PublicSeat) bool {
	v, err := w3gs.ParseVersion(m.Version)
	if err != nil {
		return p.Team == w3gs.ObserverTeam || p.Team == w3gs.ObserverTeam24
	}
	return p.Team == int(v.ObserverTeam())
}

// teams returns the players and computers of each team, without observers.
func teams(m *storage.PublicMatch) (list [][]*storage.PublicSeat) {
	at := map[int]int{}
	for i := range m.Seats {
		p := &m.Seats[i]
		if observes(m, p) {
			continue
		}
		n, there := at[p.Team]
		if !there {
			n = len(list)
			at[p.Team], list = n, append(list, nil)
		}
		list[n] = append(list[n], p)
	}
	slices.SortStableFunc(list, func(a, b []*storage.PublicSeat) int { return a[0].Team - b[0].Team })
	return list
}

// winners returns the indexes of the teams that won. ok is false if the outcomes contradict each other.
func winners(list [][]*storage.PublicSeat) (won []int, drew, ok bool) {
	for i, team := range list {
		is := map[string]bool{}
		for _, p := range team {
			is[p.Outcome] = true
		}
		switch {
		case is[outcomeDisputed], is[outcomeWon] && is[outcomeLost]:
			return nil, false, false
		case is[outcomeWon]:
			won = append(won, i)
		}
		drew = drew || is[outcomeDrew]
	}
	return won, drew, true
}

// outcome returns the result as a short text.
func (f *frame) outcome(m *storage.PublicMatch) (text string, disputed bool) {
	list := teams(m)
	won, drew, ok := winners(list)
	switch {
	case !ok:
		return f.L("Disputed"), true
	case len(won) == 1 && len(list) == 2 && len(list[0]) == 1 && len(list[1]) == 1:
		return f.L("%s beat %s", f.called(list[won[0]][0]), f.called(list[1-won[0]][0])), false
	case len(won) == 1 && len(list[won[0]]) == 1:
		return f.L("%s won", f.called(list[won[0]][0])), false
	case len(won) == 1:
		return f.L("Team %d won", list[won[0]][0].Team+1), false
	case len(won) > 1:
		var names []string
		for _, i := range won {
			names = append(names, fmt.Sprint(list[i][0].Team+1))
		}
		return f.L("Teams %s won", strings.Join(names, ", ")), false
	case drew:
		return f.L("Draw"), false
	}
	return f.L("No result"), false
}

// called returns the name of a player, or a placeholder for computers and hidden players.
func (f *frame) called(p *storage.PublicSeat) string {
	switch {
	case p.Computer:
		return f.L("computer")
	case p.Name != "":
		return view.Visible(p.Name)
	case !p.IsOff && p.Realm == "" && !f.LAN:
		return f.L("player on the LAN")
	}
	return f.L("hidden player")
}

// line returns the teams and their players as a text, the winners first.
func (f *frame) line(m *storage.PublicMatch) string {
	list := teams(m)
	won, _, _ := winners(list)
	var parts []string
	add := func(i int) {
		var names []string
		for _, p := range list[i] {
			names = append(names, f.called(p))
		}
		parts = append(parts, f.L("Team %d: %s.", list[i][0].Team+1, strings.Join(names, ", ")))
	}
	for _, i := range won {
		add(i)
	}
	for i := range list {
		if !slices.Contains(won, i) {
			add(i)
		}
	}
	return strings.Join(parts, " ")
}

// teamView is a team of a finished match.
type teamView struct {
	Team  int
	State string // won, lost, or empty
	Seats []matchSeat
}

// matchSeat is a player of a finished match. K, D and A (kills, deaths, assists) are
// empty if the map reported none.
type matchSeat struct {
	seatView
	Note    string
	K, D, A string
	Rating  string // before the match
	Change  string // of it
	lane    lane
}

// lane is the line of a player in the timeline, in thousandths of the match.
type lane struct {
	Name, Colour string
	Line         int // of its colour
	End          int
	Left         bool
	Lags         []mark
	Text         string
}

type mark struct{ X, Width int }

// matchData is the page of a match that has started.
type matchData struct {
	M       *storage.PublicDetail
	Result  resultView
	Running bool
	Teams   []teamView
	Scores  bool    // a map has reported kills
	Rated   *Ladder // ladder in which the match counts, or nil
	Odds    []int   // chances of two teams before the match in percent, or nil
	Lanes   []lane
	Ticks   []tick
	Events  []eventView
	Chat    []eventView
	Lags    int
	Lagged  time.Duration
	Left    int
	File    string
	Minutes int
}

type tick struct {
	X, Anchor, Text string
	Hide            bool
}

type eventView struct {
	At     time.Duration
	Colour string
	Who    string
	Text   string
}

// match shows a lobby, a running match or a finished match. The key stays the same in all three stages.
func (s *Site) match(ctx context.Context, f *frame) (string, time.Duration, error) {
	key, err := storage.ParseGameKey(f.key)
	if err != nil || key.IsZero() {
		return "", 0, errGone
	}
	s.refresh(ctx)
	f.Nav = "matches"
	live := slices.DeleteFunc(s.live(), func(g Game) bool { return g.Key != key })
	if len(live) > 0 && live[0].Snap.Stage < game.StageLoading {
		return s.openMatch(f, &live[0])
	}
	if len(live) > 0 {
		return s.runningMatch(f, &live[0])
	}
	var m *storage.PublicDetail
	if err := s.ask(ctx, func() (err error) { m, err = s.opts.Log.PublicGame(ctx, s.names(), key); return err }); err != nil {
		return "", 0, err
	}
	if m.EndedAt.IsZero() { // of another host
		return s.startedMatch(f, m)
	}
	d := f.finished(m)
	if err := s.rated(ctx, f, m, d); err != nil {
		return "", 0, err
	}
	f.Title = f.L("%s in %s", d.Result.Result, texts.Clock(m.Played))
	f.Description = d.Result.Name + ". " + d.Result.Teams
	f.Picture, f.Data = preview(m.MapPath), d
	return "match", finalFor, nil
}

func (s *Site) openMatch(f *frame, g *Game) (string, time.Duration, error) {
	l := s.lobby(f, g)
	f.Title = f.L("%s: %d of %d at %s UTC", l.Name, l.Players, l.Places, f.Now.UTC().Format("15:04"))
	var names []string
	for _, side := range l.Sides {
		for _, seat := range side.Seats {
			if seat.Colour != "open" {
				names = append(names, seat.Name)
			}
		}
	}
	f.Description = strings.TrimSpace(l.Waits + " " + strings.Join(names, ", "))
	f.Picture, f.Data = preview(l.File), l
	return "lobby", playFor, nil
}

func (s *Site) runningMatch(f *frame, g *Game) (string, time.Duration, error) {
	l := s.lobby(f, g)
	f.Title = f.L("%s: being played", l.Name)
	f.Description = l.Map
	f.Picture, f.Data = preview(l.File), l
	return "running", playFor, nil
}

// startedMatch shows a running match of another host, read from the game log.
func (s *Site) startedMatch(f *frame, m *storage.PublicDetail) (string, time.Duration, error) {
	l := lobbyView{Key: m.Key, Name: view.Visible(m.Name), Map: plain(m.MapName), MapName: m.MapName, File: baseName(m.MapPath), Since: f.Now.Sub(m.StartedAt)}
	for _, team := range teams(&m.PublicMatch) {
		one := side{Team: team[0].Team + 1}
		for _, p := range team {
			one.Seats = append(one.Seats, seatView{Colour: colour(p.Colour), Name: f.called(p), Muted: p.Name == "", Link: linkOf(p)})
		}
		l.Players += len(team)
		l.Sides = append(l.Sides, one)
	}
	f.Title = f.L("%s: being played", l.Name)
	f.Description = l.Map
	f.Picture, f.Data = preview(l.File), l
	return "running", 10 * time.Second, nil
}
