package host

import (
	"crypto/rand"
	"encoding/binary"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"w3host/host/admission"
	"w3host/host/gamelist"
	"w3host/host/lookup"
	"w3host/host/loop"
	"w3host/host/registry"
	"w3host/host/watch"
	"w3host/protocol/w3gs"
	"w3host/record/journal"
)

// shard is the state that the games of one loop share. It is for the loop's goroutine only, except the registry, lookup,
// and the loop's Call and Wait.
type shard struct {
	*loop.Loop
	*registry.Registry
	opts Options // Limits and RequireEntryKey change; writing them requires Host.mu as well
	log  zerolog.Logger

	journals  *journal.Files
	watchers  *watch.Server // nil: games cannot be watched
	list      *gamelist.List
	lookup    *lookup.Lookup
	admission *admission.Control
	refused   *admission.Refusals
	codes     admission.Codes
	lateness  lateness
	writing   sync.WaitGroup // crash reports that are being written
	handover

	action w3gs.OutgoingAction // decoded packets, to spare allocations
	alive  w3gs.Keepalive
}

// refusalsEvery is the interval of the log's summary of refused connections.
const refusalsEvery = time.Minute

func newShard(o Options, r *registry.Registry, arrive func(*loop.Conn)) (*shard, error) {
	s := &shard{
		Registry: r, opts: o, log: o.Log, lateness: newLateness(),
		list:      gamelist.New(o.Advertiser, o.Product, o.Listing, o.Limits.OutQueue),
		admission: admission.New(o.Limits.Limits), refused: admission.NewRefusals(refusalsEvery), codes: admission.Codes{},
		lookup: lookup.New(o.People, o.Ratings),
	}
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

// randomU32 returns a key or seed that players cannot guess.
func randomU32() uint32 {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails, as of Go 1.24
	return binary.LittleEndian.Uint32(b[:])
}
