package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"

	"w3host/config"
	"w3host/formats/catalogue"
	"w3host/formats/mapconf"
	"w3host/formats/mpq"
	"w3host/formats/w3map"
)

func (c *mapCall) list() error {
	maps, err := c.open()
	if err != nil {
		return err
	}
	entries := maps.Files()
	if c.json {
		return c.listJSON(entries)
	}
	missing := ""
	rows := mapped(entries, func(e *catalogue.MapFile) []string {
		if e.Fault != nil {
			return []string{w3map.Shown(e.File), "BROKEN: " + w3map.Shown(e.Fault.Error()), "", fmt.Sprint(e.Size), ""}
		}
		missing = cmp.Or(missing, e.Map.MissingScripts())
		return []string{
			w3map.Shown(e.File), w3map.Shown(w3map.Plain(e.Map.Name)), fmt.Sprint(len(e.Map.Slots)), fmt.Sprint(e.Size),
			orUnknown(factsOf(e.Map).Checksum),
		}
	})
	if err := table(c.stdout, "FILE\tNAME\tPLAYERS\tBYTES\tCHECKSUM", rows); err != nil {
		return failed("output", err)
	}
	if missing != "" {
		fmt.Fprintln(c.stderr, w3map.Shown(cmp.Or(c.scriptsFault, missing)))
	}
	return nil
}

func (c *mapCall) listJSON(entries []*catalogue.MapFile) error {
	facts := mapped(entries, func(e *catalogue.MapFile) mapFacts {
		f := mapFacts{Size: uint32(e.Size), Slots: []slotFacts{}, Forces: []forceFact{}}
		if e.Fault != nil {
			f.Warnings = []string{e.Fault.Error()}
		} else {
			f = factsOf(e.Map)
		}
		f.File = jsonName(e.File) // the path relative to the scanned folder
		return f
	})
	if err := printJSON(c.stdout, facts); err != nil {
		return failed("output", err)
	}
	return nil
}

// verify reads the maps of a folder like list, and also unpacks every file in their archives.
func (c *mapCall) verify() error {
	if len(c.names) != 1 {
		return usageError{errors.New("name one folder to verify")}
	}
	maps, err := c.open()
	if err != nil {
		return err
	}
	good, odd, broken, missing := 0, 0, 0, ""
	for _, e := range maps.Files() {
		if c.ctx.Err() != nil {
			return exitCode(exitFailed)
		}
		if e.Fault != nil {
			broken++
			fmt.Fprintf(c.stdout, "broken  %s: %s\n", w3map.Shown(e.File), w3map.Shown(e.Fault.Error()))
			continue
		}
		notes := e.Map.Warnings
		if err := unpackAll(maps.Path(e)); err != nil {
			notes = append(slices.Clip(notes), err.Error())
		}
		missing = cmp.Or(missing, e.Map.MissingScripts())
		if len(notes) == 0 {
			good++
			fmt.Fprintf(c.stdout, "good    %s\n", w3map.Shown(e.File))
			continue
		}
		odd++
		for _, note := range notes {
			fmt.Fprintf(c.stdout, "odd     %s: %s\n", w3map.Shown(e.File), w3map.Shown(note))
		}
	}
	fmt.Fprintf(c.stdout, "%d good, %d with warnings, %d broken\n", good, odd, broken)
	if missing != "" {
		fmt.Fprintln(c.stderr, w3map.Shown(cmp.Or(c.scriptsFault, missing)))
		return exitCode(exitFailed)
	}
	if broken > 0 {
		return exitCode(exitFailed)
	}
	return nil
}

// open scans the folder given as argument, or else maps.dir.
func (c *mapCall) open() (*catalogue.Catalogue, error) {
	if len(c.names) > 1 {
		return nil, usageError{errors.New("name one folder only")}
	}
	dir := cmp.Or(os.Getenv(config.EnvName("maps.dir")), "maps")
	if len(c.names) == 1 {
		dir = c.names[0]
	}
	bar := newMapBar(c.stderr)
	maps, err := catalogue.Open(c.ctx, dir, catalogue.Options{
		Version: c.version, Scripts: c.scripts, Progress: bar.set,
		Report: func(err error) { fmt.Fprintln(c.stderr, w3map.Shown(err.Error())) },
	})
	bar.clear()
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%s: no such folder; name the folder that contains your maps", dir)
	}
	if err != nil {
		return nil, failed(dir, err)
	}
	return maps, nil
}

// unpackAll unpacks every file listed in the map's archive, except compressed sounds, and returns the first error.
func unpackAll(path string) error {
	f, stat, err := mapconf.Open(path)
	if err != nil {
		return plainError(err)
	}
	defer f.Close()
	archive, err := mpq.Open(f, stat.Size())
	if err != nil {
		return err
	}
	all := w3map.NewMeter(stat.Size())
	for _, name := range archive.Names() {
		file, err := archive.Open(name)
		if err == nil {
			_, err = file.WriteTo(all)
		}
		if err != nil && !errors.Is(err, mpq.ErrSound) {
			return err
		}
	}
	return nil
}
