package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/go-multierror"
	"github.com/spf13/cobra"

	"w3host/config"
	"w3host/daemon"
)

// serveFlags are the flags of serve for a quick start; all other settings are in the configuration file.
var serveFlags = []struct{ name, key, usage string }{
	{"listen", "host.listen", "TCP `ADDRESS:PORT` for every lobby and game; :6112 is all addresses"},
	{"map", "lobby.map", "map `FILE`, or part of the name of a map in the maps folder (the built-in test map)"},
	{"name", "lobby.name", "`NAME` of the game in the LAN list (w3host game)"},
	{"latency", "game.latency", "`PERIOD` of the action loop, 20ms to 500ms (100ms)"},
	{"autostart", "lobby.autostart", "start when `N` players are there; 0: when all slots are taken, -1: never (0)"},
	{"database", "database.url", "`URL` of the game log, sqlite:FILE or postgres://… (sqlite:data/w3host.db)"},
	{"lan", "lan.enabled", "announce games on the local network; --lan=false turns it off"},
	{"log-level", "log.level", "`LEVEL`: debug, info, warn or error (info)"},
	{"log-json", "log.json", "log as JSON lines, which is the default unless the output is a terminal"},
}

// serveOptions collects the flags that were given. Keys of other flags keep their configured values.
type serveOptions struct {
	configFile string
	check      bool
	set        []func(*config.Config) error
	given      []string // the same flags as text, for args

	players []string // --player: SLOT=NAME of a saved game
	replay  string
	first   string // console command that opens the lobby of the saved game, or empty
}

// args returns the flags for the command line of another w3host process.
func (o *serveOptions) args() []string {
	args := slices.Clone(o.given)
	if o.configFile != "" {
		args = append(args, "--config="+o.configFile)
	}
	return args
}

func (o *serveOptions) addTo(cmd *cobra.Command) {
	fs := cmd.Flags()
	configFlag(fs, &o.configFile)
	fs.BoolVar(&o.check, "check", false, "only check flags, environment and configuration file; exit code 2 if there are faults")
	defaults := config.Default().Values()
	for _, f := range serveFlags {
		put := func(text string) error {
			o.given = append(o.given, "--"+f.name+"="+text)
			o.set = append(o.set, func(c *config.Config) error {
				if err := c.Set(f.key, text); err != nil {
					return fmt.Errorf("--%s=%s: %w", f.name, text, err)
				}
				return nil
			})
			return nil
		}
		if _, isBool := defaults[f.key].(bool); isBool {
			fs.BoolFunc(f.name, f.usage, put)
		} else {
			fs.Func(f.name, f.usage, put)
		}
		sets(fs, f.name, f.key)
	}
	_ = cmd.MarkFlagFilename("map", "w3x", "w3m")
	_ = cmd.RegisterFlagCompletionFunc("log-level", cobra.FixedCompletions([]string{"debug", "info", "warn", "error"}, cobra.ShellCompDirectiveNoFileComp))
}

// addSave adds the flags for hosting a saved game.
func (o *serveOptions) addSave(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringArrayVar(&o.players, "player", nil, "player of a slot in the saved game as `SLOT=NAME`; needed if the game log does not know it")
	fs.StringVar(&o.replay, "replay", "", "replay `FILE` (.w3g) of the saved game, which tells who played")
	_ = cmd.MarkFlagFilename("replay", "w3g")
}

// load reads the configuration and applies the flags. It returns the faults found in either.
func (o *serveOptions) load() (config.Config, *multierror.Error) {
	c, faults := readConfig(o.configFile)
	for _, set := range o.set {
		faults = multierror.Append(faults, set(&c))
	}
	return c, multierror.Append(faults, daemon.Check(c))
}

// orSave accepts one saved game (.w3z) as argument, or whatever rest accepts. It refuses a replay and says why.
func orSave(rest cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 && strings.EqualFold(filepath.Ext(args[0]), ".w3z") {
			return nil
		}
		if len(args) > 0 && strings.EqualFold(filepath.Ext(args[0]), ".w3g") {
			return errors.New("a replay cannot be continued, because the players' clients would ignore their own recorded actions; host a saved game (.w3z), or watch the replay with w3host lan watch")
		}
		return rest(cmd, args)
	}
}

// saveCommand returns the console command that opens the lobby of the saved game in args, or "" if args is empty.
func (o *serveOptions) saveCommand(args []string) (string, error) {
	if len(args) == 0 {
		if o.players != nil || o.replay != "" {
			return "", errors.New("--player and --replay need a saved game: add its file (.w3z)")
		}
		return "", nil
	}
	words := append(slices.Clone(args), o.players...)
	if o.replay != "" {
		words = append(words, o.replay)
	}
	for i, word := range words {
		words[i] = `"` + word + `"`
	}
	return "hostsave " + strings.Join(words, " "), nil
}
