package pages

import (
	"net/http"

	"w3host/web"
	"w3host/web/hub"
	"w3host/web/view"
)

// lobbies returns the handler of a page with live updates that lists all lobbies and games, for operators or the public.
func (p *Pages) lobbies(page view.Page, title string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f := p.frame(r, string(page), title)
		p.opts.Live.LookAtFleet(r.Context())
		p.once(w, f, func() []byte {
			f.open(p.opts.Live, view.Topic{Page: page})
			if page == view.GamesPage && f.Admin() {
				maps, err := p.opts.Maps.List("")
				if err != nil {
					p.opts.Logger.Warn().Err(err).Msg("maps folder")
				}
				f.Data = maps
			}
			return p.render(string(page), f)
		})
	}
}

// gameData holds the values of a game's page that do not change.
type gameData struct {
	ID       uint32
	Trigger  string
	Commands []Proposal
}

func (p *Pages) game(w http.ResponseWriter, r *http.Request) {
	f := p.frame(r, "games", "Game")
	id, ok := number(r)
	if ok = ok && f.open(p.opts.Live, view.Topic{Page: view.GamePage, Game: id}); !ok {
		p.fault(w, http.StatusNotFound, f, f.L("there is no such lobby or game: it may be over"))
		return
	}
	f.Title = f.Values.Value("name").Text
	f.Data = gameData{ID: id, Trigger: p.opts.Trigger, Commands: p.opts.Commands}
	p.once(w, f, func() []byte { return p.render("game", f) })
}

// events streams the patches of one topic.
func (p *Pages) events(w http.ResponseWriter, r *http.Request) {
	v := p.opts.Visitor(r)
	t, err := view.ParseTopic(r.URL.Query().Get("topic"))
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	case t.Page != view.PublicPage && !v.Inside(), t.Reader > v.reader():
		http.Error(w, "log in first", http.StatusForbidden)
		return
	}
	web.Stream(w)
	who := hub.Watcher{Name: v.Name, Topics: []string{t.String()}, Most: accountWatches, SessionValid: v.SessionValid}
	if !v.Inside() {
		who.Name, who.Guest, who.Most = v.Addr, true, strangerWatches
	}
	if !p.opts.Live.Hub.Serve(w, r, who) {
		http.Error(w, "too many pages are being watched: close some", http.StatusTooManyRequests)
	}
}
