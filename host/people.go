package host

import (
	"context"
	"strings"
	"time"

	"w3host/game"
)

// People answers from a database what commands ask about players, bans and
// admins, and changes it. It may take as long as ctx lets it.
type People interface {
	Ask(ctx context.Context, q game.Query) (text string, err error)
}

const (
	askTimeout = 5 * time.Second
	// mostAsked is how many questions may be on their way at once, of all games.
	mostAsked = 8
)

// ask puts a question to People, on a goroutine of its own that ends with the
// answer. The caller reads one by askTimeout, whatever the database does.
func (g *Game) ask(op *game.Op) {
	by, query, people := op.Caller, *op.Query, g.host.opts.People
	reply := func(text string) {
		for line := range strings.SplitSeq(text, "\n") {
			if by.PID == 0 {
				by.Answer(line)
				continue
			}
			g.step(&game.Input{Kind: game.Tell, Caller: by, Line: line})
		}
	}
	if people == nil {
		reply("there is no database here to ask")
		return
	}
	select {
	case g.host.asked <- struct{}{}:
	default:
		reply("too much is asked at once: try again in a few seconds")
		return
	}
	answer := make(chan string, 1)
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	go func() {
		defer func() { <-g.host.asked }()
		text, err := people.Ask(ctx, query)
		if err != nil {
			text = err.Error()
		}
		answer <- text
	}()
	go func() { // ends with the timeout
		defer cancel()
		text := "the database does not answer: try again later"
		select {
		case text = <-answer:
		case <-ctx.Done():
		}
		g.call(func(*Game) { reply(text) })
	}()
}

// CheckBans looks up everybody again who is in a lobby or game, because the list
// of bans has changed.
func (h *Host) CheckBans() {
	for _, g := range h.Games() {
		g.call((*Game).checkBans)
	}
}
