package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"w3host/storage"
	"w3host/storage/spool"
)

const spoolHelp = `w3host db spool shows the records waiting for the database; without a sub-command it runs
status. The files are text with one record per line, and can be repaired with a text
editor (docs/database.md).`

func spoolCommand() *cobra.Command {
	c, cmd := newDBCommand("spool", "show and repair the records waiting for the database", spoolHelp)
	fs := cmd.PersistentFlags()
	dir := fs.String("spool", "", "spool `FOLDER`; otherwise the one of the configuration")
	sets(fs, "spool", "database.spool")
	_ = cobra.MarkFlagDirname(fs, "spool")
	c.addJSONFlag(fs, "print JSON")
	verb := func(cmd *cobra.Command, most int, do func() error) *cobra.Command {
		return c.runs(cmd, func() error {
			if len(c.names) > most && c.cmd.HasSubCommands() {
				return noVerb(c.cmd, c.names[0])
			}
			if *dir == "" {
				set, err := settings(c.file)
				if err != nil {
					return err
				}
				*dir = set.SpoolDir()
			}
			return noArgs(c.cmd, c.names[min(most, len(c.names)):])
		}, do)
	}
	status := func() error { return c.spoolStatus(*dir) }
	cmd.AddCommand(
		verb(&cobra.Command{Use: "status", Short: "show the numbers of waiting, damaged and refused records"}, 0, status),
		verb(&cobra.Command{Use: "show [FILE]", Short: "show the records of a file, or all waiting records"}, 1, func() error { return c.showSpool(*dir) }),
		verb(&cobra.Command{
			Use: "retry", Short: "retry the records that the database refused",
			Long: "w3host db spool retry stores the records that the database refused, and the lines in quarantined files whose\n\"crc\" you have set to \"edited\".",
		}, 0, func() error {
			return c.with(func(db *storage.Store) error { return c.retrySpool(db, *dir) })
		}))
	return verb(cmd, 0, status)
}

func (c *dbCall) spoolStatus(dir string) error {
	s, err := storage.InspectSpool(dir)
	if err != nil {
		return err
	}
	if c.json {
		return printJSON(c.stdout, s)
	}
	var rows [][]string
	waiting := 0
	for i, f := range append(s.Waiting, s.Quarantine...) {
		waits := i < len(s.Waiting)
		if waits {
			waiting += f.Records
		}
		rows = append(rows, []string{
			filepath.Base(f.Path), either(waits, "waiting", "quarantined"), strconv.Itoa(f.Records), fmt.Sprintf("%d-%d", f.First, f.Last),
			strconv.Itoa(f.Damaged), strconv.Itoa(f.Missing), f.Run,
		})
	}
	fmt.Fprintf(c.stdout, "%d records are waiting in %s; the database refused %d (rejected.jsonl).\n", waiting, dir, s.Rejected)
	if s.Host != nil {
		fmt.Fprintf(c.stdout, "Host status at %s: %d recorded, %d stored, %d lost.\n",
			local(s.Host.At), s.Host.Stats.Recorded, s.Host.Stats.Applied, s.Host.Stats.Lost.Total())
	}
	if len(rows) == 0 {
		return nil
	}
	return table(c.stdout, "FILE\tSTATE\tRECORDS\tNUMBERS\tDAMAGED\tMISSING\tRUN", rows)
}

func (c *dbCall) showSpool(dir string) error {
	s, err := storage.InspectSpool(dir)
	if err != nil {
		return err
	}
	paths := mapped(s.Waiting, func(f *spool.File) string { return f.Path })
	if len(c.names) > 0 {
		paths = []string{spoolPath(dir, c.names[0])}
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
	if c.json {
		return printJSON(c.stdout, lines)
	}
	return table(c.stdout, "NUMBER\tTYPE\tRECORD", mapped(lines, func(l spool.Line) []string {
		return []string{strconv.FormatUint(l.Seq, 10), l.Type, string(l.Record)}
	}))
}

// spoolPath returns the path of a file by its name in the spool or its quarantine.
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
		err = errors.New("the database still refuses some records; rejected.jsonl has the reasons")
	}
	fmt.Fprintf(c.stdout, "Stored %d records; %d were refused again.\n", stored, refused)
	return err
}
