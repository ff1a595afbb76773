package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"w3host/hold"
)

// superviseOptions are the flags of serve that concern the supervisor.
type superviseOptions struct {
	on      bool
	pidFile string
	fdstore string
}

func (s *superviseOptions) addTo(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.BoolVar(&s.on, "supervise", false, "run the host in a child process and restart it when it dies; running games continue")
	fs.StringVar(&s.pidFile, "pid-file", "", "with --supervise: write the process id of the host to this `FILE`, for w3host bots --kill")
	fs.StringVar(&s.fdstore, "fdstore", "", "with --supervise: `SOCKET` of w3host fdstore, so that games survive the end of the supervisor as well")
}

// check reports flags that do not fit together.
func (s *superviseOptions) check(o *serveOptions) error {
	switch {
	case !s.on && s.pidFile != "":
		return errors.New("--pid-file needs --supervise")
	case !s.on && s.fdstore != "":
		return errors.New("--fdstore needs --supervise")
	case s.on && o.first != "":
		return errors.New("--supervise cannot host a saved game, because each restart would open its lobby again; start the host and use w3host ctl hostsave")
	}
	return nil
}

// supervise runs serve in a child process with the flags of o, restarts it after a crash, and returns when it has ended
// by itself or by a signal.
func supervise(cmd *cobra.Command, o *serveOptions, s *superviseOptions) error {
	path, err := os.Executable()
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, supervisorSignals...)
	signal.Notify(make(chan os.Signal, 1), os.Interrupt) // ignored here: the host gets Ctrl-C from the terminal as well and asks for confirmation
	typing, _ := term.GetState(int(os.Stdin.Fd()))       // a crashed host leaves the terminal in raw mode
	debug.SetGCPercent(20)
	debug.FreeOSMemory() // this process is idle for weeks
	code, err := hold.Serve(hold.Options{
		Program: path,
		Signals: signals,
		Command: func(program string) *exec.Cmd {
			host := exec.Command(program, append([]string{"serve"}, o.args()...)...)
			host.Args[0] = os.Args[0]
			host.Stdin, host.Stdout, host.Stderr = os.Stdin, cmd.OutOrStdout(), cmd.ErrOrStderr()
			return host
		},
		Ended: func() {
			if typing != nil {
				_ = term.Restore(int(os.Stdin.Fd()), typing)
			}
		},
		Started: func(pid int) error {
			if s.pidFile == "" {
				return nil
			}
			return writePID(s.pidFile, pid)
		},
		FDStore: s.fdstore,
		Log:     supervisorLog(cmd, "w3host serve --supervise"),
	})
	if err != nil {
		return unsupported(err)
	}
	return exit(code)
}

// writePID replaces a file with the process id. It renames a complete file, so that readers never see a part of it, and
// does not sync to disk, because games wait for it.
func writePID(name string, pid int) error {
	beside := name + ".new"
	err := os.WriteFile(beside, fmt.Appendln(nil, pid), 0o644)
	if err == nil {
		err = os.Rename(beside, name)
	}
	if err != nil {
		_ = os.Remove(beside)
	}
	return err
}

// unsupported turns hold.ErrUnsupported into a usage error.
func unsupported(err error) error {
	if errors.Is(err, hold.ErrUnsupported) {
		return usageError{err}
	}
	return err
}

// supervisorLog returns a function that prints a log line, headed by the command, to the error output.
func supervisorLog(cmd *cobra.Command, command string) func(string, ...any) {
	return func(format string, args ...any) {
		fmt.Fprintf(cmd.ErrOrStderr(), command+": "+format+"\n", args...)
	}
}
