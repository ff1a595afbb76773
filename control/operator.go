// Package control executes the commands of the host, and takes commands of the host and
// of games from the console, the control socket, chats and realms.
package control

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"w3host/game"
	"w3host/game/command"
	"w3host/host"
	"w3host/internal/allowance"
	"w3host/lan"
	"w3host/protocol/w3gs"
	"w3host/storage"
	"w3host/texts"
)

// queued lines may wait; further lines of chat are dropped.
const queued = 256

// exitCheck is how often "exit nice" checks whether the last game has ended.
const exitCheck = 200 * time.Millisecond

// Maps knows the maps that can be hosted.
type Maps interface {
	// List names the files that have the pattern in their name, "" for all.
	List(pattern string) ([]string, error)
	// Find returns the one map that a pattern matches.
	Find(pattern string) (file string, err error)
	// Open reads a map for clients of each of the versions.
	Open(file string, seen []w3gs.Version) (*host.Map, error)
}

// Realms are the accounts of the host.
type Realms interface {
	Names() []string
	Online() map[string]bool
	// SeenAt is where a realm sends players; invalid: it has not been seen yet.
	SeenAt(realm string) netip.AddrPort
	// Whisper says a line to somebody there. It does not wait.
	Whisper(realm, to, line string)
}

// Options are the parts of the host on which commands act.
type Options struct {
	Host   *host.Host
	Maps   Maps
	Saves  Saves
	Realms Realms // nil: there are none
	Fleet  Fleet  // nil: the host is alone
	// LAN announces lobbies; nil if lan.enabled is false.
	LAN *lan.Advertiser
	// Seen returns how a game goes, for answers to programs.
	Seen func(id uint32) Seen
	// Reload reads the configuration again. The notes name the keys that need a restart; after
	// an error nothing has changed.
	Reload func() (notes []string, err error)
	// Upgrade has another program go on in the place of this one; empty: that at the path of
	// this one. The answer comes later, unless there is an error.
	Upgrade func(path string, answer func(error)) error
	Stop    func() // ends the host
	// DrainLobbies is how long players in a lobby may start it when the host is to end.
	DrainLobbies time.Duration
	// Contained is whether the host is the first process of a container. Engines do not
	// tell an end that was asked for from any other, and restart both.
	Contained bool
	Audit     func(storage.AdminAction)
	Log       zerolog.Logger
	// Trigger is the first letter of a command in chats.
	Trigger string
}

// Operator executes the lines of all callers, one after the other, on its own goroutine,
// since some of them wait for disks and games.
type Operator struct {
	opts    Options
	lines   chan request
	done    chan struct{}               // Run has ended
	invited map[string]time.Time        // people on realms
	hinted  *allowance.Limiter[hinted]  // players who have read that there is no such command
	spoken  *allowance.Limiter[speaker] // lines that callers have made the host say to several games, or to one player
	exiting bool                        // after the last game; used by Run's goroutine only
	warning sync.Mutex
	warned  time.Time // of the games that Ctrl-C would end; guarded by warning
	// table is everything with the configured rules, ofHost its part that acts on the host.
	table, ofHost command.Table[*target]
	players       PlayerHosting // what players may host
}

// request is a line of somebody.
type request struct {
	by      *command.Caller
	game    uint32 // that the caller is in, or has named; 0: none
	line    string
	refused bool // by the game: it is not one of its commands
	relayed bool // by another host
	done    func()
}

// pending counts the answers that a caller still waits for.
type pending struct {
	n    atomic.Int32
	done chan struct{} // closed when the last is given
}

// later announces one more answer; it must be called while another is pending.
func (p *pending) later() (given func()) {
	p.n.Add(1)
	return sync.OnceFunc(func() {
		if p.n.Add(-1) == 0 {
			close(p.done)
		}
	})
}

// New makes the operator of a host, whose Options.Outside passes lines to FromGame.
func New(opts Options) *Operator {
	o := &Operator{opts: opts, invited: make(map[string]time.Time), hinted: allowance.NewLimiter[hinted](1, hintEvery), spoken: allowance.NewLimiter[speaker](spokenBurst, spokenWithin), lines: make(chan request, queued), done: make(chan struct{})}
	o.Use(nil, PlayerHosting{})
	return o
}

// Use sets levels and aliases of commands, and what players may host. Call it before
// Run or in Options.Reload.
func (o *Operator) Use(rules command.Rules, players PlayerHosting) {
	o.players = players
	rules = players.with(rules)
	o.table, o.ofHost = everything.With(rules), commands.With(rules)
}

// CheckRules validates rules for the commands of games and of the host.
func CheckRules(rules command.Rules) error {
	return rules.Check(everything.Words())
}

// Run executes lines until ctx ends.
func (o *Operator) Run(ctx context.Context) {
	defer close(o.done)
	var exit <-chan time.Time // lines do not put it off; nil: the host is not to end with its last game
	for {
		if o.exiting && exit == nil {
			exit = time.After(exitCheck)
		}
		select {
		case <-ctx.Done():
			return
		case r := <-o.lines:
			o.handle(r)
			r.done()
		case <-exit:
			exit = nil
			if t := o.opts.Host.Totals(time.Now()); o.exiting && t.Lobbies+t.Games == 0 {
				o.exiting = false
				o.opts.Stop()
			}
		}
	}
}

// FromGame takes a line whose command the game does not have. It does not wait.
func (o *Operator) FromGame(id uint32, by *command.Caller, line string) {
	given := by.Pending()
	select {
	case o.lines <- request{by: by, game: id, line: line, refused: true, done: given}:
	default:
		given()
		o.opts.Log.Warn().Str("player", by.Name).Str("command", game.Blank(line)).Msg("command dropped: too many commands are waiting")
	}
}

// Hear takes a command of somebody on a realm, which guarantees the name. It does not
// wait.
func (o *Operator) Hear(by *command.Caller, line string) {
	select {
	case o.lines <- request{by: by, line: line, done: func() {}}:
	default:
		o.opts.Log.Warn().Str("realm", by.Realm).Str("player", by.Name).Msg("command dropped: too many commands are waiting")
	}
}

// fromRealm reports whether the caller speaks on a realm, outside of games.
func fromRealm(by *command.Caller) bool {
	return by.Via == command.ViaWhisper || by.Via == command.ViaChannel
}

// errStopping is the answer after Run has ended.
var errStopping = errors.New("the host is stopping")

// do executes a line for the game with that number, or for the host if it is 0, and
// returns when the caller has every answer. Answers from the database come within a few
// seconds or are given up; other lines do not wait for them.
func (o *Operator) do(ctx context.Context, by *command.Caller, id uint32, line string) error {
	return o.order(ctx, by, request{game: id, line: strings.TrimPrefix(line, o.opts.Trigger)}) // as people are used to in chat
}

// order is do for a request that has no caller yet.
func (o *Operator) order(ctx context.Context, by *command.Caller, r request) error {
	answers := pending{done: make(chan struct{})}
	caller := *by
	caller.Later = answers.later
	r.by, r.done = &caller, answers.later()
	stops := func() error {
		if err := ctx.Err(); errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		return errStopping
	}
	select {
	case o.lines <- r:
	case <-o.done:
		return stops()
	case <-ctx.Done():
		return stops()
	}
	select {
	case <-answers.done:
		return nil
	case <-o.done:
	case <-ctx.Done():
	}
	select {
	case <-answers.done: // the command may be what has ended the host, as an upgrade does
		return nil
	default:
		return stops()
	}
}

// handle executes a line. A game that the caller is in, or has named, is asked first; what
// is no command there comes back from it.
func (o *Operator) handle(r request) {
	if fromRealm(r.by) && r.game == 0 && !r.relayed { // another host means this host, whatever the caller is in
		id, owns := o.opts.Host.Standing(r.by.Realm, r.by.Name)
		if r.game = id; owns {
			r.by.Level = max(r.by.Level, command.Owner)
		}
	}
	var owned []uint32
	if fromRealm(r.by) && r.by.Level < command.Admin && (r.game == 0 || r.refused) {
		if owned = o.opts.Host.LobbiesOf(r.by.Realm, r.by.Name); owned != nil {
			r.by.Level = max(r.by.Level, command.Owner)
		}
	}
	r.line = forOthers(r.by, r.line)
	g := o.opts.Host.Game(r.game)
	switch {
	case r.refused:
	case g != nil:
		o.give(g, r.by, r.line)
		return
	case r.game != 0:
		deny(r.by, o.absent(r.game))
		return
	}
	d := &target{Operator: o, game: g, id: r.game, owned: owned, relayed: r.relayed}
	u, out := d.run(r.by, r.line)
	switch {
	case u.Spec == nil && !d.hints(&r):
		return
	case u.Spec == nil:
		out.Err = d.table.Unknown(r.line, d.trigger(r.by), r.by.Level)
	case r.by.Via == command.ViaChannel && !u.Phase.Has(command.Outside):
		return // it may be for another bot
	}
	refused := ""
	if out.Err != nil {
		refused = out.Err.Error()
		deny(r.by, out.Err)
	}
	if out.Acted && u.Ask == nil && u.Audited() {
		d.audit(r.by, u, out.Target, refused)
	}
}

// forOthers returns a caller's line as other people may read its texts: as they would read a line of chat. Admins may use
// colours.
func forOthers(by *command.Caller, line string) string {
	if by.Level >= command.Admin {
		return w3gs.SingleLine(line)
	}
	return w3gs.PlainLine(line)
}

// give gives a line to a game.
func (o *Operator) give(g *host.Game, by *command.Caller, line string) {
	done := func() {}
	if fromRealm(by) {
		by, done = closing(by)
	}
	if err := g.Command(by, line); err != nil {
		deny(by, err)
	}
	done()
}

// closing is a caller whose command done answers if nothing else has: its changes in
// a lobby or game are said there, but not by whisper.
func closing(by *command.Caller) (again *command.Caller, done func()) {
	answered := atomic.Bool{}
	c := *by
	c.Reply = func(text string) {
		answered.Store(true)
		by.Reply(text)
	}
	c.Later = func() func() {
		answered.Store(true)
		return by.Pending()
	}
	c.Refuse = func(why string) {
		answered.Store(true)
		by.Deny(why)
	}
	return &c, func() {
		if !answered.Load() {
			by.Answer(texts.Sprintf(by.Language, "Done."))
		}
	}
}
