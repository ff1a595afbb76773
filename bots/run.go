package bots

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"w3host/internal/openfiles"
	"w3host/protocol/w3gs"
)

const (
	maxFaults    = 100 // faults kept; more are only counted
	maxProblems  = 100
	maxEvents    = 4096 // events kept per bot
	maxDialing   = 128  // simultaneous connection attempts
	joinAgain    = 300 * time.Millisecond
	leaveTimeout = 30 * time.Second // for all bots to be gone after the end of the run
)

// run is one call of Run.
type run struct {
	opts   Options
	log    zerolog.Logger
	base   time.Time
	finder *finder
	dial   chan struct{} // semaphore that limits connection attempts
	rec    recorder

	started    chan struct{} // gets one value for each game that runs or has failed
	until      atomic.Int64  // when the bots leave; 0 before all games run
	killed     atomic.Int64  // when the host was last killed; 0: never
	wentOn     atomic.Int64  // the last kill after which a game has gone on
	mu         sync.Mutex
	faults     []Fault
	faultCount int64 // all of them, including those not kept
	problems   []error
}

// needFiles returns an error if this process may not have n connections open.
func needFiles(n int) error {
	if most, limited := openfiles.Limit(); limited && most < uint64(n) {
		return fmt.Errorf("%d connections need %[1]d open files, this system allows %d: raise the hard limit (ulimit -Hn) or play fewer games", n, most)
	}
	return nil
}

// Run plays the games of opts and reports what the bots measured. It blocks until all bots are gone; cancelling ctx
// makes them leave at once. The error says why games could not be played; the report is valid in that case too, except
// for errors about opts or the system's limits.
func Run(ctx context.Context, opts Options) (Report, error) {
	opts, err := opts.normal()
	if err != nil {
		return Report{}, err
	}
	if err := needFiles(opts.connections() + opts.Strangers + maxDialing + 64); err != nil {
		return Report{}, err
	}
	r := &run{
		opts: opts, log: opts.Log, base: time.Now(),
		dial: make(chan struct{}, maxDialing), started: make(chan struct{}, opts.Games),
	}
	r.finder = newFinder(&r.opts)
	if r.finder.realm != nil {
		defer r.finder.realm.close()
	}
	games := make([]*game, r.opts.Games)
	for i := range games {
		games[i] = newGame(r, i+1)
	}
	stop, err := r.startLoops(games)
	if err != nil {
		return Report{}, err
	}
	return r.play(ctx, games, stop)
}

func (r *run) play(ctx context.Context, games []*game, stop func()) (Report, error) {
	r.announce(len(games))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	measuring, stopMeasuring := context.WithCancel(ctx) // once measuring ends, no bot tries to join again
	var playing sync.WaitGroup
	for _, g := range games {
		playing.Go(func() {
			if !r.playGame(ctx, g, measuring) {
				r.started <- struct{}{}
			}
		})
	}
	allOver := make(chan struct{})
	go func() { playing.Wait(); close(allOver) }() // ends with the games
	go r.logProgress(ctx, games)                   // ends when play returns
	r.awaitStart(ctx, len(games), allOver)
	strangers := r.startStrangers(ctx)
	kills := make(chan int, 1)
	go func() { kills <- r.kill(measuring) }() // ends with the measurement
	measureFrom, cpuFrom := r.now(), cpuTime()
	r.rec.open.Store(true)
	r.until.Store(int64(measureFrom + r.opts.Play))
	select {
	case <-ctx.Done():
	case <-allOver:
	case <-r.opts.Leave:
	case <-time.After(r.opts.Play):
	}
	r.rec.open.Store(false)
	stopMeasuring()
	measured, cpu := r.now()-measureFrom, cpuTime()-cpuFrom
	at := r.now()
	if ctx.Err() != nil {
		at = 0
	}
	for _, g := range games {
		g.leaveAt(r.now(), at)
	}
	select {
	case <-allOver:
	case <-time.After(leaveTimeout):
		r.problem(fmt.Errorf("some bots were not gone %v after the end", leaveTimeout))
		for _, g := range games {
			g.finish(OutcomeStopped, "still there long after the end")
		}
		<-allOver
	}
	stop()
	report := r.makeReport(games, measured, cpu)
	report.Strangers, report.Kills = strangers(), <-kills
	report.judge()
	return report, errors.Join(r.problems...)
}

// announce logs what the bots look for.
func (r *run) announce(games int) {
	what, each := "a lobby", ""
	if games > 1 {
		what, each = fmt.Sprintf("%d lobbies", games), " each"
	}
	if r.opts.Watch {
		r.log.Info().Msgf("%s: looking for a game to watch at %s", counted(games, "bot"), r.opts.Addr)
	} else {
		r.log.Info().Msgf("looking for %s with room for %s%s at %s", what, counted(r.opts.Players, "bot"), each, r.opts.Addr)
	}
}

// awaitStart blocks until every game runs or has failed, or ctx ends.
func (r *run) awaitStart(ctx context.Context, games int, allOver <-chan struct{}) {
	for range games {
		select {
		case <-r.started:
		case <-allOver:
			return
		case <-ctx.Done():
			return
		}
	}
}

// playGame finds a lobby for the bots of a game and blocks until they are gone. If all bots are rejected it tries again,
// because other players may have been faster, and a lobby with a guessed id may not be open yet. It reports whether the
// game ran.
func (r *run) playGame(ctx context.Context, g *game, measuring context.Context) bool {
	from := time.Now()
	var l lobby
	for {
		var err error
		if l.addr == "" {
			l, err = r.finder.claim(ctx)
		}
		if err == nil && r.finder.realm != nil {
			err = r.finder.realm.enter(ctx, g.players, l.name)
		}
		if err != nil {
			if ctx.Err() == nil {
				r.problem(err)
			}
			g.finish(OutcomeGaveUp, err.Error())
			return false
		}
		r.log.Debug().Int("game", g.number).Uint32("id", l.id).Str("name", l.name).Int("open", l.open).Str("addr", l.addr).Msg("joining a lobby")
		r.enter(ctx, g, l)
		<-g.done
		result := g.result()
		switch {
		case result == gameNoHost:
			r.problem(fmt.Errorf("no host at %s: start one with `%s`, or name another with --addr", l.addr, r.opts.Program))
			return false
		case result != gameTaken && result != gameNotOpen, ctx.Err() != nil:
			return result == gameRan
		case r.opts.GameID != 0 && result == gameTaken, time.Since(from) > r.opts.Patience:
			return false
		case result == gameTaken || !l.guessed:
			l = lobby{}
		}
		if !sleep(measuring, joinAgain) {
			return false
		}
		g.reset()
	}
}

// enter connects the bots of a game, one after the other. The others wait until the first one is answered: on most hosts
// the first to join owns the lobby, and a lobby with a guessed id may not exist.
func (r *run) enter(ctx context.Context, g *game, l lobby) {
	var late sync.WaitGroup
	g.mu.Lock()
	g.ctx, g.lobby = ctx, l
	g.mu.Unlock()
	for i, p := range g.players {
		if percent := p.conduct.JoinAtPercent; percent > 0 {
			late.Go(func() {
				g.await(func() bool { return g.percent >= percent })
				r.connect(ctx, p, l)
			})
			continue
		}
		r.connect(ctx, p, l)
		if i > 0 {
			continue
		}
		g.await(func() bool { return p.phase != joining })
		g.mu.Lock()
		if p.phase == gone && l.guessed {
			g.finishThese(g.players, p.outcome, p.why)
		}
		if room := p.room(); p.phase == inLobby && room < len(g.players) {
			g.tooSmall(p, l, room)
		}
		g.mu.Unlock()
	}
	late.Wait()
}

func (r *run) connect(ctx context.Context, p *player, l lobby) {
	p.g.mu.Lock()
	over := p.phase == gone
	p.g.mu.Unlock()
	if over {
		return
	}
	c, err := r.dialFor(ctx, p, l.addr)
	p.g.mu.Lock()
	defer p.g.mu.Unlock()
	switch {
	case p.phase == gone:
	case ctx.Err() != nil:
		p.finish(OutcomeStopped, "interrupted")
	case err != nil:
		p.finish(OutcomeUnreachable, err.Error())
	default:
		p.local = netip.AddrPortFrom(c.LocalAddr().(*net.TCPAddr).AddrPort().Addr().Unmap(), 6112)
		if c, err = r.throughProxy(ctx, p, l, c); err != nil {
			p.finish(OutcomeUnreachable, err.Error())
			break
		}
		p.begin(r.now(), l)
		if p.socket, err = p.g.loop.poller.add(p, c); err != nil {
			p.finish(OutcomeUnreachable, err.Error())
			break
		}
		p.g.loop.update(p)
	}
	if p.socket == nil && c != nil {
		c.Close()
	}
}

// sleep waits for d or until ctx ends, and reports whether ctx is still active.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
	return ctx.Err() == nil
}

func (r *run) now() time.Duration { return time.Since(r.base) }

func (r *run) fault(f Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faultCount++
	if len(r.faults) < maxFaults {
		r.faults = append(r.faults, f)
	}
}

// problem keeps an error for Run to return; an error with the same text is kept once.
func (r *run) problem(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := slices.ContainsFunc(r.problems, func(old error) bool { return old.Error() == err.Error() })
	if !known && len(r.problems) < maxProblems {
		r.problems = append(r.problems, err)
	}
}

func refusal(reason w3gs.RejectReason) string {
	text := map[w3gs.RejectReason]string{
		w3gs.RejectFull:     "the lobby is full",
		w3gs.RejectStarted:  "the game has started",
		w3gs.RejectWrongKey: "wrong entry key (give the lobby's with --game and --entry-key, or let the host answer searches)",
		w3gs.RejectInvalid:  "no such lobby, or the name is taken",
	}[reason]
	return cmp.Or(text, fmt.Sprintf("reason %d", uint32(reason)))
}
