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

const webHelp = `w3host web says who may use the operator's window (docs/web.md). It works whether or not the host runs, for whoever may
write its data folder.

Roles: viewer sees everything but addresses and private chat; moderator commands every lobby and game as its owner does;
admin and root are as those of w3host admin.`

// webCall is one call of w3host web.
type webCall struct {
	call
	file    string // of the configuration
	role    access.Role
	from    []string
	expires config.Span
	store   *access.Store
	config  config.Config
}

func webCommand() *cobra.Command {
	c := &webCall{}
	cmd := &cobra.Command{Use: "web", Short: "say who may use the operator's window", Long: webHelp}
	configFlag(cmd.PersistentFlags(), &c.file)
	roles := func(sub *cobra.Command) *cobra.Command {
		sub.Flags().TextVar(&c.role, "role", access.Admin, "`ROLE`: "+strings.Join(access.Roles(), ", "))
		return sub
	}
	listed := func(sub *cobra.Command) *cobra.Command {
		c.addJSONFlag(sub.Flags(), "print a JSON array")
		return sub
	}
	account := &cobra.Command{Use: "account", Short: "people who log in with a password"}
	group(account,
		c.does(roles(&cobra.Command{Use: "add NAME", Short: "make an account, with a password from the terminal or standard input; or give it another role and password"}), true, c.addAccount),
		c.does(&cobra.Command{Use: "remove NAME", Short: "remove an account, and end its sessions"}, true, c.removeAccount),
		c.does(listed(&cobra.Command{Use: "list", Short: "list the accounts"}), false, c.accounts))
	token := &cobra.Command{Use: "token", Short: "words that let programs in"}
	add := roles(&cobra.Command{Use: "add NAME", Short: "make a token and print it, this once"})
	add.Flags().StringSliceVar(&c.from, "from", nil, "`NETWORK` or address from which it counts; otherwise from anywhere")
	add.Flags().Func("expires", "`TIME` after which it is worth nothing, such as 90d; otherwise never",
		func(text string) error { return c.expires.UnmarshalText([]byte(text)) })
	group(token,
		c.does(add, true, c.addToken),
		c.does(&cobra.Command{Use: "remove NAME", Short: "remove a token"}, true, c.removeToken),
		c.does(listed(&cobra.Command{Use: "list", Short: "list the tokens"}), false, c.tokens))
	group(cmd, c.does(listed(&cobra.Command{Use: "sessions", Short: "list the browsers that are logged in"}), false, c.sessions),
		c.does(&cobra.Command{Use: "logout NAME", Short: `log an account out of all browsers, or those that came by a link: "(link)"`}, true, c.logout),
		c.does(&cobra.Command{Use: "link", Short: "print a link that lets a browser in as root, once, within ten minutes"}, false, c.link), account, token)
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
	return c.said(c.store.RemoveAccount(c.names[0]), "%s has no account any more.\n")
}

// said prints what has been done to the name that was given.
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
			return usageError{fmt.Errorf("--from %s: must be a network such as 192.168.0.0/16, or an address", text)}
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
	return c.said(c.store.RemoveToken(c.names[0]), "The token %s is worth nothing any more.\n")
}

func (c *webCall) tokens() error {
	list, err := c.store.Tokens()
	return printList(&c.call, list, err, "", "NAME\tROLE\tFROM\tEXPIRES\tSINCE", func(t access.Token) []string {
		from := strings.Join(mapped(t.Networks, netip.Prefix.String), " ")
		return []string{t.Name, t.Role.String(), from, local(t.Expires), local(t.Made)}
	})
}
