package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"time"

	"w3host/config"
	"w3host/storage"
)

const banUsage = `w3host ban keeps a player out of all lobbies, by name, address or network. A host
that runs learns of it at once.

Usage: w3host ban NAME|ADDRESS|CIDR [flags]

A player who is called like an address is written name:10.0.0.1.

Flags:
  --realm R       only players of this realm; otherwise everywhere, the LAN included
  --for TIME      30m, 12h, 7d, 2w or 1d12h; otherwise for good
  --reason TEXT   why
  --yes           also a network that is a good part of the whole internet`

const unbanUsage = `w3host unban ends the bans of a name, an address or a network.

Usage: w3host unban NAME|ADDRESS|CIDR [flags]

Flags:
  --realm R       only the ban on this realm; otherwise all of them`

const bansUsage = `w3host bans lists the bans, the latest first.

Usage: w3host bans [flags]

Flags:
  --all           also those that are over` + listFlags

// banCommand runs "w3host ban".
func banCommand(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	c := newDBCall(ctx, "ban", banUsage, stdout, stderr)
	b := storage.Ban{By: operator(), At: time.Now()}
	span := c.flags.String("for", "", "")
	c.flags.StringVar(&b.Realm, "realm", "", "")
	c.flags.StringVar(&b.Reason, "reason", "", "")
	yes := c.flags.Bool("yes", false, "")
	check := func() error {
		if err := c.one("a name, an address or a network (words of a reason go in quotes)"); err != nil {
			return err
		}
		target, err := storage.ParseBanTarget(c.names[0])
		b.Name, b.Network = target.Name, target.Network
		if err == nil && isVast(b.Network) && !*yes {
			err = fmt.Errorf("%s is a good part of the whole internet: say --yes if you mean it", b.Network)
		}
		if err == nil && *span != "" {
			var d time.Duration
			d, err = parseSpan(*span)
			b.Expires = b.At.Add(d)
		}
		return err
	}
	return c.run(args, storage.Options{}, check, func(db *storage.Store) error {
		b, err := db.AddBan(ctx, b)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s is banned%s%s.\n", printable(b.Target()), onRealm(b.Realm), until(b.Expires))
		return c.audit(db, b.Target(), strings.TrimSpace(b.Realm+until(b.Expires)+" "+b.Reason))
	})
}

// isVast is true of networks wider than anybody is given.
func isVast(p netip.Prefix) bool {
	return p.IsValid() && (p.Addr().Is4() && p.Bits() < 8 || p.Addr().Is6() && p.Bits() < 16)
}

// unbanCommand runs "w3host unban".
func unbanCommand(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	c := newDBCall(ctx, "unban", unbanUsage, stdout, stderr)
	realm := c.flags.String("realm", "", "")
	var target storage.BanTarget
	check := func() (err error) {
		if err := c.one("a name, an address or a network"); err != nil {
			return err
		}
		target, err = storage.ParseBanTarget(c.names[0])
		return err
	}
	return c.run(args, storage.Options{}, check, func(db *storage.Store) error {
		lifted, err := db.LiftBans(ctx, target, *realm, operator())
		if errors.Is(err, storage.ErrNotFound) {
			return hintNetwork(ctx, db, target, err)
		}
		if err != nil {
			return err
		}
		for _, b := range lifted {
			fmt.Fprintf(stdout, "%s is no longer banned%s.\n", printable(b.Target()), onRealm(b.Realm))
		}
		return c.audit(db, c.names[0], *realm)
	})
}

// hintNetwork names the wider network that keeps an address out.
func hintNetwork(ctx context.Context, db *storage.Store, target storage.BanTarget, err error) error {
	bans, listErr := db.Bans(ctx, false)
	if listErr != nil || !target.Network.IsValid() {
		return err
	}
	for _, b := range bans {
		if b.Network.IsValid() && b.Network.Contains(target.Network.Addr()) {
			return fmt.Errorf("%w; it is within %s, which is banned: %s unban %[2]s", err, b.Network, program)
		}
	}
	return err
}

// banFacts is a ban in JSON.
type banFacts struct {
	ID        int64      `json:"id"`
	Name      string     `json:"name,omitempty"`
	Network   string     `json:"network,omitempty"`
	Realm     string     `json:"realm"`
	Reason    string     `json:"reason"`
	By        string     `json:"banned_by"`
	At        time.Time  `json:"banned_at"`
	ExpiresAt *time.Time `json:"expires_at"`
	LiftedAt  *time.Time `json:"lifted_at,omitempty"`
}

// bansCommand runs "w3host bans".
func bansCommand(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	c := newDBCall(ctx, "bans", bansUsage, stdout, stderr)
	all := c.flags.Bool("all", false, "")
	c.addListFlags()
	return c.run(args, storage.Options{}, c.none, func(db *storage.Store) error {
		bans, err := db.Bans(ctx, *all)
		if err != nil {
			return err
		}
		rows := make([][]string, 0, len(bans))
		for _, b := range bans {
			ends := "never"
			if !b.Expires.IsZero() {
				ends = local(b.Expires)
			}
			if !b.Lifted.IsZero() {
				ends = "over since " + local(b.Lifted)
			}
			realm := b.Realm
			if realm == "" {
				realm = "everywhere"
			}
			rows = append(rows, []string{b.Target(), realm, local(b.At), ends, b.By, b.Reason})
		}
		return c.print(list{factsOfBans(bans), "No bans.", "WHO\tREALM\tSINCE\tENDS\tBY\tREASON", rows})
	})
}

func factsOfBans(bans []storage.Ban) []banFacts {
	facts := make([]banFacts, 0, len(bans))
	for _, b := range bans {
		f := banFacts{ID: b.ID, Name: b.Name, Realm: b.Realm, Reason: b.Reason, By: b.By, At: b.At}
		if b.Network != (netip.Prefix{}) {
			f.Network = storage.Ban{Network: b.Network}.Target()
		}
		if !b.Expires.IsZero() {
			f.ExpiresAt = &b.Expires
		}
		if !b.Lifted.IsZero() {
			f.LiftedAt = &b.Lifted
		}
		facts = append(facts, f)
	}
	return facts
}

// parseSpan reads --for.
func parseSpan(text string) (time.Duration, error) {
	d, ok := config.ParseSpan(text)
	if !ok {
		return 0, fmt.Errorf("--for %s: write 30m, 12h, 7d, 2w or 1d12h", text)
	}
	return d, nil
}

func onRealm(realm string) string {
	if realm == "" {
		return ""
	}
	return " on " + printable(realm)
}

func until(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return " until " + local(t)
}
