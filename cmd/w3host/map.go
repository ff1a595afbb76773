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

	"w3host/mapconf"
	"w3host/w3gs"
	"w3host/w3map"
)

const mapUsage = `w3host map tells what the host knows about map files.

Usage:
  w3host map info FILE... [--json] [--png FILE]   what is in a map, and its identifiers
  w3host map list [DIR]                           the maps of a folder and of its sub-folders
  w3host map verify DIR                           read everything in them, and say what is broken

Flags, before or after the names:
  --version V    version of the game to host: 26, 1.26 (the default) ... 2.0
  --scripts DIR  folder with the game's common.j and blizzard.j, or with its War3Patch.mpq,
                 War3x.mpq and War3.mpq; otherwise W3HOST_MAPS_SCRIPTS, or the folder scripts
  --json         print JSON: one object for one file, an array for several
  --png FILE     write the minimap to a PNG file
`

// mapCall is one call of the command.
type mapCall struct {
	ctx            context.Context
	stdout, stderr io.Writer

	version w3gs.Version
	json    bool
	png     string
	names   []string // files or folders

	scripts      *w3map.Scripts
	scriptsFault string // why there are none although they were looked for where they should be
}

// mapCommand runs "w3host map".
func mapCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c := &mapCall{ctx: ctx, stdout: stdout, stderr: stderr}
	if len(args) == 0 || slices.Contains([]string{"help", "-h", "-help", "--help"}, args[0]) {
		fmt.Fprint(stdout, mapUsage)
		return exitOK
	}
	verbs := map[string]func() int{"info": c.info, "list": c.list, "verify": c.verify}
	verb, ok := verbs[args[0]]
	if !ok {
		return c.wrong(fmt.Errorf("there is no %q: it is info, list or verify", args[0]))
	}
	if err := c.parse(args[0], args[1:]); errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, mapUsage)
		return exitOK
	} else if err != nil {
		return c.wrong(err)
	}
	return verb()
}

// parse reads flags and names in any order. What follows "--" is a name.
func (c *mapCall) parse(verb string, args []string) error {
	flags := flag.NewFlagSet("w3host map "+verb, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	version := flags.String("version", w3gs.DefaultVersion.String(), "")
	scripts := flags.String("scripts", "", "")
	if verb != "verify" {
		flags.BoolVar(&c.json, "json", false, "")
	}
	if verb == "info" {
		flags.StringVar(&c.png, "png", "", "")
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
	var err error
	if c.version, err = w3gs.ParseVersion(*version); err != nil {
		return err
	}
	return c.findScripts(*scripts)
}

// findScripts looks for the game's scripts. That there are none is no error: all else can be told.
func (c *mapCall) findScripts(dir string) error {
	asked := dir != ""
	if !asked {
		dir = os.Getenv("W3HOST_MAPS_SCRIPTS")
	}
	if dir == "" {
		dir = "scripts"
	}
	if _, err := os.Stat(dir); asked && err != nil {
		return fmt.Errorf("--scripts %s: there is no such folder", dir)
	}
	var err error
	c.scripts, _, err = mapconf.FindScripts(dir, c.version)
	if err != nil && (asked || !errors.Is(err, mapconf.ErrNoScripts)) {
		c.scriptsFault = err.Error()
	}
	return nil
}

// wrong reports a call that cannot be understood.
func (c *mapCall) wrong(err error) int {
	text := strings.Replace(err.Error(), "flag provided but not defined: ", "there is no flag ", 1)
	fmt.Fprintf(c.stderr, "w3host map: %s (see %s map --help)\n", text, program)
	return exitUsage
}

// failed reports what went wrong with a file, in one sentence, and the way out if there is one.
func (c *mapCall) failed(name string, err error) int {
	text := err.Error()
	if !strings.Contains(text, name) {
		text = name + ": " + text
	}
	switch {
	case errors.Is(err, w3map.ErrNotMap):
		text += "; take a .w3x or .w3m file that the game itself lists"
	case errors.Is(err, w3map.ErrDamaged):
		text += "; get the file again from where it came from"
	}
	fmt.Fprintf(c.stderr, "w3host map: %s\n", w3map.Shown(text))
	return exitFailed
}
