package site

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"w3host/rating"
	"w3host/storage"
	"w3host/web/view"
)

const (
	// tableFor is the time for which a table is cached, and mostTable the maximum number of players read.
	tableFor  = time.Minute
	mostTable = 20_000
	mostBoard = 200 // maximum number of cached tables
	perBoard  = 50
	// established is the number of games below which a rating is marked as new.
	established = 10
)

// board is the table of a season with the places of its players.
type board struct {
	players []storage.LadderPlayer
	at      time.Time
}

// board returns the table of a season. It is read again after tableFor.
func (s *Site) board(ctx context.Context, slug string, season int) (*board, error) {
	id := fmt.Sprint(slug, "/", season)
	s.mu.Lock()
	b := s.tables[id]
	s.mu.Unlock()
	if b != nil && s.pages.now().Sub(b.at) < tableFor {
		return b, nil
	}
	var players []storage.LadderPlayer
	err := s.ask(ctx, func() (err error) { players, err = s.opts.Log.LadderTable(ctx, slug, season, mostTable); return err })
	if err != nil {
		return nil, err
	}
	players = slices.DeleteFunc(players, func(p storage.LadderPlayer) bool { return s.hides(p.Name, p.Realm) })
	b = &board{players, s.pages.now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tables == nil || len(s.tables) >= mostBoard {
		s.tables = make(map[string]*board)
	}
	s.tables[id] = b
	return b, nil
}

// place returns the rank of a player, from 1, or 0 if the player is not in the table. Players with equal points share a
// rank.
func (b *board) place(nameKey, realm string) int {
	for i := range b.players {
		if b.players[i].NameKey == nameKey && b.players[i].Realm == realm {
			return b.placeAt(i)
		}
	}
	return 0
}

func (b *board) placeAt(i int) int {
	for i > 0 && b.players[i-1].Points() == b.players[i].Points() {
		i--
	}
	return i + 1
}

// ladderOf returns the ladder with this slug.
func (s *Site) ladderOf(slug string) (Ladder, bool) {
	for _, l := range s.opts.Ladders() {
		if l.Slug == slug {
			return l, true
		}
	}
	return Ladder{}, false
}

// season returns the number of the last season that has begun at a time, or 1 for a ladder without seasons.
func (l *Ladder) season(now time.Time) int {
	n := 1
	for i, s := range l.Seasons {
		if !s.Begin.After(now) {
			n = i + 1
		}
	}
	return n
}

// mainLadder redirects to the first ladder.
func (s *Site) mainLadder(w http.ResponseWriter, r *http.Request) {
	f := s.frame(r)
	list := s.opts.Ladders()
	if len(list) == 0 {
		http.Redirect(w, r, f.To("/"), http.StatusSeeOther)
		return
	}
	http.Redirect(w, r, f.To("/ladder/"+list[0].Slug), http.StatusSeeOther)
}

// ladderRow is a player in the table.
type ladderRow struct {
	*storage.LadderPlayer
	Place          int
	Link           string
	New, Found     bool
	Low, Mid, High float64 // of the bar, in percent
	From, To       int     // likely strength
}

// ladderData is the page of a season.
type ladderData struct {
	Ladder     Ladder
	All        []Ladder
	Season     int
	Now        int // number of the current season
	Begin, End time.Time
	Final      bool
	Seasons    []storage.LadderSeason
	Rows       []ladderRow
	Best       []ladderRow // the first three
	Ticks      []tick
	First      int // place of the first row
	Last       int
	Of         int
	Games      int
	Find       string
	NotFound   bool
	Next, Prev int // rank of the first row of the next and previous page; 0 if there is none
}

func (s *Site) ladder(ctx context.Context, f *frame) (string, time.Duration, error) {
	s.refresh(ctx)
	l, ok := s.ladderOf(f.slug)
	if !ok {
		return "", 0, errGone
	}
	d := &ladderData{Ladder: l, All: s.opts.Ladders(), Now: l.season(f.Now)}
	if d.Season = d.Now; f.season != "" {
		n, err := strconv.Atoi(f.season)
		if err != nil || n < 1 || n > d.Now || strconv.Itoa(n) != f.season {
			return "", 0, errGone
		}
		d.Season = n
	}
	if len(l.Seasons) > 0 {
		d.Begin, d.End = l.Seasons[d.Season-1].Begin, l.Seasons[d.Season-1].End
	}
	err := s.ask(ctx, func() (err error) { d.Seasons, err = s.opts.Log.LadderSeasons(ctx, l.Slug); return err })
	if err != nil {
		return "", 0, err
	}
	for _, one := range d.Seasons {
		if one.Season == d.Season {
			d.Games, d.Final = one.Games, one.Final
		}
	}
	b, err := s.board(ctx, l.Slug, d.Season)
	if err != nil {
		return "", 0, err
	}
	d.choose(f, b)
	f.Nav, f.Title, f.Data = "ladder", l.Name, d
	if len(l.Seasons) > 0 {
		f.Title = f.L("%s, season %d", l.Name, d.Season)
	}
	var best []string
	for _, row := range d.Best {
		best = append(best, fmt.Sprintf("%d. %s %s", row.Place, view.Visible(row.Name), f.Number(row.Points())))
	}
	f.Description = strings.Join(best, " · ")
	if d.Final {
		return "ladder", finalFor, nil
	}
	return "ladder", pageFor, nil
}

// choose selects the rows of the page: the page that contains the requested rank or the player searched for.
func (d *ladderData) choose(f *frame, b *board) {
	d.Of = len(b.players)
	from, _ := strconv.Atoi(f.query.Get("from"))
	from = max(0, min(from-1, d.Of-1))
	found := -1
	if d.Find = f.query.Get("find"); d.Find != "" {
		name := strings.ToLower(strings.TrimSpace(d.Find))
		found = slices.IndexFunc(b.players, func(p storage.LadderPlayer) bool { return p.NameKey == name })
		if found < 0 {
			found = slices.IndexFunc(b.players, func(p storage.LadderPlayer) bool { return strings.HasPrefix(p.NameKey, name) })
		}
		if d.NotFound = found < 0; !d.NotFound {
			from = found
		}
	}
	from = from / perBoard * perBoard
	to := min(from+perBoard, d.Of)
	low, high := scale(b.players[from:to])
	for i := from; i < to; i++ {
		d.Rows = append(d.Rows, rowOf(b, i, low, high))
		d.Rows[i-from].Found = i == found
	}
	for i := range min(3, d.Of) {
		d.Best = append(d.Best, rowOf(b, i, low, high))
	}
	d.First, d.Last = from+1, to
	if to < d.Of {
		d.Next = to + 1
	}
	if from > 0 {
		d.Prev = from - perBoard + 1
	}
	step := max(2000, (high-low+2999)/3000*1000) // labels must not touch each other
	for at := low; at <= high; at += step {
		anchor := "middle"
		switch at {
		case low:
			anchor = "start"
		case high:
			anchor = "end"
		}
		d.Ticks = append(d.Ticks, tick{X: fmt.Sprintf("%.2f%%", 100*float64(at-low)/float64(high-low)), Anchor: anchor, Text: f.Number(at)})
	}
}

// scale returns the range of ratings that the bars of a page show, in whole thousands.
func scale(players []storage.LadderPlayer) (low, high int) {
	low, high = 0, 1000
	for i := range players {
		p := &players[i]
		points, most := p.Points(), p.Points()+int(600*p.Sigma)
		if i == 0 {
			low, high = points, most
		}
		low, high = min(low, points), max(high, most)
	}
	floor := func(n int) int { return (n - ((n%1000)+1000)%1000) }
	return floor(low), floor(high) + 1000
}

func rowOf(b *board, i, low, high int) ladderRow {
	p := &b.players[i]
	percent := func(points int) float64 { return min(max(100*float64(points-low)/float64(high-low), 0), 100) }
	from, to := p.Points(), p.Points()+int(600*p.Sigma)
	return ladderRow{
		LadderPlayer: p, Place: b.placeAt(i), Link: profile(p.Name, p.Realm), New: p.Games < established,
		Low: percent(from), Mid: percent((from + to) / 2), High: percent(to), From: from, To: to,
	}
}

// rated adds the effect of a match on the first ladder in which it counts: the rating changes and the odds.
func (s *Site) rated(ctx context.Context, f *frame, m *storage.PublicDetail, d *matchData) error {
	var changes []storage.LadderChange
	err := s.ask(ctx, func() (err error) { changes, err = s.opts.Log.LadderChanges(ctx, m.Key); return err })
	if err != nil || len(changes) == 0 {
		return err
	}
	var ladder *Ladder
	for _, l := range s.opts.Ladders() {
		if slices.ContainsFunc(changes, func(c storage.LadderChange) bool { return c.Ladder == l.Slug }) {
			ladder = &l
			break
		}
	}
	if ladder == nil {
		return nil
	}
	d.Rated = ladder
	var before [][]rating.Skill
	list := teams(&m.PublicMatch)
	for i, team := range list {
		var skills []rating.Skill
		for j, p := range team {
			for _, c := range changes {
				if c.Ladder != ladder.Slug || c.NameKey != p.NameKey || c.Realm != p.Realm || p.NameKey == "" {
					continue
				}
				was, is := rating.Skill{Mu: c.MuBefore, Sigma: c.SigmaBefore}, rating.Skill{Mu: c.Mu, Sigma: c.Sigma}
				skills = append(skills, was)
				if p.Name != "" {
					d.Teams[i].Seats[j].Rating, d.Teams[i].Seats[j].Change = f.Number(was.Points()), f.Change(is.Points()-was.Points())
				}
			}
		}
		before = append(before, skills)
	}
	if len(list) == 2 && len(before[0]) == len(list[0]) && len(before[1]) == len(list[1]) {
		first := int(100*rating.Odds(before)[0] + 0.5)
		d.Odds = []int{first, 100 - first}
	}
	return nil
}

// Change formats a number with its sign.
func (f *frame) Change(n int) string {
	if n > 0 {
		return "+" + f.Number(n)
	}
	return f.Number(n)
}

// mostBest is the number of ladder players on the start page.
const mostBest = 5

// best returns the best players of the main ladder, or nil if there are none or reading fails.
func (s *Site) best(ctx context.Context, f *frame) *ladderData {
	list := s.opts.Ladders()
	if len(list) == 0 {
		return nil
	}
	d := &ladderData{Ladder: list[0], Season: list[0].season(f.Now)}
	b, err := s.board(ctx, d.Ladder.Slug, d.Season)
	if err != nil || len(b.players) == 0 {
		return nil
	}
	for i := range min(mostBest, len(b.players)) {
		d.Best = append(d.Best, rowOf(b, i, 0, 1))
	}
	return d
}
