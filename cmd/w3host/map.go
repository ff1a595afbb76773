package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"w3host/config"
	"w3host/formats/mapconf"
	"w3host/formats/w3map"
	"w3host/protocol/w3gs"
)

// mapCall holds the flags shared by the sub-commands of `w3host map`.
type mapCall struct {
	call

	version w3gs.Version
	png     string

	scripts      *w3map.Scripts
	scriptsFault string // why the scripts in the folder cannot be used
}

func mapCommand() *cobra.Command {
	c := &mapCall{}
	cmd := &cobra.Command{
		Use: "map", Short: "show the contents of a map file; list and verify folders of maps",
		Long: "w3host map shows what the host reads from map files.",
	}
	fs := cmd.PersistentFlags()
	fs.TextVar(&c.version, "version", w3gs.DefaultVersion, "`VERSION` of the game to host, from 1.07 to 2.0")
	scripts := fs.String("scripts", "", "`FOLDER` with the game's common.j and blizzard.j, or with its War3Patch.mpq, War3x.mpq and War3.mpq; otherwise scripts")
	sets(fs, "scripts", "maps.scripts")
	_ = cobra.MarkFlagDirname(fs, "scripts")
	verb := func(use, short string, complete cobra.CompletionFunc, do func() error) *cobra.Command {
		return c.runs(&cobra.Command{Use: use, Short: short, ValidArgsFunction: complete}, func() error { return c.findScripts(*scripts) }, do)
	}
	info := verb("info FILE...", "show the properties and checksums of a map", completeFiles("w3x", "w3m"), c.info)
	c.addJSONFlag(info.Flags(), "print JSON: one object for one file, an array for several")
	info.Flags().StringVar(&c.png, "png", "", "write the minimap to a PNG `FILE`")
	list := verb("list [DIR]", "list the maps of a folder and its sub-folders", completeFolders, c.list)
	list.Long = "w3host map list lists the maps of a folder and its sub-folders. The default is maps.dir [" + config.EnvName("maps.dir") + "] or maps."
	c.addJSONFlag(list.Flags(), "print a JSON array")
	verify := verb("verify DIR", "read all data of the maps in a folder and report faults", completeFolders, c.verify)
	return group(cmd, info, list, verify)
}

// findScripts loads the game's scripts. Without them, everything except the map checksums can still be computed.
func (c *mapCall) findScripts(dir string) error {
	asked := dir != ""
	dir = cmp.Or(dir, os.Getenv(config.EnvName("maps.scripts")), "scripts")
	if _, err := os.Stat(dir); asked && err != nil {
		return fmt.Errorf("--scripts %s: no such folder", dir)
	}
	var err error
	c.scripts, _, err = mapconf.FindScripts(dir, c.version)
	if err != nil && (asked || !errors.Is(err, mapconf.ErrNoScripts)) {
		c.scriptsFault = err.Error()
	}
	return nil
}
