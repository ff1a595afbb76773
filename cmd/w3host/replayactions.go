package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"w3host/formats/replay"
	"w3host/protocol/w3gs"
)

// actions implements `w3host replay actions`: it prints one line for each action, chat line and leave.
func (c *replayCall) actions() error {
	name := c.names[0]
	r, f, err := readReplay(name)
	if err != nil {
		return failed(name, err)
	}
	defer f.Close()
	if err := printActions(c.ctx, c.stdout, r, func(uint8) bool { return true }); err != nil {
		return failed(name, err)
	}
	if c.ctx.Err() != nil {
		return exitCode(exitFailed)
	}
	return nil
}

// printActions writes the actions, chat lines and leaves of the chosen players to w, until ctx is cancelled.
func printActions(ctx context.Context, w io.Writer, r *replay.Reader, chosen func(pid uint8) bool) (err error) {
	names := map[uint8]string{}
	for _, p := range r.Start.Players {
		names[p.PID] = p.Name
	}
	out := bufio.NewWriter(w)
	defer func() { err = errors.Join(err, out.Flush()) }()
	say := func(at time.Duration, pid uint8, text string) {
		if !chosen(pid) {
			return
		}
		who := names[pid]
		if who == "" {
			who = fmt.Sprintf("player %d", pid)
		}
		fmt.Fprintf(out, "%s.%03d  %-15s  %s\n", clock(at.Milliseconds()), at.Milliseconds()%1000, plainText(who), plainText(text))
	}
	rules := r.Rules()
	for rec, err := range r.Records() {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return nil
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
	return nil
}
