package pages

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"w3host/storage"
	"w3host/web/view"
)

// perPage is the number of entries on a page of the history or the audit log.
const perPage = 50

// ask calls question, which queries the database, and shows the page with its result, or an error page. It waits at most
// for the duration asked.
func (p *Pages) ask(w http.ResponseWriter, r *http.Request, f *frame, page string, question func(context.Context) (any, error)) {
	ctx, cancel := context.WithTimeout(r.Context(), asked)
	defer cancel()
	var data any
	var err error
	if !p.asking.Take(ctx, func() { data, err = question(ctx) }) {
		err = ctx.Err()
	}
	switch {
	case errors.Is(err, storage.ErrNotFound):
		p.fault(w, http.StatusNotFound, f, f.L("nothing of that name is in the game log"))
	case err != nil:
		p.opts.Logger.Warn().Err(err).Str("page", page).Msg("the database does not answer a page")
		p.fault(w, http.StatusServiceUnavailable, f, f.L("the database does not answer; please try again"))
	default:
		p.show(w, f, page, data)
	}
}

// listed is a page of the history.
type listed struct {
	Player, Map string
	Games       []storage.Game
	Older       string // parameter "before" of the next page; "" if there is none
}

// history lists the games of the game log, the latest first.
func (p *Pages) history(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	l := listed{Player: strings.TrimSpace(q.Get("player")), Map: strings.TrimSpace(q.Get("map"))}
	filter := storage.GameFilter{Limit: perPage + 1, Player: l.Player, Map: l.Map}
	if before, err := time.Parse(time.RFC3339Nano, q.Get("before")); err == nil {
		filter.Before = before
	}
	p.ask(w, r, p.frame(r, "history", "History"), "history", func(ctx context.Context) (_ any, err error) {
		if l.Games, err = p.opts.Log.Games(ctx, filter); len(l.Games) > perPage {
			l.Games = l.Games[:perPage]
			l.Older = l.Games[perPage-1].Key.Time().UTC().Format(time.RFC3339Nano)
		}
		return l, err
	})
}

// record shows one game of the game log.
func (p *Pages) record(w http.ResponseWriter, r *http.Request) {
	f := p.frame(r, "history", "Game")
	key, err := storage.ParseGameKey(r.PathValue("key"))
	if err != nil {
		p.fault(w, http.StatusNotFound, f, f.L("nothing of that name is in the game log"))
		return
	}
	p.ask(w, r, f, "record", func(ctx context.Context) (any, error) {
		g, err := p.opts.Log.Game(ctx, key)
		if err == nil {
			f.Title = g.Name
		}
		return g, err
	})
}

// findPlayer redirects to the page of the player whose name was entered.
func (p *Pages) findPlayer(w http.ResponseWriter, r *http.Request) {
	switch name := strings.TrimSpace(r.URL.Query().Get("q")); name {
	case "":
		p.show(w, p.frame(r, "players", "Players"), "find", nil)
	case ".", "..":
		r.SetPathValue("name", name)
		p.player(w, r)
	default:
		http.Redirect(w, r, p.opts.Base+view.Profile(name), http.StatusSeeOther)
	}
}

// profile is the data of a player's page.
type profile struct {
	Name       string
	Stats      []storage.PlayerStats
	Ratings    []storage.Rating
	Games      []storage.Game
	Bans       []storage.Ban // bans of the name; set only for admins
	Namesakes  []string      // other names that played from the same IP addresses; set only for admins
	Unfamiliar bool          // the player has never played on this host
}

func (p *Pages) player(w http.ResponseWriter, r *http.Request) {
	f := p.frame(r, "players", "Player")
	who := profile{Name: r.PathValue("name")}
	f.Title = who.Name
	p.ask(w, r, f, "player", func(ctx context.Context) (any, error) {
		err := p.profile(ctx, &who, f.Admin())
		return who, err
	})
}

func (p *Pages) profile(ctx context.Context, who *profile, admin bool) (err error) {
	who.Stats, err = p.opts.Log.PlayerStats(ctx, who.Name)
	if who.Unfamiliar = errors.Is(err, storage.ErrNotFound); err != nil && !who.Unfamiliar {
		return err
	}
	if who.Games, err = p.opts.Log.Games(ctx, storage.GameFilter{Player: who.Name, Limit: perPage}); err != nil {
		return err
	}
	for _, s := range who.Stats {
		if len(s.Maps) > 0 && who.Ratings == nil { // Maps[0] is the map that the player plays most
			who.Ratings, err = p.opts.Log.RatingsOf(ctx, who.Name, s.Maps[0].Name)
		}
	}
	if err != nil || !admin {
		return err
	}
	if who.Namesakes, err = p.opts.Log.Namesakes(ctx, who.Name, 20); err != nil {
		return err
	}
	bans, err := p.opts.Log.Bans(ctx, false)
	for _, b := range bans {
		if strings.EqualFold(b.Name, who.Name) {
			who.Bans = append(who.Bans, b)
		}
	}
	return err
}

// lists is the data of the page of bans and admins.
type lists struct {
	Bans   []storage.Ban
	Admins []storage.Admin
}

func (p *Pages) bans(w http.ResponseWriter, r *http.Request) {
	p.ask(w, r, p.frame(r, "bans", "Bans and admins"), "bans", func(ctx context.Context) (_ any, err error) {
		var l lists
		if l.Bans, err = p.opts.Log.Bans(ctx, false); err != nil {
			return l, err
		}
		l.Admins, err = p.opts.Log.Admins(ctx)
		return l, err
	})
}
