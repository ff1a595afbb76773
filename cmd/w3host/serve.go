package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/hashicorp/go-multierror"
	"github.com/spf13/cobra"

	"w3host/config"
	"w3host/control"
	"w3host/daemon"
	"w3host/daemon/doctor"
	"w3host/daemon/logging"
	"w3host/hold"
	"w3host/storage"
)

// serveCommand is `w3host serve`, which is also what w3host does without a command.
func serveCommand() *cobra.Command {
	var o serveOptions
	var s superviseOptions
	cmd := &cobra.Command{
		Use: "serve [SAVE.w3z]", Short: "host games (the default command)", Args: orSave(noArgs),
		Long: `w3host serve hosts games until it is stopped. All settings without a flag are in the
configuration file; config.toml.example explains every key. With a saved game as argument it also
opens a lobby for it; docs/savedgames.md explains how the host knows its players.

With --supervise the host runs in a child process: if that process crashes or is killed,
another one starts at once, and running games continue. Signals are passed on: SIGTERM stops
the host, SIGHUP reloads its configuration. SIGUSR2, like w3host ctl upgrade, switches to a
newly installed program without ending games. The exit code is that of the host.`,
		SuggestFor: []string{"hold", "supervise"},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.first, err = o.saveCommand(args); err != nil {
				return usageError{err}
			}
			if err := s.check(&o); err != nil {
				return usageError{err}
			}
			if s.on && !o.check {
				return supervise(cmd, &o, &s)
			}
			return runServe(cmd, &o)
		},
	}
	o.addTo(cmd)
	s.addTo(cmd)
	o.addSave(cmd)
	return cmd
}

// runServe runs a host until the command's context is cancelled. With host.on_stop = "drain" it then waits for running
// games, unless a second SIGTERM arrives.
func runServe(cmd *cobra.Command, o *serveOptions) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50) // saves a fifth of the memory; see docs/benchmarks.md
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(cmd.Context()))
	defer stop()
	stderr := cmd.ErrOrStderr()
	c, faults := o.load()
	drain := make(chan struct{})
	context.AfterFunc(cmd.Context(), func() { // this goroutine ends with the process at the latest
		if c.Host.OnStop != "drain" {
			stop()
			return
		}
		again, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		context.AfterFunc(again, stop)
		close(drain)
	})
	if faults.ErrorOrNil() != nil {
		fmt.Fprintln(stderr, "w3host cannot start:")
		for _, fault := range faults.WrappedErrors() {
			fmt.Fprintln(stderr, "  -", fault)
		}
		return exitCode(exitUsage)
	}
	if o.check {
		cmd.Println("The configuration has no faults. Use w3host doctor to check the machine as well.")
		return nil
	}
	supervisor, notHeld := hold.Open()
	console := control.OpenConsole(ctx, cmd.InOrStdin(), stderr, control.ConsoleOptions{
		Commands: c.Control.Console && !(supervisor != nil && supervisor.StandsBy()), // the terminal belongs to the active process
		Edit:     !c.Log.JSON, Stop: stop,
	})
	defer console.Close()
	log, flush := logging.NewQueued(c.Log, console.Log)
	defer flush()
	read := func() (config.Config, error) {
		c, faults := o.load()
		return c, faults.ErrorOrNil()
	}
	if err := daemon.Run(ctx, daemon.Options{Config: c, Read: read, Version: programVersion(), Console: console, Supervisor: supervisor, NotHeld: notHeld, First: o.first, Drain: drain, Log: log, Examine: checkups}); err != nil {
		for _, fault := range flatten(err) {
			log.Error().Msg(fault.Error())
		}
		_, noMap := errors.AsType[daemon.NoMap](err)
		switch { // exit codes for faults that a restart cannot cure
		case errors.Is(err, storage.ErrBadURL):
			return exitCode(exitUsage)
		case noMap:
			return exitCode(exitNoMap)
		}
		return exitCode(exitFailed)
	}
	return nil
}

// checkups runs the checks of w3host doctor, without the realm logon, for the web console.
func checkups(ctx context.Context, c config.Config, report func(what, detail, remedy string)) error {
	return doctor.Examine(ctx, c, false, func(f doctor.Finding) { report(f.What, f.Detail, f.Remedy) })
}

// flatten returns the parts of joined errors, so that each gets its own log line.
func flatten(err error) []error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		return all.Unwrap()
	}
	return []error{err}
}

// readConfig loads the configuration for every command: environment variables override the file, which is the one given,
// that of W3HOST_CONFIG, or config.toml in the current folder.
func readConfig(file string) (config.Config, *multierror.Error) {
	c, err := config.Load(config.Find(cmp.Or(file, os.Getenv(config.EnvPrefix+"CONFIG"))), os.Environ())
	faults := multierror.Append(nil, err)
	faults.ErrorFormat = func(all []error) string { // on one line, for commands that print one-line errors
		return strings.Join(mapped(all, error.Error), "; ")
	}
	return c, faults
}

// settings is readConfig with the faults returned as one usage error.
func settings(file string) (config.Config, error) {
	c, faults := readConfig(file)
	if err := faults.ErrorOrNil(); err != nil {
		return c, usageError{err}
	}
	return c, nil
}
