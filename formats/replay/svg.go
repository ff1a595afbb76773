package replay

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"time"
	"unicode"

	"w3host/protocol/w3gs"
)

// Dimensions of the picture in pixels.
const (
	svgLeft  = 170 // column for names
	svgWidth = 960 // width of the time axis
	svgRow   = 46
	svgTop   = 56
)

// colours are the player colours by number.
var colours = [...]string{
	"#ff0303", "#0042ff", "#1ce6b9", "#540081", "#fffc00", "#fe8a0e", "#20c000", "#e55bb0", "#959697", "#7ebff1",
	"#106246", "#4e2a04", "#9b0000", "#0000c3", "#00eaff", "#be00fe", "#ebcd87", "#f8a48b", "#bfff80", "#dcb9eb",
	"#282828", "#ebf0ff", "#00781e", "#a46f33",
}

// picture draws a summary as SVG.
type picture struct {
	bytes.Buffer
	s   *Summary
	end time.Duration
}

// SVG draws the game's timeline as an SVG document: each player's actions per minute and leave, chat lines,
// and unusually long turns.
func (s *Summary) SVG() []byte {
	p := &picture{s: s, end: max(s.Played, time.Second)}
	height := svgTop + svgRow*(len(s.Players)+2) + 30
	fmt.Fprintf(p, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n",
		svgLeft+svgWidth+20, height)
	p.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	p.text(10, 20, "15", "black", s.Start.GameName+" · "+s.Start.Settings.MapPath)
	p.text(10, 38, "12", "#555", fmt.Sprintf("%v · %v · actions per minute, same scale for all players", s.Version, s.Duration.Round(time.Second)))
	most := 1.0
	for _, player := range s.Players {
		for i := range player.apm.line.parts {
			most = max(most, player.apm.line.perMinute(i, p.end))
		}
	}
	y := svgTop
	for _, player := range s.Players {
		p.player(player, y, most)
		y += svgRow
	}
	p.chat(y)
	p.lag(y + svgRow)
	p.axis(y + 2*svgRow)
	p.WriteString("</svg>\n")
	return p.Bytes()
}

// perMinute returns the value of interval i as a rate; the last interval may be shorter.
func (l *timeline) perMinute(i int, end time.Duration) float64 {
	from := l.width * time.Duration(i)
	width := min(l.width, max(end-from, time.Second))
	return float64(l.parts[i]) / width.Minutes()
}

func (p *picture) x(at time.Duration) float64 {
	return svgLeft + svgWidth*float64(at)/float64(p.end)
}

func (p *picture) text(x, y int, size, fill, text string) {
	fmt.Fprintf(p, `<text x="%d" y="%d" font-size="%s" fill="%s">%s</text>`+"\n", x, y, size, fill, clean(text))
}

// clean escapes text for XML and replaces characters that XML does not allow.
func clean(text string) string {
	text = strings.ToValidUTF8(text, "?")
	return html.EscapeString(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF {
			return ' '
		}
		return r
	}, text))
}

func (p *picture) row(y int, name, note string) {
	p.text(10, y+20, "12", "black", name)
	p.text(10, y+34, "10", "#555", note)
	fmt.Fprintf(p, `<rect x="%d" y="%d" width="%d" height="%d" fill="#f4f4f4"/>`+"\n", svgLeft, y, svgWidth, svgRow-6)
}

func (p *picture) player(s *PlayerSummary, y int, most float64) {
	note := fmt.Sprintf("APM %.0f, %v", s.APM, s.Result)
	if s.Observer {
		note = "observer"
	}
	p.row(y, s.Name, note)
	fill := "#555555"
	if s.Slot != nil && int(s.Slot.Colour) < len(colours) {
		fill = colours[s.Slot.Colour]
	}
	l := &s.apm.line
	p.bars(l, y, `fill="`+fill+`" stroke="#0003"`, func(i int) float64 { return l.perMinute(i, p.end) / most })
	if s.Leave != nil {
		x := p.x(s.Leave.Time)
		fmt.Fprintf(p, `<path d="M%.1f %dv%d" stroke="black" stroke-width="2"><title>left at %v</title></path>`+"\n",
			x, y, svgRow-6, s.Leave.Time.Round(time.Second))
	}
}

func (p *picture) chat(y int) {
	p.row(y, "chat", fmt.Sprintf("%d lines", len(p.s.Chat)))
	for i, line := range p.s.Chat {
		if i == 1000 { // enough to fill the row
			break
		}
		stroke := "#06c"
		if line.Scope != w3gs.ScopeAll {
			stroke = "#c60"
		}
		fmt.Fprintf(p, `<path d="M%.1f %dv%d" stroke="%s"><title>%s: %s</title></path>`+"\n",
			p.x(line.Time), y+4, svgRow-14, stroke, clean(p.s.Name(line.PID)), clean(line.Text))
	}
}

func (p *picture) lag(y int) {
	l, most, sum := &p.s.lag, 1, 0
	for _, n := range l.parts {
		most, sum = max(most, n), sum+n
	}
	p.row(y, "long turns", fmt.Sprintf("%.1f s longer than usual", float64(sum)/1000))
	p.bars(l, y, `fill="#c00"`, func(i int) float64 { return float64(l.parts[i]) / float64(most) })
}

// bars draws the non-empty intervals of a timeline; share returns a bar's height as a fraction of the row.
func (p *picture) bars(l *timeline, y int, style string, share func(i int) float64) {
	for i, n := range l.parts {
		if n == 0 {
			continue
		}
		from := l.width * time.Duration(i)
		h := (svgRow - 8) * share(i)
		fmt.Fprintf(p, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" %s/>`+"\n",
			p.x(from), float64(y+svgRow-6)-h, p.x(min(from+l.width, p.end))-p.x(from), h, style)
	}
}

// axis draws about ten time labels under the rows.
func (p *picture) axis(y int) {
	step := time.Minute
	for _, s := range []time.Duration{time.Second, 10 * time.Second, time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute} {
		if step = s; p.end/s <= 12 {
			break
		}
	}
	for p.end/step > 24 {
		step *= 2
	}
	for at := time.Duration(0); at <= p.end; at += step {
		p.text(int(p.x(at)), y+14, "10", "#555", axisTime(at))
	}
}

// axisTime formats a game time like the host does: 8:20 or 1:08:20.
func axisTime(at time.Duration) string {
	if at >= time.Hour {
		return fmt.Sprintf("%d:%02d:%02d", int(at.Hours()), int(at.Minutes())%60, int(at.Seconds())%60)
	}
	return fmt.Sprintf("%d:%02d", int(at.Minutes()), int(at.Seconds())%60)
}
