package site

import (
	"fmt"
	"slices"
	"time"

	"w3host/storage"
	"w3host/texts"
	"w3host/web/view"
)

// finished returns the values of the page of a finished match.
func (f *frame) finished(m *storage.PublicDetail) *matchData {
	d := &matchData{M: m, Result: f.result(&m.PublicMatch), File: baseName(m.MapPath), Lags: len(m.Lags)}
	for _, l := range m.Lags {
		d.Lagged += l.Lasted
	}
	list := teams(&m.PublicMatch)
	won, _, ok := winners(list)
	for i, team := range list {
		t := teamView{Team: team[0].Team + 1}
		if ok && len(won) > 0 {
			t.State = map[bool]string{true: "won", false: "lost"}[slices.Contains(won, i)]
		}
		for _, p := range team {
			seat := f.seat(m, p)
			d.Scores = d.Scores || seat.K+seat.D+seat.A != ""
			if seat.lane.Left {
				d.Left++
			}
			if !p.Computer {
				d.Lanes = append(d.Lanes, seat.lane)
			}
			t.Seats = append(t.Seats, seat)
		}
		d.Teams = append(d.Teams, t)
	}
	d.Ticks = ticks(m.Played)
	d.Events = f.events(m)
	for _, line := range m.Chat {
		p := seatOf(&m.PublicMatch, line.PID)
		d.Chat = append(d.Chat, eventView{At: since(m, line.At), Colour: colour(p.Colour), Who: f.called(p), Text: view.Visible(line.Text)})
	}
	return d
}

// atOnce is the time before the end of a match from which a leaving player counts as having stayed to the end.
const atOnce = 20 * time.Second

func (f *frame) seat(m *storage.PublicDetail, p *storage.PublicSeat) matchSeat {
	seat := matchSeat{seatView: seatView{Colour: colour(p.Colour), Name: f.called(p), Muted: p.Name == "", Link: linkOf(p)}}
	number := func(names ...string) string {
		for _, name := range names {
			if v, there := p.Values[name]; there {
				return fmt.Sprintf("%.0f", v)
			}
		}
		return ""
	}
	seat.K, seat.D, seat.A = number("kills", "herokills"), number("deaths", "herodeaths"), number("assists")
	seat.lane = lane{Name: seat.Name, Colour: seat.Colour, Line: p.Colour % 12, End: 1000}
	if left := since(m, p.LeftAt); !p.LeftAt.IsZero() && m.Played > 0 && left < m.Played-atOnce {
		seat.lane.End, seat.lane.Left = thousandth(left, m.Played), true
		seat.Note = f.L("left at %s", texts.Clock(left))
		if p.Drops > 0 {
			seat.Note = f.L("lost the connection at %s", texts.Clock(left))
		}
		seat.lane.Text = seat.Note
	} else {
		seat.lane.Text = f.L("stayed to the end")
	}
	for _, l := range m.Lags {
		if l.PID == p.PID {
			from := thousandth(since(m, l.At)-l.Lasted, m.Played)
			seat.lane.Lags = append(seat.lane.Lags, mark{from, max(4, thousandth(l.Lasted, m.Played))})
		}
	}
	return seat
}

func thousandth(d, of time.Duration) int {
	if of <= 0 {
		return 0
	}
	return int(min(max(d, 0), of) * 1000 / of)
}

// since returns the time between the first turn and at, or 0 if at is earlier.
func since(m *storage.PublicDetail, at time.Time) time.Duration { return max(at.Sub(m.LoadedAt), 0) }

func seatOf(m *storage.PublicMatch, pid uint8) *storage.PublicSeat {
	for i := range m.Seats {
		if m.Seats[i].PID == pid && !m.Seats[i].Computer {
			return &m.Seats[i]
		}
	}
	return &storage.PublicSeat{Colour: -1}
}

// ticks returns the labels of the time axis.
func ticks(length time.Duration) (list []tick) {
	step := 5 * time.Minute
	for length/step > 5 {
		step *= 2
	}
	list = append(list, tick{"0%", "start", texts.Clock(0), false})
	for i, at := 0, step; at < length-step/3; i, at = i+1, at+step {
		list = append(list, tick{fmt.Sprintf("%.2f%%", 100*float64(at)/float64(length)), "middle", texts.Clock(at), i%2 == 1})
	}
	return append(list, tick{"100%", "end", texts.Clock(length), false})
}

// events returns the events that all players of a match saw, in order of time.
func (f *frame) events(m *storage.PublicDetail) (list []eventView) {
	if loaded := m.LoadedAt.Sub(m.StartedAt); loaded > 0 {
		list = append(list, eventView{Text: f.L("all had loaded after %d s", int(loaded.Seconds()+0.5))})
	}
	for _, l := range m.Lags {
		p := seatOf(&m.PublicMatch, l.PID)
		text := f.L("lag screen, %d s: %s", int(l.Lasted.Seconds()+0.5), f.called(p))
		list = append(list, eventView{At: max(since(m, l.At)-l.Lasted, 0), Colour: colour(p.Colour), Text: text})
	}
	for i := range m.Seats {
		p := &m.Seats[i]
		if at := since(m, p.LeftAt); !p.LeftAt.IsZero() && !observes(&m.PublicMatch, p) {
			text := f.L("%s left", f.called(p))
			if p.Drops > 0 {
				text = f.L("%s lost the connection", f.called(p))
			}
			list = append(list, eventView{At: min(at, m.Played), Colour: colour(p.Colour), Text: text})
		}
	}
	slices.SortStableFunc(list, func(a, b eventView) int { return int(a.At - b.At) })
	result, _ := f.outcome(&m.PublicMatch)
	return append(list, eventView{At: m.Played, Text: result})
}
