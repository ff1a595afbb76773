package realm

import (
	"context"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"w3host/realm/session"
)

// account runs the session of one realm account. Its goroutine handles events from the connection, a timer and, through
// post, any other goroutine.
type account struct {
	opts    Account
	log     zerolog.Logger
	heard   func(Speech)
	answer  func(session.Answered)
	machine *session.Machine
	base    time.Time
	conn    *conn
	running sync.WaitGroup

	online atomic.Bool
	seen   atomic.Pointer[netip.AddrPort] // the address to which the realm last sent players

	barred bool      // another host uses the account; guarded by the lock of Realms
	games  []listing // in listing order; guarded by the lock of Realms
	asks   uint64    // number of lines received so far

	mu    sync.Mutex
	inbox []session.Event
	wake  chan struct{}
}

// post queues an event for the account. It never blocks.
func (a *account) post(e session.Event) {
	a.mu.Lock()
	a.inbox = append(a.inbox, e)
	a.mu.Unlock()
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// run handles events until ctx ends and the connection is closed.
func (a *account) run(ctx context.Context) {
	defer a.running.Wait()
	defer a.hangUp()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		var events chan session.Event
		if a.conn != nil {
			events = a.conn.events
		}
		select {
		case <-ctx.Done():
			return
		case <-a.wake:
			a.mu.Lock()
			inbox := a.inbox
			a.inbox = nil
			a.mu.Unlock()
			for _, e := range inbox {
				a.handle(ctx, e)
			}
		case e, ok := <-events:
			if !ok {
				a.conn = nil
				continue
			}
			a.handle(ctx, e)
		case <-timer.C:
			a.handle(ctx, session.Tick{})
		}
		timer.Reset(max(a.machine.Next()-time.Since(a.base), time.Millisecond))
	}
}

func (a *account) hangUp() {
	if a.conn != nil {
		a.conn.cancel()
		a.conn = nil
	}
}

// handle passes one event to the machine and carries out its effects.
func (a *account) handle(ctx context.Context, e session.Event) {
	for _, e := range a.machine.Handle(time.Since(a.base), e) {
		switch e := e.(type) {
		case session.Dial:
			a.conn = a.dial(ctx)
		case session.HangUp:
			a.hangUp()
		case session.Send:
			if a.conn != nil {
				a.conn.write(e.Bytes)
			}
		case session.Online:
			a.online.Store(true)
			if e.Created {
				a.log.Info().Msg("registered the account on the realm")
			}
			a.log.Info().Msg("logged on to the realm")
		case session.Offline:
			a.online.Store(false)
			a.log.Warn().Str("reason", e.Why).Int("again_in_s", e.Again).Msg("not logged on to the realm")
		case session.InChannel:
			a.log.Debug().Str("channel", e.Channel).Msg("joined a channel of the realm")
		case session.Listed:
			a.log.Info().Uint32("game", e.ID).Str("name", e.Name).Msg("lobby listed on the realm")
		case session.ListedAt:
			a.seen.Store(&e.Addr)
			a.compare(e)
		case session.NotListed:
			a.log.Warn().Uint32("game", e.ID).Str("name", e.Name).Str("reason", e.Why).Msg("lobby not listed on the realm")
		case session.Heard:
			a.heard(a.speech(e))
		case session.Answered:
			a.answer(e)
		case session.Unclear:
			a.log.Warn().Str("text", e.Text).
				Msg("the realm's answers about players are not understood; players must confirm their names with a code (sc)")
		case session.Dropped:
			a.log.Warn().Int("lines", e.Lines).Msg("messages to the realm dropped: too many are waiting for the flood limit")
		}
	}
}

// speech returns a line from the realm with a function to answer it. An answer to a command replaces pending answers to
// earlier commands of the same name by the same person.
func (a *account) speech(e session.Heard) Speech {
	a.asks++
	ask, to := a.asks, e.From
	kind, _, _ := strings.Cut(strings.TrimSpace(e.Text), " ")
	kind = strings.ToLower(kind)
	return Speech{
		Realm: a.opts.Realm, Locale: a.opts.Session.Language, From: e.From, Text: e.Text, Whisper: e.Whisper,
		Reply: func(text string, admin bool) {
			a.post(session.Whisper{To: to, Text: text, Kind: kind, Ask: ask, Admin: admin})
		},
	}
}

// compare warns if the realm sends players to another address than advertise_address. Realms use the source address of
// the host's connection; the protocol has no field for another.
func (a *account) compare(e session.ListedAt) {
	if want := a.opts.Expect; want.IsValid() && want != e.Addr.Addr() {
		a.log.Warn().Uint32("game", e.ID).Stringer("listed", e.Addr).Stringer("advertise_address", want).
			Msg("the realm sends players to another address; set bind, or let the realm's operator configure an address translation")
		return
	}
	a.log.Debug().Uint32("game", e.ID).Stringer("listed", e.Addr).Msg("the realm sends players here")
}
