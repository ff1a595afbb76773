package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/user"
	"slices"
	"strings"
	"time"

	"w3host/storage"
)

// databaseFlag is in the help of every command that asks the database.
const databaseFlag = `
  --database URL  sqlite:FILE or postgres://USER@HOST/NAME; otherwise the configuration's
                  database.url, which W3HOST_DATABASE_URL sets as well
  --config FILE   the configuration, as for serve
`

// dbCall is one call of a command that asks the database.
type dbCall struct {
	ctx            context.Context
	command, usage string
	stdout, stderr io.Writer

	flags *flag.FlagSet
	json  bool // of the commands that list
	csv   bool
	url   string
	file  string   // of the configuration
	names []string // arguments that are no flags

	create bool // the database may be created
}

func newDBCall(ctx context.Context, command, usage string, stdout, stderr io.Writer) *dbCall {
	c := &dbCall{ctx: ctx, command: command, usage: usage, stdout: stdout, stderr: stderr}
	c.flags = flag.NewFlagSet("w3host "+command, flag.ContinueOnError)
	c.flags.SetOutput(io.Discard)
	c.flags.StringVar(&c.url, "database", "", "")
	c.flags.StringVar(&c.file, "config", "", "")
	return c
}

// run parses the arguments, which are flags and names in any order, opens the
// database and lets do work with it. check finds what is wrong with the
// arguments before.
func (c *dbCall) run(args []string, opts storage.Options, check func() error, do func(*storage.Store) error) int {
	err := c.parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(c.stdout, c.usage+databaseFlag)
		return exitOK
	}
	if err == nil {
		err = check()
	}
	if err == nil && c.url == "" {
		settings, faults := readConfig(c.file)
		c.url, err = settings.Database.URL, faults.ErrorOrNil()
	}
	if err != nil {
		return c.wrong(err)
	}
	opts.MustExist = !c.create
	db, err := storage.Open(c.ctx, c.url, opts)
	if errors.Is(err, storage.ErrNoDatabase) {
		err = fmt.Errorf("%w (%s migrate up, or name another with --database or --config)", err, program)
	}
	if errors.Is(err, storage.ErrBadURL) {
		return c.wrong(err)
	}
	if err != nil {
		return c.failed(err)
	}
	err = do(db)
	if closed := db.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return c.failed(err)
	}
	return exitOK
}

func (c *dbCall) parse(args []string) error {
	if len(args) > 0 && args[0] == "help" {
		return flag.ErrHelp
	}
	var plain []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, plain = args[:i], args[i+1:]
	}
	for len(args) > 0 {
		if err := c.flags.Parse(args); err != nil {
			return err
		}
		if args = c.flags.Args(); len(args) > 0 {
			c.names, args = append(c.names, args[0]), args[1:]
		}
	}
	c.names = append(c.names, plain...)
	return nil
}

// one is the only name there may be.
func (c *dbCall) one(what string) error {
	switch len(c.names) {
	case 0:
		return fmt.Errorf("it needs %s", what)
	case 1:
		return nil
	}
	return fmt.Errorf("it takes %s only, not also %q", what, c.names[1])
}

func (c *dbCall) none() error {
	if len(c.names) > 0 {
		return fmt.Errorf("unexpected argument %q", c.names[0])
	}
	return nil
}

func (c *dbCall) wrong(err error) int {
	text := strings.Replace(err.Error(), "flag provided but not defined: ", "there is no flag ", 1)
	fmt.Fprintf(c.stderr, "w3host %s: %s (see %s %s --help)\n", c.command, printable(text), program, c.command)
	return exitUsage
}

func (c *dbCall) failed(err error) int {
	fmt.Fprintf(c.stderr, "w3host %s: %s\n", c.command, printable(err.Error()))
	return exitFailed
}

// audit notes what this command did.
func (c *dbCall) audit(db *storage.Store, on, detail string) error {
	return db.Audit(c.ctx, storage.AdminAction{Who: operator(), Via: "cli", Action: c.command, On: on, Detail: detail})
}

// operator is who types the command.
func operator() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "console"
}

// local is a time as people read it, a dash when there is none.
func local(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04")
}

// minutes is a length of play: 1:02:03 or 2:03.
func minutes(ms int64) string {
	s := (ms + 500) / 1000
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}
