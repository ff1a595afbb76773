//go:build !portable

package host_test

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// lineFigures are what a lineCase was seen to do.
type lineFigures struct {
	lineCase
	least, most float64       // bytes of the map per second of one player
	slack       float64       // what most may be beyond a tenth above least
	full        float64       // share of the line, with the headers of TCP and IP
	p50, p95    time.Duration // of chat, said to heard
	ahead       time.Duration // of chat, p95 by what the line carried meanwhile
	queue       time.Duration // the longest that a packet waited for the line
}

// measure looks at what all got from one time to another, and at the chat.
func (c lineCase) measure(fetchers []*fetcher, begun, end time.Time) lineFigures {
	m := lineFigures{lineCase: c}
	var delays, ahead []time.Duration
	var carried []arrived // by all
	for _, f := range fetchers {
		if !f.done.IsZero() && f.done.Before(end) {
			end = f.done
		}
		carried = append(carried, onLine(f.frames)...)
	}
	slices.SortFunc(carried, func(a, b arrived) int { return a.at.Compare(b.at) })
	sums := make([]int, len(carried)+1)
	for i, a := range carried {
		sums[i+1] = sums[i] + a.bytes
	}
	until := func(at time.Time) int {
		i, _ := slices.BinarySearchFunc(carried, at, func(a arrived, at time.Time) int { return a.at.Compare(at) })
		return sums[i]
	}
	for i, f := range fetchers {
		got := f.rate(begun, end)
		if i == 0 {
			m.least = got
		}
		m.least, m.most = min(m.least, got), max(m.most, got)
		for _, l := range f.timedLines() {
			delays = append(delays, l.heard.Sub(l.said))
			ahead = append(ahead, time.Duration(float64(until(l.heard)-until(l.said))/float64(c.rate)*float64(time.Second)))
		}
	}
	m.full = float64(until(end)-until(begun)) / end.Sub(begun).Seconds() / float64(c.rate)
	slices.Sort(delays)
	slices.Sort(ahead)
	m.p50, m.p95, m.ahead = delays[len(delays)/2], delays[len(delays)*95/100], ahead[len(ahead)*95/100]
	if !transfersLong() {
		m.slack = 2 * 1442 / end.Sub(begun).Seconds() // of three seconds a part is more than a tenth
	}
	return m
}

// missed are the aims that were missed: those that count bytes, on any machine, and
// those of which the machine may be the reason.
func (m *lineFigures) missed() (inBytes, inTime []string) {
	late := 150 * time.Millisecond
	if !transfersLong() {
		late = 200 * time.Millisecond // the start is a third of the time
	}
	packet := time.Duration(float64(1500) / float64(m.rate) * float64(time.Second)) // counts when it is whole
	if m.most > 1.1*m.least+m.slack {
		inBytes = append(inBytes, fmt.Sprintf("shares from %.0f to %.0f bytes a second", m.least, m.most))
	}
	if m.ahead > late+2*packet {
		inBytes = append(inBytes, fmt.Sprintf("chat arrived behind %v of the map", m.ahead))
	}
	// As many parts as the windows of all players without regard to the line fill
	// any buffer.
	if m.queue > 400*time.Millisecond {
		inBytes = append(inBytes, fmt.Sprintf("a packet waited for the line for %v", m.queue))
	}
	if m.full < 0.9 {
		inTime = append(inTime, fmt.Sprintf("%.1f %% of the line", 100*m.full))
	}
	if m.p95 > late {
		inTime = append(inTime, fmt.Sprintf("chat took %v", m.p95))
	}
	return inBytes, inTime
}

// onLine adds the headers of TCP and IP: 52 bytes in each 1500. Less than that
// travels alone.
func onLine(frames []arrived) []arrived {
	frames = slices.Clone(frames)
	for i := range frames {
		n := &frames[i].bytes
		*n += max(52, *n*52/1448)
	}
	return frames
}

// lineTable lists figures, a line a case.
type lineTable struct{ rows []string }

const lineHead = "kB/s\tplayers\tbegin\tline\tshares differ\tuse\tchat p50\tp95\tp95 in bytes\tlongest queue\taims"

func (l *lineTable) add(m *lineFigures, met bool) {
	begin, line, aims := "together", fmt.Sprintf("%v", 2*m.delay), "met"
	if m.apart > 0 {
		begin = fmt.Sprintf("%v apart", m.apart)
	}
	if m.shaped {
		line = "tbf"
	}
	if m.loss > 0 {
		line += fmt.Sprintf(", %.0f %% lost", 100*m.loss)
	}
	if m.every > 0 {
		line += fmt.Sprintf(", every %dth", m.every)
	}
	if m.control != "" {
		line += ", " + m.control
	}
	if !met {
		aims = "MISSED"
	}
	ms := func(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }
	l.rows = append(l.rows, fmt.Sprintf("%d\t%d\t%s\t%s\t%.1f %%\t%.1f %%\t%s\t%s\t%s\t%s\t%s", m.rate/1000, m.players, begin, line,
		100*(m.most/m.least-1), 100*m.full, ms(m.p50), ms(m.p95), ms(m.ahead), ms(m.queue), aims))
}

func (l *lineTable) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, lineHead)
	for _, row := range l.rows {
		fmt.Fprintln(w, row)
	}
	_ = w.Flush()
	return b.String()
}
