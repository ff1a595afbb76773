package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"w3host/config"
	"w3host/internal/nearest"
	"w3host/internal/terminal"
)

// Exit codes, documented in the help of w3host.
const (
	exitOK = iota
	exitFailed
	exitUsage

	exitNoMap = 78 // EX_CONFIG of sysexits.h: tells systemd not to restart
)

// usageError marks a fault of the command line or the configuration, which exits with code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// exitCode ends a command that has printed its own error.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// exit converts an exit code to an error: nil for exitOK.
func exit(code int) error {
	if code == exitOK {
		return nil
	}
	return exitCode(code)
}

// report prints the error of a command on one line and returns the exit code.
func report(cmd *cobra.Command, err error) int {
	code, isCode := errors.AsType[exitCode](err)
	_, isUsage := errors.AsType[usageError](err)
	switch {
	case err == nil:
		return exitOK
	case isCode:
		return int(code)
	case isUsage:
		help := strings.Replace(cmd.CommandPath(), "w3host", terminal.Program, 1) + " --help"
		complain(cmd, fmt.Errorf("%w (see %s)", err, help))
		return exitUsage
	}
	complain(cmd, err)
	return exitFailed
}

// complain prints an error. It escapes control characters, since the text may contain file names or players' names.
func complain(cmd *cobra.Command, err error) {
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", cmd.CommandPath(), terminal.Printable(err.Error()))
}

func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("unexpected argument %q", args[0])}
	}
	return nil
}

// noCommand rejects arguments of the root command: each of them is an unknown command.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("unknown command %q", args[0])
	if meant := suggested(cmd, args[0]); meant != "" {
		err = fmt.Errorf("%w; did you mean %s?", err, meant)
	}
	return usageError{err}
}

// suggested returns the command below cmd that a reader of word most likely means, such as "db prune" for "prune", or "".
// An exact name of a sub-command beats a similar name of a command.
func suggested(cmd *cobra.Command, word string) string {
	for _, noun := range cmd.Commands() {
		for _, verb := range append(noun.Commands(), noun) {
			if verb.IsAvailableCommand() && (verb.Name() == word || slices.Contains(verb.SuggestFor, word)) {
				return strings.TrimPrefix(verb.CommandPath(), cmd.Name()+" ")
			}
		}
	}
	near := cmd.SuggestionsFor(word)
	return cmp.Or(nearest.Word(word, near), strings.Join(near[:min(1, len(near))], ""))
}

// group turns cmd into a parent command that requires one of the sub-commands in verbs.
func group(cmd *cobra.Command, verbs ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(verbs...)
	cmd.Use, cmd.DisableFlagsInUseLine = cmd.Name()+" COMMAND", true
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return noVerb(cmd, args[0])
		}
		return nil
	}
	cmd.RunE = func(*cobra.Command, []string) error { return cmd.Help() }
	return cmd
}

func noVerb(cmd *cobra.Command, word string) error {
	names := mapped(cmd.Commands(), (*cobra.Command).Name)
	last := len(names) - 1
	return usageError{fmt.Errorf("unknown command %q: use %s or %s", word, strings.Join(names[:last], ", "), names[last])}
}

// flagFault rewrites a flag error of pflag: it names the flag and what to write instead.
func flagFault(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if words := cmd.Flags().Args(); !cmd.HasParent() && len(words) > 0 { // the command is unknown, so its flags are, too
			return noCommand(cmd, words)
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		name, dash := unknown.GetSpecifiedName(), "--"
		if short := unknown.GetSpecifiedShortnames(); short != "" { // a misspelled single-dash flag such as -listen
			name, dash = short, "-"
		}
		if near := nearest.Word(name, names); near != "" {
			return fmt.Errorf("unknown flag %s%s; did you mean --%s?", dash, name, near)
		}
		return fmt.Errorf("unknown flag %s%s", dash, name)
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return fmt.Errorf("--%s needs a value", missing.GetFlag().Name)
	}
	bad, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	reason := bad.Unwrap()
	if bad.GetFlag().Value.Type() == "uint32" && errors.Is(reason, strconv.ErrRange) {
		reason = fmt.Errorf("the maximum is %d", uint32(math.MaxUint32))
	} else if text, ok := map[string]string{
		"bool": "write true or false", "int": "write a whole number", "uint32": "write a whole number, 0 or more",
		"float64": "write a number", "duration": "write a time such as 500ms, 30s or 5m",
	}[bad.GetFlag().Value.Type()]; ok {
		reason = errors.New(text)
	}
	return fmt.Errorf("--%s=%s: %w", bad.GetFlag().Name, bad.GetValue(), reason)
}

// sets adds the environment variable of the configuration key to the help of the flag that overrides it.
func sets(fs *pflag.FlagSet, name, key string) {
	fs.Lookup(name).Usage += " [" + config.EnvName(key) + "]"
}

func configFlag(fs *pflag.FlagSet, file *string) {
	fs.StringVar(file, "config", "", "configuration `FILE`; otherwise config.toml in the current folder, if it is there; see config.toml.example ["+config.EnvPrefix+"CONFIG]")
	_ = cobra.MarkFlagFilename(fs, "config", "toml") // MarkFlagFilename fails only for unknown flags
}

// completeFiles completes arguments with the names of files that have one of these extensions.
func completeFiles(extensions ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return extensions, cobra.ShellCompDirectiveFilterFileExt
	}
}

func completeFolders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}
