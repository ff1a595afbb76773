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

// ask answers a question of a command, for a player of the game or for a caller without a seat.
func (g *Game) ask(op *game.Op) {
	by := cmp.Or(op.Caller, &command.Caller{}) // without one, nobody waits
	query := *op.Query                         // the memory of op is used again before the answer
	if by.PID == 0 {
		g.shard.lookup.AskFor(by, query, func(string) {})
		return
	}
	g.shard.lookup.Ask(query, func(text string, err error) {
		if err != nil { // the audit has it as done, before the database was asked
			g.log.Info().Str("by", by.Name).Str("command", query.What).Str("target", query.Name).Str("refused", text).Msg("command refused")
		}
		for line := range strings.SplitSeq(text, "\n") {
			g.Say(by, line)
		}
	})
}

// lookUp asks the database for a detail about a player. Then answer runs on the loop's goroutine; without an answer, the
// log says what is used otherwise.
func (g *Game) lookUp(l *link, question func(context.Context) error, answer func(), otherwise string) {
	name := l.name
	g.shard.lookup.Detail(question, func(err error) {
		if err != nil {
			g.log.Debug().Err(err).Str("player", name).Msg(otherwise)
		}
		g.call(answer)
	})
}

// recall looks up what a player has chosen in earlier games: the language, and whose chat not to read. Until then the
// player reads the language of the lobby, and everybody's chat.
func (g *Game) recall(l *link) {
	name, realm, language, found, ignored := l.name, l.realm, texts.Language(0), false, []string(nil)
	g.lookUp(l, func(ctx context.Context) (err error) {
		language, found, err = g.shard.lookup.People.Language(ctx, name)
		if err == nil {
			ignored, err = g.shard.lookup.People.Ignored(ctx, name, realm)
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

// rate looks up how strong a player is.
func (g *Game) rate(l *link) {
	name, realm, vouched, skill, games := l.name, "", l.vouched, rating.Newcomer(), 0
	if vouched {
		realm = l.realm
	}
	g.lookUp(l, func(ctx context.Context) error {
		known, rated, err := g.shard.lookup.Ratings.Skill(ctx, name, realm, g.m.Name)
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

// login checks a player's password. The password goes nowhere else: the machine, and with it the journal, the game log
// and the replay, learns only the result.
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
	case l.checking: // one password at a time
		return
	}
	l.checking = true
	s.lookup.CheckPassword(name, password, func(err error) {
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

// loginDone gives the machine the result of a login, which answers the player.
func (g *Game) loginDone(l *link, why texts.Text, wait time.Duration) {
	g.step(&game.Input{Kind: game.Login, Link: l.id, Level: l.level(), Why: why.String(), By: wait})
}
