package site

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"w3host/rating"
	"w3host/storage"
	"w3host/web/view"
)

const (
	// mapsFor is the time for which the list of maps is cached.
	mapsFor     = time.Minute
	mostHeroes  = 8
	mostOfMap   = 6 // latest matches
	mostVersion = 6 // versions; older ones are summed up
	weeks       = 26
	// leastRate is the number of games below which no share of games won is shown.
	leastRate = 30
)

// knownMap is a map with its place in addresses.
type knownMap struct {
	storage.PublicMap
	Slug string
}

// Title returns the name of the map without version.
func (m *knownMap) Title() string { return kindOf(m.Versions[0].MapName) }

// percentWhole returns the share of games that nobody left early.
func (m *knownMap) percentWhole() int {
	whole, games := 0, m.Games()
	for _, v := range m.Versions {
		whole += v.Whole
	}
	return (100*whole + games/2) / max(games, 1)
}

// slugOf returns the part of an address for a category of maps: its letters and digits, with hyphens between words.
func slugOf(category string) string {
	words := strings.FieldsFunc(category, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.Join(words, "-")
}

// maps returns the maps with public games, most played first. It asks the database again after mapsFor.
func (s *Site) maps(ctx context.Context) ([]knownMap, error) {
	s.mu.Lock()
	list, due := s.known, s.pages.now().Sub(s.knownAt) > mapsFor
	if due {
		s.knownAt = s.pages.now() // concurrent requests do not read it again
	}
	s.mu.Unlock()
	if !due && list != nil {
		return list, nil
	}
	var all []storage.PublicMap
	if err := s.ask(ctx, func() (err error) { all, err = s.opts.Log.PublicMaps(ctx); return err }); err != nil {
		if list != nil {
			return list, nil
		}
		return nil, err
	}
	list = addressed(all)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = list
	return list, nil
}

// addressed gives every map a slug of its own. Among maps with the same slug the alphabetical order of their names decides.
func addressed(all []storage.PublicMap) []knownMap {
	list, of := make([]knownMap, len(all)), map[string][]int{}
	for i, m := range all {
		list[i] = knownMap{PublicMap: m, Slug: slugOf(m.Category)}
		of[list[i].Slug] = append(of[list[i].Slug], i)
	}
	for slug, same := range of {
		slices.SortFunc(same, func(a, b int) int { return strings.Compare(list[a].Category, list[b].Category) })
		for n, i := range same {
			if n > 0 || slug == "" { // the first keeps the slug as it is
				list[i].Slug = strings.TrimPrefix(fmt.Sprintf("%s-%d", slug, n+1), "-")
			}
		}
	}
	return list
}

// mapOf returns the map with this slug.
func (s *Site) mapOf(ctx context.Context, slug string) (*knownMap, error) {
	list, err := s.maps(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(m knownMap) bool { return m.Slug == slug })
	if i < 0 {
		return nil, errGone
	}
	return &list[i], nil
}

// mapLink returns the path of a map's page, or "" while the map has no finished public game.
func (s *Site) mapLink(mapName string) string {
	category := rating.Category(mapName)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.known {
		if s.known[i].Category == category {
			return "/map/" + s.known[i].Slug
		}
	}
	return ""
}

// mapData is the page of a map.
type mapData struct {
	Title, Slug, Newest string
	File                string // for the picture
	Last                time.Time
	Games               int
	Whole               int // percent
	Stats               *storage.MapStats
	Weeks               string // path of the chart of games per week
	WeeksText           string
	Lengths             *lengths
	Teams, Places       []rateRow
	RateTicks           []tick
	Records             []recordRow
	Heroes              []heroRow
	Ladder              *Ladder
	Leaders             []ladderRow
	Latest              []resultView
	Versions            []versionRow
}

// Picture returns the file name of the map's picture.
func (d *mapData) Picture() string { return pictureName(d.File) }

type heroRow struct {
	Name  string
	Games int
	Share string // percent; empty below leastRate games
}

type versionRow struct {
	Name  string
	First time.Time // zero for the sum of older versions
	Games int
}

func (s *Site) mapPage(ctx context.Context, f *frame) (string, time.Duration, error) {
	s.refresh(ctx)
	m, err := s.mapOf(ctx, f.slug)
	if err != nil {
		return "", 0, err
	}
	d := &mapData{Title: m.Title(), Slug: m.Slug, Newest: plain(m.Versions[0].MapName), Games: m.Games(), Whole: m.percentWhole()}
	sha1s, from := m.SHA1s(), f.Now.UTC().AddDate(0, 0, -7*weeks+1)
	var latest []storage.PublicMatch
	var records []storage.MapRecord
	var best []storage.PublicMatch
	if err := s.ask(ctx, func() (err error) {
		if d.Stats, err = s.opts.Log.MapStats(ctx, sha1s, dayNumber(from), 2*mostHeroes); err != nil {
			return err
		}
		if latest, err = s.opts.Log.PublicMatches(ctx, s.names(), storage.PublicFilter{Maps: sha1s, Limit: mostOfMap}); err != nil {
			return err
		}
		if records, err = s.opts.Log.MapRecords(ctx, sha1s); err != nil || len(records) == 0 {
			return err
		}
		keys := make([]storage.GameKey, len(records))
		for i, r := range records {
			keys[i] = r.GameKey
		}
		best, err = s.opts.Log.PublicMatches(ctx, s.names(), storage.PublicFilter{Keys: keys, Limit: len(keys)})
		return err
	}); err != nil {
		return "", 0, err
	}
	d.Weeks, d.WeeksText = f.perWeek(d.Stats.Days, from)
	d.Lengths = f.lengths(d.Stats.Minutes)
	d.Records = f.records(records, best)
	for i := range latest {
		d.Latest = append(d.Latest, f.result(&latest[i]))
	}
	if len(latest) > 0 {
		d.File, d.Last = baseName(latest[0].MapPath), latest[0].EndedAt
	}
	d.rates(f, s.fixed(ctx, d.File))
	d.heroes(s)
	d.versions(m)
	if err := s.leaders(ctx, f, d, m.Category); err != nil {
		return "", 0, err
	}
	f.Nav, f.Title, f.Data, f.Picture = "maps", f.L("%s: %s games", d.Title, f.Number(d.Games)), d, preview(d.File)
	var parts []string
	for _, t := range d.Teams {
		parts = append(parts, f.L("%s won %s %%.", t.Name, t.Share))
	}
	if d.Lengths != nil {
		parts = append(parts, f.L("Median length %d minutes.", d.Lengths.Median))
	}
	f.Description = strings.Join(append(parts, f.L("Newest version: %s.", d.Newest)), " ")
	return "map", pageFor, nil
}

// dayNumber returns a day as the database counts it: 20261128.
func dayNumber(t time.Time) int { return t.Year()*10000 + int(t.Month())*100 + t.Day() }

// dayOf is the inverse of dayNumber.
func dayOf(n int) time.Time {
	return time.Date(n/10000, time.Month(n/100%100), n%100, 0, 0, 0, 0, time.UTC)
}

// perWeek returns the chart of games per week from a day on, as an SVG path of 1000 by 160, and its description.
func (f *frame) perWeek(days []storage.MapCount, from time.Time) (path, text string) {
	var per [weeks]int
	first := dayOf(dayNumber(from))
	for _, d := range days {
		if i := int(dayOf(d.Number).Sub(first).Hours()) / (7 * 24); i >= 0 && i < weeks {
			per[i] += d.Games
		}
	}
	most := max(1, slices.Max(per[:]))
	var b strings.Builder
	for i, n := range per {
		fmt.Fprintf(&b, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[i == 0], float64(i)*1000/(weeks-1), 150-140*float64(n)/float64(most))
	}
	return b.String(), f.L("Games a week: %d in the first week of the last half year, %d in the last, %d at most", per[0], per[weeks-1], slices.Max(per[:]))
}

// heroes fills in the heroes. A hero with the name of a hidden player is left out.
func (d *mapData) heroes(s *Site) {
	for _, h := range d.Stats.Heroes {
		if len(d.Heroes) == mostHeroes || s.isHidden(h.Hero) {
			continue
		}
		row := heroRow{Name: view.Visible(h.Hero), Games: h.Games}
		if h.Games >= leastRate {
			row.Share = fmt.Sprintf("%.1f", 100*float64(h.Won)/float64(h.Games))
		}
		d.Heroes = append(d.Heroes, row)
	}
}

// versions fills in the latest versions, and the sum of older ones.
func (d *mapData) versions(m *knownMap) {
	for i, v := range m.Versions {
		if i < mostVersion {
			d.Versions = append(d.Versions, versionRow{Name: plain(v.MapName), First: dayOf(v.First), Games: v.Games})
			continue
		}
		if i == mostVersion {
			d.Versions = append(d.Versions, versionRow{})
		}
		d.Versions[mostVersion].Games += v.Games
	}
}

// leaders fills in the best players of the first ladder that is of this map.
func (s *Site) leaders(ctx context.Context, f *frame, d *mapData, category string) error {
	for _, l := range s.opts.Ladders() {
		if !slices.Contains(l.Maps, category) {
			continue
		}
		b, err := s.board(ctx, l.Slug, l.season(f.Now))
		if err != nil {
			return err
		}
		d.Ladder = &l
		for i := range min(mostBest, len(b.players)) {
			d.Leaders = append(d.Leaders, rowOf(b, i, 0, 1))
		}
		return nil
	}
	return nil
}

// fixed reports whether the players of a map in the maps folder have fixed places. Otherwise starting positions are dealt
// at random, and shares by place mean nothing.
func (s *Site) fixed(ctx context.Context, file string) (is bool) {
	if file != "" && s.opts.FixedPlaces != nil {
		s.opts.Work(ctx, func() { is = s.opts.FixedPlaces(file) })
	}
	return is
}
