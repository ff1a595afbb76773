package bots

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// shownFaults is the largest number of faults in the text report.
const shownFaults = 20

// WriteText writes the report as text for a person.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	if r.GamesRun > 0 {
		r.Figures.write(&b)
	}
	r.writeDetails(&b)
	fmt.Fprintf(&b, "verdict       %s\n", r.Verdict())
	_, err := io.WriteString(w, b.String())
	return err
}

// write writes the table of measurements.
func (f *Figures) write(b *strings.Builder) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, s Summary) {
		fmt.Fprintf(t, "%s\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t\n", name, s.Count, ms(s.P50), ms(s.P99), ms(s.P999), ms(s.Max))
	}
	fmt.Fprintln(t, "milliseconds\tcount\tp50\tp99\tp99.9\tmax\t")
	row("interval between turns", f.Interval)
	row("|interval - increment|", f.Jitter)
	row("turn behind the best", f.Late)
	row("action: sent to seen", f.ActionDelay)
	row("chat: said to heard", f.ChatDelay)
	if f.Outage.Count > 0 {
		row("host killed: to next turn", f.Outage)
	}
	row("bots' own lateness", f.OwnLate)
	fmt.Fprintln(t)
	t.Flush()
}

// writeDetails writes the lines below the table.
func (r *Report) writeDetails(b *strings.Builder) {
	line := func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
	line("games         %d of %d ran, %d bots, %d joined, measured for %.1f s", r.GamesRun, r.Games, r.Bots, r.Joined, r.Measured.Seconds())
	line("bots          %s", outcomes(r.Outcomes))
	if len(r.Misbehaved) > 0 {
		line("misbehaving   %s", outcomes(r.Misbehaved))
	}
	if r.GamesRun > 0 {
		r.writeGames(line)
	}
	for _, s := range r.removed() {
		line("%s", s)
	}
}

func (r *Report) writeGames(line func(format string, args ...any)) {
	line("turns         %d received, %d missed (before all games ran: %d, %d missed)", r.Turns, r.MissedTurns, r.EarlyTurns, r.EarlyMissedTurns)
	if r.Worst.Interval > 0 {
		line("longest       %.2f ms before turn %d of game %d, at %s", ms(r.Worst.Interval), r.Worst.Turn, r.Worst.Game, r.Worst.Player)
	}
	line("actions       %d sent, %d seen, %d lost", r.ActionsSent, r.ActionsSeen, r.ActionsLost)
	if r.OverflowParts > 0 {
		line("long turns    %d packets 0x48, largest packet of a turn %d bytes", r.OverflowParts, r.LargestTurnPacket)
	}
	if r.LagScreens > 0 {
		line("lag screens   %d seen, the game stood still for at most %.1f s", r.LagScreens, r.StoodStill.Seconds())
	}
	for _, same := range grouped(r.Downloads, func(d DownloadReport) any { return [2]any{d.SHA256, d.Intact} }) {
		d := slices.MaxFunc(same, func(a, b DownloadReport) int { return cmp.Compare(a.Time, b.Time) })
		line("downloads     %d of %d bytes, intact: %v, the slowest in %.2f s (%.0f KB/s), SHA-256 %s, like %s",
			len(same), d.Bytes, d.Intact, d.Time.Seconds(), d.rate(), d.SHA256, d.Path)
	}
	for _, s := range r.Strangers {
		line("strangers     %d of %d closed, the slowest after %.1f s (%s)", s.Closed, s.Count, s.Slowest.Seconds(), s.Kind)
	}
	if r.CPU > 0 {
		line("bots' CPU     %.2f s, %.1f us for a player and turn", r.CPU.Seconds(), float64(r.turnCPU())/1e3)
	}
	line("faults        %d", r.FaultCount)
	for i, f := range r.Faults {
		if i == shownFaults {
			line("  … and more")
			break
		}
		line("  %s", f)
	}
}

// removed describes the bots that did not leave by themselves, one line for all with the same outcome.
func (r *Report) removed() []string {
	var lines []string
	for _, same := range grouped(r.Players, func(p PlayerReport) any { return [...]any{p.Misbehaves, p.Outcome, p.Why} }) {
		first, who := same[0], same[0].Name
		if first.Misbehaves || first.Outcome == OutcomeLeft {
			continue
		}
		if n := len(same); n > 1 {
			who = fmt.Sprintf("%s and %d more", who, n-1)
		}
		lines = append(lines, fmt.Sprintf("%-13s %s: %s", who, first.Outcome, first.Why))
	}
	return lines[:min(len(lines), shownFaults)]
}

// grouped groups values by key, in the order in which the keys first appear.
func grouped[T any](list []T, key func(T) any) (groups [][]T) {
	at := map[any]int{}
	for _, v := range list {
		i, known := at[key(v)]
		if !known {
			i = len(groups)
			at[key(v)], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], v)
	}
	return groups
}

// String names the bot, the game, the turn, the packet and the fault.
func (f Fault) String() string {
	if f.Packet == 0 {
		return fmt.Sprintf("%s (game %d, turn %d): %s", f.Player, f.Game, f.Turn, f.Text)
	}
	return fmt.Sprintf("%s (game %d, turn %d): %v: %s", f.Player, f.Game, f.Turn, f.Packet, f.Text)
}

func outcomes(m map[Outcome]int) string {
	var parts []string
	for _, o := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%d %s", m[o], o))
	}
	return strings.Join(parts, ", ")
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// rate returns the download speed in KB/s.
func (d *DownloadReport) rate() float64 {
	if d.Time <= 0 {
		return 0
	}
	return float64(d.Bytes-d.Resumed) / 1000 / d.Time.Seconds()
}

// WriteJSON writes the report as one JSON object on one line; docs/bots.md documents its keys. With each, it has one
// object per bot.
func (r *Report) WriteJSON(w io.Writer, each bool) error {
	o := object{
		"ok": r.OK, "verdict": r.Verdict(), "addr": r.Addr,
		"elapsed_s": r.Elapsed.Seconds(), "measured_s": r.Measured.Seconds(),
		"games": r.Games, "games_run": r.GamesRun, "bots": r.Bots, "joined": r.Joined,
		"outcomes": r.Outcomes, "misbehaved": r.Misbehaved,
		"turns": r.Turns, "missed_turns": r.MissedTurns,
		"early_turns": r.EarlyTurns, "early_missed_turns": r.EarlyMissedTurns,
		"interval_ms": r.Interval.object(), "jitter_ms": r.Jitter.object(), "late_ms": r.Late.object(),
		"action_delay_ms": r.ActionDelay.object(), "chat_delay_ms": r.ChatDelay.object(), "own_late_ms": r.OwnLate.object(),
		"worst_interval": object{"game": r.Worst.Game, "player": r.Worst.Player, "turn": r.Worst.Turn, "ms": ms(r.Worst.Interval)},
		"actions":        object{"sent": r.ActionsSent, "seen": r.ActionsSeen, "lost": r.ActionsLost},
		"overflow_parts": r.OverflowParts, "largest_turn_packet": r.LargestTurnPacket, "empty_turns": r.EmptyTurns, "resumed": r.Resumed,
		"lag_screens": r.LagScreens, "stood_still_s": r.StoodStill.Seconds(),
		"cpu_s": r.CPU.Seconds(), "cpu_us_per_player_turn": float64(r.turnCPU()) / 1e3,
		"kills": r.Kills, "outage_ms": r.Outage.object(), "fault_count": r.FaultCount, "faults": objects(r.Faults, Fault.object),
		"downloads": objects(r.Downloads, DownloadReport.object),
		"strangers": objects(r.Strangers, StrangerReport.object),
	}
	if each {
		o["players"] = objects(r.Players, PlayerReport.object)
	}
	return json.NewEncoder(w).Encode(o)
}

type object map[string]any

func objects[T any](list []T, one func(T) object) []object {
	out := make([]object, 0, len(list))
	for _, v := range list {
		out = append(out, one(v))
	}
	return out
}

func (s *Summary) object() object {
	return object{"count": s.Count, "mean": ms(s.Mean), "p50": ms(s.P50), "p99": ms(s.P99), "p999": ms(s.P999), "max": ms(s.Max)}
}

func (f Fault) object() object {
	return object{"game": f.Game, "player": f.Player, "packet": fmt.Sprintf("0x%02X", uint8(f.Packet)), "turn": f.Turn, "text": f.Text}
}

func (d DownloadReport) object() object {
	return object{
		"player": d.Player, "path": d.Path, "bytes": d.Bytes, "resumed": d.Resumed, "seconds": d.Time.Seconds(),
		"kb_per_s": d.rate(), "crc32": d.CRC32, "sha256": d.SHA256, "intact": d.Intact,
	}
}

func (s StrangerReport) object() object {
	return object{"kind": s.Kind, "count": s.Count, "closed": s.Closed, "slowest_s": s.Slowest.Seconds()}
}

func (p PlayerReport) object() object {
	return object{
		"game": p.Game, "name": p.Name, "pid": p.PID, "outcome": p.Outcome, "why": p.Why, "misbehaves": p.Misbehaves,
		"turns": p.Turns, "missed_turns": p.MissedTurns, "empty_turns": p.EmptyTurns, "max_interval_ms": ms(p.MaxInterval),
		"actions_sent": p.ActionsSent, "actions_seen": p.ActionsSeen, "lag_screens": p.LagScreens, "votes": p.Votes,
		"stood_still_s": p.StoodStill.Seconds(), "lines_heard": p.LinesHeard, "parts_refused": p.PartsRefused, "faults": p.Faults, "resumed": p.Resumed,
		"state": fmt.Sprintf("%08x", p.State),
	}
}
