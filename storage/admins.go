package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"w3host/storage/internal/sqldb"
)

// Role is what an admin may do.
type Role string

const (
	RoleAdmin Role = "admin" // runs games, kicks and bans
	RoleRoot  Role = "root"  // and makes admins
)

// Roles lists them, the lowest first.
func Roles() []Role { return []Role{RoleAdmin, RoleRoot} }

// Admin is a person with rights in one realm. On another realm the same name
// may be somebody else.
type Admin struct {
	Name  string    `json:"name"`
	Realm string    `json:"realm"` // empty: the LAN
	Role  Role      `json:"role"`
	By    string    `json:"added_by"`
	At    time.Time `json:"added_at"`
}

// AddAdmin gives a role, also to someone who has another one; ErrConflict
// if they already have it.
func (d *Store) AddAdmin(ctx context.Context, a Admin) error {
	if fold(a.Name) == "" || !slices.Contains(Roles(), a.Role) {
		return fmt.Errorf("%w: an admin needs a name and one of the roles %v", ErrRejected, Roles())
	}
	if a.At.IsZero() {
		a.At = time.Now()
	}
	n, err := d.exec(ctx, `INSERT INTO admins (name_key, realm, name, role, added_by, added_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (name_key, realm) DO UPDATE SET name = excluded.name, role = excluded.role,
			added_by = excluded.added_by, added_at = excluded.added_at WHERE admins.role <> excluded.role`,
		fold(clean(a.Name)), fold(clean(a.Realm)), clean(strings.TrimSpace(a.Name)), string(a.Role), clean(a.By), a.At)
	if err == nil && n == 0 {
		err = fmt.Errorf("%s is %s%s: %w", a.Name, a.Role, onRealm(a.Realm), ErrConflict)
	}
	return err
}

// RemoveAdmin takes the role away; ErrNotFound when there is none.
func (d *Store) RemoveAdmin(ctx context.Context, name, realm string) error {
	n, err := d.exec(ctx, "DELETE FROM admins WHERE name_key = $1 AND realm = $2", fold(clean(name)), fold(clean(realm)))
	if err == nil && n == 0 {
		err = fmt.Errorf("no admin %s%s: %w", name, onRealm(realm), ErrNotFound)
	}
	return err
}

// Admins lists all, by realm and name.
func (d *Store) Admins(ctx context.Context) ([]Admin, error) {
	return collect(ctx, d, "SELECT name, realm, role, added_by, added_at FROM admins ORDER BY realm, name_key", nil,
		func(scan sqldb.Scan, a *Admin) error { return scan(&a.Name, &a.Realm, &a.Role, &a.By, at(&a.At)) })
}

func onRealm(realm string) string {
	if realm == "" {
		return " on the LAN"
	}
	return " on " + realm
}
