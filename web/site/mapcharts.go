package site

import (
	"fmt"
	"math"
	"slices"

	"w3host/storage"
)

// lengths is the chart of how long games take. Bars are 200 high at most.
type lengths struct {
	Median, Low, High int // minutes: the median, and the quarters below and above it
	Games             int
	Bars              []lengthBar
	Ticks             []tick
	Text              string // description of the chart for screen readers
}

type lengthBar struct{ X, Width, Y, Height int }

// lengths returns the chart of the numbers of games by minutes, or nil if there are no games.
func (f *frame) lengths(minutes []storage.MapCount) *lengths {
	l := &lengths{}
	for _, m := range minutes {
		l.Games += m.Games
	}
	if l.Games == 0 {
		return nil
	}
	l.Low, l.Median, l.High = quantile(minutes, l.Games, 0.25), quantile(minutes, l.Games, 0.5), quantile(minutes, l.Games, 0.75)
	longest := quantile(minutes, l.Games, 0.99) + 1 // the rest goes into the last bar
	step := 1
	for _, s := range []int{2, 5, 10, 15} {
		if longest > 18*step {
			step = s
		}
	}
	per := make([]int, (longest+step-1)/step)
	for _, m := range minutes {
		per[min(m.Number/step, len(per)-1)] += m.Games
	}
	most := slices.Max(per)
	for i, n := range per {
		x, next := 1000*i/len(per), 1000*(i+1)/len(per)
		height := (200*n + most - 1) / most
		l.Bars = append(l.Bars, lengthBar{X: x + 3, Width: max(next-x-6, 1), Y: 200 - height, Height: height})
	}
	every := max(1, (len(per)+4)/5)
	for i := 0; i < len(per); i += every {
		anchor := map[bool]string{true: "start", false: "middle"}[i == 0]
		l.Ticks = append(l.Ticks, tick{X: fmt.Sprintf("%.2f%%", 100*float64(i)/float64(len(per))), Anchor: anchor, Text: fmt.Sprint(i * step)})
	}
	l.Text = f.L("Lengths of %s games: half of them between %d and %d minutes, the median is %d", f.Number(l.Games), l.Low, l.High, l.Median)
	return l
}

// quantile returns the minute below which this share of the games ended.
func quantile(minutes []storage.MapCount, games int, share float64) int {
	sum := 0.0
	for _, m := range minutes {
		if sum += float64(m.Games); sum >= share*float64(games) {
			return m.Number
		}
	}
	return 0
}

// rateRow is the share of games that a team or place has won, with its 95 % interval.
type rateRow struct {
	Name           string
	Colour         string // style of the swatch; empty for teams
	Games          int
	Share          string // percent
	Low, High      string
	Uneven         bool    // the interval excludes the fair share
	From, At, To   float64 // x coordinates in the chart, from 0 to 100
	share, lo, top float64
}

// wilson returns the 95 % interval of a share after Wilson.
func wilson(won, games int) (low, high float64) {
	const z = 1.96
	n, p := float64(games), float64(won)/float64(games)
	middle, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, (middle-half)/(1+z*z/n)), min(1, (middle+half)/(1+z*z/n))
}

// rates fills in who wins, by team and, if places are fixed, by place. Below leastRate games it shows nothing.
func (d *mapData) rates(f *frame, fixed bool) {
	games, won := 0, 0
	for _, c := range d.Stats.Teams {
		games, won = games+c.Games, won+c.Won
	}
	if games == 0 {
		return
	}
	fair, half := 100*float64(won)/float64(games), 5.0
	add := func(list *[]rateRow, c storage.MapCount, name, colour string) {
		if c.Games < leastRate {
			return
		}
		low, high := wilson(c.Won, c.Games)
		r := rateRow{Name: name, Colour: colour, Games: c.Games, share: 100 * float64(c.Won) / float64(c.Games), lo: 100 * low, top: 100 * high}
		r.Share, r.Low, r.High = fmt.Sprintf("%.1f", r.share), fmt.Sprintf("%.1f", r.lo), fmt.Sprintf("%.1f", r.top)
		r.Uneven = r.lo > fair || r.top < fair
		*list = append(*list, r)
		for _, wider := range []float64{10, 20, 50, 100} {
			if max(r.top-fair, fair-r.lo) > half {
				half = max(half, wider)
			}
		}
	}
	for _, c := range d.Stats.Teams {
		add(&d.Teams, c, f.L("Team %d", c.Number+1), "")
	}
	if fixed {
		for i, c := range d.Stats.Places {
			add(&d.Places, c, f.L("Place %d", i+1), colour(c.Number))
		}
	}
	x := func(share float64) float64 { return min(max(50+(share-fair)*(250.0/6)/half, 0), 100) }
	for _, list := range [][]rateRow{d.Teams, d.Places} {
		for i := range list {
			list[i].From, list[i].At, list[i].To = x(list[i].lo), x(list[i].share), x(list[i].top)
		}
	}
	for _, at := range []float64{fair - half, fair, fair + half} {
		if at >= 0 && at <= 100 {
			d.RateTicks = append(d.RateTicks, tick{X: fmt.Sprintf("%.2f%%", x(at)), Anchor: "middle", Text: fmt.Sprintf("%.0f %%", at)})
		}
	}
}
