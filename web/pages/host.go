package pages

import (
	"net/http"
	"strings"

	"github.com/dustin/go-humanize"

	"w3host/formats/catalogue"
	"w3host/formats/w3map"
	"w3host/texts"
)

// mapsShown is the maximum number of maps on the page.
const mapsShown = 60

// folder is the data of the page of the maps folder.
type folder struct {
	Query string
	Maps  []*catalogue.MapFile
	More  int // number of matching maps that are not shown
	Fault string
	Most  int64  // maximum size of an uploaded map in bytes
	Limit string // Most as a sentence
}

// maps lists the maps folder: maps that can be hosted, and the others with the reason why they cannot.
func (p *Pages) maps(w http.ResponseWriter, r *http.Request) {
	f := p.frame(r, "maps", "Maps")
	shown := folder{
		Query: strings.TrimSpace(r.URL.Query().Get("q")), Most: p.opts.UploadMax,
		Limit: texts.Sprintf(f.Language, "Up to %s", humanize.IBytes(uint64(p.opts.UploadMax))),
	}
	all, err := p.opts.Maps.Files()
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
	p.show(w, f, "maps", shown)
}
