package host

import (
	"cmp"
	"context"
	"strings"
	"time"

	"w3host/game"
	"w3host/game/command"
	"w3host/rating"
	"w3host/texts"
)

// People answers from a database what commands ask about players, bans and
// admins, and changes it. It may take as long as ctx lets it.
type People interface {
	Ask(ctx context.Context, q command.Query) (text string, err error)
	// Language is what a player has chosen to read, if they have.
	Language(ctx context.Context, name string) (l texts.Language, found bool, err error)
	// Ignored lists whom a player of a realm, empty: the LAN, does not want to read.
	Ignored(ctx context.Context, name, realm string) ([]string, error)
	// Login checks the password of an admin. The error is for the player.
	Login(ctx context.Context, name, password string) error
}

const (
	askTimeout = 5 * time.Second
	// mostAsked is how many questions may be on their way at once, of all games.
	mostAsked = 8
)

// ask puts a question to People, for a player of the game or for a caller without a
// seat.
func (g *Game) ask(op *game.Op) {
	by := cmp.Or(op.Caller, &command.Caller{}) // without one, nobody waits
	query := *op.Query                         // the memory of op is used again before the answer
	if by.PID == 0 {
		g.host.Ask(by, query, func(string) {})
		return
	}
	g.host.askPeople(query, func(text string, err error) {
		if err != nil { // the audit has it as done, before the database was asked
			g.log.Info().Str("by", by.Name).Str("command", query.What).Str("target", query.Name).Str("refused", text).Msg("command refused")
		}
		for line := range strings.SplitSeq(text, "\n") {
			g.Tell(by, line)
		}
	})
}

// Ask puts a question to People for a caller without a seat. It does not wait; the
// caller has an answer by askTimeout, whatever the database does. Then done gets why it was
// refused, empty if it was not.
func (h *Host) Ask(by *command.Caller, q command.Query, done func(refused string)) {
	given := by.Pending()
	h.askPeople(q, func(text string, err error) {
		defer given()
		if err != nil {
			by.Deny(text)
			done(text)
			return
		}
		defer done("")
		for line := range strings.SplitSeq(text, "\n") {
			by.Answer(line)
		}
	})
}

// askPeople answers with a text that is also that of the error.
func (h *Host) askPeople(q command.Query, answer func(text string, err error)) {
	h.inquire(h.asked, func(ctx context.Context) (string, error) { return h.opts.People.Ask(ctx, q) }, func(text string, err error) {
		if err != nil {
			text = texts.Sentence(texts.From(err)).In(q.Language)
		}
		answer(text, err)
	})
}

// inquire asks People on a goroutine of its own if there is a place, and calls
// answer once: there, or at once if nothing is asked, which it reports.
func (h *Host) inquire(places chan struct{}, question func(context.Context) (string, error), answer func(string, error)) (asked bool) {
	select {
	case places <- struct{}{}:
	default:
		answer("", game.ErrTooMuchAsked)
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	inTime := context.AfterFunc(ctx, func() { answer("", game.ErrNoDatabase) })
	go func() { // ends with the answer, or when the database gives up
		defer cancel()
		text, err := question(ctx)
		if <-places; inTime() {
			answer(text, err)
		}
	}()
	return true
}

// mostLookups is how many of lookUp are on their way at once, of all games.
const mostLookups = 8

// lookUp asks a database for something about a player that may be left out, on a
// goroutine of its own that ends with the answer or a little after askTimeout; then
// answer runs on the shard. Where too much is asked already, question does not run.
func (g *Game) lookUp(l *link, question func(context.Context) error, answer func(*Game), otherwise string) {
	name := l.name
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
		defer cancel()
		err := error(game.ErrNoDatabase)
		select {
		case g.host.lookups <- struct{}{}:
			err = question(ctx)
			<-g.host.lookups
		case <-ctx.Done():
		}
		if err != nil {
			g.log.Debug().Err(err).Str("player", name).Msg(otherwise)
		}
		g.call(answer)
	}()
}

// recall looks up what a link's player has chosen in earlier games: the language, and whom
// not to read. Until then the player reads that of the lobby, and everybody.
func (g *Game) recall(l *link) {
	name, realm, language, found, ignored := l.name, l.realm, texts.Language(0), false, []string(nil)
	g.lookUp(l, func(ctx context.Context) (err error) {
		language, found, err = g.host.opts.People.Language(ctx, name)
		if err == nil {
			ignored, err = g.host.opts.People.Ignored(ctx, name, realm)
		}
		return err
	}, func(g *Game) {
		if found {
			g.step(&game.Input{Kind: game.Prefer, Link: l.id, Language: language})
		}
		if len(ignored) > 0 {
			g.step(&game.Input{Kind: game.Ignored, Link: l.id, Line: strings.Join(ignored, "\n")})
		}
	}, "no choices are known: the player reads the language of the lobby, and everybody")
}

// rate looks up how strong a link's player is.
func (g *Game) rate(l *link) {
	name, realm, vouched, skill := l.name, "", l.vouched, rating.Newcomer()
	if vouched {
		realm = l.realm
	}
	g.lookUp(l, func(ctx context.Context) error {
		known, err := g.host.opts.Ratings.Skill(ctx, name, realm, g.m.Name)
		if err == nil {
			skill = known
		}
		return err
	}, func(g *Game) {
		if l.vouched == vouched { // or another answer is on its way
			g.step(&game.Input{Kind: game.Rated, Link: l.id, Skill: skill})
		}
	}, "no rating is known: the player counts as a newcomer")
}

// checkBans looks up everybody again who is in a lobby or game, because the list
// of bans has changed.
func (h *Host) checkBans() {
	for _, g := range h.Games() {
		g.call((*Game).checkBans)
	}
}
