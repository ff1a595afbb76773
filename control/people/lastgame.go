package people

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"w3host/game/command"
	"w3host/storage"
	"w3host/texts"
)

func (d Directory) lastGame(ctx context.Context, q *command.Query) (answer, error) {
	g, err := d.DB.LastGameOf(ctx, q.Name)
	if errors.Is(err, storage.ErrNotFound) {
		return one("%s has not played here yet.", q.Name), nil
	}
	if err != nil {
		return nil, err
	}
	q.Give(g)
	lines := one("%s played %s last, on %s, for %v.", q.Name, g.Map, g.Began.UTC().Format("2006-01-02 15:04 UTC"), (time.Duration(g.PlayedMS) * time.Millisecond).Round(time.Second))
	by := map[string][]string{}
	for _, p := range g.Players {
		switch p.Outcome {
		case storage.OutcomeWon, storage.OutcomeLost, storage.OutcomeDrew:
		case storage.OutcomeForfeited:
			p.Outcome = storage.OutcomeLost
		default: // none, or disputed
			p.Outcome = ""
		}
		by[p.Outcome] = append(by[p.Outcome], p.Name)
	}
	who := func(outcome string) string { return strings.Join(by[outcome], ", ") }
	if won := who(storage.OutcomeWon); won != "" {
		lines = append(lines, texts.Of("Won: %s.", won))
	}
	if lost := who(storage.OutcomeLost); lost != "" {
		lines = append(lines, texts.Of("Lost: %s.", lost))
	}
	if drew := who(storage.OutcomeDrew); drew != "" {
		lines = append(lines, texts.Of("Drew: %s.", drew))
	}
	if unknown := who(""); unknown != "" {
		lines = append(lines, texts.Of("No result: %s.", unknown))
	}
	if pace := paces(g.Players); pace != "" {
		lines = append(lines, texts.Of("Actions in a minute: %s.", pace))
	}
	return lines, nil
}

// paces says how many actions each player made in a minute. While a game runs nobody reads those of others.
func paces(all []storage.LastPlayer) string {
	var each []string
	for _, p := range all {
		if p.PlayedMS > 0 {
			each = append(each, fmt.Sprintf("%s %.0f", p.Name, float64(p.Actions)*60_000/float64(p.PlayedMS)))
		}
	}
	return strings.Join(each, ", ")
}
