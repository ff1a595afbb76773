package main

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"w3host/config"
	"w3host/daemon"
	"w3host/internal/terminal"
	"w3host/web/access"
)

const webHelp = `w3host web manages the access to the web console (docs/web.md): accounts, tokens and sessions. It works whether or
not the host runs, and needs write access to the host's data folder.

Roles: viewer sees everything except addresses and private chat; moderator may use the owner's commands in every lobby
and game; admin and root are those of w3host admin.`

// webCall holds the flags of the sub-commands of `w3host web`.
type webCall struct {
	call
	file    string // configuration file
	role    access.Role
	from    []string
	expires config.Span
	store   *access.Store
	config  config.Config
}

func webCommand() *cobra.Command {
	c := &webCall{}
	cmd := &cobra.Command{Use: "web", Short: "manage accounts, tokens and sessions of the web console", Long: webHelp}
	configFlag(cmd.PersistentFlags(), &c.file)
	roles := func(sub *cobra.Command) *cobra.Command {
		sub.Flags().TextVar(&c.role, "role", access.Admin, "`ROLE`: "+strings.Join(access.Roles(), ", "))
		return sub
	}
	listed := func(sub *cobra.Command) *cobra.Command {
		c.addJSONFlag(sub.Flags(), "print a JSON array")
		return sub
	}
	account := &cobra.Command{Use: "account", Short: "manage accounts, which log in with a password"}
	group(account,
		c.does(roles(&cobra.Command{Use: "add NAME", Short: "add an account, or change its role and password; the password is read from the terminal or standard input"}), true, c.addAccount),
		c.does(&cobra.Command{Use: "remove NAME", Short: "remove an account and end its sessions"}, true, c.removeAccount),
		c.does(listed(&cobra.Command{Use: "list", Short: "list the accounts"}), false, c.accounts))
	token := &cobra.Command{Use: "token", Short: "manage tokens, with which programs log in"}
	add := roles(&cobra.Command{Use: "add NAME", Short: "create a token and print it once"})
	add.Flags().StringSliceVar(&c.from, "from", nil, "`NETWORK` or address from which it is valid; otherwise any")
	add.Flags().Func("expires", "lifetime as a `DURATION` such as 90d; otherwise unlimited",
		func(text string) error { return c.expires.UnmarshalText([]byte(text)) })
	group(token,
		c.does(add, true, c.addToken),
		c.does(&cobra.Command{Use: "remove NAME", Short: "remove a token"}, true, c.removeToken),
		c.does(listed(&cobra.Command{Use: "list", Short: "list the tokens"}), false, c.tokens))
	group(cmd, c.does(listed(&cobra.Command{Use: "sessions", Short: "list the logged-in browsers"}), false, c.sessions),
		c.does(&cobra.Command{Use: "logout NAME", Short: `log an account out in all browsers; "(link)" means the browsers that logged in with a link`}, true, c.logout),
		c.does(&cobra.Command{Use: "link", Short: "print a one-time link that logs a browser in as root within ten minutes"}, false, c.link), account, token)
	return cmd
}

func (c *webCall) does(cmd *cobra.Command, named bool, do func() error) *cobra.Command {
	check := c.none
	if named {
		check = func() error { return c.one("a name") }
	}
	return c.runs(cmd, check, func() (err error) {
		if c.config, err = settings(c.file); err != nil {
			return err
		}
		c.store = access.Open(c.config.WebAccess())
		return do()
	})
}

func (c *webCall) link() error {
	code, err := c.store.AddLink(time.Now())
	if err == nil {
		fmt.Fprintln(c.stdout, daemon.LinkURL(daemon.WebURL(c.config.Web, c.config.Web.Listen), code))
	}
	return err
}

func (c *webCall) addAccount() error {
	password, err := c.readPassword()
	if err != nil {
		return err
	}
	if err := c.store.SetAccount(c.names[0], c.role, password, time.Now()); err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "%s can log in, with the role %v.\n", c.names[0], c.role)
	return nil
}

func (c *webCall) removeAccount() error {
	return c.said(c.store.RemoveAccount(c.names[0]), "Removed the account %s.\n")
}

// said prints format with the name given on the command line, unless err is set.
func (c *webCall) said(err error, format string) error {
	if err == nil {
		fmt.Fprintf(c.stdout, format, terminal.Printable(c.names[0]))
	}
	return err
}

func (c *webCall) accounts() error {
	list, err := c.store.Accounts()
	return printList(&c.call, list, err, "", "NAME\tROLE\tSINCE",
		func(a access.Account) []string { return []string{a.Name, a.Role.String(), local(a.Made)} })
}

func (c *webCall) sessions() error {
	list, err := c.store.Sessions(time.Now())
	return printList(&c.call, list, err, "", "NAME\tSINCE\tSEEN",
		func(s access.Session) []string { return []string{s.Account, local(s.Made), local(s.Seen)} })
}

func (c *webCall) logout() error {
	return c.said(c.store.EndSessions(c.names[0]), "%s is logged out.\n")
}

func (c *webCall) addToken() error {
	t := access.Token{Name: c.names[0], Role: c.role, Made: time.Now()}
	for _, text := range c.from {
		network, err := config.ParseNetwork(text)
		if err != nil {
			return usageError{fmt.Errorf("--from %s: must be a network such as 192.168.0.0/16 or an address", text)}
		}
		t.Networks = append(t.Networks, network.Masked())
	}
	if c.expires != 0 {
		t.Expires = t.Made.Add(c.expires.D())
	}
	text, err := c.store.AddToken(t)
	if err == nil {
		fmt.Fprintln(c.stdout, text)
	}
	return err
}

func (c *webCall) removeToken() error {
	return c.said(c.store.RemoveToken(c.names[0]), "Removed the token %s.\n")
}

func (c *webCall) tokens() error {
	list, err := c.store.Tokens()
	return printList(&c.call, list, err, "", "NAME\tROLE\tFROM\tEXPIRES\tSINCE", func(t access.Token) []string {
		from := strings.Join(mapped(t.Networks, netip.Prefix.String), " ")
		return []string{t.Name, t.Role.String(), from, local(t.Expires), local(t.Made)}
	})
}
