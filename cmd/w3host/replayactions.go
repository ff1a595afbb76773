package main

import (
	"bufio"
	"fmt"
	"time"

	"w3host/formats/replay"
	"w3host/protocol/w3gs"
)

// actions is "w3host replay actions": a line for everything that was done, said
// or left.
func (c *replayCall) actions() error {
	name := c.names[0]
	r, f, err := c.open(name)
	if err != nil {
		return failed(name, err)
	}
	defer f.Close()
	names := map[uint8]string{}
	for _, p := range r.Start.Players {
		names[p.PID] = p.Name
	}
	out := bufio.NewWriter(c.stdout)
	say := func(at time.Duration, pid uint8, text string) {
		who := names[pid]
		if who == "" {
			who = fmt.Sprintf("player %d", pid)
		}
		fmt.Fprintf(out, "%s.%03d  %-15s  %s\n", clock(at.Milliseconds()), at.Milliseconds()%1000, plainText(who), plainText(text))
	}
	rules := r.Rules()
	for rec, err := range r.Records() {
		if err != nil {
			out.Flush()
			return failed(name, err)
		}
		if c.ctx.Err() != nil {
			break
		}
		switch rec.Kind {
		case replay.KindTurn, replay.KindTurnPart:
			for pid, data := range w3gs.Actions(rec.Commands) {
				for a := range rules.Actions(data) {
					say(rec.Time, pid, rules.Describe(a))
				}
			}
		case replay.KindChat:
			say(rec.Time, rec.Chat.PID, fmt.Sprintf("says to %s: %s", scopeOf(rec.Chat), rec.Chat.Text))
		case replay.KindLeave:
			say(rec.Time, rec.Leave.PID, fmt.Sprintf("leaves: reason %d, result %d", rec.Leave.Reason, uint32(rec.Leave.Result)))
		}
	}
	if err := out.Flush(); err != nil {
		return failed("output", err)
	}
	if c.ctx.Err() != nil {
		return exitCode(exitFailed)
	}
	return nil
}
