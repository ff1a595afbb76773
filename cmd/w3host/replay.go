package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"w3host/replay"
)

// replayCall is one call of the command.
type replayCall struct {
	ctx            context.Context
	cmd            *cobra.Command
	stdout, stderr io.Writer

	json     bool
	svg      string
	output   string
	keepChat bool
	names    []string
}

// replayCommand is "w3host replay".
func replayCommand() *cobra.Command {
	c := &replayCall{}
	cmd := &cobra.Command{
		Use: "replay", Short: "read, check, repair and draw recorded games",
		Long: "w3host replay reads recorded games (.w3g) of 1.00 to 2.0.",
	}
	verb := func(use, short string, most int, do func() error) *cobra.Command {
		return &cobra.Command{Use: use, Short: short, ValidArgsFunction: completeFiles("w3g", "part"), RunE: func(cmd *cobra.Command, args []string) error {
			c.ctx, c.cmd, c.stdout, c.stderr, c.names = cmd.Context(), cmd, cmd.OutOrStdout(), cmd.ErrOrStderr(), args
			switch {
			case len(args) == 0:
				return usageError{fmt.Errorf("%s needs the name of a replay", cmd.Name())}
			case len(args) > most:
				return usageError{fmt.Errorf("%s takes one replay, not %d", cmd.Name(), len(args))}
			}
			return do()
		}}
	}
	info := verb("info FILE...", "players, settings, chat, results", math.MaxInt, c.info)
	info.Flags().BoolVar(&c.json, "json", false, "print JSON: one object for one file, an array for several")
	info.Flags().StringVar(&c.svg, "svg", "", "draw the game's timeline into an SVG `FILE`")
	verify := verb("verify FILE...", "check every sum, length and record", math.MaxInt, c.verify)
	actions := verb("actions FILE", "list what was done, said and left, with times", 1, c.actions)
	repair := verb("repair FILE", "finish a file that was cut off, in place", 1, c.repair)
	repair.Flags().StringVar(&c.output, "output", "", "write to this `FILE`, which must not exist")
	anonymise := verb("anonymise FILE --output FILE", "take out names and chat", 1, c.anonymise)
	anonymise.Flags().StringVar(&c.output, "output", "", "write to this `FILE`, which must not exist")
	anonymise.Flags().BoolVar(&c.keepChat, "keep-chat", false, "leave what was said")
	return group(cmd, info, verify, actions, repair, anonymise)
}

// failed names the file of an error, and adds a remedy if there is one.
func (c *replayCall) failed(name string, err error) error {
	text := err.Error()
	if !strings.Contains(text, name) {
		text = name + ": " + text
	}
	switch {
	case errors.Is(err, replay.ErrNotReplay):
		text += "; take a .w3g file that the game itself lists"
	case errors.Is(err, replay.ErrTruncated):
		text += "; w3host replay repair may save the beginning"
	}
	return errors.New(text)
}

// open opens a replay; the caller closes the file.
func (c *replayCall) open(name string) (*replay.Reader, *os.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, plainError(err)
	}
	if stat, err := f.Stat(); err == nil && stat.IsDir() {
		f.Close()
		return nil, nil, errors.New("this is a folder, not a replay")
	}
	r, err := replay.NewReader(f)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return r, f, nil
}

// verify is "w3host replay verify".
func (c *replayCall) verify() error {
	code := exitOK
	for _, name := range c.names {
		if c.ctx.Err() != nil {
			return exitCode(exitFailed)
		}
		r, f, err := c.open(name)
		if err != nil {
			complain(c.cmd, c.failed(name, err))
			code = exitFailed
			continue
		}
		findings := replay.Verify(r)
		f.Close()
		verdict := "good"
		for _, finding := range findings {
			if finding.Fault {
				verdict, code = "BROKEN", exitFailed
			}
		}
		fmt.Fprintf(c.stdout, "%s: %s\n", name, verdict)
		for _, finding := range findings {
			mark := "note"
			if finding.Fault {
				mark = "fault"
			}
			fmt.Fprintf(c.stdout, "  %s: %s\n", mark, finding.Text)
		}
	}
	return exit(code)
}
