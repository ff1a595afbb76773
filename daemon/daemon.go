// Package daemon is the host process: Run starts all parts of a host from the configuration, connects them, applies
// reloads and upgrades, and stops them in order.
//
// The configuration comes from package config; Run creates the database store, the maps, package host with its games,
// the LAN and realm announcers, the console and the web console. Command w3host calls it; package daemon/doctor reuses
// its parts to check a configuration. It contains no rules of games.
package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/control"
	"w3host/game/command"
	"w3host/hold"
	"w3host/host"
	"w3host/host/takeover"
	"w3host/internal/background"
	"w3host/internal/heartbeat"
	"w3host/internal/openfiles"
	"w3host/lan"
	"w3host/lobby"
	"w3host/realm"
	"w3host/record/recording"
	"w3host/storage"
	"w3host/web"
	"w3host/web/access"
	"w3host/web/api"
	weblive "w3host/web/live"
	"w3host/web/metrics"
	"w3host/web/site"
	"w3host/web/webhook"
)

// Stopping takes at most limits.shutdown_timeout plus one second, whatever the disk and the database do. The timeout is
// for games; the additional second is for replays, records and the connections to the database. A process that no longer
// hosts uses the whole timeout for its last replays and records.
const (
	recordsTimeout = 500 * time.Millisecond
	recordsLeast   = 300 * time.Millisecond // minimum, even if games took longer
	replaysTimeout = 300 * time.Millisecond
	closeTimeout   = 200 * time.Millisecond
	// spoolTimeout is how long a process that takes over waits for the previous one to release the spool. Meanwhile that one
	// plays the games.
	spoolTimeout = time.Minute
)

// enoughFiles is enough for more than a thousand games of ten players.
const enoughFiles = 16384

// Options are the arguments of Run.
type Options struct {
	Config     config.Config                 // must have been validated with Check
	Read       func() (config.Config, error) // loads the configuration again, for a reload
	Version    string                        // version of this program
	Console    *control.Console
	First      string          // console command to run first, or empty
	Drain      <-chan struct{} // closed when the host should stop after its games; nil means never
	Supervisor hold.Client     // nil without a supervisor
	NotHeld    error           // why connections cannot be handed over although there is a supervisor
	Log        zerolog.Logger
	// Examine runs the checks of w3host doctor.
	Examine func(ctx context.Context, c config.Config, report func(what, detail, remedy string)) error
}

// daemon is a host with all its parts. Each step of the start appends to stops the function that stops its part.
type daemon struct {
	Options
	ctx   context.Context // ends when the host should stop
	stop  context.CancelFunc
	stops []stop

	maps      *Maps
	db        *storage.Store
	records   host.Recorder
	lists     *guard
	host      host.Options
	operator  *control.Operator
	onRealms  *realmCommands  // nil without a [[realm]]
	onLAN     *lan.Advertiser // nil if lan.enabled is false
	listeners takeover.Listeners
	recorder  *storage.Recorder
	running   *host.Host
	web       *web.Server // nil without a web console
	site      *site.Site  // nil without a web console
	live      *weblive.Live
	events    *api.Events
	hooks     *webhook.Hooks
	metrics   *metrics.Metrics
	realms    *realm.Realms   // nil without realms
	fleet     *leases         // nil without a fleet
	others    *others         // nil without a fleet
	heart     heartbeat.Heart // beats with the game loop
	pulse     pulse
	access    *access.Store
	uploads   *uploads
	outside   *http.ServeMux // routes of web.public_listen
	ladders   *ladders
	upgrading
}

// stop stops a part of the host.
type stop struct {
	do   func() error
	last bool // games need the part until they end
}

// Run hosts games until ctx ends. It stops its parts in reverse order: games first, then the announcements, the game log
// last.
func Run(ctx context.Context, o Options) (err error) {
	// Go gets one processor more than the machine has. Long computations use fewer threads than
	// that, so the game loop always finds a free processor.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1))
	background.Prompt()
	d := &daemon{Options: o}
	d.ctx, d.stop = context.WithCancel(ctx)
	defer d.stop()
	defer func() { err = errors.Join(err, d.end(true)) }()
	for _, step := range []func() error{
		d.check, d.inherit, d.openMaps, d.standBy, d.openDatabase, d.openRecords, d.openLists, d.listen, d.openFleet, d.openReplays, d.openRouter, d.announce, d.openLive, d.openWeb,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	if err = d.serve(); err == nil && d.handing.Load() {
		err = d.handOver(ctx)
	}
	return err
}

// end stops the parts that were started, the last one first; if all is false, only those that games do not need.
func (d *daemon) end(all bool) (err error) {
	var left []stop
	for _, s := range slices.Backward(d.stops) {
		if s.last && !all {
			left = append(left, s)
		} else {
			err = errors.Join(err, s.do())
		}
	}
	slices.Reverse(left)
	d.stops = left
	return err
}

func (d *daemon) part(name string) zerolog.Logger { return d.Log.With().Str("part", name).Logger() }

// audit records what an operator did or was refused.
func (d *daemon) audit(a storage.AdminAction) { d.records.Record(a) }

// alongside runs a function on a goroutine until the host stops or end is called; end waits for it.
func (d *daemon) alongside(run func(context.Context)) (end func()) {
	ctx, stop := context.WithCancel(d.ctx)
	var running sync.WaitGroup
	running.Go(func() { run(ctx) })
	return func() {
		stop()
		running.Wait()
	}
}

// atEnd and atLast register the function that stops a part; atLast is for parts that running games need.
func (d *daemon) atEnd(do func() error)  { d.stops = append(d.stops, stop{do, false}) }
func (d *daemon) atLast(do func() error) { d.stops = append(d.stops, stop{do, true}) }

// noError adapts a function that cannot fail for atEnd and atLast.
func noError(do func()) func() error {
	return func() error {
		do()
		return nil
	}
}

// check checks the machine before anything is opened.
func (d *daemon) check() error {
	if most, limited := openfiles.Limit(); limited && most < enoughFiles {
		d.Log.Warn().Msgf("the limit of open files is %d, which allows about as many players; raise it with ulimit -n or LimitNOFILE", most)
	}
	d.Log.Info().Str("version", d.Version).Str("config", cmp.Or(absolute(d.Config.File), "no configuration file, defaults only")).Msg("w3host starts")
	d.host = hostOptions(d.Config, d.Version, d.Log)
	return checkFolders(d.Config)
}

// inherit receives the games that the previous process left with the supervisor, if there is one. If that is impossible,
// the host runs unprotected.
func (d *daemon) inherit() error {
	if d.NotHeld != nil {
		d.Log.Warn().Err(d.NotHeld).Msg("games cannot be handed over and end with this process")
	}
	d.host.Inherited = host.Inherit(d.Supervisor, d.Log)
	if d.Supervisor != nil && d.Supervisor.StandsBy() {
		go d.sayReady(d.host.Inherited.Moved) // ends when this process takes over, or with ctx
	}
	return nil
}

func (d *daemon) openMaps() error {
	maps, err := openMaps(d.ctx, d.Config, d.Config.MapCache(), d.Log)
	if err == nil {
		d.maps, d.host.Autohost.Open, d.host.Autohost.Expand = maps, maps.Open, maps.expand
		d.host.Inherited.OpenMap = host.Reopen(maps.Open)
	}
	return err
}

// openLists loads the bans and admins.
func (d *daemon) openLists() error {
	dir, _ := d.recorder.Dir()
	d.lists = newGuard(storage.NewAccessCache(d.db, storage.AccessCacheOptions{Dir: dir, Heart: &d.heart, Log: d.part("database"), Like: lobby.Likeness}), d.Config)
	d.atLast(noError(d.lists.Close))
	if !d.host.Inherited.HasPlayers() {
		d.lists.await(d.ctx, d.Log)
	}
	d.banLeavers()
	d.host.Bans, d.host.BansChanged, d.host.Admins, d.host.Country = d.lists, d.lists.BansChanged(), d.lists, d.lists.country
	if err := d.lists.useCountries(d.Config.Moderation); err != nil {
		d.Log.Error().Err(err).Msg("countries are not shown")
	}
	return nil
}

// listen opens the ports before lobbies are announced, because announcements contain them.
func (d *daemon) listen() (err error) {
	if d.listeners, err = takeover.Listen(d.Supervisor, d.Config.Host.Listen, returnListen(d.Config.Reconnect)); err != nil {
		return ListenFault(d.Config.Host.Listen, err)
	}
	d.atEnd(noError(d.listeners.Close))
	d.host.Listeners = d.listeners
	d.recorder.Listens(d.listeners.Addr().String())
	return nil
}

func (d *daemon) openReplays() error {
	c := d.Config.Replays
	if !c.Enabled {
		return nil
	}
	written, _ := d.host.Inherited.Files()
	replays, err := recording.Open(recording.Options{
		Dir: c.Dir, Name: c.Name, KeepFor: time.Duration(c.KeepDays) * 24 * time.Hour, KeepBytes: int64(c.KeepBytes),
		Exempt: d.exempt, GoOn: written, Heart: &d.heart, Log: d.part("replays"),
	})
	if err != nil {
		return fmt.Errorf("replays.dir = %q: %w", c.Dir, err)
	}
	d.atLast(noError(func() {
		if err := replays.Close(max(replaysTimeout, d.spare())); err != nil {
			d.Log.Warn().Err(err).Msg("some replays are incomplete")
		}
	}))
	d.host.Replays = replays
	return nil
}

// serve runs the host and executes the commands of all callers.
func (d *daemon) serve() error {
	c := d.Config
	d.host.Outside = func(game uint32, by *command.Caller, line string) { d.operator.FromGame(game, by, line) }
	d.host.Heart = &d.heart
	h, err := host.New(d.host)
	if err != nil {
		return err
	}
	d.running = h
	d.maps.watch(&d.heart)
	o := control.Options{
		Host: h, Maps: d.maps, Saves: d.savedGames(), Seen: d.seen, Reload: d.reload, Stop: d.stop, DrainLobbies: c.Host.Drain.D(), Upgrade: d.upgrade, Audit: d.audit,
		Log: d.part("control"), Trigger: c.Lobby.CommandTrigger, Contained: d.contained(), LAN: d.onLAN,
	}
	if d.realms != nil {
		o.Realms = d.realms
	}
	if d.fleet != nil {
		o.Fleet = d.fleet
	}
	d.operator = control.New(o)
	d.use(c)
	if d.onRealms != nil {
		go d.onRealms.run(d.ctx, d.operator) // ends with ctx
	}
	commanding := d.operator.Start(d.ctx, c.ControlSocket(), d.Console)
	defer func() { d.stop(); commanding.Wait() }()
	welcome(c, h.Addr(), d.maps, d.Log)
	if d.First != "" {
		go d.operator.CarryOut(d.ctx, "command line", d.First) // ends with ctx
	}
	go d.drain() // ends with ctx
	defer d.share()()
	defer d.reportToAgones()()
	go d.live.Run(d.ctx, d.running) // ends with ctx
	d.openAPI()
	endWeb := d.startWeb()
	defer func() { d.stop(); endWeb() }()
	if err := h.Serve(d.ctx); err != nil {
		return err
	}
	if d.handing.Load() {
		h.Retire()
		return nil
	}
	if err := h.Close(); err != nil {
		d.Log.Warn().Err(err).Msg("not everything could be shut down in time")
	}
	d.Log.Info().Msg("w3host has stopped")
	return nil
}

// contained reports whether the container ends with this process: it is the first one in it, or its supervisor is.
func (d *daemon) contained() bool {
	return os.Getpid() == 1 || d.Supervisor != nil && os.Getppid() == 1
}
