package bots

import (
	"fmt"
	"strings"
	"time"
)

// Verdict returns the result in one sentence.
func (r *Report) Verdict() string {
	if r.OK {
		text := fmt.Sprintf("all went well: %s played %s of %v to the end, and the host kept to the rules",
			counted(r.Bots, "bot"), counted(r.Games, "game"), r.Measured.Round(time.Second))
		if r.Kills > 0 {
			text += fmt.Sprintf(", and outlived its process %s", counted(r.Kills, "time"))
		}
		if r.Watch {
			return fmt.Sprintf("all went well: %s watched to the end of the record, and got %s", counted(r.Bots, "bot"), counted(int(r.Turns+r.EarlyTurns), "turn"))
		}
		if r.MissedTurns > 0 {
			text += fmt.Sprintf(", though %d of %s came late by a turn or more", r.MissedTurns, counted(int(r.Turns), "turn"))
		}
		return text
	}
	var bad []string
	switch {
	case r.GamesRun == 0:
		bad = append(bad, "no game was played"+r.firstReason())
	case r.GamesRun < r.Games:
		bad = append(bad, fmt.Sprintf("only %d of %d games were played", r.GamesRun, r.Games))
	}
	if r.FaultCount > 0 {
		bad = append(bad, "the host broke the rules "+counted(int(r.FaultCount), "time"))
	}
	if out := r.Bots - r.completed(); out > 0 && r.GamesRun > 0 {
		bad = append(bad, counted(out, "bot")+" could not stay to the end"+r.firstReason())
	}
	for _, s := range r.Strangers {
		if s.Closed < s.Count {
			bad = append(bad, fmt.Sprintf("the host left %s open that never joined (%s)", counted(s.Count-s.Closed, "connection"), s.Kind))
		}
	}
	return "not well: " + strings.Join(bad, "; ")
}

// firstReason says why the first bot was removed; "" if none was.
func (r *Report) firstReason() string {
	for _, p := range r.Players {
		if !p.Misbehaves && p.Outcome != OutcomeLeft && p.Why != "" {
			return fmt.Sprintf(": %s: %s", p.Outcome, p.Why)
		}
	}
	return ""
}

// completed counts the bots that left by themselves, and those that misbehaved, which the host may remove.
func (r *Report) completed() int {
	n := r.Outcomes[OutcomeLeft]
	for _, m := range r.Misbehaved {
		n += m
	}
	return n
}

// counted returns "1 bot" or "3 bots".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
