// Package lookup asks the database about players, bans and admins for package host, whose loop must not wait for it.
// Each question runs on a goroutine of its own; their number is limited, and none is waited for longer than timeout.
package lookup

import (
	"context"
	"strings"
	"time"

	"w3host/game"
	"w3host/game/command"
	"w3host/rating"
	"w3host/texts"
)

// timeout is how long a question may take before the caller gets an error instead.
const timeout = 5 * time.Second

// How many questions of each kind may run at once, of all games.
const (
	maxQuestions = 8
	maxDetails   = 8
	maxPasswords = 2 // checking one takes 19 MiB
)

// People queries the database for the commands about players, bans and admins, and stores their
// changes. Its methods may block until ctx ends.
type People interface {
	Ask(ctx context.Context, q command.Query) (text string, err error)
	// Language returns the language that a player has chosen, if there is one.
	Language(ctx context.Context, name string) (l texts.Language, found bool, err error)
	// Ignored lists the players whose chat a player of a realm does not read. The realm is empty for the LAN.
	Ignored(ctx context.Context, name, realm string) ([]string, error)
	// Login checks the password of an admin. The error is for the player.
	Login(ctx context.Context, name, password string) error
}

// Ratings returns from a database how strong a player is on a map. It may block until ctx ends. An unknown player is a
// newcomer.
type Ratings interface {
	Skill(ctx context.Context, name, realm, mapName string) (skill rating.Skill, games int, err error)
}

// Nobody implements People and Ratings without a database.
type Nobody struct{}

func (Nobody) Ignored(context.Context, string, string) ([]string, error) { return nil, nil }

func (Nobody) Ask(context.Context, command.Query) (string, error) { return "", game.ErrNoPeople }

func (Nobody) Login(context.Context, string, string) error { return game.ErrNoPeople }

func (Nobody) Language(context.Context, string) (texts.Language, bool, error) { return 0, false, nil }

func (Nobody) Skill(context.Context, string, string, string) (rating.Skill, int, error) {
	return rating.Newcomer(), 0, nil
}

// Lookup asks People and Ratings. Its methods do not block, and are safe for concurrent use.
type Lookup struct {
	People  People
	Ratings Ratings

	// Each channel holds a value per question of its kind that runs.
	questions, details, passwords chan struct{}
}

// New returns a Lookup. nil stands for Nobody.
func New(p People, r Ratings) *Lookup {
	if p == nil {
		p = Nobody{}
	}
	if r == nil {
		r = Nobody{}
	}
	return &Lookup{p, r, make(chan struct{}, maxQuestions), make(chan struct{}, maxDetails), make(chan struct{}, maxPasswords)}
}

// AskFor answers the question of a caller who is in no game. Then it calls done with the reason for a refusal, or "".
func (k *Lookup) AskFor(by *command.Caller, q command.Query, done func(refused string)) {
	given := by.Pending()
	q.Data = by.Data
	k.Ask(q, func(text string, err error) {
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

// Ask puts a question of a command, and calls answer once, on any goroutine. text is the text of the error, if there is
// one.
func (k *Lookup) Ask(q command.Query, answer func(text string, err error)) {
	ask := func(ctx context.Context) (string, error) { return k.People.Ask(ctx, q) }
	run(k.questions, ask, func(text string, err error) {
		if err != nil {
			text = texts.Sentence(texts.From(err)).In(q.Language)
		}
		answer(text, err)
	})
}

// CheckPassword checks the password of an admin, and calls answer once, on any goroutine.
func (k *Lookup) CheckPassword(name, password string, answer func(error)) {
	check := func(ctx context.Context) (string, error) { return "", k.People.Login(ctx, name, password) }
	run(k.passwords, check, func(_ string, err error) { answer(err) })
}

// run asks a question on a goroutine of its own if one more may run, and calls answer once: there, at the timeout, or
// at once if too many run.
func run(running chan struct{}, question func(context.Context) (string, error), answer func(string, error)) {
	select {
	case running <- struct{}{}:
	default:
		answer("", game.ErrTooMuchAsked)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	inTime := context.AfterFunc(ctx, func() { answer("", game.ErrNoDatabase) })
	go func() { // ends with the answer, or when the database gives up
		defer cancel()
		text, err := question(ctx)
		if <-running; inTime() {
			answer(text, err)
		}
	}()
}

// Detail asks for a detail about a player that the game can do without, and calls done on another goroutine. If too many
// run until the timeout, the question does not run and done gets an error.
func (k *Lookup) Detail(question func(context.Context) error, done func(error)) {
	go func() { // ends with the answer, or a little after the timeout
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		err := error(game.ErrNoDatabase)
		select {
		case k.details <- struct{}{}:
			err = question(ctx)
			<-k.details
		case <-ctx.Done():
		}
		done(err)
	}()
}
