package storage

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"w3host/storage/internal/sqldb"
)

// Ban keeps a player out by name, by network, or by whichever fits first.
type Ban struct {
	ID      int64
	Name    string       // compared without case; empty: any name
	Network netip.Prefix // an address is a network of one; invalid: any
	Realm   string       // empty: everywhere, the LAN included
	Reason  string
	By      string
	At      time.Time
	Expires time.Time // zero: never
	Lifted  time.Time // zero while it holds
}

// Target is what the ban is about, as a person would write it.
func (b Ban) Target() string {
	switch {
	case b.Name == "":
		return networkText(b.Network)
	case !b.Network.IsValid():
		return b.Name
	}
	return b.Name + " and " + networkText(b.Network)
}

// Matches says whether the ban is about this player.
func (b Ban) Matches(name string, addr netip.Addr, realm string, now time.Time) bool {
	if !b.Expires.IsZero() && !now.Before(b.Expires) || b.Realm != "" && fold(b.Realm) != fold(realm) {
		return false
	}
	return b.Name != "" && fold(b.Name) == fold(name) || b.Network.IsValid() && b.Network.Contains(addr.Unmap())
}

const banColumns = "id, name, network, realm, reason, banned_by, banned_at, expires_at, lifted_at"

// AddBan begins a ban; ErrConflict when the same one holds already.
func (d *Store) AddBan(ctx context.Context, b Ban) (Ban, error) {
	if fold(b.Name) == "" && !b.Network.IsValid() {
		return b, fmt.Errorf("%w: a ban needs a name or a network", ErrRejected)
	}
	b.Name, b.Realm = clean(strings.TrimSpace(b.Name)), fold(clean(b.Realm))
	b.Reason, b.By = clean(b.Reason), clean(b.By)
	if b.At.IsZero() {
		b.At = time.Now()
	}
	key, network := fold(b.Name), networkText(b.Network)
	err := d.tx(ctx, func(tx sqldb.Tx) error {
		// One that has run out makes room for the next.
		if _, err := tx.Exec(ctx, `UPDATE bans SET lifted_at = expires_at, lifted_by = 'expiry'
			WHERE name_key = $1 AND network = $2 AND realm = $3 AND lifted_at IS NULL AND expires_at <= $4`,
			key, network, b.Realm, b.At); err != nil {
			return err
		}
		return tx.One(ctx, `INSERT INTO bans (name, name_key, network, realm, reason, banned_by, banned_at, expires_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
			[]any{b.Name, key, network, b.Realm, b.Reason, b.By, b.At, b.Expires}, &b.ID)
	})
	if errors.Is(err, ErrConflict) {
		return b, fmt.Errorf("%s is banned: %w", b.Target(), ErrConflict)
	}
	return b, err
}

// LiftBans ends all bans of a target, in one realm or, when it is empty,
// in all, and tells which. ErrNotFound when there is none.
func (d *Store) LiftBans(ctx context.Context, target BanTarget, realm, by string) ([]Ban, error) {
	lifted, err := []Ban(nil), error(nil)
	now := time.Now()
	err = d.tx(ctx, func(tx sqldb.Tx) error {
		lifted = nil
		return tx.Query(ctx, `UPDATE bans SET lifted_at = $1, lifted_by = $2
			WHERE lifted_at IS NULL AND (expires_at IS NULL OR expires_at > $1) AND realm = CASE WHEN $3 = '' THEN realm ELSE $3 END
			AND ((name_key = $4 AND name_key <> '') OR (network = $5 AND network <> '')) RETURNING `+banColumns,
			[]any{now, clean(by), fold(realm), fold(target.Name), networkText(target.Network)},
			func(scan sqldb.Scan) error {
				var b Ban
				err := scanBan(scan, &b)
				lifted = append(lifted, b)
				return err
			})
	})
	if err == nil && len(lifted) == 0 {
		err = fmt.Errorf("no ban of %s: %w", Ban{Name: target.Name, Network: target.Network}.Target(), ErrNotFound)
	}
	return lifted, err
}

// Bans lists the bans that hold, the latest first; past ones too with all.
func (d *Store) Bans(ctx context.Context, all bool) ([]Ban, error) {
	query := "SELECT " + banColumns + " FROM bans"
	var args []any
	if !all {
		query += " WHERE lifted_at IS NULL AND (expires_at IS NULL OR expires_at > $1)"
		args = append(args, time.Now())
	}
	return collect(ctx, d, query+" ORDER BY banned_at DESC, id DESC", args, scanBan)
}

func scanBan(scan sqldb.Scan, b *Ban) error {
	var network string
	err := scan(&b.ID, &b.Name, &network, &b.Realm, &b.Reason, &b.By, at(&b.At), at(&b.Expires), at(&b.Lifted))
	if err != nil || network == "" {
		return err
	}
	target, err := ParseBanTarget(network)
	b.Network = target.Network // one that somebody mistyped by hand matches nobody
	if err != nil {
		b.Reason += " [" + err.Error() + "]"
	}
	return nil
}

// networkText is the stored form: a single address without its /32.
func networkText(p netip.Prefix) string {
	switch {
	case !p.IsValid():
		return ""
	case p.IsSingleIP():
		return p.Addr().Unmap().String()
	}
	return p.Masked().String()
}
