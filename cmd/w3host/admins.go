package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"w3host/storage"
)

const adminHelp = "w3host admin gives and takes the right to command hosts."

// adminCommand is "w3host admin".
func adminCommand() *cobra.Command {
	c, cmd := newDBCommand("admin", "add, remove and list those who may command", adminHelp)
	var a storage.Admin
	fs := cmd.PersistentFlags()
	fs.StringVar(&a.Realm, "realm", "", "the `REALM` where NAME is who they say they are; otherwise the LAN, where anyone may call themselves so")
	fs.StringVar((*string)(&a.Role), "role", string(storage.RoleAdmin), "`ROLE`, with add: admin runs games, kicks and bans; root also makes admins")
	c.addListFlags(fs)
	_ = cmd.RegisterFlagCompletionFunc("role", cobra.FixedCompletions([]string{"admin", "root"}, cobra.ShellCompDirectiveNoFileComp))
	check := func() error {
		if !slices.Contains(storage.Roles(), a.Role) {
			return fmt.Errorf("--role %s: the roles are %v", a.Role, storage.Roles())
		}
		a.By = operator()
		err := c.one("the name of a player")
		if err == nil {
			a.Name = c.names[0]
		}
		return err
	}
	group(cmd,
		c.does(&cobra.Command{Use: "add NAME", Short: "let somebody command hosts"}, storage.Options{}, check,
			func(db *storage.Store) error { return c.addAdmin(db, a) }),
		c.does(&cobra.Command{Use: "remove NAME", Short: "take that right away"}, storage.Options{}, check,
			func(db *storage.Store) error { return c.removeAdmin(db, a) }),
		c.does(&cobra.Command{Use: "list", Short: "list the admins"}, storage.Options{}, c.none, c.listAdmins))
	cmd.RunE = func(*cobra.Command, []string) error { return usageError{errors.New("say add, remove or list")} }
	return cmd
}

func (c *dbCall) addAdmin(db *storage.Store, a storage.Admin) error {
	if err := db.AddAdmin(c.ctx, a); err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "%s is %s on %s.\n", printable(a.Name), a.Role, theRealm(a.Realm))
	return c.audit(db, a.Name, "add "+string(a.Role)+" on "+theRealm(a.Realm))
}

func (c *dbCall) removeAdmin(db *storage.Store, a storage.Admin) error {
	if err := db.RemoveAdmin(c.ctx, a.Name, a.Realm, a.Network); err != nil {
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
