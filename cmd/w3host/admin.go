package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"w3host/control/people"
	"w3host/internal/terminal"
	"w3host/storage"
)

const adminHelp = `w3host admin manages who may give commands to hosts.

On the LAN anyone can use any name. A role applies there if it is bound to an address or network (--from, or a
network instead of NAME, for everybody in it), if the admin logs in with a password
(w3host admin password NAME; !login in the chat), or if lobby.lan_admins trusts names.`

func adminCommand() *cobra.Command {
	c, cmd := newDBCommand("admin", "add, remove and list the people who may give commands", adminHelp)
	var a storage.Admin
	var from string
	var none, yes bool
	fs := cmd.PersistentFlags()
	fs.StringVar(&a.Realm, "realm", "", "the `REALM` that vouches for NAME; otherwise the LAN, where anyone can use any name")
	fs.StringVar(&from, "from", "", "the `NETWORK` or address the admin must join from; otherwise any")
	fs.StringVar((*string)(&a.Role), "role", string(storage.RoleAdmin), "`ROLE`, with add: admin runs games, kicks and bans; trusted is exempt from lobby rules and kick votes; root also makes admins")
	fs.BoolVar(&yes, "yes", false, "allow a network that covers a large part of the internet")
	_ = cmd.RegisterFlagCompletionFunc("role", cobra.FixedCompletions([]string{"trusted", "admin", "root"}, cobra.ShellCompDirectiveNoFileComp))
	check := func() error {
		if !slices.Contains(storage.Roles(), a.Role) {
			return fmt.Errorf("there is no role %q: use one of %s", a.Role, storage.RoleList())
		}
		a.By = terminal.User()
		err := c.one("the name of a player, or a network")
		if err != nil {
			return err
		}
		who, err := people.ParseAdmin(c.names[0], from)
		a.Name, a.Network = who.Name, who.Network
		if err == nil && people.IsVast(a.Network) && !yes {
			err = fmt.Errorf("%s covers a large part of the internet; add --yes to confirm", a.Network)
		}
		return err
	}
	password := &cobra.Command{Use: "password NAME", Short: "set the password of a LAN admin; it is read from the terminal or standard input"}
	password.Flags().BoolVar(&none, "remove", false, "remove the password; the role then applies without a login")
	list := &cobra.Command{Use: "list", Short: "list the admins"}
	c.addListFlags(list.Flags())
	return group(cmd,
		c.does(&cobra.Command{Use: "add NAME", Short: "give a player or network a role"}, check,
			func(db *storage.Store) error { return c.addAdmin(db, a) }),
		c.does(&cobra.Command{Use: "remove NAME", Short: "remove a role"}, check,
			func(db *storage.Store) error { return c.removeAdmin(db, a) }),
		c.does(password, check,
			func(db *storage.Store) error { return c.setPassword(db, a.Name, none) }),
		c.does(list, c.none, lists(c, "No admins.", "NAME\tREALM\tROLE\tFROM\tLOGIN\tSINCE\tBY",
			func(db *storage.Store) ([]storage.Admin, error) { return db.Admins(c.ctx) }, adminRow)))
}

func (c *dbCall) addAdmin(db *storage.Store, a storage.Admin) error {
	if err := db.AddAdmin(c.ctx, a); err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "%s is %s on %s.\n", terminal.Printable(a.Target()), a.Role, theRealm(a.Realm))
	return c.audit(db, a.Target(), "add "+string(a.Role)+" on "+theRealm(a.Realm))
}

func (c *dbCall) removeAdmin(db *storage.Store, a storage.Admin) error {
	a.Role = "" // the role that is stored, whatever it is
	if err := db.RemoveAdmin(c.ctx, a); err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "%s is no longer an admin on %s.\n", terminal.Printable(a.Target()), theRealm(a.Realm))
	return c.audit(db, a.Target(), "remove on "+theRealm(a.Realm))
}

// setPassword stores the password hash of a LAN admin, or removes it if none is set.
func (c *dbCall) setPassword(db *storage.Store, name string, none bool) error {
	hash, now, did := "", "no longer has a password.", "remove the password"
	if !none {
		password, err := c.readPassword()
		if err != nil {
			return err
		}
		if hash, err = people.HashPassword(password); err != nil {
			return err
		}
		now, did = "now has a password; the role applies after !login in each game.", "set a password"
	}
	if err := db.SetPassword(c.ctx, name, hash, terminal.User()); err != nil {
		return err
	}
	fmt.Fprintln(c.stdout, terminal.Printable(name), now)
	return c.audit(db, name, did)
}

func (c *call) readPassword() (string, error) {
	f, ok := c.stdin.(*os.File)
	if !ok || !terminal.Is(f) {
		line, err := bufio.NewReader(io.LimitReader(c.stdin, 4<<10)).ReadString('\n')
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			return line, nil
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return "", errors.Join(errors.New("no password on standard input"), err)
	}
	var typed [2][]byte
	for i, prompt := range []string{"Password: ", "Again: "} {
		fmt.Fprint(c.stderr, prompt)
		text, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(c.stderr)
		if err != nil {
			return "", err
		}
		typed[i] = text
	}
	if string(typed[0]) != string(typed[1]) {
		return "", errors.New("the two passwords differ; nothing was changed")
	}
	return string(typed[0]), nil
}

func adminRow(a storage.Admin) []string {
	login := either(a.Password, "password", "")
	return []string{a.Name, realmName(a.Realm), string(a.Role), storage.Admin{Network: a.Network}.Target(), login, local(a.At), a.By}
}

func theRealm(realm string) string { return terminal.Printable(cmp.Or(realm, "the LAN")) }
