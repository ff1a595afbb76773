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

const holdHelp = `w3host hold hosts games as w3host serve does, in a process beside it: when that process
dies, by a fault or because the system ends it, another one is started at once, and the games
that were played go on. Flags and configuration are those of serve.

Signals are passed on: SIGTERM stops the host, SIGHUP has it read its configuration again.
SIGUSR2, as w3host ctl upgrade, has the program that was installed meanwhile go on. The exit
code is that of the host.`

// holdCommand runs serve in a process of its own.
func holdCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "hold", Short: "host games that outlive the host: it is started again when it dies", Long: holdHelp, Args: noArgs,
	}
	var o serveOptions // the same flags; the host reads them
	o.addTo(cmd)
	pidFile := cmd.Flags().String("pid-file", "", "`FILE` that has the process number of the host, for w3host bots --kill")
	vault := cmd.Flags().String("vault", "", "`SOCKET` of w3host vault, so that games outlive this process, too")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		path, err := os.Executable()
		if err != nil {
			return err
		}
		signals := make(chan os.Signal, 8)
		signal.Notify(signals, holderSignals...)
		signal.Notify(make(chan os.Signal, 1), os.Interrupt) // the host has it from the terminal, too, and asks
		typing, _ := term.GetState(int(os.Stdin.Fd()))       // a host that dies leaves the terminal as its console had it
		debug.SetGCPercent(20)
		debug.FreeOSMemory() // this process does next to nothing for weeks
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
				if *pidFile == "" {
					return nil
				}
				return writePID(*pidFile, pid)
			},
			Vault: *vault,
			Log:   holderLog(cmd),
		})
		if err != nil {
			return unsupported(err)
		}
		return exit(code)
	}
	return cmd
}

// writePID writes a process number into a file, of which nobody reads a part. It does not wait
// for the disk, since the holder calls it while games stand still.
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

// unsupported makes a usage error of a system that cannot hold games.
func unsupported(err error) error {
	if errors.Is(err, hold.ErrUnsupported) {
		return usageError{err}
	}
	return err
}

func holderLog(cmd *cobra.Command) func(string, ...any) {
	return func(format string, args ...any) {
		fmt.Fprintf(cmd.ErrOrStderr(), cmd.CommandPath()+": "+format+"\n", args...)
	}
}

const vaultHelp = `w3host vault keeps copies of what w3host hold --vault SOCKET holds. When that holder has
ended, and its host, the next one that comes to the socket gets everything, and the games go on.
It is for containers, where a new image makes a new one: the vault has a container of its own, with
the ports (compose.vault.yaml). Under systemd nobody needs it. What no holder comes for
within a minute is closed.`

// vaultCommand keeps copies of the things that holders hold.
func vaultCommand() *cobra.Command {
	return &cobra.Command{
		Use: "vault SOCKET", Short: "keep running games for a w3host hold that is replaced", Long: vaultHelp,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{errors.New("name the path of a socket, and nothing else")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return unsupported(hold.ServeVault(cmd.Context(), args[0], holderLog(cmd)))
		},
	}
}
