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

const holdHelp = `w3host hold runs w3host serve in a child process and supervises it: if that process
crashes or is killed, it starts another one at once, and running games continue. Flags and
configuration are those of serve.

Signals are passed on: SIGTERM stops the host, SIGHUP reloads its configuration. SIGUSR2,
like w3host ctl upgrade, switches to a newly installed program without ending games. The
exit code is that of the host.`

// holdCommand is the supervisor: it runs serve in a child process and restarts it after a crash.
func holdCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "hold", Short: "supervise a host: restart it when it dies, without losing games", Long: holdHelp, Args: noArgs,
	}
	var o serveOptions // passed on to the host process
	o.addTo(cmd)
	pidFile := cmd.Flags().String("pid-file", "", "write the process id of the host to this `FILE`, for w3host bots --kill")
	vault := cmd.Flags().String("vault", "", "`SOCKET` of w3host vault, so that games survive the end of this process as well")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		path, err := os.Executable()
		if err != nil {
			return err
		}
		signals := make(chan os.Signal, 8)
		signal.Notify(signals, holderSignals...)
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

func holderLog(cmd *cobra.Command) func(string, ...any) {
	return func(format string, args ...any) {
		fmt.Fprintf(cmd.ErrOrStderr(), cmd.CommandPath()+": "+format+"\n", args...)
	}
}

const vaultHelp = `w3host vault keeps copies of the connections and games of w3host hold --vault SOCKET. When
that supervisor and its host have ended, the next supervisor that connects to the socket gets
them, and the games continue. It is for containers, where an update replaces the container:
the vault runs in a container of its own, together with the ports (compose.vault.yaml). It is
not needed under systemd. The vault closes connections that no supervisor claims within a
minute.`

// vaultCommand runs the vault, which keeps copies of the file descriptors and state of a supervisor.
func vaultCommand() *cobra.Command {
	return &cobra.Command{
		Use: "vault SOCKET", Short: "keep running games while a w3host hold is replaced", Long: vaultHelp,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{errors.New("the only argument is the path of the socket")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return unsupported(hold.ServeVault(cmd.Context(), args[0], holderLog(cmd)))
		},
	}
}
