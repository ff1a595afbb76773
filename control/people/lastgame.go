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
		default: // no result, or a disputed one
			p.Outcome = ""
		}
		by[p.Outcome] = append(by[p.Outcome], p.Name)
	}
	listed := func(format string, each []string) {
		if each != nil {
			lines = append(lines, texts.Of(format, strings.Join(each, ", ")))
		}
	}
	listed("Won: %s.", by[storage.OutcomeWon])
	listed("Lost: %s.", by[storage.OutcomeLost])
	listed("Drew: %s.", by[storage.OutcomeDrew])
	listed("No result: %s.", by[""])
	listed("Actions in a minute: %s.", paces(g.Players))
	return lines, nil
}

// paces returns each player's actions per minute, for players of games that have ended.
func paces(all []storage.LastPlayer) (each []string) {
	for _, p := range all {
		if p.PlayedMS > 0 {
			each = append(each, fmt.Sprintf("%s %.0f", p.Name, float64(p.Actions)*60_000/float64(p.PlayedMS)))
		}
	}
	return each
}
