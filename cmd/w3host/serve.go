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

// serveCommand is "w3host serve", and w3host without a command.
func serveCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use: "serve [SAVE.w3z]", Aliases: []string{"host"}, Short: "host games (this is what w3host does without a command)", Args: orSave(noArgs),
		Long: `w3host serve hosts games until it is told to stop. Everything that is not a flag here is
in the configuration; config.toml.example explains every key. With a saved game it also opens the
lobby of that game; docs/savedgames.md says how it knows who played.`,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.first, err = o.saveCommand(args); err != nil {
				return usageError{err}
			}
			return runServe(cmd, &o)
		},
	}
	o.addTo(cmd)
	o.addSave(cmd)
	return cmd
}

// runServe hosts games until the command's context ends.
func runServe(cmd *cobra.Command, o *serveOptions) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50) // a fifth less memory; see docs/benchmarks.md
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(cmd.Context()))
	defer stop()
	stderr := cmd.ErrOrStderr()
	c, faults := o.load()
	drain := make(chan struct{})
	context.AfterFunc(cmd.Context(), func() { // ends with the program, at the latest
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
		cmd.Println("The configuration has no faults. w3host doctor looks at the machine, too.")
		return nil
	}
	shelf, notHeld := hold.Open()
	console := control.OpenConsole(ctx, cmd.InOrStdin(), stderr, control.ConsoleOptions{
		Commands: c.Control.Console && !(shelf != nil && shelf.StandsBy()), // the terminal is the other process's
		Edit:     !c.Log.JSON, Stop: stop,
	})
	defer console.Close()
	log, flush := logging.NewQueued(c.Log, console.Log)
	defer flush()
	read := func() (config.Config, error) {
		c, faults := o.load()
		return c, faults.ErrorOrNil()
	}
	if err := daemon.Run(ctx, daemon.Options{Config: c, Read: read, Version: programVersion(), Console: console, Shelf: shelf, NotHeld: notHeld, First: o.first, Drain: drain, Log: log, Examine: checkups}); err != nil {
		for _, fault := range flatten(err) {
			log.Error().Msg(fault.Error())
		}
		_, noMap := errors.AsType[daemon.NoMap](err)
		switch { // trying again is of no use
		case errors.Is(err, storage.ErrBadURL):
			return exitCode(exitUsage)
		case noMap:
			return exitCode(exitNoMap)
		}
		return exitCode(exitFailed)
	}
	return nil
}

// checkups are the checks of w3host doctor, without a logon to realms, for the window.
func checkups(ctx context.Context, c config.Config, report func(what, detail, remedy string)) error {
	return doctor.Examine(ctx, c, false, func(f doctor.Finding) { report(f.What, f.Detail, f.Remedy) })
}

// flatten takes joined errors apart: each has its line.
func flatten(err error) []error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		return all.Unwrap()
	}
	return []error{err}
}

// readConfig is the configuration of every command: the file that is named, or that
// W3HOST_CONFIG names, or config.toml in the current folder, under the environment.
func readConfig(file string) (config.Config, *multierror.Error) {
	c, err := config.Load(config.Find(cmp.Or(file, os.Getenv(config.EnvPrefix+"CONFIG"))), os.Environ())
	faults := multierror.Append(nil, err)
	faults.ErrorFormat = func(all []error) string { // one line, for commands with a line of error
		return strings.Join(mapped(all, error.Error), "; ")
	}
	return c, faults
}

// settings is readConfig for commands that need but a key or two.
func settings(file string) (config.Config, error) {
	c, faults := readConfig(file)
	if err := faults.ErrorOrNil(); err != nil {
		return c, usageError{err}
	}
	return c, nil
}
