package host

import (
	"crypto/rand"
	"encoding/binary"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"w3host/host/loop"
	"w3host/host/watch"
	"w3host/internal/allowance"
	"w3host/internal/network"
	"w3host/protocol/w3gs"
	"w3host/record/journal"
)

// shard is the state that the games of one loop share. It belongs to the loop's goroutine,
// except the registry, the places for questions, and the loop's Call and Wait.
type shard struct {
	*loop.Loop
	*registry
	opts Options // of which Limits and RequireEntryKey change, under mu too
	log  zerolog.Logger
	strangers
	questions

	journals  *journal.Files
	watchers  *watch.Server // nil: nobody can watch
	directory directory
	codes     codes
	lateness  lateness
	writing   sync.WaitGroup // files of crashes
	handover

	action w3gs.OutgoingAction // what a packet is decoded into
	alive  w3gs.Keepalive
}

// strangers counts and bounds the actions of people who come and go.
type strangers struct {
	gate    *gate
	logins  logins
	refused refusals
	leaves  *allowance.Limiter[string] // of lobbies and games that have just begun, by name and address
	departs sourceLimiter              // the same by address
	breaks  sourceLimiter              // games that players of an address have left when they had just begun
}

// newStrangers returns the counts of a host that nobody has visited.
func newStrangers(l *Limits) strangers {
	s := strangers{
		gate: newGate(*l), logins: newLogins(),
		refused: refusals{every: refusalsEvery, times: make(map[netip.Addr]int)},
		leaves:  allowance.NewLimiter[string](0, 0), departs: newSourceLimiter(0, 0), breaks: newSourceLimiter(0, 0),
	}
	s.limitLeaves(l)
	return s
}

// limitLeaves sets the limits of leaves.
func (s *strangers) limitLeaves(l *Limits) {
	s.leaves.SetLimit(l.LobbyLeaves, l.LobbyLeavesWithin)
	s.departs.setLimit(leavesFactor*l.LobbyLeaves, l.LobbyLeavesWithin)
	s.breaks.setLimit(max(l.LobbyLeaves/2, 1), breaksFactor*l.LobbyLeavesWithin)
}

// leavesFactor is how many times the limit of one name at an address holds for all names there together: many players
// can share an address.
const leavesFactor = 3

// breaksFactor is how many times limits.lobby_leaves_within an address may break up half of limits.lobby_leaves games in. Each
// such game has cost all its players the wait for others.
const breaksFactor = 5

// visitor is the key of a name at an address, none in the networks of limits.exempt. The name alone does not count, since
// anybody can use another player's name.
func (s *strangers) visitor(name string, addr netip.Addr) []string {
	if s.gate.exempt(addr) {
		return nil
	}
	return []string{strings.ToLower(strings.TrimSpace(name)) + " " + network.Base(addr).String()}
}

// How many of the questions may be on their way at once, of all games.
const (
	mostAsked   = 8
	mostLookups = 8
	mostLogins  = 2 // each takes 19 MiB
)

// questions bounds the questions to a database at once.
type questions struct {
	slots    chan struct{} // a place for each question to People that is on its way
	checking chan struct{} // one for each password that is checked
	lookups  chan struct{} // one for each rating or language that is looked up
}

func newShard(o Options, r *registry, arrive func(*loop.Conn)) (*shard, error) {
	s := &shard{
		registry: r, opts: o, log: o.Log, codes: codes{}, lateness: newLateness(),
		strangers: newStrangers(&o.Limits),
		questions: questions{
			slots: make(chan struct{}, mostAsked), checking: make(chan struct{}, mostLogins), lookups: make(chan struct{}, mostLookups),
		},
	}
	s.directory = newDirectory(&s.opts)
	var err error
	s.Loop, err = loop.New(o.Network, loop.Handlers{Arrive: arrive, CannotAccept: func(err error, pause time.Duration) {
		s.log.Warn().Err(err).Dur("again_in", pause).Msg("cannot accept a connection")
	}})
	if err == nil {
		err = s.handover.open(o.Inherited, s.Loop)
	}
	if err == nil && o.Watch.On {
		s.watchers, err = watch.New(watch.Options{Network: o.Network, Most: o.Watch.All, Past: o.Watch.Past, Log: o.Log.With().Str("part", "watch").Logger()})
	}
	if err == nil {
		_, journals := s.inherited.Files()
		o.Journal.Heart = o.Heart
		s.journals = journal.Open(o.Journal, o.Log, journals...)
	}
	return s, err
}

// randomU32 is for keys and seeds that players should not guess.
func randomU32() uint32 {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails, as of Go 1.24
	return binary.LittleEndian.Uint32(b[:])
}
