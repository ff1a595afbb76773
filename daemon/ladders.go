package daemon

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"w3host/config"
	"w3host/rating"
	"w3host/storage"
	"w3host/web/site"
)

// ownLadderFrom is how many public games give a kind of map a ladder of its own where none is configured.
const ownLadderFrom = 50

// ladders keeps the tables of the ladders up to date.
type ladders struct {
	db         *storage.Store
	lan        bool
	configured []site.Ladder // none: each kind of map has one
	now        atomic.Pointer[[]site.Ladder]
}

// Ladders are the ladders of a configuration.
func Ladders(c config.Config) (list []site.Ladder) {
	for i := range c.Ladders {
		l := &c.Ladders[i]
		one := site.Ladder{Name: l.Name, Ladder: storage.Ladder{Slug: l.Path(), LAN: l.LAN, Carry: float64(l.Carry) / 100}}
		for _, name := range l.Maps {
			one.Maps = append(one.Maps, rating.Category(name))
		}
		spans, _ := l.Spans() // Validate has reported its faults
		for _, s := range spans {
			one.Seasons = append(one.Seasons, storage.Season{Begin: s.Begin, End: s.End})
		}
		list = append(list, one)
	}
	return list
}

// OwnLadders are those of the kinds of maps that are played most, for a configuration without ladders.
func OwnLadders(ctx context.Context, db *storage.Store, lan bool) (list []site.Ladder, err error) {
	kinds, err := db.PublicMaps(ctx)
	known := map[string]bool{}
	for _, k := range kinds {
		slug := config.SlugOf(k.Category)
		if k.Games() < ownLadderFrom || slug == "" || known[slug] { // a name without letters for an address needs a [[ladder]] with a slug
			continue
		}
		known[slug] = true
		list = append(list, site.Ladder{Name: site.MapTitle(k.Versions[0].MapName), Ladder: storage.Ladder{Slug: slug, Maps: []string{k.Category}, LAN: lan}})
	}
	return list, err
}

// list are the ladders as they are now.
func (l *ladders) list() []site.Ladder {
	if list := l.now.Load(); list != nil {
		return *list
	}
	return l.configured
}

// update takes new games into the ladders.
func (l *ladders) update(ctx context.Context, now time.Time) error {
	list := l.configured
	if list == nil {
		var err error
		if list, err = OwnLadders(ctx, l.db, l.lan); err != nil {
			return err
		}
	}
	l.now.Store(&list)
	var faults []error
	for _, one := range list {
		_, err := l.db.UpdateLadder(ctx, one.Ladder, now)
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}
