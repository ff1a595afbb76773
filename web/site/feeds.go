package site

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"time"

	"w3host/game"
	"w3host/storage"
	"w3host/texts"
)

// mostEntries is the maximum number of matches in the feed.
const mostEntries = 30

type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Lang    string      `xml:"xml:lang,attr"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"`
	Links   []atomLink  `xml:"link"`
	Author  atomAuthor  `xml:"author"`
	Entries []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr,omitempty"`
	Type string `xml:"type,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type atomAuthor struct {
	Name string `xml:"name"`
}

type atomEntry struct {
	ID      string   `xml:"id"`
	Title   string   `xml:"title"`
	Updated string   `xml:"updated"`
	Link    atomLink `xml:"link"`
	Summary string   `xml:"summary"`
}

// atom returns the Atom feed (RFC 4287) of finished matches.
func (s *Site) atom(ctx context.Context) ([]byte, error) {
	s.refresh(ctx)
	var all []storage.PublicMatch
	err := s.ask(ctx, func() (err error) {
		all, err = s.opts.Log.PublicMatches(ctx, s.names(), storage.PublicFilter{Limit: mostEntries})
		return err
	})
	if err != nil {
		return nil, err
	}
	f := &frame{Info: s.info(), Base: s.opts.Base, Now: time.Now(), Language: texts.English}
	to := func(path string) string { return s.info().URL + s.opts.Base + path }
	feed := atomFeed{
		Lang: "en", ID: "tag:w3host,2026:matches", Title: f.L("Matches") + " · " + f.Name, Author: atomAuthor{f.Name}, Updated: time.Unix(0, 0).UTC().Format(time.RFC3339),
		Links: []atomLink{{Rel: "self", Type: "application/atom+xml", Href: to("/matches.atom")}, {Rel: "alternate", Type: "text/html", Href: to("/matches")}},
	}
	if f.URL != "" {
		feed.ID = f.URL + "/matches"
	}
	for i := range all {
		m := &all[i]
		r := f.result(m)
		ended := m.EndedAt.UTC().Format(time.RFC3339)
		feed.Updated = max(feed.Updated, ended)
		feed.Entries = append(feed.Entries, atomEntry{
			ID: "urn:uuid:" + m.Key.String(), Title: r.Result + " · " + r.Name, Updated: ended,
			Link: atomLink{Rel: "alternate", Type: "text/html", Href: to("/match/" + m.Key.String())}, Summary: r.Map + ", " + texts.Clock(r.Length) + ". " + r.Teams,
		})
	}
	text, err := xml.MarshalIndent(feed, "", " ")
	return append([]byte(xml.Header), text...), err
}

// entLobby is a lobby in the JSON format of ENT Gaming's game list, which bots read.
type entLobby struct {
	ID       uint32 `json:"id"`
	Name     string `json:"name"`
	Map      string `json:"map"`
	Host     string `json:"host"`
	Taken    int    `json:"slots_taken"`
	Total    int    `json:"slots_total"`
	Location string `json:"location"`
	Uptime   string `json:"uptime"` // H:MM
}

// statsLobby is a lobby in the JSON format of wc3stats' game list, which bots read.
type statsLobby struct {
	ID      uint32 `json:"id"`
	Name    string `json:"name"`
	Server  string `json:"server"`
	Host    string `json:"host"`
	Map     string `json:"map"`
	Created int64  `json:"created"` // seconds since 1970
	Taken   int    `json:"slotsTaken"`
	Total   int    `json:"slotsTotal"`
	Uptime  int64  `json:"uptime"` // seconds
}

// open returns the lobbies that anybody can join.
func (s *Site) open() (list []Game) {
	for _, g := range s.live() {
		if g.Snap.Stage < game.StageLoading && !g.Closed {
			list = append(list, g)
		}
	}
	return list
}

func (s *Site) allGames(ctx context.Context) ([]byte, error) {
	s.refresh(ctx)
	list, f := []entLobby{}, &frame{Info: s.info(), Now: time.Now()}
	for _, g := range s.open() {
		l := s.lobby(f, &g)
		minutes := int(l.Since.Minutes())
		list = append(list, entLobby{ID: g.ID, Name: l.Name, Map: l.File, Host: f.Host, Taken: l.Players, Total: l.Places, Uptime: fmt.Sprintf("%d:%02d", minutes/60, minutes%60)})
	}
	return json.Marshal(list)
}

func (s *Site) gameList(ctx context.Context) ([]byte, error) {
	s.refresh(ctx)
	list, f := []statsLobby{}, &frame{Info: s.info(), Now: time.Now()}
	for _, g := range s.open() {
		l := s.lobby(f, &g)
		list = append(list, statsLobby{
			ID: g.ID, Name: l.Name, Server: f.Name, Host: f.Host, Map: l.File, Created: time.Now().Add(-l.Since).Unix(), Taken: l.Players, Total: l.Places, Uptime: int64(l.Since.Seconds()),
		})
	}
	return json.Marshal(struct {
		Status string       `json:"status"`
		Code   int          `json:"code"`
		Body   []statsLobby `json:"body"`
	}{"OK", 200, list})
}

// robots returns robots.txt, which tells search engines the pages they may index.
func (s *Site) robots(context.Context) ([]byte, error) {
	if !s.info().Index {
		return []byte("User-agent: *\nDisallow: /\n"), nil
	}
	return []byte("User-agent: *\nDisallow: /allgames\nDisallow: /gamelist\n"), nil
}
