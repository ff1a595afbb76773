package site

import (
	"math"
	"slices"
	"time"

	"w3host/storage"
	"w3host/texts"
)

// recordRow is a record of a map.
type recordRow struct {
	Label, Value string
	Key          storage.GameKey
	Who, Link    string
	Others       int // further players
	Date         time.Time
}

// records returns the records whose matches are public.
func (f *frame) records(all []storage.MapRecord, matches []storage.PublicMatch) (rows []recordRow) {
	order := []string{"kills", "herokills", "assists", "creepkills", "creepdenies", "towerkills", "deaths", "gold", "wood", "lumber", "level", "score", "longest", "fastest"}
	slices.SortFunc(all, func(a, b storage.MapRecord) int { return slices.Index(order, a.Name) - slices.Index(order, b.Name) })
	for _, r := range all {
		i := slices.IndexFunc(matches, func(m storage.PublicMatch) bool { return m.Key == r.GameKey })
		label := f.record(r.Name)
		if i < 0 || label == "" {
			continue
		}
		m := &matches[i]
		row := recordRow{Label: label, Key: r.GameKey, Date: m.EndedAt, Value: f.Number(int(r.Number))}
		who := []*storage.PublicSeat{seatOf(&matches[i], r.PID)}
		if r.PID == 0 {
			row.Value, who = texts.Clock(time.Duration(math.Abs(r.Number))*time.Millisecond), f.winnersOf(m, r.Name == "fastest")
		}
		if len(who) == 0 {
			continue
		}
		row.Who, row.Link, row.Others = f.called(who[0]), linkOf(who[0]), len(who)-1
		rows = append(rows, row)
	}
	return rows
}

// winnersOf returns the human players of the teams that won, or of all teams.
func (f *frame) winnersOf(m *storage.PublicMatch, only bool) (list []*storage.PublicSeat) {
	all := teams(m)
	won, _, _ := winners(all)
	for i, team := range all {
		for _, p := range team {
			if !p.Computer && (!only || slices.Contains(won, i)) {
				list = append(list, p)
			}
		}
	}
	return list
}

// record returns the label of a record, or "" for values that the page does not know.
func (f *frame) record(name string) string {
	switch name {
	case "kills":
		return f.L("Most kills")
	case "herokills":
		return f.L("Most hero kills")
	case "assists":
		return f.L("Most assists")
	case "creepkills":
		return f.L("Most creep kills")
	case "creepdenies":
		return f.L("Most creep denies")
	case "towerkills":
		return f.L("Most towers destroyed")
	case "deaths":
		return f.L("Most deaths")
	case "gold":
		return f.L("Most gold")
	case "wood", "lumber":
		return f.L("Most lumber")
	case "level":
		return f.L("Highest level")
	case "score":
		return f.L("Highest score")
	case "longest":
		return f.L("Longest game")
	case "fastest":
		return f.L("Fastest win")
	}
	return ""
}
