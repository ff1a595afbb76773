package site

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"w3host/rating"
	"w3host/storage"
	"w3host/web/view"
)

const (
	// mostGames is how many of a player's latest matches the tables of the page count, and mostPoints how many games the curve has.
	mostGames  = 100
	mostPoints = 300
	mostListed = 12 // matches
	mostMet    = 6  // opponents, partners and maps
	// leastCurve and leastShare are from how many games on there is a curve and a share of games won.
	leastCurve, leastShare = 3, 5
)

// profile is the path of a player's page.
func profile(name, realm string) string {
	who := name
	if realm != "" {
		who += "@" + realm
	}
	if who == "." || who == ".." { // which are parts of a path
		return "/player?q=" + who
	}
	return "/player/" + url.PathEscape(who)
}

// linkOf returns the path of a player's page, or "" for computers and hidden players.
func linkOf(p *storage.PublicSeat) string {
	if p.Name == "" || p.Computer {
		return ""
	}
	return profile(p.Name, p.Realm)
}

// splitWho splits NAME@REALM. The realm is "" if there is none.
func splitWho(who string) (name, realm string) {
	if i := strings.LastIndexByte(who, '@'); i > 0 {
		return who[:i], who[i+1:]
	}
	return who, ""
}

// findPlayer goes to the page of a player whose name has been typed: on the first realm, unless one is named.
func (s *Site) findPlayer(w http.ResponseWriter, r *http.Request) {
	f := s.frame(r)
	who := strings.TrimSpace(r.URL.Query().Get("q"))
	if name, realm := splitWho(who); realm == "" && len(s.info().Realms) > 0 {
		who = name + "@" + strings.ToLower(s.info().Realms[0].Name)
	}
	if name, _ := splitWho(who); name == "" || len(who) > mostQuery {
		http.Redirect(w, r, f.To("/"), http.StatusSeeOther)
		return
	}
	http.Redirect(w, r, f.To("/player/"+url.PathEscape(who)), http.StatusSeeOther)
}

// playedView is a match in the list of a player.
type playedView struct {
	resultView
	Letter, State, Word string
	Against             string
	Change              string
}

// playerData is the page of a player.
type playerData struct {
	Name, Realm, Initial, Who string
	Places                    []placeView // the ladders of the player
	At                        *placeView  // the ladder that is shown, or nil
	Curve                     *curve
	Recent                    []letterView
	Total                     tally
	ByRace, ByMap, Met, With  []tally
	List                      []playedView
	Last                      time.Time
	Counted                   int
}

type placeView struct {
	storage.LadderPlace
	Title, Slug string
	Place, Of   int
	From, To    int
	Current     bool
	Seasons     bool
}

// Share is the share of games won in percent; empty where there are too few.
func (p placeView) Share() string {
	if p.Games < leastShare {
		return ""
	}
	return fmt.Sprint((100*p.Won + p.Games/2) / p.Games)
}

// letterView is one of the last games.
type letterView struct{ Letter, State, Word string }

func (f *frame) letter(l string) letterView {
	switch l {
	case "W":
		return letterView{l, "won", f.L("won")}
	case "D":
		return letterView{l, "drawn", f.L("drawn")}
	case "Q":
		return letterView{l, "left", f.L("left early")}
	}
	return letterView{"L", "lost", f.L("lost")}
}

func (s *Site) player(ctx context.Context, f *frame) (string, time.Duration, error) {
	s.refresh(ctx)
	name, realm := splitWho(f.who)
	if len(f.who) > mostQuery || s.hides(name, realm) {
		return "", 0, errGone
	}
	var matches []storage.PublicMatch
	var places []storage.LadderPlace
	if err := s.ask(ctx, func() (err error) {
		if matches, err = s.opts.Log.PublicMatches(ctx, s.names(), storage.PublicFilter{Player: name, Realm: realm, Limit: mostGames}); err != nil {
			return err
		}
		places, err = s.opts.Log.LadderOf(ctx, name, realm)
		return err
	}); err != nil {
		return "", 0, err
	}
	if len(matches) == 0 && len(places) == 0 {
		return "", 0, errGone
	}
	d := &playerData{Name: name, Realm: realm, Who: f.who, Counted: len(matches)}
	d.count(f, matches, strings.ToLower(strings.TrimSpace(name)), realm)
	if err := s.places(ctx, f, d, places); err != nil {
		return "", 0, err
	}
	d.Name = view.Visible(d.Name)
	d.Initial = strings.ToUpper(string([]rune(d.Name + " ")[:1]))
	f.Nav, f.Title, f.Data = "ladder", d.Name, d
	if d.At != nil {
		f.Description = f.L("%s: rating %s, place %d of %d.", d.At.Title, f.Number(d.At.Points()), d.At.Place, d.At.Of)
	}
	return "player", pageFor, nil
}

// places fills in the ladders of a player, and the one that is shown with its curve.
func (s *Site) places(ctx context.Context, f *frame, d *playerData, all []storage.LadderPlace) error {
	for _, l := range s.opts.Ladders() {
		i := slices.IndexFunc(all, func(p storage.LadderPlace) bool { return p.Ladder == l.Slug }) // the latest season
		if i < 0 {
			continue
		}
		p := placeView{LadderPlace: all[i], Title: l.Name, Slug: l.Slug, Seasons: len(l.Seasons) > 0}
		p.From, p.To = p.Points(), p.Points()+int(600*p.Sigma)
		b, err := s.board(ctx, l.Slug, p.Season)
		if err != nil {
			return err
		}
		p.Place, p.Of, p.Current = b.place(p.NameKey, p.Realm), len(b.players), f.slug == l.Slug
		d.Places = append(d.Places, p)
		d.Name = p.Name
	}
	if len(d.Places) == 0 {
		if f.slug != "" {
			return errGone
		}
		return nil
	}
	i := slices.IndexFunc(d.Places, func(p placeView) bool { return p.Slug == f.slug })
	switch {
	case i < 0 && f.slug != "":
		return errGone
	case i < 0:
		i = 0
	}
	d.Places[i].Current = true
	d.At = &d.Places[i]
	for _, l := range d.At.Recent {
		d.Recent = append(d.Recent, f.letter(string(l)))
	}
	var points []storage.LadderPoint
	err := s.ask(ctx, func() (err error) {
		points, err = s.opts.Log.LadderCurve(ctx, d.At.Slug, d.At.Season, d.At.Name, d.At.Realm, mostPoints)
		return err
	})
	if len(points) >= leastCurve {
		d.Curve = f.curve(points)
	}
	d.changes(f, points)
	return err
}

// changes fills in by how much each listed match has changed the rating.
func (d *playerData) changes(f *frame, points []storage.LadderPoint) {
	before := rating.Newcomer().Points()
	change := map[storage.GameKey]string{}
	for i, p := range points {
		now := rating.Skill{Mu: p.Mu, Sigma: p.Sigma}.Points()
		if i > 0 || len(points) < mostPoints {
			change[p.GameKey] = f.Change(now - before)
		}
		before = now
	}
	for i := range d.List {
		d.List[i].Change = change[d.List[i].Key]
	}
}

// letterOf returns the result of a player as a letter: W, L, D, Q for leaving early, or "" if it is unknown.
func letterOf(m *storage.PublicMatch, me *storage.PublicSeat) string {
	list := teams(m)
	won, drew, ok := winners(list)
	switch {
	case !ok || len(won) == 0 && !drew:
		return ""
	case me.Outcome == outcomeLeft || me.Outcome == rating.Forfeited:
		return "Q"
	case len(won) == 0:
		return "D"
	}
	for _, i := range won {
		if list[i][0].Team == me.Team {
			return "W"
		}
	}
	return "L"
}

// kindOf returns the name of a map without its version.
func kindOf(mapName string) string {
	words := strings.Fields(plain(mapName))
	return strings.Join(words[:min(len(words), len(strings.Fields(rating.Category(mapName))))], " ")
}

// race returns the name of a race.
func (f *frame) race(n int) string {
	switch n {
	case 1:
		return f.L("human")
	case 2:
		return f.L("orc")
	case 4:
		return f.L("night elf")
	case 8:
		return f.L("undead")
	}
	return f.L("random")
}

// MapTitle returns the name of a map without its version and colour codes.
func MapTitle(mapName string) string { return kindOf(mapName) }
