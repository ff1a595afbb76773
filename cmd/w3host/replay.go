package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"w3host/replay"
)

const replayUsage = `w3host replay reads recorded games (.w3g) of 1.00 to 2.0.

Usage:
  w3host replay info FILE... [--json] [--svg FILE]   players, settings, chat, results
  w3host replay verify FILE...                       check every sum, length and record
  w3host replay actions FILE                         list what was done, said and left, with times
  w3host replay repair FILE [--output FILE]          finish a file that was cut off, in place
  w3host replay anonymise FILE --output FILE         take out names and chat

Flags, before or after the names:
  --json         print JSON: one object for one file, an array for several
  --svg FILE     draw the game's timeline into an SVG file
  --output FILE  where to write; the file must not exist
  --keep-chat    of anonymise: leave what was said
`

// replayCall is one call of the command.
type replayCall struct {
	ctx            context.Context
	stdout, stderr io.Writer

	json     bool
	svg      string
	output   string
	keepChat bool
	names    []string
}

// replayCommand runs "w3host replay".
func replayCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c := &replayCall{ctx: ctx, stdout: stdout, stderr: stderr}
	if len(args) == 0 || slices.Contains([]string{"help", "-h", "-help", "--help"}, args[0]) {
		fmt.Fprint(stdout, replayUsage)
		return exitOK
	}
	verbs := map[string]func() int{
		"info": c.info, "verify": c.verify, "actions": c.actions, "repair": c.repair, "anonymise": c.anonymise,
	}
	verb, ok := verbs[args[0]]
	if !ok {
		return c.wrong(fmt.Errorf("there is no %q: it is info, verify, actions, repair or anonymise", args[0]))
	}
	if err := c.parse(args[0], args[1:]); errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, replayUsage)
		return exitOK
	} else if err != nil {
		return c.wrong(err)
	}
	return verb()
}

// parse reads flags and names in any order. What follows "--" is a name.
func (c *replayCall) parse(verb string, args []string) error {
	flags := flag.NewFlagSet("w3host replay "+verb, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	switch verb {
	case "info":
		flags.BoolVar(&c.json, "json", false, "")
		flags.StringVar(&c.svg, "svg", "", "")
	case "anonymise":
		flags.BoolVar(&c.keepChat, "keep-chat", false, "")
		fallthrough
	case "repair":
		flags.StringVar(&c.output, "output", "", "")
	}
	var plain []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, plain = args[:i], args[i+1:]
	}
	for len(args) > 0 {
		if err := flags.Parse(args); err != nil {
			return err
		}
		if args = flags.Args(); len(args) > 0 {
			c.names, args = append(c.names, args[0]), args[1:]
		}
	}
	c.names = append(c.names, plain...)
	switch {
	case len(c.names) == 0:
		return fmt.Errorf("%s needs the name of a replay", verb)
	case len(c.names) > 1 && verb != "info" && verb != "verify":
		return fmt.Errorf("%s takes one replay, not %d", verb, len(c.names))
	case len(c.names) > 1 && c.svg != "":
		return errors.New("--svg takes the timeline of one replay, not of several")
	case verb == "anonymise" && c.output == "":
		return errors.New("anonymise needs --output FILE: it does not change the replay itself")
	}
	return nil
}

// wrong reports a call that cannot be understood.
func (c *replayCall) wrong(err error) int {
	text := strings.Replace(err.Error(), "flag provided but not defined: ", "there is no flag ", 1)
	fmt.Fprintf(c.stderr, "w3host replay: %s (see w3host replay --help)\n", text)
	return exitUsage
}

// failed reports what went wrong with a file, and the way out if there is one.
func (c *replayCall) failed(name string, err error) int {
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
	fmt.Fprintf(c.stderr, "w3host replay: %s\n", text)
	return exitFailed
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
func (c *replayCall) verify() int {
	code := exitOK
	for _, name := range c.names {
		if c.ctx.Err() != nil {
			return exitFailed
		}
		r, f, err := c.open(name)
		if err != nil {
			code = c.failed(name, err)
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
	return code
}
