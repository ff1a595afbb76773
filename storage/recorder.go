package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"w3host/internal/disk"
	"w3host/internal/heartbeat"
	"w3host/storage/spool"
)

const (
	// flushAfter is the longest time that a record is only in memory.
	flushAfter = 50 * time.Millisecond
	// deadAfter is the time without heartbeat after which another host's games are closed.
	deadAfter = 2 * time.Minute
)

// RecorderOptions configures a Recorder.
type RecorderOptions struct {
	Dir               string    // folder of the spool and the host id; created if missing
	Name              string    // host name for people
	Version           string    // version of w3host
	GoOn              []GameKey // games of an earlier run that this run continues
	AllowAlternateDir bool      // if the spool is in use, try Dir-2, Dir-3 and so on
	Log               zerolog.Logger
	Disk              disk.Disk // nil means disk.System

	Heartbeat time.Duration // time between heartbeats; 0 means 10 s
	// Heart triggers the database heartbeats. nil uses a separate timer.
	Heart *heartbeat.Heart

	detached string // id of this host, if another process uses its main spool folder
	number   int    // number of the spool in use, counted from 1

	// For tests.
	queueRecords int                     // limit for records waiting for a flush; 0 means 100,000
	memory       int                     // limit in bytes for lines kept in memory; 0 means 64 MiB
	sync         func(*spool.File) error // simulates a failing disk
}

func (o *RecorderOptions) setDefaults() {
	o.Disk = cmp.Or(o.Disk, disk.System)
	o.Heartbeat = cmp.Or(o.Heartbeat, 10*time.Second)
	o.queueRecords = cmp.Or(o.queueRecords, 100_000)
	o.memory = cmp.Or(o.memory, 64<<20)
	if o.sync == nil {
		o.sync = (*spool.File).Sync
	}
}

// Recorder stores the records of games on their way from the queue via the spool to the database. It is safe
// for concurrent use.
//
// It has five goroutines, which Close ends: the collector (queue to backlog), the writer (backlog to spool), the
// syncer (fsync), the applier (backlog to database) and the presence (heartbeats). A disk that hangs stops the writer and
// the syncer only, and a database that hangs the applier and the presence.
type Recorder struct {
	db   recorderDB
	opts RecorderOptions
	host atomic.Pointer[Host]
	log  zerolog.Logger

	queue   *queue
	spool   *spool.Spool
	backlog *backlog

	collected    chan struct{} // the collector has ended
	writeWanted  chan struct{}
	syncWanted   chan struct{}
	statusWanted chan struct{}
	statusDown   atomic.Bool  // the last write of status.json failed
	entered      atomic.Bool  // the host is registered
	ended        atomic.Bool  // Close has stored all it could
	before       Status       // status left by the last run in this folder
	listen       atomic.Value // string: address on which players join

	stop     chan struct{} // ends the collector and the presence
	stopOnce sync.Once
	finished chan error         // the result of finish
	cancel   context.CancelFunc // ends the applier and the presence immediately
	spooled  chan struct{}      // the writer and syncer have ended
	stored   chan struct{}      // the applier and presence have ended
}

// recorderDB is the part of Store that a Recorder uses.
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

// NewRecorder opens the spool, starts to replay the records that earlier runs left in it, and accepts new
// ones. The database need not be available.
func NewRecorder(db recorderDB, opts RecorderOptions) (*Recorder, error) {
	opts.setDefaults()
	sp, left, id, err := openSpool(&opts)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &Recorder{
		db: db, opts: opts, log: opts.Log,
		queue:        newQueue(opts.queueRecords),
		spool:        sp,
		backlog:      newBacklog(opts.memory, left.Files),
		collected:    make(chan struct{}),
		writeWanted:  make(chan struct{}, 1),
		syncWanted:   make(chan struct{}, 1),
		statusWanted: make(chan struct{}, 1),
		stop:         make(chan struct{}),
		finished:     make(chan error, 1),
		cancel:       cancel,
		spooled:      make(chan struct{}),
		stored:       make(chan struct{}),
	}
	r.listen.Store("")
	if r.before, err = readStatus(opts.Disk, opts.Dir); err != nil {
		r.before = Status{} // the first start has none
	}
	r.host.Store(&Host{ID: id, Run: NewGameKey().String(), Name: opts.Name, Version: opts.Version, GoOn: opts.GoOn})
	r.entered.Store(opts.detached != "")
	r.reportLeft(left)
	go r.collect()
	go r.write()
	go r.sync()
	go func() {
		defer close(r.stored)
		var both sync.WaitGroup
		both.Go(func() { newApplier(r).apply(ctx) })
		if opts.detached == "" { // otherwise the other process is registered
			p := presence{Recorder: r}
			both.Go(func() { p.beat(ctx) })
			defer p.leave(ctx)
		}
		both.Wait()
	}()
	return r, nil
}

// awaitSpool is how often AwaitRecorder tries to open the spool.
const awaitSpool = 50 * time.Millisecond

// AwaitRecorder is NewRecorder for a process that takes over from one that still runs. That one may not have released the
// spool, because the disk does not answer: AwaitRecorder waits for it until ctx ends or the time within has passed.
func AwaitRecorder(ctx context.Context, db recorderDB, opts RecorderOptions, within time.Duration) (*Recorder, error) {
	for began := time.Now(); ; {
		r, err := NewRecorder(db, opts)
		if !errors.Is(err, spool.ErrInUse) || time.Since(began) >= within {
			return r, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(awaitSpool):
		}
	}
}

// openSpool opens the first spool that no other host uses, and returns the id of this host.
func openSpool(opts *RecorderOptions) (sp *spool.Spool, left spool.Left, id string, err error) {
	if opts.detached != "" {
		return spool.Later(opts.Disk, opts.Dir), left, opts.detached, nil
	}
	dir := opts.Dir
	for opts.number = 1; opts.number <= mostSpools; opts.number++ {
		opts.Dir = alternateDir(dir, opts.number)
		sp, left, err = spool.Open(opts.Disk, opts.Dir)
		if !opts.AllowAlternateDir || !errors.Is(err, spool.ErrInUse) {
			break
		}
	}
	if err == nil {
		if id, err = hostID(opts.Disk, opts.Dir, opts.Log); err != nil {
			err = errors.Join(err, sp.Close())
		}
	}
	return sp, left, id, err
}

// Detach returns a recorder for a process that still has records after another process has taken over its
// spool folder. It uses a subfolder, which is removed once the database has all its records; otherwise the
// next start picks it up. Detach does not wait for the disk.
func (r *Recorder) Detach() *Recorder {
	o := r.opts
	o.Dir, o.detached = filepath.Join(r.opts.Dir, spool.DetachedPrefix+r.Host().Run), r.Host().ID
	beside, _ := NewRecorder(r.db, o) // cannot fail: it opens nothing
	return beside
}

// Host returns this host's identity in the database.
func (r *Recorder) Host() Host { return *r.host.Load() }

// Record queues rec and returns immediately, without I/O. If the queue is full, the record is counted as
// lost, which is logged within a minute. Slices in rec must not be modified afterwards.
func (r *Recorder) Record(rec Record) { r.queue.put(rec) }

// closeGrace is how long a cancelled database call may take to return. Close abandons calls that hang in the
// kernel.
const closeGrace = 200 * time.Millisecond

// Close stops accepting records, writes all records to the spool and waits until the database has them or ctx
// ends. Remaining records stay in the spool for the next start; a *LeftoverError counts them. If the disk does not answer
// in time, the spool is released as soon as it does.
func (r *Recorder) Close(ctx context.Context) error {
	r.stopOnce.Do(func() {
		r.queue.close()
		close(r.stop)
		go r.finish() // ends when disk and database have answered
	})
	defer r.cancel() // the applier may be waiting for an unavailable database
	select {
	case <-r.spooled:
	case <-ctx.Done():
		return errors.Join(r.leftover(), fmt.Errorf("the disk of the spool did not answer: %w", ctx.Err()))
	}
	select {
	case <-r.stored:
	case <-ctx.Done():
		r.cancel()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeGrace)
		defer cancel()
		select {
		case <-r.stored:
		case <-grace.Done():
			return errors.Join(r.leftover(), fmt.Errorf("the database did not answer: %w", ctx.Err()))
		}
		ctx = grace
	}
	select {
	case err := <-r.finished:
		r.finished <- err // for another call
		return err
	case <-ctx.Done():
		return errors.Join(r.leftover(), fmt.Errorf("the disk of the spool did not answer: %w", ctx.Err()))
	}
}

// finish releases the spool when the other goroutines have ended.
func (r *Recorder) finish() {
	<-r.spooled
	<-r.stored
	r.ended.Store(true)
	if r.opts.detached == "" {
		r.writeStatus()
	}
	err := errors.Join(r.leftover(), r.backlog.sweep(true))
	if r.opts.detached != "" && err == nil {
		err = spool.RemoveDetached(r.opts.Disk, r.opts.Dir)
	}
	r.finished <- errors.Join(err, r.spool.Close())
}

// LeftoverError counts the records that were not stored in the database before Close gave up.
type LeftoverError struct {
	Records    int    // all waiting records
	MemoryOnly int    // those that are not in the spool either and are lost
	Dir        string // folder of the spool
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
		if f.Records > 0 && f.Damaged+f.Missing > 0 {
			files, damaged, missing = files+1, damaged+f.Damaged, missing+f.Missing
		}
	}
	if torn > 0 {
		r.log.Warn().Int("bytes", torn).Msg("the spool ended in a half-written record, which was cut off")
	}
	if files > 0 {
		r.queue.stats.Damaged = uint64(damaged)
		r.log.Error().Int("files", files).Int("damaged", damaged).Int("missing", missing).
			Msg("the spool is damaged; its whole records are replayed, and the damaged files stay in its folder " + spool.Quarantine + " (see: w3host db spool)")
	}
	for _, fault := range left.Faults {
		r.log.Error().Str("fault", fault).Msg("cannot replay a spool file")
	}
}
