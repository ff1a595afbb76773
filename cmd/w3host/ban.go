package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"w3host/control/people"
	"w3host/game/command"
	"w3host/internal/terminal"
	"w3host/storage"
)

func banCommand() *cobra.Command {
	return group(&cobra.Command{
		Use: "ban", Short: "add, remove and list bans of names, addresses and networks",
		Long: "w3host ban manages the bans that all hosts of the database apply.",
	}, banAddCommand(), banRemoveCommand(), banListCommand())
}

const banAddHelp = `w3host ban add keeps a player out of all lobbies, by name, address or network. It takes
effect on running hosts at once.

To ban a player whose name looks like an address, write name:10.0.0.1.`

func banAddCommand() *cobra.Command {
	c, cmd := newDBCommand("add NAME|ADDRESS|CIDR", "ban a name, an address or a network", banAddHelp)
	c.command = "ban"
	var b storage.Ban
	fs := cmd.Flags()
	fs.StringVar(&b.Realm, "realm", "", "only players of this `REALM`; otherwise everywhere, the LAN included")
	span := fs.String("for", "", "`DURATION`: 30m, 12h, 7d, \"2 weeks\" or 1d12h; otherwise permanent")
	fs.StringVar(&b.Reason, "reason", "", "`TEXT` shown with the ban")
	yes := fs.Bool("yes", false, "allow a network that covers a large part of the internet")
	check := func() error {
		if err := c.one("a name, an address or a network (quote a reason of several words)"); err != nil {
			return err
		}
		b.By, b.At = terminal.User(), time.Now()
		target, err := storage.ParseBanTarget(c.names[0])
		b.Name, b.Network = target.Name, target.Network
		if err == nil && people.IsVast(b.Network) && !*yes {
			err = fmt.Errorf("%s covers a large part of the internet; add --yes to confirm", b.Network)
		}
		if err == nil && *span != "" {
			var d time.Duration
			if d, err = command.ParseSpan(*span); err != nil {
				return fmt.Errorf("--for %q is not a time such as 30m, 12h, 7d, \"2 weeks\" or \"1 month\", at most 10 years", *span)
			}
			b.Expires = b.At.Add(d)
		}
		return err
	}
	return c.does(cmd, check, func(db *storage.Store) error {
		b, err := db.AddBan(c.ctx, b)
		if err != nil {
			return err
		}
		fmt.Fprintf(c.stdout, "%s is banned%s%s.\n", terminal.Printable(b.Target()), onRealm(b.Realm), until(b.Expires))
		return c.audit(db, b.Target(), strings.TrimSpace(b.Realm+until(b.Expires)+" "+b.Reason))
	})
}

func banRemoveCommand() *cobra.Command {
	c, cmd := newDBCommand("remove NAME|ADDRESS|CIDR", "end a ban", "w3host ban remove ends the bans of a name, an address or a network.")
	c.command, cmd.SuggestFor = "unban", []string{"unban"}
	realm := cmd.Flags().String("realm", "", "only the ban on this `REALM`; otherwise all of them")
	var target storage.BanTarget
	check := func() (err error) {
		if err := c.one("a name, an address or a network"); err != nil {
			return err
		}
		target, err = storage.ParseBanTarget(c.names[0])
		return err
	}
	return c.does(cmd, check, func(db *storage.Store) error {
		lifted, err := db.LiftBans(c.ctx, target, *realm, terminal.User())
		if errors.Is(err, storage.ErrNotFound) {
			return hintNetwork(c.ctx, db, target, err)
		}
		if err != nil {
			return err
		}
		for _, b := range lifted {
			fmt.Fprintf(c.stdout, "%s is no longer banned%s.\n", terminal.Printable(b.Target()), onRealm(b.Realm))
		}
		return c.audit(db, c.names[0], *realm)
	})
}

// hintNetwork extends an error about an address that is not banned itself: it names the banned network that contains it.
func hintNetwork(ctx context.Context, db *storage.Store, target storage.BanTarget, err error) error {
	bans, listErr := db.Bans(ctx, false)
	if listErr != nil || !target.Network.IsValid() {
		return err
	}
	for _, b := range bans {
		if b.Network.IsValid() && b.Network.Contains(target.Network.Addr()) {
			return fmt.Errorf("%w; the banned network %s contains it; to lift that ban: %s ban remove %[2]s", err, b.Network, terminal.Program)
		}
	}
	return err
}

func banListCommand() *cobra.Command {
	c, cmd := newDBCommand("list", "list the bans", "w3host ban list lists the bans, the latest first.")
	cmd.SuggestFor = []string{"bans"}
	all := cmd.Flags().Bool("all", false, "include expired and lifted bans")
	c.addListFlags(cmd.Flags())
	return c.does(cmd, c.none, lists(c, "No bans.", "WHO\tREALM\tSINCE\tENDS\tBY\tREASON",
		func(db *storage.Store) ([]storage.Ban, error) { return db.Bans(c.ctx, *all) },
		func(b storage.Ban) []string {
			ends := "never"
			switch {
			case !b.Lifted.IsZero():
				ends = "ended " + local(b.Lifted)
			case !b.Expires.IsZero():
				ends = local(b.Expires)
			}
			return []string{b.Target(), cmp.Or(b.Realm, "everywhere"), local(b.At), ends, b.By, b.Reason}
		}))
}

func onRealm(realm string) string {
	return either(realm == "", "", " on "+terminal.Printable(realm))
}

func until(t time.Time) string {
	return either(t.IsZero(), "", " until "+local(t))
}
