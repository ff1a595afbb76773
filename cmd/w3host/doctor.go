package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"w3host/config"
	"w3host/w3gs"
)

const doctorHelp = `w3host doctor checks whether a host can do its work here, and says what to do
about each fault. It changes nothing; a host may run meanwhile.

The exit code is 0 when all is well, 1 when there is a fault, 2 when the flags make
no sense.`

// doctorPatience is for each check that waits for something.
const doctorPatience = 3 * time.Second

// finding is the outcome of one check.
type finding struct {
	what   string
	detail string // what was found
	remedy string // what to do about it; a finding with a remedy is a fault
}

func fine(what, format string, args ...any) finding {
	return finding{what: what, detail: fmt.Sprintf(format, args...)}
}

func (f finding) but(remedy string, args ...any) finding {
	f.remedy = fmt.Sprintf(remedy, args...)
	return f
}

// doctorChecks are made one after the other, in the order in which a host needs
// what they are about.
func doctorChecks(c config.Config) []func(context.Context, config.Config) finding {
	list := []func(context.Context, config.Config) finding{checkClock, checkFiles, checkScripts}
	for _, e := range c.Entries() {
		list = append(list, checkMaps(e))
	}
	list = append(list, checkMapsFolder, checkListen, checkLANPort, checkBroadcasts, checkDatabase, checkSpool)
	for _, r := range c.Realms {
		list = append(list, checkRealm(r))
	}
	return list
}

// doctorCommand is "w3host doctor".
func doctorCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use: "doctor", Short: "check the configuration, maps, ports and more, with a remedy for each fault", Long: doctorHelp, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return examine(cmd.Context(), &o, cmd.OutOrStdout()) },
	}
	o.addTo(cmd)
	return cmd
}

func examine(ctx context.Context, o *serveOptions, stdout io.Writer) error {
	code := exitOK
	tell := func(f finding) {
		if f.remedy == "" {
			fmt.Fprintf(stdout, "✓ %s: %s\n", f.what, printable(f.detail))
			return
		}
		code = exitFailed
		fmt.Fprintf(stdout, "✗ %s: %s\n    → %s\n", f.what, printable(f.detail), printable(f.remedy))
	}
	c, findings := checkConfig(o)
	for _, f := range findings {
		tell(f)
	}
	for _, check := range doctorChecks(c) {
		if ctx.Err() != nil {
			return exitCode(exitFailed)
		}
		limited, stop := context.WithTimeout(ctx, doctorPatience)
		tell(check(limited, c))
		stop()
	}
	return exit(code)
}

// checkConfig reads the configuration as serve does. Each of its faults is a
// finding; the other checks go on with what could be read.
func checkConfig(o *serveOptions) (config.Config, []finding) {
	const what = "configuration"
	c, faults := o.load()
	var findings []finding
	for _, err := range faults.WrappedErrors() {
		findings = append(findings, fine(what, "%v", err).but("correct it; config.toml.example explains every key"))
	}
	if len(findings) == 0 {
		where := "defaults and environment"
		if o.configFile != "" {
			where = o.configFile
		}
		findings = append(findings, fine(what, "%s", where))
	}
	return c, findings
}

// checkClock finds a clock that was never set, or that jumps: stored times and
// bans with an end depend on it.
func checkClock(context.Context, config.Config) finding {
	const what, remedy = "clock", "set it, and let NTP keep it (timedatectl set-ntp true)"
	now := time.Now()
	if now.Year() < 2025 || now.Year() > 2100 {
		return fine(what, "it is %s here", now.Format(time.DateTime)).but(remedy)
	}
	time.Sleep(50 * time.Millisecond)
	then := time.Now()
	if jump := then.Round(0).Sub(now.Round(0)) - then.Sub(now); jump.Abs() > time.Second {
		return fine(what, "it jumped by %v within %v", jump, then.Sub(now)).but(remedy)
	}
	return fine(what, "%s", now.Format("2006-01-02 15:04:05 MST"))
}

// checkFiles compares the limit of open files with what the configured games
// need: a file for each player, and some.
func checkFiles(_ context.Context, c config.Config) finding {
	const what = "open files"
	slots := w3gs.Version(c.Host.Version).Slots()
	need := uint64((c.Autohost.MaxGames+c.Autohost.Lobbies)*slots + c.Limits.Unjoined + 100)
	most, known := mostFiles()
	if !known {
		return fine(what, "this system has no limit for them")
	}
	if most < need {
		return fine(what, "%d are allowed; %d games, %d lobbies and %d visitors can need %d", most, c.Autohost.MaxGames, c.Autohost.Lobbies, c.Limits.Unjoined, need).
			but("ulimit -n %d, or LimitNOFILE=%d in the systemd unit, or a lower autohost.max_games", need, need)
	}
	return fine(what, "%d are allowed, %d can be needed", most, need)
}
