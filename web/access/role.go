// Package access stores who may use the web console and its API: accounts with passwords, API
// tokens, browser sessions and one-time login links. Everything is in one file beside the database,
// because operators need the console most when the database is down. The host and the command
// "w3host web" change the file under the same lock. It contains only hashes of passwords, tokens,
// session ids and link codes.
package access

import (
	"fmt"
	"slices"
	"strings"
)

// Role determines the pages and actions that a caller may use. Each role includes those before it.
type Role uint8

const (
	Public    Role = iota // a visitor without a login: sees what is open, and how to join
	Viewer                // everything but addresses and private chat
	Moderator             // the owner of every lobby
	Admin
	Root
)

var roleNames = []string{"public", "viewer", "moderator", "admin", "root"}

// Roles returns the names of the roles that accounts and tokens can have.
func Roles() []string { return roleNames[Viewer:] }

func (r Role) String() string { return roleNames[r] }

// MarshalText returns the name of the role.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText parses one of Roles.
func (r *Role) UnmarshalText(text []byte) error {
	i := slices.Index(Roles(), string(text))
	if i < 0 {
		return fmt.Errorf("there is no role %q: use one of %s", text, strings.Join(Roles(), ", "))
	}
	*r = Viewer + Role(i)
	return nil
}
