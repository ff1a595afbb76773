package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"w3host/formats/savedgame"
	"w3host/protocol/w3gs"
)

// saveFacts is the JSON form of a saved game. Its field names are stable, since other programs use them.
type saveFacts struct {
	File        string        `json:"file"`
	Version     string        `json:"version"`
	Product     string        `json:"product"`
	GameName    string        `json:"game_name"`
	SavedMS     int64         `json:"saved_ms"` // game time at which it was saved, in milliseconds
	Magic       string        `json:"magic"`    // 8 hexadecimal digits
	Map         string        `json:"map"`
	MapChecksum string        `json:"map_checksum"` // 8 hexadecimal digits
	MapSHA1     *string       `json:"map_sha1"`     // null before 1.23
	Flags       uint32        `json:"flags"`        // flags of the game settings
	GameType    w3gs.GameType `json:"game_type"`
	Layout      w3gs.Layout   `json:"layout"`
	RandomSeed  uint32        `json:"random_seed"`
	Slots       []slotRecord  `json:"slots"`
	Warnings    []string      `json:"warnings"`
}

func saveCommand() *cobra.Command {
	c := &call{}
	cmd := &cobra.Command{Use: "save", Short: "show the contents of a saved multiplayer game", Long: "w3host save reads saved multiplayer games (.w3z)."}
	info := &cobra.Command{Use: "info FILE...", Short: "show map, seed, slots, pids and magic number", ValidArgsFunction: completeFiles("w3z")}
	c.addJSONFlag(info.Flags(), "print JSON: one object for one file, an array for several")
	check := func() error {
		if len(c.names) == 0 {
			return errors.New("name at least one saved game (.w3z)")
		}
		return nil
	}
	return group(cmd, c.runs(info, check, func() error { return saveInfo(c) }))
}

func readSave(name string) (*savedgame.Save, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, plainError(err)
	}
	defer f.Close()
	return savedgame.Read(f)
}

func saveInfo(c *call) error {
	return describe(c, func(name string) (saveFacts, error) {
		g, err := readSave(name)
		if err != nil {
			return saveFacts{}, err
		}
		return saveFactsOf(name, g), nil
	}, func(f saveFacts) error { return printSave(c.stdout, f) })
}

func saveFactsOf(name string, g *savedgame.Save) saveFacts {
	f := saveFacts{
		File: filepath.Base(name), Version: g.Version.String(), Product: g.Product, GameName: g.GameName,
		SavedMS: g.Duration.Milliseconds(), Magic: fmt.Sprintf("%08x", g.Magic),
		Map: g.MapPath, MapChecksum: fmt.Sprintf("%08x", g.Stat.Checksum), Flags: uint32(g.Stat.Settings), GameType: g.Type,
		Layout: g.Table.Layout, RandomSeed: g.Table.RandomSeed, Slots: slotRecords(g.Table.Slots), Warnings: []string{},
	}
	if g.Stat.HasSHA1 {
		f.MapSHA1 = new(fmt.Sprintf("%x", g.Stat.SHA1))
	}
	if g.Doubt != nil {
		f.Warnings = append(f.Warnings, g.Doubt.Error())
	}
	return f
}

// printSave prints a saved game as text.
func printSave(w io.Writer, f saveFacts) error {
	s := sheet{shown: plainText}
	row := s.row
	row("file", "%s", f.File)
	row("version", "%s, %s", f.Version, f.Product)
	row("game", "%s, saved at %s", f.GameName, clock(f.SavedMS))
	row("map", "%s, checksum %s", f.Map, f.MapChecksum)
	row("magic", "%s", f.Magic)
	row("seed", "%08x", f.RandomSeed)
	for i, s := range f.Slots {
		text := "open"
		switch {
		case s.Computer:
			text = fmt.Sprintf("computer, team %d, %s, %d %%", s.Team+1, s.Race, s.Handicap)
		case s.Status == w3gs.SlotOccupied:
			text = fmt.Sprintf("player with pid %d, team %d, %s, %d %%", s.PID, s.Team+1, s.Race, s.Handicap)
		case s.Status == w3gs.SlotClosed:
			text = "closed"
		}
		row(fmt.Sprintf("slot %d", i+1), "%s", text)
	}
	for _, warning := range f.Warnings {
		row("warning", "%s", warning)
	}
	return s.print(w)
}
