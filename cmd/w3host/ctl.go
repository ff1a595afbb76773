package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"w3host/control"
)

const ctlUsage = `w3host ctl gives a command to the host on this machine and prints the answer.
"w3host ctl help" lists the commands; docs/commands.md explains them.

Usage: w3host ctl "COMMAND" [--game N] [flags]

The exit code is 0 when it was done, 1 when it was refused, 2 when no host answers.

Flags:
  --game N       for lobby or game N, as eg N COMMAND
  --json         print a JSON object: lines, refused
  --socket FILE  the host's socket; otherwise control.socket of the configuration
  --config FILE  the configuration, as for serve
`

// ctlCommand runs "w3host ctl".
func ctlCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("w3host ctl", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	game := fs.Uint("game", 0, "")
	asJSON := fs.Bool("json", false, "")
	socket := fs.String("socket", "", "")
	file := fs.String("config", "", "")
	words, err := flagsAnywhere(fs, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, ctlUsage)
		return exitOK
	}
	line := strings.Join(words, " ")
	if err == nil && line == "" {
		err = errors.New("the command is missing")
	}
	if err != nil {
		fmt.Fprintf(stderr, "w3host ctl: %v; see %s ctl --help\n", err, program)
		return exitUsage
	}
	if *socket == "" {
		c, faults := readConfig(*file)
		if *socket, err = c.Control.Socket, faults.ErrorOrNil(); err == nil && *socket == "" {
			err = errors.New("control.socket is empty: the host has none")
		}
	}
	var answer control.Answer
	if err == nil {
		answer, err = control.Send(ctx, *socket, control.Order{Command: line, Game: uint32(*game)})
	}
	if err != nil {
		fmt.Fprintf(stderr, "w3host ctl: %v\n", err)
		return exitUsage
	}
	if *asJSON {
		out := json.NewEncoder(stdout)
		out.SetIndent("", "  ")
		_ = out.Encode(answer)
	} else {
		for _, text := range answer.Lines {
			fmt.Fprintln(stdout, printable(text))
		}
	}
	if answer.Refused != "" {
		if !*asJSON {
			fmt.Fprintln(stderr, "w3host ctl: "+printable(answer.Refused))
		}
		return exitFailed
	}
	return exitOK
}

// flagsAnywhere parses flags that stand before, between or behind the words.
func flagsAnywhere(fs *flag.FlagSet, args []string) (words []string, err error) {
	for len(args) > 0 {
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		if args = fs.Args(); len(args) > 0 {
			words, args = append(words, args[0]), args[1:]
		}
	}
	return words, nil
}
