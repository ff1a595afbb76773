package site

import (
	"context"
	"strconv"
	"time"
)

// mapRow is a map in the list of maps.
type mapRow struct {
	Title, Link string
	Games       int
	Versions    int
	Last        time.Time // day of the last game
}

// mapsData is the list of maps. Next and Prev are the numbers of the first row of other pages; 0 means none.
type mapsData struct {
	Rows            []mapRow
	First, Last, Of int
	Next, Prev      int
}

// mapList lists the maps with public games, most played first.
func (s *Site) mapList(ctx context.Context, f *frame) (string, time.Duration, error) {
	s.refresh(ctx)
	all, err := s.maps(ctx)
	if err != nil {
		return "", 0, err
	}
	from, _ := strconv.Atoi(f.query.Get("from"))
	from = max(0, min(from-1, len(all)-1)) / perPage * perPage
	to := min(from+perPage, len(all))
	d := mapsData{First: from + 1, Last: to, Of: len(all)}
	for i := range all[from:to] {
		m := &all[from+i]
		d.Rows = append(d.Rows, mapRow{Title: m.Title(), Link: "/map/" + m.Slug, Games: m.Games(), Versions: len(m.Versions), Last: dayOf(m.Versions[0].Last)})
	}
	if to < d.Of {
		d.Next = to + 1
	}
	if from > 0 {
		d.Prev = from - perPage + 1
	}
	f.Nav, f.Title, f.Data = "maps", f.L("Maps"), d
	f.Description = f.L("Maps that are played here: %s.", f.Number(d.Of))
	return "maps", pageFor, nil
}
