// Command w3host hosts Warcraft III games without a player's PC.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run executes a command line and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := rootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	return report(cmd, err)
}

const rootHelp = `w3host hosts Warcraft III games. Without a command it does what serve does.

A flag comes before its environment variable, which is in brackets in the lists of
flags; the variable comes before the configuration file.

Exit codes: 0 when it was done; 1 when it failed or was refused; 2 when it was asked
wrongly, by an argument, a flag or the configuration; 78 when a host has no map to host.
Commands that differ say so.`

// Settings of cobra that hold for the whole process.
func init() {
	cobra.EnableCommandSorting = false
	cobra.MousetrapHelpText = "" // a double click on Windows starts a host
}

// rootCommand builds the tree of commands.
func rootCommand() *cobra.Command {
	root := serveCommand()
	root.Use, root.Short, root.Long, root.Args = "w3host", "a headless Warcraft III game host", rootHelp, orSave(noCommand)
	root.Version = programVersion()
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SilenceErrors, root.SilenceUsage, root.SuggestionsMinimumDistance = true, true, 2
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError{flagFault(cmd, err)} })
	root.PersistentPreRun = endByInterrupt
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	add := func(group, title string, commands ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: group, Title: title})
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("host", "Hosting:", serveCommand(), holdCommand(), vaultCommand(), ctlCommand(), topCommand(), lanCommand(), playCommand(), botsCommand(), doctorCommand(), healthCommand(), webCommand())
	add("files", "Files:", mapCommand(), replayCommand(), saveCommand(), watchCommand())
	add("log", "The game log:", gamesCommand(), gameCommand(), evidenceCommand(), statsCommand(), ratingsCommand(), hostsCommand())
	add("people", "Bans and admins:", banCommand(), unbanCommand(), bansCommand(), adminCommand())
	add("care", "Care of the database:", migrateCommand(), dbCommand(), spoolCommand(), pruneCommand(), forgetCommand())
	root.AddCommand(versionCommand())
	inOrder(root)
	return root
}

// inOrder has help list the flags of all commands in the order in which they were added.
func inOrder(cmd *cobra.Command) {
	cmd.Flags().SortFlags, cmd.PersistentFlags().SortFlags = false, false
	for _, sub := range cmd.Commands() {
		inOrder(sub)
	}
}

// endByInterrupt ends a command by Ctrl-C; the second one ends the program. A host asks
// first, see control.Console.
func endByInterrupt(cmd *cobra.Command, _ []string) {
	if !cmd.HasParent() || cmd.Name() == "serve" {
		return
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
	context.AfterFunc(ctx, stop)
	cmd.SetContext(ctx)
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version of this program", Args: noArgs,
		Run: func(cmd *cobra.Command, _ []string) { cmd.Printf("w3host %s\n", programVersion()) },
	}
}

// version may be set by a build: -ldflags "-X main.version=v1.2.3".
var version string

// programVersion is version, or else the module's version that the Go toolchain
// recorded.
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
