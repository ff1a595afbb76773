// Package control executes commands given to the host: on its console, through the control socket (w3host ctl), through
// the web API, in game chat and by whispers on realms.
//
// An Operator runs the commands one after the other on a goroutine of its own, because some wait for disks and games;
// commands of lobbies and games are passed to their game. A Console is the terminal of the host process. Package daemon
// creates both. The package decides who may do what (package game/command has the rules), but never touches the state of
// a game itself.
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

// queued is the length of the command queue. Further lines of chat are dropped.
const queued = 256

// exitCheck is the interval at which "exit nice" checks whether the last game has ended.
const exitCheck = 200 * time.Millisecond

// Maps gives access to the maps that can be hosted.
type Maps interface {
	// List returns the files whose name contains pattern, or all if it is empty.
	List(pattern string) ([]string, error)
	// Find returns the only map that pattern matches.
	Find(pattern string) (file string, err error)
	// Open reads a map for clients of each of the given versions.
	Open(file string, seen []w3gs.Version) (*host.Map, error)
}

// Realms gives access to the host's sessions on realms.
type Realms interface {
	Names() []string
	Online() map[string]bool
	// SeenAt returns the address to which a realm sends players, or an invalid one if it is not known yet.
	SeenAt(realm string) netip.AddrPort
	// Whisper sends a line to a person on a realm. It does not wait.
	Whisper(realm, to, line string)
}

// Options are the parts of the host that commands act on.
type Options struct {
	Host   *host.Host
	Maps   Maps
	Saves  Saves
	Realms Realms // nil without realms
	Fleet  Fleet  // nil without a fleet
	// LAN announces lobbies; nil if lan.enabled is false.
	LAN *lan.Advertiser
	// Seen returns the current state of a game, for answers to programs.
	Seen func(id uint32) Seen
	// Reload reloads the configuration. The notes name keys that need a restart; after an error nothing has changed.
	Reload func() (notes []string, err error)
	// Upgrade starts the program at path in place of this one; "" means the path of this one. It returns an error if
	// that is impossible; otherwise it calls answer once, later. outlive has the caller wait until all games have
	// moved; if it is nil, the answer comes before they move.
	Upgrade func(path string, outlive func(), answer func(Upgraded, error)) error
	Stop    func() // stops the host
	// DrainLobbies is how long occupied lobbies may still start when the host is about to stop.
	DrainLobbies time.Duration
	// Contained is set if the host is the first process of a container. Container engines restart a host even after a
	// deliberate exit.
	Contained bool
	Audit     func(storage.AdminAction)
	Log       zerolog.Logger
	// Trigger is the character that starts a command in chat.
	Trigger string
}

// Upgraded is the result of an upgrade to a program that hosts now.
type Upgraded struct {
	Moved  bool     // every other game has moved to it
	Stay   []uint32 // the games that stay in the old process to their end
	Behind []uint32 // the games that have not moved in time
}

// Operator executes the lines of all callers one after the other. Run does so on its own goroutine, since some commands
// wait for disks and games.
type Operator struct {
	opts    Options
	lines   chan request
	done    chan struct{}               // closed when Run has ended
	serving sync.WaitGroup              // connections to the control socket, also those that outlive Run
	invited map[string]time.Time        // when people on realms were last invited
	hinted  *allowance.Limiter[hinted]  // players told that a command does not exist
	spoken  *allowance.Limiter[speaker] // limits lines that a caller makes the host say
	exiting bool                        // stop after the last game; used only by Run's goroutine
	warning sync.Mutex
	warned  time.Time // when Ctrl-C last warned about running games; guarded by warning
	// table is everything with the configured rules applied; ofHost is its part for the host.
	table, ofHost command.Table[*target]
	players       PlayerHosting // rules for lobbies opened by players
}

// request is a line of a caller.
type request struct {
	by      *command.Caller
	game    uint32 // game that the caller is in or has named, or 0
	line    string
	refused bool // the game does not have this command
	relayed bool // it came from another host
	done    func()
}

// pending counts the answers that a caller still waits for.
type pending struct {
	n        atomic.Int32
	done     chan struct{} // closed when all answers are given
	outlives atomic.Bool   // the caller waits for them even if the host stops
}

// later registers one more answer. It must be called while another answer is pending.
func (p *pending) later() (given func()) {
	p.n.Add(1)
	return sync.OnceFunc(func() {
		if p.n.Add(-1) == 0 {
			close(p.done)
		}
	})
}

// New returns the operator of a host. The host's Options.Outside must pass lines to FromGame.
func New(opts Options) *Operator {
	o := &Operator{opts: opts, invited: make(map[string]time.Time), hinted: allowance.NewLimiter[hinted](1, hintEvery), spoken: allowance.NewLimiter[speaker](spokenBurst, spokenWithin), lines: make(chan request, queued), done: make(chan struct{})}
	o.Use(nil, PlayerHosting{})
	return o
}

// Use sets the levels and aliases of commands and the rules for lobbies opened by players. It must be called before Run,
// or inside Options.Reload.
func (o *Operator) Use(rules command.Rules, players PlayerHosting) {
	o.players = players
	rules = players.with(rules)
	o.table, o.ofHost = everything.With(rules), commands.With(rules)
}

// CheckRules validates rules for the commands of games and of the host.
func CheckRules(rules command.Rules) error {
	return rules.Check(everything.Words())
}

// Run executes lines until ctx ends. It blocks.
func (o *Operator) Run(ctx context.Context) {
	defer close(o.done)
	var exit <-chan time.Time // nil unless exiting; lines do not restart it
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

// FromGame queues a line from a game that does not know its command. It does not block: it drops the line if the queue
// is full.
func (o *Operator) FromGame(id uint32, by *command.Caller, line string) {
	given := by.Pending()
	select {
	case o.lines <- request{by: by, game: id, line: line, refused: true, done: given}:
	default:
		given()
		o.opts.Log.Warn().Str("player", by.Name).Str("command", game.Blank(line)).Msg("command dropped: too many commands are waiting")
	}
}

// Hear queues a command from a person on a realm, which has verified the name. It does not block: it drops the line if
// the queue is full.
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

// errStopping is the answer to commands after Run has ended.
var errStopping = errors.New("the host is stopping")

// do executes a line for the game with number id, or for the host if it is 0. It returns when the caller has all
// answers. Answers from the database come within a few seconds or are given up, and other lines do not wait for them.
func (o *Operator) do(ctx context.Context, by *command.Caller, id uint32, line string) error {
	return o.order(ctx, by, request{game: id, line: strings.TrimPrefix(line, o.opts.Trigger)}) // the trigger is optional here
}

// order executes a request of a caller and waits for all answers, like do.
func (o *Operator) order(ctx context.Context, by *command.Caller, r request) error {
	answers := pending{done: make(chan struct{})}
	caller := *by
	caller.Later = answers.later
	if outlive := by.Outlive; outlive != nil {
		caller.Outlive = func() {
			answers.outlives.Store(true)
			outlive()
		}
	}
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
	if answers.outlives.Load() {
		<-answers.done
	}
	select {
	case <-answers.done: // the command itself may have stopped the host, as an upgrade does
		return nil
	default:
		return stops()
	}
}

// handle executes a line. The game that the caller is in or has named gets it first, and passes it back with refused set
// if it does not know the command.
func (o *Operator) handle(r request) {
	if fromRealm(r.by) && r.game == 0 && !r.relayed { // a line from another host is for this host, whatever game the caller is in
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
		return // the line may be for another bot
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

// forOthers returns the line with its texts cleaned like chat lines, because other people may read them. Admins may use
// colour codes.
func forOthers(by *command.Caller, line string) string {
	if by.Level >= command.Admin {
		return w3gs.SingleLine(line)
	}
	return w3gs.PlainLine(line)
}

// give passes a line to a game.
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

// closing returns a caller for a command to a game, and a function that answers "Done." if there was no other answer.
// Games announce changes in their chat, which a caller on a realm does not see.
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
