package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"w3host/storage"
	"w3host/storage/spool"
)

const spoolUsage = `w3host spool shows the records that wait for the database. The files are text, a
record a line: a text editor mends them (docs/database.md).

Usage:
  w3host spool [status]      what waits, what is damaged, what the database refused
  w3host spool show [FILE]   the records of a file; without one, all that wait
  w3host spool retry         store what the database refused, and the lines of files in
                             quarantine whose "crc" a person has set to "edited"

Flags:
  --spool FOLDER  otherwise the configuration's database.spool
  --json          print JSON`

// spoolCommand runs "w3host spool".
func spoolCommand(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	c := newDBCall(ctx, "spool", spoolUsage, stdout, stderr)
	dir := c.flags.String("spool", "", "")
	asJSON := c.flags.Bool("json", false, "")
	err := c.parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, spoolUsage+databaseFlag)
		return exitOK
	}
	if err == nil && *dir == "" {
		settings, faults := readConfig(c.file)
		*dir, err = settings.Database.Spool, faults.ErrorOrNil()
	}
	if err != nil {
		return c.wrong(err)
	}
	verb, rest := "status", c.names
	if len(rest) > 0 {
		verb, rest = rest[0], rest[1:]
	}
	switch {
	case verb == "show" && len(rest) <= 1:
		err = c.showSpool(*dir, rest, *asJSON)
	case len(rest) > 0:
		return c.wrong(fmt.Errorf("unexpected argument %q", rest[0]))
	case verb == "status":
		err = c.spoolStatus(*dir, *asJSON)
	case verb == "retry":
		c.names = nil
		args = []string{"--config", c.file}
		if c.url != "" {
			args = []string{"--database", c.url}
		}
		return c.run(args, storage.Options{}, c.none, func(db *storage.Store) error { return c.retrySpool(db, *dir) })
	default:
		return c.wrong(fmt.Errorf("there is no %q: it is status, show or retry", verb))
	}
	if err != nil {
		return c.failed(err)
	}
	return exitOK
}

func (c *dbCall) spoolStatus(dir string, asJSON bool) error {
	s, err := storage.InspectSpool(dir)
	if err != nil {
		return err
	}
	if asJSON {
		return c.printJSON(s)
	}
	var rows [][]string
	waiting := 0
	for i, f := range append(s.Waiting, s.Quarantine...) {
		state := "waits"
		if i >= len(s.Waiting) {
			state = "in quarantine"
		} else {
			waiting += f.Records
		}
		rows = append(rows, []string{
			filepath.Base(f.Path), state, strconv.Itoa(f.Records), fmt.Sprintf("%d-%d", f.First, f.Last),
			strconv.Itoa(f.Damaged), strconv.Itoa(f.Missing), f.Run,
		})
	}
	fmt.Fprintf(c.stdout, "%d records wait in %s; the database refused %d (rejected.jsonl).\n", waiting, dir, s.Rejected)
	if s.Host != nil {
		fmt.Fprintf(c.stdout, "The host said at %s: %d recorded, %d stored, %d lost.\n",
			local(s.Host.At), s.Host.Stats.Recorded, s.Host.Stats.Applied, s.Host.Stats.Lost.Total())
	}
	if len(rows) == 0 {
		return nil
	}
	return c.table("FILE\tSTATE\tRECORDS\tNUMBERS\tDAMAGED\tMISSING\tRUN", rows)
}

func (c *dbCall) showSpool(dir string, names []string, asJSON bool) error {
	s, err := storage.InspectSpool(dir)
	if err != nil {
		return err
	}
	var paths []string
	for _, f := range s.Waiting {
		paths = append(paths, f.Path)
	}
	if len(names) > 0 {
		paths = []string{spoolPath(dir, names[0])}
	}
	lines := []spool.Line{}
	for _, path := range paths {
		contents, err := spool.ReadFile(path)
		if err != nil {
			return err
		}
		for _, n := range contents.Where {
			fmt.Fprintf(c.stderr, "%s: line %d is damaged\n", path, n)
		}
		lines = append(lines, contents.Lines...)
	}
	if asJSON {
		return c.printJSON(lines)
	}
	rows := make([][]string, 0, len(lines))
	for _, l := range lines {
		rows = append(rows, []string{strconv.FormatUint(l.Seq, 10), l.Type, string(l.Record)})
	}
	return c.table("NUMBER\tTYPE\tRECORD", rows)
}

// spoolPath finds a file by its name in the spool or its quarantine.
func spoolPath(dir, name string) string {
	for _, path := range []string{filepath.Join(dir, name), filepath.Join(dir, spool.Quarantine, name)} {
		if _, err := os.Stat(path); err == nil && !strings.ContainsAny(name, `/\`) {
			return path
		}
	}
	return name
}

func (c *dbCall) retrySpool(db *storage.Store, dir string) error {
	stored, refused, err := storage.Retry(c.ctx, db, dir)
	if err == nil && refused > 0 {
		err = errors.New("the database refuses some still: see the reasons in rejected.jsonl")
	}
	fmt.Fprintf(c.stdout, "%d records are stored, %d are refused again.\n", stored, refused)
	return err
}
