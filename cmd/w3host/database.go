package main

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"w3host/internal/terminal"
	"w3host/storage"
	"w3host/texts"
)

// dbCall is one invocation of a command that uses the database.
type dbCall struct {
	call
	command string // name in the audit log, such as "ban"

	url  string
	file string // configuration file
	opts storage.Options
}

// newDBCommand returns a command with the --database and --config flags, which its sub-commands inherit.
func newDBCommand(use, short, long string) (*dbCall, *cobra.Command) {
	c := &dbCall{opts: storage.Options{MustExist: true}}
	cmd := &cobra.Command{Use: use, Short: short, Long: long}
	c.command = cmd.Name()
	fs := cmd.PersistentFlags()
	fs.StringVar(&c.url, "database", "", "database `URL`, sqlite:FILE or postgres://USER@HOST/NAME; otherwise the one of the configuration")
	sets(fs, "database", "database.url")
	configFlag(fs, &c.file)
	return c, cmd
}

// does is call.runs for commands that need the database: do gets the open store.
func (c *dbCall) does(cmd *cobra.Command, check func() error, do func(*storage.Store) error) *cobra.Command {
	return c.runs(cmd, check, func() error { return c.with(do) })
}

// with opens the database, calls do and closes the database.
func (c *dbCall) with(do func(*storage.Store) error) error {
	if c.url == "" {
		set, err := settings(c.file)
		if err != nil {
			return err
		}
		c.url = set.DatabaseURL()
	}
	db, err := storage.Open(c.ctx, c.url, c.opts)
	switch {
	case errors.Is(err, storage.ErrNoDatabase):
		return fmt.Errorf("%w (%s db migrate up, or name another with --database or --config)", err, terminal.Program)
	case errors.Is(err, storage.ErrBadURL):
		return usageError{err}
	case err != nil:
		return err
	}
	err = do(db)
	return cmp.Or(err, db.Close())
}

// audit records this command in the audit log of the database.
func (c *dbCall) audit(db *storage.Store, on, detail string) error {
	return db.Audit(c.ctx, storage.AdminAction{Who: terminal.User(), Via: "cli", Action: c.command, On: on, Detail: detail})
}

// local formats a time in the local time zone; the zero time is "-".
func local(t time.Time) string {
	return either(t.IsZero(), "-", t.Local().Format("2006-01-02 15:04"))
}

// minutes formats a duration in milliseconds as 1:02:03 or 2:03.
func minutes(ms int64) string {
	return texts.Clock((time.Duration(ms) * time.Millisecond).Round(time.Second))
}
