package site

import (
	"fmt"
	"slices"
	"strings"

	"w3host/rating"
	"w3host/storage"
)

// curve is the chart of a player's rating over time, as SVG paths.
type curve struct {
	Labels     []string // labels of the horizontal lines, from top to bottom
	Rules      []int    // y coordinates of these lines; the chart is 300 high
	Band, Line string   // paths
	Guess      string
	Tip        string
	Ticks      []tick
	Text       string // description of the chart for screen readers
	Best       string
}

func (f *frame) curve(points []storage.LadderPoint) *curve {
	type value struct{ x, low, mid, high float64 }
	var values []value
	first, last := points[0].EndedAt, points[len(points)-1].EndedAt
	span := max(float64(last.Sub(first)), 1)
	low, high, best := 0, 1000, 0
	for i, p := range points {
		points := rating.Skill{Mu: p.Mu, Sigma: p.Sigma}.Points()
		v := value{1000 * float64(p.EndedAt.Sub(first)) / span, float64(points), 100 * p.Mu, 100 * (p.Mu + 3*p.Sigma)}
		values = append(values, v)
		low, high = min(low, points), max(high, int(v.high))
		if i == 0 || v.low > values[best].low {
			best = i
		}
	}
	step := 1000
	for (high-low)/step > 6 {
		step *= 2
	}
	floor := func(n int) int { return n - ((n%step)+step)%step }
	low, high = floor(low), floor(high)+step
	y := func(v float64) float64 { return 300 - 300*(v-float64(low))/float64(high-low) }
	c := &curve{}
	for at := high; at >= low; at -= step {
		c.Labels, c.Rules = append(c.Labels, f.Number(at)), append(c.Rules, int(y(float64(at))))
	}
	var line, guess, upper, lower strings.Builder
	for i, v := range values {
		verb := map[bool]string{true: "M", false: "L"}[i == 0]
		fmt.Fprintf(&line, "%s%.1f %.1f", verb, v.x, y(v.low))
		fmt.Fprintf(&guess, "%s%.1f %.1f", verb, v.x, y(v.mid))
		fmt.Fprintf(&upper, "%s%.1f %.1f", verb, v.x, y(v.high))
	}
	for _, v := range slices.Backward(values) {
		fmt.Fprintf(&lower, "L%.1f %.1f", v.x, y(v.low))
	}
	c.Line, c.Guess, c.Band = line.String(), guess.String(), upper.String()+lower.String()+"Z"
	c.Tip = fmt.Sprintf("M%.1f %.1fh0", values[best].x, y(values[best].low))
	c.Best = f.L("best: %s, %s", f.Number(int(values[best].low)), f.Day(points[best].EndedAt))
	c.Ticks = []tick{{"0%", "start", f.Day(first), false}, {"50%", "middle", f.Day(first.Add(last.Sub(first) / 2)), true}, {"100%", "end", f.Day(last), false}}
	c.Text = f.L("Rating from %s on %s to %s on %s", f.Number(int(values[0].low)), f.Day(first), f.Number(int(values[len(values)-1].low)), f.Day(last))
	return c
}
