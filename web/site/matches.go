package site

import (
	"context"
	"time"

	"w3host/storage"
	"w3host/web/view"
)

// perPage is the number of matches on a page.
const perPage = 50

// matchesData is a list of finished matches.
type matchesData struct {
	List   []resultView
	Older  string // the key before which the next page begins; empty: there is none
	First  bool   // the page begins with the latest match
	Of     string // the name of the player or map whose matches these are; empty: all
	Player string // NAME@REALM
	Map    string // slug of the map whose matches these are; empty: all
}

// matches lists finished matches, the latest first.
func (s *Site) matches(ctx context.Context, f *frame) (string, time.Duration, error) {
	s.refresh(ctx)
	filter := storage.PublicFilter{Limit: perPage + 1}
	if text := f.query.Get("before"); text != "" {
		key, err := storage.ParseGameKey(text)
		if err != nil {
			return "", 0, errGone
		}
		filter.Before = key
	}
	if who := f.query.Get("player"); who != "" {
		filter.Player, filter.Realm = splitWho(who)
		if s.hides(filter.Player, filter.Realm) {
			return "", 0, errGone
		}
	}
	title := ""
	if slug := f.query.Get("map"); slug != "" && filter.Player == "" {
		m, err := s.mapOf(ctx, slug)
		if err != nil {
			return "", 0, err
		}
		filter.Maps, title = m.SHA1s(), m.Title()
	}
	var all []storage.PublicMatch
	if err := s.ask(ctx, func() (err error) { all, err = s.opts.Log.PublicMatches(ctx, s.names(), filter); return err }); err != nil {
		return "", 0, err
	}
	d := matchesData{First: filter.Before.IsZero()}
	if filter.Player != "" {
		d.Of, d.Player = view.Visible(filter.Player), f.query.Get("player")
	}
	if title != "" {
		d.Of, d.Map = title, f.query.Get("map")
	}
	if len(all) > perPage {
		all = all[:perPage]
		d.Older = all[perPage-1].Key.String()
	}
	for i := range all {
		d.List = append(d.List, f.result(&all[i]))
	}
	f.Nav, f.Title, f.Data = "matches", f.L("Matches"), d
	f.Description = f.L("The latest finished matches.")
	return "matches", pageFor, nil
}
