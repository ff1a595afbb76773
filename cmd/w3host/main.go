// Command w3host hosts Warcraft III games without a player's PC.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
)

// Exit codes: 0 done, 1 it failed, 2 it was asked wrongly.
const (
	exitOK = iota
	exitFailed
	exitUsage
)

// subcommand is one of them. Its function prints its own errors.
type subcommand struct {
	name, summary string
	run           func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int
}

// commands lists them in the order of the help.
func commands() []subcommand {
	return []subcommand{
		{"serve", "host games (this is what w3host does without a command)", serveCommand},
		{"ctl", "give a command to the host on this machine", noInput(ctlCommand)},
		{"map", "show what a map file is, list and verify folders of maps", noInput(mapCommand)},
		{"replay", "read, check, repair and draw recorded games", noInput(replayCommand)},
		{"bots", "play games with simulated players, and measure them", noInput(botsCommand)},
		{"games", "list the games of the log", gamesCommand},
		{"game", "tell all that the log knows about one game", gameCommand},
		{"stats", "tell what the log knows about a player", statsCommand},
		{"ratings", "list the strongest players, or rate all games anew", ratingsCommand},
		{"ban", "keep a name, an address or a network out", banCommand},
		{"unban", "end a ban", unbanCommand},
		{"bans", "list the bans", bansCommand},
		{"admin", "add, remove and list those who may command", adminCommand},
		{"prune", "remove what is older than the configuration keeps it", pruneCommand},
		{"forget", "replace the name of a player by a token, everywhere", forgetCommand},
		{"migrate", "move the schema of the database, or show where it is", migrateCommand},
		{"lan", "list the games of the local network, or show them elsewhere", noInput(lanCommand)},
		{"doctor", "check the configuration, maps, ports and more, with a remedy for each fault", noInput(doctorCommand)},
		{"hosts", "list the hosts that share the database", hostsCommand},
		{"spool", "show and mend the records that wait for the database", spoolCommand},
		{"health", "ask the host on this machine for a sign of life", noInput(healthCommand)},
		{"version", "print the version of this program", versionCommand},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run finds the subcommand. Flags without one are for serve.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	name := "serve"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	if name == "help" || len(args) > 0 && name == "serve" && (args[0] == "-h" || args[0] == "--help" || args[0] == "-help") {
		usage(stdout)
		return exitOK
	}
	for _, c := range commands() {
		if c.name == name {
			return c.run(ctx, args, stdin, stdout, stderr)
		}
	}
	fmt.Fprintf(stderr, "w3host: there is no command %q\n\n", name)
	usage(stderr)
	return exitUsage
}

func usage(w io.Writer) {
	fmt.Fprint(w, "w3host hosts Warcraft III games.\n\nUsage: w3host [command] [flags]\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-8s %s\n", c.name, c.summary)
	}
	fmt.Fprint(w, "\nw3host COMMAND --help shows a command's flags. Flags of serve:\n")
	serveFlags(new(serveOptions)).printTo(w)
}

func versionCommand(_ context.Context, _ []string, _ io.Reader, stdout, _ io.Writer) int {
	fmt.Fprintln(stdout, "w3host", programVersion())
	return exitOK
}

// version is set by a build that knows better than the toolchain what it
// builds: -ldflags "-X main.version=v1.2.3".
var version string

// programVersion is the module's version as the Go toolchain recorded it.
func programVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(development)"
	}
	return info.Main.Version
}

// noInput adapts the commands that read nothing.
func noInput(run func(ctx context.Context, args []string, stdout, stderr io.Writer) int) func(context.Context, []string, io.Reader, io.Writer, io.Writer) int {
	return func(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
		return run(ctx, args, stdout, stderr)
	}
}
