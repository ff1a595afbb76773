// Package daemon runs a host as the configuration says: it wires the rooms together,
// applies a changed configuration, and stops them in order.
package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/control"
	"w3host/control/people"
	"w3host/host"
	"w3host/internal/openfiles"
	"w3host/lan"
	"w3host/realm"
	"w3host/record/recording"
	"w3host/storage"
)

// Stopping takes at most limits.shutdown_timeout and a second, whatever the disk and
// the database do. The timeout is for games; the second is for replays, records and
// the connections to the database.
const (
	recordsTimeout = 500 * time.Millisecond
	recordsLeast   = 300 * time.Millisecond // even if games took longer
	replaysTimeout = 300 * time.Millisecond
	closeTimeout   = 200 * time.Millisecond
)

// enoughFiles is more than a thousand games of ten players need.
const enoughFiles = 16384

// Options are what Run needs.
type Options struct {
	Config  config.Config                 // validated, as Check does it
	Read    func() (config.Config, error) // the same again, for a reload
	Version string                        // of this program
	Console *control.Console
	Log     zerolog.Logger
}

// Run hosts games until ctx ends. What it starts stops in the opposite order: games
// first, then the announcements, the game log last.
func Run(ctx context.Context, o Options) (err error) {
	c, log := o.Config, o.Log
	part := func(name string) zerolog.Logger { return log.With().Str("part", name).Logger() }
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if most, limited := openfiles.Limit(); limited && most < enoughFiles {
		log.Warn().Msgf("the limit of open files is %d, enough for about as many players; raise it with ulimit -n or LimitNOFILE", most)
	}
	log.Info().Str("version", o.Version).Str("config", cmp.Or(absolute(c.File), "no configuration file, defaults only")).Msg("w3host starts")
	if err := checkFolders(c); err != nil {
		return err
	}
	maps, err := openMaps(ctx, c, c.MapCache(), log)
	if err != nil {
		return err
	}
	db, err := storage.Open(ctx, c.DatabaseURL(), storage.Options{
		Log: part("database"), StartWithoutDatabase: true,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeDatabase(db)) }()
	recorder, err := storage.NewRecorder(db, storage.RecorderOptions{
		Dir: c.SpoolDir(), Name: hostName(c), Version: o.Version,
		Log: part("records"),
	})
	if err != nil {
		return fmt.Errorf("the spool %s: %w", c.SpoolDir(), err)
	}
	var stopBy atomic.Int64 // nanoseconds since 1970
	defer context.AfterFunc(ctx, func() {
		stopBy.Store(time.Now().Add(c.Limits.Shutdown.D() + recordsTimeout).UnixNano())
	})()
	defer func() { closeRecorder(recorder, time.Unix(0, stopBy.Load()), log) }()
	go housekeeping(ctx, db, Retention(c.Database), part("database")) // ends with ctx
	go keepRatings(ctx, db, part("database"))                         // ends with ctx
	lists := newGuard(storage.NewGuard(db, storage.GuardOptions{Dir: c.SpoolDir(), Log: part("database")}), c)
	defer lists.Close()
	lists.await(ctx, log)

	replays, err := openReplays(c.Replays, part("replays"))
	if err != nil {
		return err
	}
	defer func() {
		if err := replays.Close(replaysTimeout); err != nil {
			log.Warn().Err(err).Msg("some replays are incomplete")
		}
	}()
	options := hostOptions(c, o.Version, log)
	options.Autohost.Open, options.Autohost.Expand = maps.Open, maps.expand
	records := storage.LimitAudit(recorder)
	options.Replays, options.Recorder = replays, records
	options.Bans, options.Admins = lists, lists
	options.People, options.Ratings = people.Directory{DB: db}, ratings{db}
	h, err := host.New(options)
	if err != nil {
		return ListenFault(c.Host.Listen, err)
	}
	lists.OnBans(h.CheckBans)
	var local host.Advertiser
	if c.LAN.Enabled {
		advertiser, err := lan.Listen(LANOptions(c, h.Addr(), log))
		if err != nil {
			return err
		}
		defer advertiser.Shutdown()
		local = advertiser
		h.Advertise(local)
	}
	maps.watch()
	r := &reloader{read: o.Read, version: o.Version, now: c, maps: maps, host: h, lists: lists}
	operator := control.New(control.Options{
		Host: h, Maps: maps, Reload: r.reload, Stop: stop, Audit: func(a storage.AdminAction) { records.Record(a) },
		Log: part("control"), Trigger: c.Lobby.CommandTrigger,
	})
	r.use = operator.UseRules
	operator.UseRules(commandRules(c))
	if len(c.Realms) > 0 {
		e := &realmCommands{
			operator: operator, admins: lists, people: options.People, trigger: c.Lobby.CommandTrigger,
			log: part("realm"), lines: make(chan realm.Speech, maxHeard),
		}
		go e.run(ctx) // ends with ctx
		realms, err := logOn(c, h, e.heard, log)
		if err != nil {
			return err
		}
		defer realms.Shutdown()
		h.Advertise(advertisers{local, realms, log})
		h.UseRealms(realms)
	}
	commanding := operator.Start(ctx, c.ControlSocket(), o.Console)
	defer func() { stop(); commanding.Wait() }()
	welcome(c, h.Addr(), maps, log)
	if err := h.Run(ctx); err != nil {
		log.Warn().Err(err).Msg("stopped before everything had shut down")
	}
	log.Info().Msg("w3host has stopped")
	return nil
}

// openReplays opens the folder of replays; nil if games are not to be recorded.
func openReplays(c config.Replays, log zerolog.Logger) (*recording.Archive, error) {
	if !c.Enabled {
		return nil, nil
	}
	a, err := recording.Open(recording.Options{
		Dir: c.Dir, Name: c.Name, KeepFor: time.Duration(c.KeepDays) * 24 * time.Hour, KeepBytes: int64(c.KeepBytes),
		Log: log,
	})
	if err != nil {
		return nil, fmt.Errorf("replays.dir = %q: %w", c.Dir, err)
	}
	return a, nil
}

// closeRecorder waits until the database has the last records, or the deadline. The
// others are not lost: they are in the spool.
func closeRecorder(r *storage.Recorder, deadline time.Time, log zerolog.Logger) {
	if least := time.Now().Add(recordsLeast); deadline.Before(least) {
		deadline = least
	}
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	defer cancel()
	if err := r.Close(ctx); err != nil {
		log.Warn().Err(err).Msg("some records have not reached the database")
	}
}

// closeDatabase does not wait for a database that does not answer.
func closeDatabase(db *storage.Store) error {
	closed := make(chan error, 1)
	go func() { closed <- db.Close() }() // ends with the program, at the latest
	select {
	case err := <-closed:
		return err
	case <-time.After(closeTimeout):
		return nil
	}
}

func hostName(c config.Config) string {
	if c.Database.HostName != "" {
		return c.Database.HostName
	}
	name, err := os.Hostname()
	if err != nil {
		return filepath.Base(os.Args[0])
	}
	return name
}
