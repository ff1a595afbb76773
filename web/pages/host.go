package pages

import (
	"context"
	"net/http"
	"strings"

	"github.com/dustin/go-humanize"

	"w3host/control"
	"w3host/formats/catalogue"
	"w3host/formats/w3map"
	"w3host/game/command"
	"w3host/storage"
	"w3host/texts"
	"w3host/web/hub"
)

// mapsShown bounds a page of maps.
const mapsShown = 60

// folder is what a page shows of the maps folder.
type folder struct {
	Query string
	Maps  []*catalogue.Entry
	More  int // that are not shown
	Fault string
	Most  int64  // bytes of a map that is brought
	Limit string // the same for people
}

// maps shows the maps that can be hosted, and what is wrong with the others.
func (p *Pages) maps(w http.ResponseWriter, r *http.Request) {
	f := p.frame(r, "maps", "Maps")
	shown := folder{Query: strings.TrimSpace(r.URL.Query().Get("q"))}
	shown.Most, shown.Limit = p.opts.UploadMax, texts.Sprintf(f.Language, "Up to %s", humanize.IBytes(uint64(p.opts.UploadMax)))
	all, err := p.opts.Maps.Entries()
	if err != nil {
		p.opts.Logger.Warn().Err(err).Msg("maps folder")
		shown.Fault = f.L("the maps folder cannot be read; the log says why")
	}
	for _, e := range all {
		name := e.File
		if e.Map != nil {
			name += " " + w3map.Plain(e.Map.Name)
		}
		switch {
		case !strings.Contains(strings.ToLower(name), strings.ToLower(shown.Query)):
		case len(shown.Maps) < mapsShown:
			shown.Maps = append(shown.Maps, e)
		default:
			shown.More++
		}
	}
	f.Data = shown
	p.show(w, http.StatusOK, "maps", f)
}

// System is how the host and what it needs stand.
type System struct {
	Version string
	Records storage.RecorderStats
	Realms  map[string]bool // whether an account is logged on there
}

// standing is what a page shows of it.
type standing struct {
	System
	Autohost control.Answer
	Watchers []hub.Watcher
	Dropped  uint64 // watchers that did not read
	Lost     uint64 // events for which there was no room
}

// system shows how the host stands, and what it opens by itself.
func (p *Pages) system(w http.ResponseWriter, r *http.Request) {
	f := p.frame(r, "system", "System")
	s := standing{System: p.opts.System(), Lost: p.opts.Live.Lost()}
	by := command.Caller{Name: f.Visitor.Name, Level: f.Visitor.Level, Via: command.ViaWeb, Language: f.Language}
	ctx, cancel := context.WithTimeout(r.Context(), asked) // a command before it may take longer
	defer cancel()
	s.Autohost = p.opts.Command(ctx, by, control.Order{Command: "autohost"})
	s.Watchers, s.Dropped = p.opts.Live.Hub.Watchers()
	f.Data = s
	p.show(w, http.StatusOK, "system", f)
}
