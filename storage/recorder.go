package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"w3host/internal/heartbeat"
	"w3host/storage/spool"
)

const (
	// flushAfter is the longest time that a record is in memory alone.
	flushAfter = 50 * time.Millisecond
	// deadAfter is the silence after which another host's games are closed.
	deadAfter = 2 * time.Minute
)

// RecorderOptions say where the spool is and who writes to it.
type RecorderOptions struct {
	Dir     string    // of the spool and the host's id; created when missing
	Name    string    // of the host, for people
	Version string    // of w3host
	GoOn    []GameKey // games of an earlier run that this one goes on with
	Beside  bool      // a spool that is in use is passed by: the next is Dir-2, then Dir-3 …
	Log     zerolog.Logger

	Heartbeat time.Duration // the time between two; 10 s when zero
	// Heart beats for the heartbeats in the database; they are less frequent while it beats less
	// frequently. nil: it beats by itself.
	Heart *heartbeat.Heart

	apart  bool // another process uses the folder of the spool
	number int  // of the spool that was taken, from 1

	// For tests.
	queueRecords int                     // that may wait between two flushes; 100,000 when zero
	memory       int                     // bytes of lines kept in memory for the database; 64 MiB when zero
	sync         func(*spool.File) error // no disk fails on demand
}

func (o *RecorderOptions) setDefaults() {
	o.Heartbeat = cmp.Or(o.Heartbeat, 10*time.Second)
	o.queueRecords = cmp.Or(o.queueRecords, 100_000)
	o.memory = cmp.Or(o.memory, 64<<20)
	if o.sync == nil {
		o.sync = (*spool.File).Sync
	}
}

// Recorder stores the records of games: queue → spool → database. It is safe for use by all goroutines.
//
// Goroutines: the writer (queue to spool), the syncer (fsync), the applier
// (spool to database) and the presence (heartbeat). Close ends all four.
type Recorder struct {
	db   recorderDB
	opts RecorderOptions
	host atomic.Pointer[Host]
	log  zerolog.Logger

	queue   *queue
	spool   *spool.Spool
	backlog *backlog

	syncWanted chan struct{}
	statusDown atomic.Bool  // the last write of status.json failed
	entered    atomic.Bool  // the host is in the registry
	ended      atomic.Bool  // Close has stored all it could
	before     Status       // that the last run with this folder has left
	listen     atomic.Value // a string, where the host takes joins

	stop       chan struct{} // ends writer and presence
	stopOnce   sync.Once
	closeSpool func() error       // once
	cancel     context.CancelFunc // ends applier and presence at once
	spooled    chan struct{}      // writer and syncer are done
	stored     chan struct{}      // applier and presence are done
}

// recorderDB is the part of the database that a Recorder uses.
type recorderDB interface {
	Apply(ctx context.Context, b Batch) error
	Applied(ctx context.Context, run string) (uint64, error)
	LastRun(ctx context.Context, id string) (HostRun, error)
	EnterHost(ctx context.Context, h Host) (crashed int, err error)
	MoveHost(ctx context.Context, from string, h Host) error
	Beat(ctx context.Context, h Host) error
	LeaveHost(ctx context.Context, h Host) error
	OtherHosts(ctx context.Context, h Host) ([]HostStatus, error)
	CloseGamesOf(ctx context.Context, other HostStatus) (crashed int, err error)
}

// NewRecorder opens the spool, replays the records that earlier runs left in it, and
// takes records from then on. The database need not be up.
func NewRecorder(db recorderDB, opts RecorderOptions) (*Recorder, error) {
	opts.setDefaults()
	sp, left, err := openSpool(&opts)
	if err != nil {
		return nil, err
	}
	id, err := hostID(opts.Dir, opts.Log)
	if err != nil {
		return nil, errors.Join(err, sp.Close())
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &Recorder{
		db: db, opts: opts, log: opts.Log,
		queue:      newQueue(opts.queueRecords),
		spool:      sp,
		backlog:    newBacklog(opts.memory, left.Files),
		syncWanted: make(chan struct{}, 1),
		stop:       make(chan struct{}),
		closeSpool: sync.OnceValue(sp.Close),
		cancel:     cancel,
		spooled:    make(chan struct{}),
		stored:     make(chan struct{}),
	}
	r.listen.Store("")
	if r.before, err = ReadStatus(opts.Dir); err != nil {
		r.before = Status{} // there is none at the first start
	}
	r.host.Store(&Host{ID: id, Run: NewGameKey().String(), Name: opts.Name, Version: opts.Version, GoOn: opts.GoOn})
	r.entered.Store(opts.apart)
	r.reportLeft(left)
	go r.write()
	go r.sync()
	go func() {
		defer close(r.stored)
		var both sync.WaitGroup
		both.Go(func() { (&applier{Recorder: r}).apply(ctx) })
		if !opts.apart { // else the registry knows the other process
			p := presence{Recorder: r}
			both.Go(func() { p.beat(ctx) })
			defer p.leave(ctx)
		}
		both.Wait()
	}()
	return r, nil
}

// openSpool opens the first spool that no other host has.
func openSpool(opts *RecorderOptions) (sp *spool.Spool, left spool.Left, err error) {
	dir := opts.Dir
	for opts.number = 1; opts.number <= mostSpools; opts.number++ {
		opts.Dir = spoolBeside(dir, opts.number)
		sp, left, err = spool.Open(opts.Dir)
		if !opts.Beside || !errors.Is(err, spool.ErrInUse) {
			break
		}
	}
	return sp, left, err
}

// Apart makes a recorder for a process that has something to record after another one has
// begun to use the folder of the spool. It has a folder inside, which goes when the
// database has all of it; if it does not, the next start finds it.
func (r *Recorder) Apart() (*Recorder, error) {
	o := r.opts
	o.Dir, o.apart = filepath.Join(r.opts.Dir, fmt.Sprint(spool.Apart, os.Getpid())), true
	if err := os.MkdirAll(o.Dir, 0o750); err != nil {
		return nil, err
	}
	if err := writeHostID(o.Dir, r.Host().ID); err != nil {
		return nil, err
	}
	return NewRecorder(r.db, o)
}

// Host identifies this host in the database.
func (r *Recorder) Host() Host { return *r.host.Load() }

// Record queues rec and returns at once. It does no I/O and never waits; when
// there is no room the record is counted as lost, which the log says within a
// minute. Slices in rec must not change afterwards.
func (r *Recorder) Record(rec Record) { r.queue.put(rec) }

// closeGrace is how long a cancelled call of a database may take to return. Close
// abandons a call that hangs in the kernel.
const closeGrace = 200 * time.Millisecond

// Close takes no more records, writes all records to the spool, and gives the
// database until ctx ends to take them. The others stay in the spool for the next
// start; a *LeftoverError counts them.
func (r *Recorder) Close(ctx context.Context) error {
	r.stopOnce.Do(func() {
		r.queue.close()
		close(r.stop)
	})
	defer r.cancel() // the applier may be waiting for a database that is down
	select {
	case <-r.spooled:
	case <-ctx.Done():
		return errors.Join(r.leftover(), fmt.Errorf("the disk of the spool did not answer: %w", ctx.Err()))
	}
	select {
	case <-r.stored:
	case <-ctx.Done():
		r.cancel()
		select {
		case <-r.stored:
		case <-time.After(closeGrace):
			return errors.Join(r.leftover(), fmt.Errorf("the database did not answer: %w", ctx.Err()))
		}
	}
	r.ended.Store(true)
	r.writeStatus()
	err := errors.Join(r.leftover(), r.backlog.sweep(true))
	if r.opts.apart && err == nil {
		err = spool.RemoveApart(r.opts.Dir)
	}
	return errors.Join(err, r.closeSpool())
}

// LeftoverError counts the records that the database did not take before Close gave up.
type LeftoverError struct {
	Records    int    // waiting, in all
	MemoryOnly int    // of these, not even in the spool: lost
	Dir        string // of the spool
}

func (e *LeftoverError) Error() string {
	msg := fmt.Sprintf("%d records wait in %s for the database and are replayed at the next start", e.Records-e.MemoryOnly, e.Dir)
	if e.MemoryOnly > 0 {
		msg += fmt.Sprintf("; %d are lost, the spool had no room for them", e.MemoryOnly)
	}
	return msg
}

func (r *Recorder) leftover() error {
	h := r.backlog.holds()
	if h.records == 0 {
		return nil
	}
	return &LeftoverError{Records: h.records, MemoryOnly: h.memoryOnly, Dir: r.opts.Dir}
}

func (r *Recorder) reportLeft(left spool.Left) {
	if n := r.backlog.holds().records; n > 0 {
		r.log.Info().Int("records", n).Msg("replaying records that the last run left in the spool")
	}
	var torn, damaged, missing, files int
	for _, f := range left.Files {
		torn += f.Torn
		if f.Damaged+f.Missing > 0 {
			files, damaged, missing = files+1, damaged+f.Damaged, missing+f.Missing
		}
	}
	if torn > 0 {
		r.log.Warn().Int("bytes", torn).Msg("the spool ended in a half-written record, which was cut off")
	}
	if files > 0 {
		r.queue.stats.Damaged = uint64(damaged)
		r.log.Error().Int("files", files).Int("damaged", damaged).Int("missing", missing).
			Msg("the spool is damaged; its whole records are replayed, and the damaged files stay in its folder " + spool.Quarantine + " (see: w3host spool)")
	}
	for _, fault := range left.Faults {
		r.log.Error().Str("fault", fault).Msg("cannot replay a spool file")
	}
}
