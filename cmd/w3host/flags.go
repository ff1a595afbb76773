package main

import (
	"flag"
	"fmt"
	"io"

	"w3host/config"
)

// serveOptions are the flags of serve; a flag that is not given leaves the
// configuration alone.
type serveOptions struct {
	configFile string
	set        []func(*config.Config) error
}

type flagSet struct{ *flag.FlagSet }

// serveFlags binds what a first-time user sets. Everything else is in the
// configuration file.
func serveFlags(o *serveOptions) flagSet {
	fs := flag.NewFlagSet("w3host serve", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.configFile, "config", "", "configuration `FILE`; see config.toml.example")
	text := func(name, usage string, put func(*config.Config, string) error) {
		fs.Func(name, usage, func(value string) error {
			o.set = append(o.set, func(c *config.Config) error {
				if err := put(c, value); err != nil {
					return fmt.Errorf("--%s=%s: %w", name, value, err)
				}
				return nil
			})
			return nil
		})
	}
	yes := func(name, usage string, put func(*config.Config, bool)) {
		fs.BoolFunc(name, usage, func(value string) error {
			on, err := parseBool(value)
			if err != nil {
				return err
			}
			o.set = append(o.set, func(c *config.Config) error { put(c, on); return nil })
			return nil
		})
	}
	text("listen", "TCP `ADDRESS:PORT` for every lobby and game (0.0.0.0:6112)", func(c *config.Config, v string) error {
		c.Host.Listen = v
		return nil
	})
	text("map", "map `FILE`, or a part of a name in the maps folder (the built-in test map)", func(c *config.Config, v string) error {
		c.Lobby.Map = v
		return nil
	})
	text("name", "`NAME` of the game in the LAN list (w3host game)", func(c *config.Config, v string) error {
		c.Lobby.Name = v
		return nil
	})
	text("latency", "`PERIOD` of the action loop, 20ms to 500ms (100ms)", func(c *config.Config, v string) error {
		return parseLatency(v, &c.Game.Latency)
	})
	text("autostart", "start with `N` players; 0: when every open slot is taken, -1: never (0)", func(c *config.Config, v string) error {
		return parseInt(v, &c.Lobby.Autostart)
	})
	text("database", "`URL` of the game log, sqlite:FILE or postgres://… (sqlite:data/w3host.db)", func(c *config.Config, v string) error {
		c.Database.URL = v
		return nil
	})
	yes("lan", "announce games on the local network; --lan=false turns it off", func(c *config.Config, on bool) { c.LAN.Enabled = on })
	text("log-level", "`LEVEL`: debug, info, warn or error (info)", func(c *config.Config, v string) error {
		c.Log.Level = v
		return nil
	})
	yes("log-json", "log JSON lines, as is done when the output is not a terminal", func(c *config.Config, on bool) { c.Log.JSON = on })
	return flagSet{fs}
}

// printTo lists the flags.
func (fs flagSet) printTo(w io.Writer) {
	fs.SetOutput(w)
	fs.PrintDefaults()
	fs.SetOutput(io.Discard)
}
