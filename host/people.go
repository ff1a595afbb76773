package host

import (
	"context"
	"strings"
	"time"

	"w3host/command"
	"w3host/game"
	"w3host/texts"
)

// People answers from a database what commands ask about players, bans and
// admins, and changes it. It may take as long as ctx lets it.
type People interface {
	Ask(ctx context.Context, q game.Query) (text string, err error)
	// Language is what a player has chosen to read, if they have.
	Language(ctx context.Context, name string) (l texts.Language, found bool, err error)
	// Login checks the password of an admin. The error is for the player.
	Login(ctx context.Context, name, password string) error
}

const (
	askTimeout = 5 * time.Second
	// mostAsked is how many questions may be on their way at once, of all games.
	mostAsked = 8
)

var (
	errNoPeople     = texts.Of("there is no database here to ask")
	errTooMuchAsked = texts.Of("too much is asked at once: try again in a few seconds")
	errNoDatabase   = texts.Of("the database does not answer: try again later")
)

// ask puts a question to People for a player of the game or somebody outside.
func (g *Game) ask(op *game.Op) {
	by := op.Caller
	if by == nil { // nobody waits
		by = &command.Caller{}
	}
	if by.PID == 0 {
		g.host.Ask(by, *op.Query)
		return
	}
	g.host.ask(*op.Query, func(text string, _ error) {
		g.call(func(g *Game) {
			for line := range strings.SplitSeq(text, "\n") {
				g.step(&game.Input{Kind: game.Tell, Caller: by, Line: line})
			}
		})
	})
}

// Ask puts a question to People for a caller without a seat. It does not wait; the
// caller has an answer by askTimeout, whatever the database does.
func (h *Host) Ask(by *command.Caller, q game.Query) {
	given := by.Pending()
	h.ask(q, func(text string, err error) {
		defer given()
		if err != nil {
			by.Deny(text)
			return
		}
		for line := range strings.SplitSeq(text, "\n") {
			by.Answer(line)
		}
	})
}

// ask calls answer once, with a text that is also that of the error. It does so on
// a goroutine of its own, or at once if nobody can be asked.
func (h *Host) ask(q game.Query, answer func(text string, err error)) {
	deny := func(err error) { answer(texts.From(err).In(q.Language), err) }
	if h.opts.People == nil {
		deny(errNoPeople)
		return
	}
	select {
	case h.asked <- struct{}{}:
	default:
		deny(errTooMuchAsked)
		return
	}
	type result struct {
		text string
		err  error
	}
	results := make(chan result, 1)
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	go func() { // ends with the answer, or when the database gives up
		defer func() { <-h.asked }()
		text, err := h.opts.People.Ask(ctx, q)
		results <- result{text, err}
	}()
	go func() { // ends with the timeout
		defer cancel()
		r := result{err: errNoDatabase}
		select {
		case r = <-results:
		case <-ctx.Done():
		}
		if r.err != nil {
			deny(r.err)
			return
		}
		answer(r.text, nil)
	}()
}

// CheckBans looks up everybody again who is in a lobby or game, because the list
// of bans has changed.
func (h *Host) CheckBans() {
	for _, g := range h.Games() {
		g.call((*Game).checkBans)
	}
}
