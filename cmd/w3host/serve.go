package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-multierror"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"w3host/config"
	"w3host/control"
	"w3host/host"
	"w3host/lan"
	"w3host/people"
	"w3host/realm"
	"w3host/recording"
	"w3host/storage"
)

// Stopping takes limits.shutdown_timeout and a second at most, whatever the
// disk and the database do: games have the timeout, replays, records and the
// connections to the database the second.
const (
	recordsTimeout = 500 * time.Millisecond
	recordsLeast   = 300 * time.Millisecond // also when games needed all their time
	replaysTimeout = 300 * time.Millisecond
	closeTimeout   = 200 * time.Millisecond
)

// serveCommand is "w3host serve", and w3host without a command.
func serveCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use: "serve", Short: "host games (this is what w3host does without a command)", Args: noArgs,
		Long: `w3host serve hosts games until it is told to stop. Everything that is not a flag here is
in the configuration; config.toml.example explains every key.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runServe(cmd, &o) },
	}
	o.addTo(cmd)
	return cmd
}

// runServe hosts games until the command's context ends.
func runServe(cmd *cobra.Command, o *serveOptions) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50) // a fifth less memory; see docs/benchmarks.md
	}
	ctx, stderr := cmd.Context(), cmd.ErrOrStderr()
	c, faults := o.load()
	if faults.ErrorOrNil() != nil {
		fmt.Fprintln(stderr, "w3host cannot start:")
		for _, fault := range faults.WrappedErrors() {
			fmt.Fprintln(stderr, "  -", fault)
		}
		return exitCode(exitUsage)
	}
	in := openConsole(ctx, c, cmd.InOrStdin(), stderr)
	defer in.close()
	log, flush := newHostLogger(c.Log, in.log)
	defer flush()
	read := func() (config.Config, error) {
		c, faults := o.load()
		return c, faults.ErrorOrNil()
	}
	if err := serve(ctx, c, read, in, log); err != nil {
		for _, fault := range flatten(err) {
			log.Error().Msg(fault.Error())
		}
		if errors.Is(err, storage.ErrBadURL) { // trying again is of no use
			return exitCode(exitUsage)
		}
		return exitCode(exitFailed)
	}
	return nil
}

// flatten takes joined errors apart: each has its line.
func flatten(err error) []error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		return all.Unwrap()
	}
	return []error{err}
}

// readConfig is the configuration of every command: the file that is named, or
// that W3HOST_CONFIG names, under the environment.
func readConfig(file string) (config.Config, *multierror.Error) {
	c, err := config.Load(cmp.Or(file, os.Getenv(config.EnvPrefix+"CONFIG")), os.Environ())
	faults := multierror.Append(nil, err)
	faults.ErrorFormat = func(all []error) string { // one line, for commands with a line of error
		texts := make([]string, len(all))
		for i, fault := range all {
			texts[i] = fault.Error()
		}
		return strings.Join(texts, "; ")
	}
	return c, faults
}

// serve wires the rooms together. They stop in the opposite order: games first,
// then the announcements, the game log last.
func serve(ctx context.Context, c config.Config, read func() (config.Config, error), in *consoleInput, log zerolog.Logger) (err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if err := raiseFileLimit(); err != nil {
		log.Warn().Err(err).Msg("cannot raise the open file limit")
	}
	log.Info().Str("version", programVersion()).Msg("w3host starts")
	if err := checkFolders(c); err != nil {
		return err
	}
	maps, err := openMaps(ctx, c, log)
	if err != nil {
		return err
	}
	db, err := storage.Open(ctx, c.Database.URL, storage.Options{
		Log: log.With().Str("part", "database").Logger(), StartWithoutDatabase: true,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeDatabase(db)) }()
	recorder, err := storage.NewRecorder(db, storage.RecorderOptions{
		Dir: c.Database.Spool, Name: hostName(c), Version: programVersion(),
		Log: log.With().Str("part", "records").Logger(),
	})
	if err != nil {
		return fmt.Errorf("database.spool = %q: %w", c.Database.Spool, err)
	}
	var stopBy atomic.Int64 // nanoseconds since 1970
	defer context.AfterFunc(ctx, func() {
		stopBy.Store(time.Now().Add(c.Limits.Shutdown.D() + recordsTimeout).UnixNano())
	})()
	defer func() { closeRecorder(recorder, time.Unix(0, stopBy.Load()), log) }()
	go housekeeping(ctx, db, retention(c.Database), log.With().Str("part", "database").Logger()) // ends with ctx

	go keepRatings(ctx, db, log.With().Str("part", "database").Logger()) // ends with ctx

	lists := newGuard(storage.NewGuard(db, storage.GuardOptions{Dir: c.Database.Spool, Log: log.With().Str("part", "database").Logger()}), c)
	defer lists.Close()
	lists.await(ctx, log)

	replays, err := openReplays(c.Replays, log)
	if err != nil {
		return err
	}
	defer func() {
		if err := replays.Close(replaysTimeout); err != nil {
			log.Warn().Err(err).Msg("not all replays are complete")
		}
	}()
	options := hostOptions(c, log)
	options.Replays = replays
	options.Bans, options.Admins = lists, lists
	options.People = people.Directory{DB: db}
	options.Autohost.Open, options.Autohost.Expand = maps.Open, maps.expand
	options.Recorder = recorder
	options.Ratings = ratings{db}
	h, err := host.New(options)
	if err != nil {
		return listenFault(c.Host.Listen, err)
	}
	lists.OnBans(h.CheckBans)
	var local host.Advertiser
	if c.LAN.Enabled {
		advertiser, err := lan.Listen(lanOptions(c, h.Addr(), log))
		if err != nil {
			return err
		}
		defer advertiser.Shutdown()
		local = advertiser
		h.Advertise(local)
	}
	maps.watch()
	r := &reloader{read: read, now: c, maps: maps, host: h, lists: lists}
	operator := control.New(control.Options{
		Host: h, Maps: maps, Reload: r.reload, Stop: stop, Audit: func(a storage.AdminAction) { recorder.Record(a) },
		Log: log.With().Str("part", "control").Logger(), Trigger: c.Lobby.CommandTrigger,
	})
	r.use = operator.UseRules
	operator.UseRules(commandRules(c))
	if len(c.Realms) > 0 {
		e := &realmCommands{
			operator: operator, admins: lists, people: options.People, trigger: c.Lobby.CommandTrigger,
			log: log.With().Str("part", "realm").Logger(), lines: make(chan realm.Speech, maxHeard),
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
	commanding := startControl(ctx, c.Control, operator, in, log)
	defer func() { stop(); commanding.Wait() }()
	welcome(c, h.Addr(), maps.current, log)
	if err := h.Run(ctx); err != nil {
		log.Warn().Err(err).Msg("stopped before everything had ended")
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
		Log: log.With().Str("part", "replays").Logger(),
	})
	if err != nil {
		return nil, fmt.Errorf("replays.dir = %q: %w", c.Dir, err)
	}
	return a, nil
}

// closeRecorder gives the game log its last moment. Records that the database
// did not take are not lost: they wait in the spool.
func closeRecorder(r *storage.Recorder, deadline time.Time, log zerolog.Logger) {
	if least := time.Now().Add(recordsLeast); deadline.Before(least) {
		deadline = least
	}
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	defer cancel()
	if err := r.Close(ctx); err != nil {
		log.Warn().Err(err).Msg("not all records have reached the database")
	}
}

// closeDatabase leaves a database behind that does not answer.
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
