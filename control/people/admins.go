package people

import (
	"context"
	"slices"
	"strings"
	"time"

	"w3host/game/command"
	"w3host/storage"
	"w3host/texts"
)

// admins lists all admins, or the admin roles of a name.
func (d Directory) admins(ctx context.Context, q *command.Query) (answer, error) {
	if q.Name == "" {
		return d.listAdmins(ctx, q, one("There are no admins."), isAdmin)
	}
	return d.listAdmins(ctx, q, one("%s is not an admin.", q.Name), func(a storage.Admin) bool {
		return strings.EqualFold(a.Name, strings.TrimSpace(q.Name))
	})
}

// trusted lists the trusted players and networks.
func (d Directory) trusted(ctx context.Context, q *command.Query) (answer, error) {
	return d.listAdmins(ctx, q, one("Nobody is trusted."), func(a storage.Admin) bool { return !isAdmin(a) })
}

func isAdmin(a storage.Admin) bool { return a.Role != storage.RoleTrusted }

func (d Directory) listAdmins(ctx context.Context, q *command.Query, none answer, listed func(storage.Admin) bool) (answer, error) {
	all, err := d.DB.Admins(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(a storage.Admin) bool { return !listed(a) })
	q.Give(all)
	switch {
	case slices.ContainsFunc(all, isAdmin):
		return one("Admins: %v.", describe(all, true)), nil
	case len(all) > 0:
		return one("Trusted: %v.", describe(all, false)), nil
	}
	return none, nil
}

// trustee returns the player that a trust command means: a player who is connected, under the realm that confirmed the
// name, or a typed name, with a realm after @ or the caller's realm.
func trustee(q *command.Query) (a storage.Admin, who string, err error) {
	name, realm, typed := strings.Cut(q.Name, "@")
	switch {
	case q.Here:
		name, realm = q.Name, q.Home
	case !typed:
		realm = q.Realm
	}
	a, err = ParseAdmin(name, "")
	a.Realm, a.Role, a.By, a.At = realm, storage.RoleTrusted, q.By, time.Now()
	return a, a.Target() + onRealm(realm), err
}

func (d Directory) trust(ctx context.Context, q *command.Query) (answer, error) {
	a, who, err := trustee(q)
	if err == nil {
		err = d.give(ctx, q, a, who)
	}
	return one("%s is now trusted.", who), worded(err, storage.ErrConflict, "%s is trusted already, or an admin", who)
}

// give stores a role.
func (d Directory) give(ctx context.Context, q *command.Query, a storage.Admin, who string) error {
	if IsVast(a.Network) {
		return texts.Of("%s covers a large part of the internet: use w3host admin add --yes to confirm", who)
	}
	err := d.DB.AddAdmin(ctx, a)
	if err == nil {
		q.Give(a)
	}
	return err
}

func (d Directory) untrust(ctx context.Context, q *command.Query) (answer, error) {
	a, who, err := trustee(q)
	if err == nil {
		err = d.DB.RemoveAdmin(ctx, a)
	}
	return one("%s is no longer trusted.", who), worded(err, storage.ErrNotFound, "%s is not trusted. Type trusted for a list", who)
}

// describe lists admins with the conditions of their roles, and also the roles if roles is set.
func describe(all []storage.Admin, roles bool) texts.Text {
	var list []texts.Text
	for _, a := range all {
		text, network := texts.Plain(a.Name+onRealm(a.Realm)), (storage.Admin{Network: a.Network}).Target()
		if a.Name == "" {
			text = texts.Of("everyone from %s", network+onRealm(a.Realm))
		}
		if roles {
			text = texts.Of("%v (%v)", text, texts.Known(string(a.Role)))
		}
		if a.Name != "" && a.Network.IsValid() {
			text = texts.Of("%v from %s", text, network)
		}
		if a.Name != "" && a.Password {
			text = texts.Of("%v after a login", text)
		}
		list = append(list, text)
	}
	return texts.Join(list, ", ")
}

// admin returns the admin that a query is about.
func admin(q *command.Query) (a storage.Admin, who string, err error) {
	a, err = ParseAdmin(q.Name, q.From)
	a.Realm, a.By, a.At = q.Realm, q.By, time.Now()
	return a, a.Target() + onRealm(a.Realm), err
}

func (d Directory) removeAdmin(ctx context.Context, q *command.Query) (answer, error) {
	a, who, err := admin(q)
	if err == nil {
		err = d.DB.RemoveAdmin(ctx, a)
	}
	return one("%s is no longer an admin.", who), worded(err, storage.ErrNotFound, "%s is not an admin. Type admins for a list", who)
}

func (d Directory) addAdmin(ctx context.Context, q *command.Query) (answer, error) {
	a, who, err := admin(q)
	if a.Role = storage.RoleAdmin; q.Root {
		a.Role = storage.RoleRoot
	}
	role := texts.Known(string(a.Role))
	if err == nil {
		err = d.give(ctx, q, a, who)
	}
	return one("%s is now an admin (%v).", who, role), worded(err, storage.ErrConflict, "%s is already an admin (%v)", who, role)
}

// ParseAdmin parses the holder of a role, which is a name, an address or a network, and from, the network that a named
// holder must join from; from may be empty. The error can be shown to players.
func ParseAdmin(who, from string) (a storage.Admin, err error) {
	t, err := storage.ParseBanTarget(who)
	if err != nil {
		return a, err
	}
	a.Name, a.Network = t.Name, t.Network
	if from == "" {
		return a, nil
	}
	if a.Name == "" {
		return a, texts.Of("%s is a network and needs no second one", who)
	}
	if t, err = storage.ParseBanTarget(from); err == nil && !t.Network.IsValid() {
		err = texts.Of("%q is not an address or a network: write it like 192.0.2.1 or 192.0.2.0/24", from)
	}
	a.Network = t.Network
	return a, err
}
