// Command w3host hosts Warcraft III games without a player's PC.
//
// This package is the command line: it parses flags, loads the configuration and calls the packages that do the work,
// such as daemon for serve, hold for the supervisor, control for ctl and top, and storage for the database commands.
// main.go has the list of commands; each has a file named after it. The package contains no game logic.
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

const rootHelp = `w3host hosts Warcraft III games. Without a command it runs serve.

A flag overrides its environment variable, shown in brackets in the list of flags;
the variable overrides the configuration file.

Exit codes: 0 success; 1 failure or refused command; 2 wrong arguments, flags or
configuration; 78 no map to host. Commands with other exit codes say so.`

// Settings of cobra that apply to the whole process.
func init() {
	cobra.EnableCommandSorting = false
	cobra.MousetrapHelpText = "" // a double click on Windows starts a host
}

// rootCommand builds the command tree.
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
	add("host", "Hosting:", serveCommand(), fdstoreCommand(), ctlCommand(), topCommand(), lanCommand(), botsCommand(), doctorCommand(), healthCommand(), webCommand())
	add("files", "Files:", mapCommand(), replayCommand(), saveCommand())
	add("log", "Game log:", gameCommand(), playerCommand(), dbCommand())
	add("people", "Bans and admins:", banCommand(), adminCommand())
	root.AddCommand(versionCommand())
	inOrder(root)
	return root
}

// inOrder makes help list the flags of cmd and its sub-commands in the order in which they were added.
func inOrder(cmd *cobra.Command) {
	cmd.Flags().SortFlags, cmd.PersistentFlags().SortFlags = false, false
	for _, sub := range cmd.Commands() {
		inOrder(sub)
	}
}

// endByInterrupt cancels the context of a command on Ctrl-C; a second Ctrl-C ends the program. serve is excluded:
// control.Console asks for confirmation first.
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

// version can be set at build time with -ldflags "-X main.version=v1.2.3".
var version string

// programVersion returns version, or the module version that the Go toolchain recorded.
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
