package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"w3host/storage"
)

const adminUsage = `w3host admin gives and takes the right to command hosts.

Usage:
  w3host admin add NAME [--realm R] [--role ROLE]
  w3host admin remove NAME [--realm R]
  w3host admin list [--json|--csv]

Flags:
  --realm R       the realm where NAME is who he says he is; otherwise the LAN, where
                  anyone may call himself so
  --role ROLE     admin: runs games, kicks and bans (the default); root: also makes admins
  --json, --csv   with list: print a JSON array, or comma separated values`

// adminCommand runs "w3host admin".
func adminCommand(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	c := newDBCall(ctx, "admin", adminUsage, stdout, stderr)
	a := storage.Admin{By: operator()}
	c.flags.StringVar(&a.Realm, "realm", "", "")
	c.flags.StringVar((*string)(&a.Role), "role", string(storage.RoleAdmin), "")
	c.addListFlags()
	verbs := map[string]func(*storage.Store) error{
		"add":    func(db *storage.Store) error { return c.addAdmin(db, a) },
		"remove": func(db *storage.Store) error { return c.removeAdmin(db, a) },
		"list":   c.listAdmins,
	}
	verb := ""
	check := func() error {
		if len(c.names) == 0 {
			return errors.New("say add, remove or list")
		}
		verb, c.names = c.names[0], c.names[1:]
		switch {
		case verbs[verb] == nil:
			return fmt.Errorf("there is no %q: it is add, remove or list", verb)
		case verb == "list":
			return c.none()
		case !slices.Contains(storage.Roles(), a.Role):
			return fmt.Errorf("--role %s: the roles are %v", a.Role, storage.Roles())
		}
		if err := c.one("the name of a player"); err != nil {
			return err
		}
		a.Name = c.names[0]
		return nil
	}
	return c.run(args, storage.Options{}, check, func(db *storage.Store) error { return verbs[verb](db) })
}

func (c *dbCall) addAdmin(db *storage.Store, a storage.Admin) error {
	if err := db.AddAdmin(c.ctx, a); err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "%s is %s on %s.\n", printable(a.Name), a.Role, theRealm(a.Realm))
	return c.audit(db, a.Name, "add "+string(a.Role)+" on "+theRealm(a.Realm))
}

func (c *dbCall) removeAdmin(db *storage.Store, a storage.Admin) error {
	if err := db.RemoveAdmin(c.ctx, a.Name, a.Realm); err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "%s is no longer an admin on %s.\n", printable(a.Name), theRealm(a.Realm))
	return c.audit(db, a.Name, "remove on "+theRealm(a.Realm))
}

func (c *dbCall) listAdmins(db *storage.Store) error {
	admins, err := db.Admins(c.ctx)
	if err != nil {
		return err
	}
	rows := make([][]string, 0, len(admins))
	for _, a := range admins {
		rows = append(rows, []string{a.Name, realmName(a.Realm), string(a.Role), local(a.At), a.By})
	}
	return c.print(list{admins, "No admins.", "NAME\tREALM\tROLE\tSINCE\tBY", rows})
}

func theRealm(realm string) string {
	if realm == "" {
		return "the LAN"
	}
	return printable(realm)
}
