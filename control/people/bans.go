package people

import (
	"context"
	"slices"
	"strings"
	"time"

	"w3host/game/command"
	"w3host/internal/network"
	"w3host/storage"
	"w3host/texts"
)

// target returns the target of a ban command: a connected player, otherwise the typed name, address or network.
func target(q *command.Query) (storage.BanTarget, error) {
	if q.Here {
		return storage.BanTarget{Name: q.Name}, nil
	}
	return storage.ParseBanTarget(q.Name)
}

// address returns the address of a connected player, otherwise the typed address.
func address(q *command.Query) (t storage.BanTarget, err error) {
	if q.Here {
		return storage.BanTarget{Network: network.Of(q.Addr)}, nil
	}
	if t, err = storage.ParseBanTarget(q.Name); err == nil && !t.Network.IsValid() {
		err = texts.Of("%s is neither connected nor an address: type an address", q.Name)
	}
	return t, err
}

func (d Directory) ban(ctx context.Context, q *command.Query) (answer, error) {
	return d.store(ctx, q, target)
}

func (d Directory) banIP(ctx context.Context, q *command.Query) (answer, error) {
	return d.store(ctx, q, address)
}

func (d Directory) store(ctx context.Context, q *command.Query, whom func(*command.Query) (storage.BanTarget, error)) (answer, error) {
	t, err := whom(q)
	if err != nil {
		return nil, err
	}
	if IsVast(t.Network) {
		return nil, texts.Of("%v covers a large part of the internet: use w3host ban add --yes to confirm", t.Network)
	}
	ban := storage.Ban{Name: t.Name, Network: t.Network, Reason: q.Reason, By: q.By, At: time.Now()}
	if q.For > 0 {
		ban.Expires = ban.At.Add(q.For)
	}
	if ban, err = d.DB.AddBan(ctx, ban); err != nil {
		return nil, worded(err, storage.ErrConflict, "%s is already banned", ban.Target())
	}
	q.Give(ban)
	if ban.Expires.IsZero() {
		return one("%s is banned permanently.", ban.Target()), nil
	}
	return one("%s is banned%v.", ban.Target(), until(ban)), nil
}

func (d Directory) unban(ctx context.Context, q *command.Query) (answer, error) {
	t, err := target(q)
	if err != nil {
		return nil, err
	}
	lifted, err := d.DB.LiftBans(ctx, t, "", q.By)
	if err != nil {
		return nil, worded(err, storage.ErrNotFound, "%s is not banned. Type bans for a list", q.Name)
	}
	q.Give(lifted)
	var who []string
	for _, ban := range lifted {
		who = append(who, ban.Target())
	}
	return one("No longer banned: %s.", strings.Join(who, ", ")), nil
}

func (d Directory) bans(ctx context.Context, q *command.Query) (answer, error) {
	all, err := d.DB.Bans(ctx, false)
	q.Give(all)
	if err != nil || len(all) == 0 {
		return one("There are no bans."), err
	}
	lines := answer{texts.Count(len(all), "%d ban:", "%d bans:")}
	for _, ban := range all[:min(len(all), most)] {
		lines = append(lines, describeBan(ban))
	}
	if len(all) > most {
		lines = append(lines, texts.Count(len(all)-most, "and %d older one: w3host ban list shows all.", "and %d older ones: w3host ban list shows all."))
	}
	return lines, nil
}

func (d Directory) checkBan(ctx context.Context, q *command.Query) (answer, error) {
	t, err := target(q)
	if err != nil {
		return nil, err
	}
	addr := q.Addr
	if t.Network.IsValid() {
		addr = t.Network.Addr()
	}
	all, err := d.DB.Bans(ctx, false)
	all = slices.DeleteFunc(all, func(b storage.Ban) bool { return !b.Matches(t.Name, addr, b.Realm, time.Now()) })
	return each(q, all, err, one("%s is not banned.", q.Name), describeBan)
}

// describeBan returns the list line of a ban.
func describeBan(b storage.Ban) texts.Text {
	who, since := b.Target()+onRealm(b.Realm), b.At.UTC().Format(time.DateOnly)
	if b.Reason == "" {
		return texts.Of("%s is banned by %s since %s%v.", who, b.By, since, until(b))
	}
	return texts.Of("%s is banned by %s since %s%v: %s.", who, b.By, since, until(b), b.Reason)
}

func until(b storage.Ban) texts.Text {
	if b.Expires.IsZero() {
		return texts.Text{}
	}
	return texts.Of(" until %s", b.Expires.UTC().Format("2006-01-02 15:04 UTC"))
}
