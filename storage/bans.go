package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"w3host/storage/internal/sqldb"
)

// Ban excludes a player by name, by network, or by either if both are set.
type Ban struct {
	ID      int64        `json:"id"`
	Name    string       `json:"name,omitempty" doc:"Compared without case; none: any name"`
	Network netip.Prefix `json:"network,omitzero" doc:"An address is a network of one; none: any"`
	Realm   string       `json:"realm" doc:"None: everywhere, the LAN included"`
	Reason  string       `json:"reason"`
	By      string       `json:"banned_by" db:"banned_by"`
	At      time.Time    `json:"banned_at" db:"banned_at"`
	Expires time.Time    `json:"expires_at,omitzero" db:"expires_at" doc:"None: never"`
	Lifted  time.Time    `json:"lifted_at,omitzero" db:"lifted_at" doc:"None while it holds"`
}

// ByHost is the author of bans that the host issues automatically.
const ByHost = "w3host"

// Target returns the name and network of the ban as text.
func (b Ban) Target() string { return targetText(b.Name, " and ", b.Network) }

func targetText(name, joined string, network netip.Prefix) string {
	if name == "" || !network.IsValid() {
		return name + networkText(network)
	}
	return name + joined + networkText(network)
}

// Matches reports whether the ban applies to a player.
func (b Ban) Matches(name string, addr netip.Addr, realm string, now time.Time) bool {
	if !b.Expires.IsZero() && !now.Before(b.Expires) || b.Realm != "" && fold(b.Realm) != fold(realm) {
		return false
	}
	return b.Name != "" && fold(b.Name) == fold(name) || b.Network.IsValid() && b.Network.Contains(addr.Unmap())
}

// AddBan adds a ban. It returns ErrConflict if an equal one is in force.
func (d *Store) AddBan(ctx context.Context, b Ban) (Ban, error) {
	if fold(b.Name) == "" && !b.Network.IsValid() {
		return b, fmt.Errorf("%w: a ban needs a name or a network", ErrRejected)
	}
	b.Name, b.Realm = clean(strings.TrimSpace(b.Name)), nameKey(b.Realm)
	b.Reason, b.By, b.At = clean(b.Reason), clean(b.By), cmp.Or(b.At, time.Now())
	key, network := fold(b.Name), networkText(b.Network)
	err := d.tx(ctx, func(tx sqldb.Tx) (err error) {
		// An expired ban makes room for a new one.
		if _, err = tx.Exec(ctx, `UPDATE bans SET lifted_at = expires_at, lifted_by = 'expiry'
			WHERE name_key = $1 AND network = $2 AND realm = $3 AND lifted_at IS NULL AND expires_at <= $4`,
			key, network, b.Realm, b.At); err != nil {
			return err
		}
		b.ID, err = sqldb.One[int64](ctx, tx, `INSERT INTO bans (name, name_key, network, realm, reason, banned_by, banned_at, expires_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
			b.Name, key, network, b.Realm, b.Reason, b.By, b.At, b.Expires)
		return err
	})
	if errors.Is(err, ErrConflict) {
		return b, fmt.Errorf("%s is banned: %w", b.Target(), ErrConflict)
	}
	return b, err
}

// LiftBans lifts all bans of a target, in one realm or, if realm is empty, in all, and returns them. It
// returns ErrNotFound if there is none.
func (d *Store) LiftBans(ctx context.Context, target BanTarget, realm, by string) ([]Ban, error) {
	lifted, err := inTx(ctx, d, func(tx sqldb.Tx) ([]Ban, error) {
		return listBans(ctx, tx, `UPDATE bans SET lifted_at = $1, lifted_by = $2
			WHERE lifted_at IS NULL AND (expires_at IS NULL OR expires_at > $1) AND realm = CASE WHEN $3 = '' THEN realm ELSE $3 END
			AND ((name_key = $4 AND name_key <> '') OR (network = $5 AND network <> '')) RETURNING `+banColumns,
			time.Now(), clean(by), fold(realm), fold(target.Name), networkText(target.Network))
	})
	return lifted, requireRows(len(lifted), err, ErrNotFound, "no ban of %s", Ban{Name: target.Name, Network: target.Network}.Target())
}

// Bans returns the bans in force, latest first; with all set, also past ones.
func (d *Store) Bans(ctx context.Context, all bool) ([]Ban, error) {
	if all {
		return listBans(ctx, d.sql, "SELECT "+banColumns+" FROM bans ORDER BY banned_at DESC, id DESC")
	}
	return listBans(ctx, d.sql, "SELECT "+banColumns+` FROM bans WHERE lifted_at IS NULL AND (expires_at IS NULL OR expires_at > $1)
		ORDER BY banned_at DESC, id DESC`, time.Now())
}

const banColumns = "id, name, realm, reason, banned_by, banned_at, expires_at, lifted_at, network"

func listBans(ctx context.Context, q sqldb.Queryer, query string, args ...any) ([]Ban, error) {
	rows, err := sqldb.List[struct {
		Ban
		Network string
	}](ctx, q, query, args...)
	if err != nil {
		return nil, err
	}
	all := make([]Ban, len(rows))
	for i, row := range rows {
		all[i] = row.Ban
		if row.Network != "" {
			target, err := ParseBanTarget(row.Network)
			all[i].Network = target.Network // invalid if it was edited by hand
			if err != nil {
				all[i].Reason += " [" + err.Error() + "]"
			}
		}
	}
	return all, nil
}

// networkText returns the stored form of a network: an IPv4 address without /32.
func networkText(p netip.Prefix) string {
	switch {
	case !p.IsValid():
		return ""
	case p.IsSingleIP() && p.Addr().Unmap().Is4():
		return p.Addr().Unmap().String()
	}
	return p.Masked().String()
}
