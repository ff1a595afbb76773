// Package access knows who may use the operator's window: accounts with passwords,
// tokens for programs, sessions of browsers and links that work once. All of it is one
// file beside the database, since an operator needs the window most when the database is
// away. The host and "w3host web" change it under the same lock; of passwords, tokens,
// sessions and links it has hashes only.
package access

import (
	"fmt"
	"slices"
	"strings"
)

// Role says which pages and actions somebody may use.
type Role uint8

const (
	Public    Role = iota // a visitor without a login: sees what is open, and how to join
	Viewer                // everything but addresses and private chat
	Moderator             // the owner of every lobby
	Admin
	Root
)

var roleNames = []string{"public", "viewer", "moderator", "admin", "root"}

// Roles are the names of those that an account or token can have.
func Roles() []string { return roleNames[Viewer:] }

func (r Role) String() string { return roleNames[r] }

// MarshalText is String, for JSON.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads one of Roles.
func (r *Role) UnmarshalText(text []byte) error {
	i := slices.Index(Roles(), string(text))
	if i < 0 {
		return fmt.Errorf("there is no role %q: use one of %s", text, strings.Join(Roles(), ", "))
	}
	*r = Viewer + Role(i)
	return nil
}
