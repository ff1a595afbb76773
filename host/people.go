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

const askTimeout = 5 * time.Second

// ask puts a question to People, for a player of the game or for a caller without a
// seat.
func (g *Game) ask(op *game.Op) {
	by := cmp.Or(op.Caller, &command.Caller{}) // without one, nobody waits
	query := *op.Query                         // the memory of op is used again before the answer
	if by.PID == 0 {
		g.shard.ask(by, query, func(string) {})
		return
	}
	g.shard.askPeople(query, func(text string, err error) {
		if err != nil { // the audit has it as done, before the database was asked
			g.log.Info().Str("by", by.Name).Str("command", query.What).Str("target", query.Name).Str("refused", text).Msg("command refused")
		}
		for line := range strings.SplitSeq(text, "\n") {
			g.Say(by, line)
		}
	})
}

// ask puts a question to People for a caller without a seat. It does not wait; the
// caller has an answer by askTimeout, whatever the database does. Then done gets why it was
// refused, empty if it was not.
func (s *shard) ask(by *command.Caller, q command.Query, done func(refused string)) {
	given := by.Pending()
	q.Data = by.Data
	s.askPeople(q, func(text string, err error) {
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
func (s *shard) askPeople(q command.Query, answer func(text string, err error)) {
	s.inquire(s.slots, func(ctx context.Context) (string, error) { return s.opts.People.Ask(ctx, q) }, func(text string, err error) {
		if err != nil {
			text = texts.Sentence(texts.From(err)).In(q.Language)
		}
		answer(text, err)
	})
}

// inquire asks People on a goroutine of its own if there is a place, and calls
// answer once: there, or at once if nothing is asked, which it reports.
func (s *shard) inquire(places chan struct{}, question func(context.Context) (string, error), answer func(string, error)) (asked bool) {
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

// lookUp asks a database for something about a player that may be left out, on a
// goroutine of its own that ends with the answer or a little after askTimeout; then
// answer runs on the shard. Where too much is asked already, question does not run.
func (g *Game) lookUp(l *link, question func(context.Context) error, answer func(), otherwise string) {
	name := l.name
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
		defer cancel()
		err := error(game.ErrNoDatabase)
		select {
		case g.shard.lookups <- struct{}{}:
			err = question(ctx)
			<-g.shard.lookups
		case <-ctx.Done():
		}
		if err != nil {
			g.log.Debug().Err(err).Str("player", name).Msg(otherwise)
		}
		g.call(answer)
	}()
}

// recall looks up the choices of a link's player in earlier games: the language, and whom
// not to read. Until then the player reads that of the lobby, and everybody.
func (g *Game) recall(l *link) {
	name, realm, language, found, ignored := l.name, l.realm, texts.Language(0), false, []string(nil)
	g.lookUp(l, func(ctx context.Context) (err error) {
		language, found, err = g.shard.opts.People.Language(ctx, name)
		if err == nil {
			ignored, err = g.shard.opts.People.Ignored(ctx, name, realm)
		}
		return err
	}, func() {
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
	name, realm, vouched, skill, games := l.name, "", l.vouched, rating.Newcomer(), 0
	if vouched {
		realm = l.realm
	}
	g.lookUp(l, func(ctx context.Context) error {
		known, rated, err := g.shard.opts.Ratings.Skill(ctx, name, realm, g.m.Name)
		if err == nil {
			skill, games = known, rated
		}
		return err
	}, func() {
		if l.vouched == vouched { // or another answer is on its way
			g.step(&game.Input{Kind: game.Rated, Link: l.id, Skill: skill, Games: games})
		}
	}, "no rating is known: the player counts as a newcomer")
}

// login has the password of a player checked. It goes nowhere else: the machine, and
// with it the journal, the game log and the replay, only learns the result.
func (g *Game) login(l *link, password string) {
	s, name, addr := g.shard, l.name, l.Addr.Addr()
	wait := s.admission.LoginDelay(name, addr, time.Now())
	switch {
	case l.realm != "":
		g.loginDone(l, game.LoginOfRealm, 0)
		return
	case password == "":
		g.loginDone(l, game.LoginEmpty, 0)
		return
	case wait > 0:
		g.loginDone(l, game.LoginsSpent, wait)
		return
	case l.checking: // the next guess waits for the result of this one
		return
	}
	check := func(ctx context.Context) (string, error) { return "", s.opts.People.Login(ctx, name, password) }
	l.checking = true
	s.inquire(s.checking, check, func(_ string, err error) {
		g.call(func() {
			why := texts.Text{}
			l.checking = false
			if l.loggedIn = l.loggedIn || err == nil; err != nil {
				why = texts.Known(err.Error())
			}
			if why.String() == game.ErrWrongPassword.String() { // not that the database is away
				s.admission.WrongPassword(name, addr, time.Now())
			}
			g.loginDone(l, why, 0)
		})
	})
}

// loginDone gives the machine the result of a password, which answers the player.
func (g *Game) loginDone(l *link, why texts.Text, wait time.Duration) {
	g.step(&game.Input{Kind: game.Login, Link: l.id, Level: l.level(), Why: why.String(), By: wait})
}
