package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"w3host/formats/replay"
	"w3host/formats/savedgame"
	"w3host/formats/w3map"
	"w3host/internal/terminal"
	"w3host/protocol/w3gs"
)

// call holds the context, streams and arguments of one invocation of a command.
type call struct {
	ctx            context.Context
	cmd            *cobra.Command
	stdin          io.Reader
	stdout, stderr io.Writer
	names          []string // positional arguments

	json, csv bool // --json and --csv
}

func (c *call) begin(cmd *cobra.Command, args []string) {
	c.ctx, c.cmd, c.names = cmd.Context(), cmd, args
	c.stdin, c.stdout, c.stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
}

// runs sets the command's RunE: check validates the arguments, and its errors count as usage errors (exit code 2); then
// do runs.
func (c *call) runs(cmd *cobra.Command, check, do func() error) *cobra.Command {
	if cmd.Args == nil {
		cmd.Args = cobra.ArbitraryArgs // check validates them
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c.begin(cmd, args)
		if err := check(); err != nil {
			return usageError{err}
		}
		return do()
	}
	return cmd
}

// one returns an error unless there is exactly one argument. what describes it in the error.
func (c *call) one(what string) error {
	switch len(c.names) {
	case 0:
		return fmt.Errorf("missing argument: %s", what)
	case 1:
		return nil
	}
	return fmt.Errorf("unexpected argument %[2]q: the only argument is %[1]s", what, c.names[1])
}

func (c *call) none() error { return errors.Unwrap(noArgs(c.cmd, c.names)) }

// each calls do for each argument. It continues after an error, prints it and returns exit code 1 at the end. If do
// returns an exitCode, do has printed the error itself.
func (c *call) each(do func(name string) error) error {
	code := exitOK
	for _, name := range c.names {
		if c.ctx.Err() != nil {
			return exitCode(exitFailed)
		}
		if err := do(name); err != nil {
			code = exitFailed
			if _, explained := errors.AsType[exitCode](err); !explained {
				complain(c.cmd, failed(name, err))
			}
		}
	}
	return exit(code)
}

// describe prints the value that read returns for each file: for people with show, separated by blank lines; with --json
// as one object for one argument or an array for several.
func describe[T any](c *call, read func(name string) (T, error), show func(T) error) error {
	all := []T{}     // encoded as [] when empty, not as null
	var broken error // an error of the output, not of a file
	err := c.each(func(name string) error {
		if broken != nil {
			return exitCode(exitFailed)
		}
		found, err := read(name)
		if err != nil {
			return err
		}
		if all = append(all, found); c.json {
			return nil
		}
		if len(all) > 1 {
			fmt.Fprintln(c.stdout)
		}
		if broken = show(found); broken != nil {
			return exitCode(exitFailed)
		}
		return nil
	})
	var values any = all
	switch {
	case broken != nil:
		return failed("output", broken)
	case !c.json, len(c.names) == 1 && len(all) == 0:
		return err
	case len(c.names) == 1:
		values = all[0]
	}
	if err := printJSON(c.stdout, values); err != nil {
		return failed("output", err)
	}
	return err
}

// remedies are hints for common faults of files; failed appends them to the error.
var remedies = []struct {
	fault  error
	remedy string
}{
	{w3map.ErrNotMap, "take a .w3x or .w3m file that the game itself lists"},
	{w3map.ErrDamaged, "get the file again from where it came from"},
	{replay.ErrNotReplay, "take a .w3g file that the game itself lists"},
	{savedgame.ErrNotSaved, "take a .w3z file from the folder Save/Multiplayer of the game"},
	{replay.ErrTruncated, "w3host replay repair may save the beginning"},
}

// failed returns an error about a file as one sentence with its name, and with a remedy if one is known.
func failed(name string, err error) error {
	text := err.Error()
	if !strings.Contains(text, name) {
		text = name + ": " + text
	}
	for _, r := range remedies {
		if errors.Is(err, r.fault) {
			text += "; " + r.remedy
		}
	}
	return errors.New(w3map.Shown(text))
}

// plainError removes the name of the system call from a file error.
func plainError(err error) error {
	path, ok := errors.AsType[*os.PathError](err)
	switch {
	case !ok:
		return err
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s: no such file", path.Path)
	}
	return fmt.Errorf("%s: %w", path.Path, path.Err)
}

var races = map[w3gs.Race]string{
	w3gs.RaceHuman: "human", w3gs.RaceOrc: "orc", w3gs.RaceNightElf: "night elf", w3gs.RaceUndead: "undead", w3gs.RaceRandom: "random",
}

// raceName returns the English name of a slot's race.
func raceName(race w3gs.Race) string {
	return cmp.Or(races[race&^w3gs.RaceSelectable], fmt.Sprintf("unknown %#02x", uint8(race)))
}

// plainText removes Warcraft III colour codes from a text of a file and makes it safe to print on a terminal.
func plainText(s string) string {
	return terminal.Printable(w3map.Plain(strings.ToValidUTF8(s, "?")))
}
