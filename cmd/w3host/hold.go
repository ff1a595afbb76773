package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"w3host/hold"
)

const holdHelp = `w3host hold hosts games as w3host serve does, in a process beside it: when that process
dies, by a fault or because the system ends it, another one is started at once, and the games
that were played go on. Flags and configuration are those of serve.

Signals are passed on: SIGTERM stops the host, SIGHUP has it read its configuration again.
The exit code is that of the host.`

// holdCommand runs serve in a process of its own.
func holdCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "hold", Short: "host games that outlive the host: it is started again when it dies", Long: holdHelp, Args: noArgs,
	}
	var o serveOptions // the same flags; the host reads them
	o.addTo(cmd)
	pidFile := cmd.Flags().String("pid-file", "", "`FILE` that has the process number of the host, for w3host bots --kill")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		signals := make(chan os.Signal, 8)
		signal.Notify(signals, syscall.SIGTERM, syscall.SIGHUP)
		signal.Notify(make(chan os.Signal, 1), os.Interrupt) // the host has it from the terminal, too, and asks
		typing, _ := term.GetState(int(os.Stdin.Fd()))       // a host that dies leaves the terminal as its console had it
		debug.SetGCPercent(20)
		debug.FreeOSMemory() // this process does next to nothing for weeks
		code, err := hold.Serve(hold.Options{
			Signals: signals,
			Command: func(program string) *exec.Cmd {
				if typing != nil {
					_ = term.Restore(int(os.Stdin.Fd()), typing)
				}
				host := exec.Command(program, append([]string{"serve"}, o.args()...)...)
				host.Args[0] = os.Args[0]
				host.Stdin, host.Stdout, host.Stderr = os.Stdin, cmd.OutOrStdout(), cmd.ErrOrStderr()
				return host
			},
			Started: func(pid int) error {
				if *pidFile == "" {
					return nil
				}
				return os.WriteFile(*pidFile, fmt.Appendln(nil, pid), 0o644)
			},
			Log: func(format string, args ...any) { fmt.Fprintf(cmd.ErrOrStderr(), "w3host hold: "+format+"\n", args...) },
		})
		if errors.Is(err, hold.ErrUnsupported) {
			return usageError{err}
		}
		if err != nil {
			return err
		}
		if code != exitOK {
			return exitCode(code)
		}
		return nil
	}
	return cmd
}
