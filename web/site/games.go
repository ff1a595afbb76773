package site

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"w3host/game"
	"w3host/protocol/w3gs"
	"w3host/storage"
	"w3host/texts"
	"w3host/web/view"
)

const (
	// hiddenFor is the time for which the list of hidden players is cached.
	hiddenFor = 5 * time.Second
	// latestFor is the time for which the latest results on the start page are cached.
	latestFor  = 10 * time.Second
	mostLatest = 5
)

// live returns the public lobbies and games that have a snapshot.
func (s *Site) live() (list []Game) {
	for _, g := range s.opts.Games() {
		if g.Public && !g.Apart && g.Snap != nil && g.Snap.Listed {
			list = append(list, g)
		}
	}
	return list
}

// refresh reads the list of hidden players again after hiddenFor. If the list has changed, it empties the page cache.
func (s *Site) refresh(ctx context.Context) {
	s.mu.Lock()
	due := s.pages.now().Sub(s.hideAt) > hiddenFor
	if due {
		s.hideAt = s.pages.now() // concurrent requests do not read it again
	}
	s.mu.Unlock()
	if !due {
		return
	}
	var names []string
	err := s.ask(ctx, func() (err error) { names, err = s.opts.Log.Hidden(ctx); return err })
	if err != nil {
		return // keep the previous list
	}
	hidden := make(map[string]bool, len(names))
	for _, name := range names {
		hidden[name] = true
	}
	s.mu.Lock()
	changed := len(hidden) != len(s.hidden)
	for name := range hidden {
		changed = changed || !s.hidden[name]
	}
	s.hidden = hidden
	if changed {
		s.lateAt, s.tables = time.Time{}, nil
	}
	s.mu.Unlock()
	if changed {
		s.pages.clear()
	}
	_, _ = s.maps(ctx) // for links to maps; pages do without them while the database does not answer
}

// recent returns the latest results. old reports that reading failed and the results are from before.
func (s *Site) recent(ctx context.Context) (list []storage.PublicMatch, old bool) {
	s.mu.Lock()
	list, due := s.latest, s.pages.now().Sub(s.lateAt) > latestFor
	s.mu.Unlock()
	if !due {
		return list, false
	}
	var now []storage.PublicMatch
	err := s.ask(ctx, func() (err error) {
		now, err = s.opts.Log.PublicMatches(ctx, s.names(), storage.PublicFilter{Limit: mostLatest})
		return err
	})
	if err != nil {
		return list, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latest, s.lateAt = now, s.pages.now()
	return now, false
}

// hides reports whether the site must not show a player's name.
func (s *Site) hides(name, realm string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return realm == "" && !s.info().LAN || s.hidden[strings.ToLower(strings.TrimSpace(name))]
}

// isHidden reports whether a text is the name of a hidden player.
func (s *Site) isHidden(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hidden[strings.ToLower(strings.TrimSpace(text))]
}

// lobbyView holds the values of a lobby or running game that pages show.
type lobbyView struct {
	Key             storage.GameKey
	Name, Map, File string
	MapName         string // with colour codes
	Players, Places int
	Since           time.Duration
	Waits           string
	Sides           []side
	Size            string
}

// side is a team, or all players if the teams are not shown separately.
type side struct {
	Team  int // from 1; 0 means all players
	Seats []seatView
	Open  int // number of open slots that are not in Seats
}

// seatView is a slot of a lobby, or a player of a match.
type seatView struct {
	Colour string // style of the colour swatch
	Name   string
	Link   string // path of the player's page, or ""
	Muted  bool   // Name is a placeholder and not a player's name
}

// lobby returns the values that pages show of a lobby or running game.
func (s *Site) lobby(f *frame, g *Game) lobbyView {
	snap := g.Snap
	l := lobbyView{
		Key: g.Key, Name: s.masked(g, snap.Name), Map: plain(snap.Map.Name), MapName: snap.Map.Name, File: snap.Map.File, Since: snap.Since,
		Waits: s.masked(g, snap.Waits.In(f.Language)), Size: view.FileSize(snap.Map.Size),
	}
	if !g.Info.Since.IsZero() { // the snapshot is as old as the last event
		l.Since = f.Now.Sub(g.Info.Since)
	}
	for i := range snap.Slots {
		if slot := &snap.Slots[i]; slot.Name != "" && !slot.Fake && !slot.Gone {
			l.Players++
		}
	}
	l.Places = l.Players
	if snap.Stage < game.StageLoading {
		l.Places += snap.Counts.Open
	}
	l.Sides = s.sides(f, g)
	return l
}

// masked returns a text about a game with the names of hidden players masked.
func (s *Site) masked(g *Game, text string) string {
	for _, p := range g.Info.Players {
		if p.Name != "" && (g.Snap.Anonymous || s.hides(p.Name, p.Realm)) {
			text = storage.Mask(text, p.Name)
		}
	}
	return view.Visible(text)
}

// mostSides is the maximum number of teams that are shown side by side.
const mostSides = 4

func (s *Site) sides(f *frame, g *Game) []side {
	snap, teams := g.Snap, map[int]*side{}
	var order []int
	for i := range snap.Slots {
		slot := &snap.Slots[i]
		if slot.Observer || slot.Status == w3gs.SlotClosed || slot.Team == snap.Version.ObserverTeam() {
			continue
		}
		t := int(slot.Team)
		if teams[t] == nil {
			teams[t] = &side{Team: t + 1}
			order = append(order, t)
		}
		teams[t].Seats = append(teams[t].Seats, s.slot(f, g, slot))
	}
	slices.Sort(order)
	if len(order) >= 2 && len(order) <= mostSides {
		var list []side
		for _, t := range order {
			list = append(list, *teams[t])
		}
		return list
	}
	var all side
	for _, t := range order {
		for _, seat := range teams[t].Seats {
			if seat.Colour == "open" {
				all.Open++
			} else {
				all.Seats = append(all.Seats, seat)
			}
		}
	}
	return []side{all}
}

func (s *Site) slot(f *frame, g *Game, slot *game.SnapshotSlot) seatView {
	seat := seatView{Colour: colour(int(slot.Colour)), Muted: true}
	switch {
	case slot.Status == w3gs.SlotOpen:
		return seatView{Colour: "open", Name: f.L("open"), Muted: true}
	case slot.Computer:
		seat.Name = f.L("computer")
	case g.Snap.Anonymous:
		seat.Name = f.L("player")
	default:
		realm := ""
		for _, p := range g.Info.Players {
			if p.PID == slot.PID {
				realm = p.Realm
			}
		}
		seat.Name = slot.Name
		switch {
		case realm == "" && !f.LAN:
			seat.Name = f.L("player on the LAN")
		case s.hides(slot.Name, realm):
			seat.Name = f.L("hidden player")
		default:
			seat.Muted, seat.Link = false, profile(slot.Name, realm)
		}
	}
	return seat
}

// colour returns the style of a colour swatch for a player colour.
func colour(n int) string {
	const names = "c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 c10 c11 c12 c13 c14 c15 c16 c17 c18 c19 c20 c21 c22 c23"
	if list := strings.Fields(names); n >= 0 && n < len(list) {
		return list[n]
	}
	return "watch"
}

// fullestFirst compares lobbies so that those with the fewest open slots come first.
func fullestFirst(a, b lobbyView) int {
	return cmp.Or(cmp.Compare(a.Places-a.Players, b.Places-b.Players), cmp.Compare(b.Players, a.Players), cmp.Compare(b.Since, a.Since))
}

// playData is the data of the start page with the lobbies.
type playData struct {
	Lobbies []lobbyView
	Running []lobbyView
	Players int
	Latest  []resultView
	Ladder  *ladderData // best players of the main ladder, or nil
	Old     bool        // the latest results could not be read again
}

func (s *Site) play(ctx context.Context, f *frame) (string, time.Duration, error) {
	s.refresh(ctx)
	var d playData
	for _, g := range s.live() {
		l := s.lobby(f, &g)
		d.Players += l.Players
		if g.Snap.Stage >= game.StageLoading {
			d.Running = append(d.Running, l)
		} else if !g.Closed {
			d.Lobbies = append(d.Lobbies, l)
		}
	}
	slices.SortStableFunc(d.Lobbies, fullestFirst)
	slices.SortStableFunc(d.Running, func(a, b lobbyView) int { return cmp.Compare(a.Since, b.Since) })
	latest, old := s.recent(ctx)
	d.Old = old
	for i := range latest {
		d.Latest = append(d.Latest, f.result(&latest[i]))
	}
	d.Ladder = s.best(ctx, f)
	f.Nav, f.Title = "play", f.L("Play now")
	if n := len(d.Lobbies); n > 0 {
		f.Title = texts.Count(n, "Play now: %d open lobby", "Play now: %d open lobbies").In(f.Language)
	}
	var parts []string
	for _, l := range d.Lobbies[:min(len(d.Lobbies), 3)] {
		parts = append(parts, f.L("%s: %d of %d players.", l.Name, l.Players, l.Places))
		if f.Picture == "" {
			f.Picture = preview(l.File)
		}
	}
	f.Description = strings.Join(append(parts, f.L("Running games: %d.", len(d.Running))), " ")
	f.Data = d
	return "play", playFor, nil
}
