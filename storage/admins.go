package storage

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"w3host/storage/internal/sqldb"
)

// Role is the set of rights of an admin.
type Role string

const (
	RoleTrusted Role = "trusted" // exempt from automatic rules and from votes
	RoleAdmin   Role = "admin"   // may run games, kick and ban
	RoleRoot    Role = "root"    // may also appoint admins
)

// Roles returns all roles, lowest first.
func Roles() []Role { return []Role{RoleTrusted, RoleAdmin, RoleRoot} }

// RoleList returns all roles as text for messages.
func RoleList() string {
	var names []string
	for _, r := range Roles() {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}

// Admin is a person with a role in one realm, or everyone who joins from a network. The same name on another
// realm may be a different person.
type Admin struct {
	Name     string       `json:"name" doc:"None: any name from the network"`
	Realm    string       `json:"realm" doc:"None: the LAN"`
	Role     Role         `json:"role"`
	By       string       `json:"added_by" db:"added_by"`
	At       time.Time    `json:"added_at" db:"added_at"`
	Network  netip.Prefix `json:"network,omitzero" doc:"The role counts for joins from there; none: from anywhere"`
	Password bool         `json:"password" doc:"The role counts only after a login"`
}

// Target returns the person or network as text.
func (a Admin) Target() string { return targetText(a.Name, " from ", a.Network) }

// AddAdmin adds a role, or changes an existing one. It returns ErrConflict if the admin already has that
// role, or has a higher one and would become trusted.
func (d *Store) AddAdmin(ctx context.Context, a Admin) error {
	if fold(a.Name) == "" && !a.Network.IsValid() || !slices.Contains(Roles(), a.Role) {
		return fmt.Errorf("%w: an admin needs a name or a network, and one of the roles %s", ErrRejected, RoleList())
	}
	n, err := d.sql.Exec(ctx, `INSERT INTO admins (name_key, realm, name, role, added_by, added_at, network) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (name_key, realm, network) DO UPDATE SET `+excluded("name", "role", "added_by", "added_at")+` WHERE admins.role <> excluded.role AND excluded.role <> 'trusted'`,
		nameKey(a.Name), nameKey(a.Realm), clean(strings.TrimSpace(a.Name)), string(a.Role), clean(a.By), cmp.Or(a.At, time.Now()), networkText(a.Network))
	has := a.Role
	if err == nil && n == 0 {
		has, err = sqldb.One[Role](ctx, d.sql, "SELECT role FROM admins WHERE name_key = $1 AND realm = $2 AND network = $3", nameKey(a.Name), nameKey(a.Realm), networkText(a.Network))
	}
	return requireRows(n, err, ErrConflict, "%s is %s%s", a.Target(), has, onRealm(a.Realm))
}

// RemoveAdmin removes the roles of a name in a realm: the role for a.Network, or all roles if that is
// invalid. If a.Role is set, it removes only that role. Without a name it removes the role of the network
// itself. It returns ErrNotFound if there is none. The password is removed with the last role of a name.
func (d *Store) RemoveAdmin(ctx context.Context, a Admin) error {
	key := nameKey(a.Name)
	return d.tx(ctx, func(tx sqldb.Tx) error {
		n, err := tx.Exec(ctx, "DELETE FROM admins WHERE name_key = $1 AND realm = $2 AND (network = $3 OR $3 = '') AND (role = $4 OR $4 = '')",
			key, nameKey(a.Realm), networkText(a.Network), string(a.Role))
		err = requireRows(n, err, ErrNotFound, "no admin %s%s", a.Target(), onRealm(a.Realm))
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM passwords WHERE name_key = $1
			AND NOT EXISTS (SELECT 1 FROM admins WHERE admins.name_key = $1 AND realm = '')`, key)
		return err
	})
}

// Admins returns all admins sorted by realm and name.
func (d *Store) Admins(ctx context.Context) ([]Admin, error) {
	rows, err := sqldb.List[struct {
		Admin
		Network string
	}](ctx, d.sql, `SELECT a.name, a.realm, a.role, a.added_by, a.added_at, p.name_key IS NOT NULL AS password, a.network
		FROM admins a LEFT JOIN passwords p ON p.name_key = a.name_key AND a.realm = '' ORDER BY a.realm, a.name_key, a.network`)
	all := make([]Admin, len(rows))
	for i, row := range rows {
		all[i] = row.Admin
		if row.Network == "" {
			continue
		}
		t, err := ParseBanTarget(row.Network)
		if all[i].Network = t.Network; err != nil || !t.Network.IsValid() {
			all[i].Network = nowhere // edited by hand and invalid
		}
	}
	return all, err
}

// nowhere is a network without players; it replaces an invalid stored network.
var nowhere = netip.MustParsePrefix("255.255.255.255/32")

// SetPassword sets the password hash of a LAN admin; an empty hash removes the password. It returns
// ErrNotFound if there is no such admin, or no password to remove.
func (d *Store) SetPassword(ctx context.Context, name, hash, by string) error {
	key := nameKey(name)
	if hash == "" {
		n, err := d.sql.Exec(ctx, "DELETE FROM passwords WHERE name_key = $1", key)
		return requireRows(n, err, ErrNotFound, "no password of %s", name)
	}
	n, err := d.sql.Exec(ctx, `INSERT INTO passwords (name_key, name, hash, set_by, set_at)
		SELECT name_key, min(name), CAST($2 AS text), CAST($3 AS text), now() FROM admins
		WHERE name_key = $1 AND name_key <> '' AND realm = '' GROUP BY name_key
		ON CONFLICT (name_key) DO UPDATE SET `+excluded("hash", "set_by", "set_at"),
		key, hash, clean(by))
	return requireRows(n, err, ErrNotFound, "no admin %s%s", name, onRealm(""))
}

// PasswordHash returns the hash set with SetPassword, or ErrNotFound.
func (d *Store) PasswordHash(ctx context.Context, name string) (string, error) {
	hash, err := sqldb.One[string](ctx, d.sql, "SELECT hash FROM passwords WHERE name_key = $1", nameKey(name))
	return hash, notFound(err, "no password of %s", name)
}

func onRealm(realm string) string {
	if realm == "" {
		return " on the LAN"
	}
	return " on " + realm
}
