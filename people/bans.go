package people

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"w3host/game"
	"w3host/storage"
)

// target is whom a query about bans means: a player who is here by name or, for
// banip, by address; otherwise what was typed.
func target(q game.Query) (storage.BanTarget, error) {
	if !q.Here {
		t, err := storage.ParseBanTarget(q.Name)
		if err == nil && q.What == "banip" && !t.Network.IsValid() {
			err = fmt.Errorf("%s is not here and no address: write one", q.Name)
		}
		return t, err
	}
	if q.What == "banip" {
		a := q.Addr.Unmap().WithZone("")
		return storage.BanTarget{Network: netip.PrefixFrom(a, a.BitLen())}, nil
	}
	return storage.BanTarget{Name: q.Name}, nil
}

func (b Book) ban(ctx context.Context, q game.Query) (string, error) {
	t, err := target(q)
	if err != nil {
		return "", err
	}
	if isVast(t.Network) {
		return "", fmt.Errorf("%s is a good part of the whole internet: w3host ban --yes does that", t.Network)
	}
	ban := storage.Ban{Name: t.Name, Network: t.Network, Reason: q.Reason, By: q.By, At: time.Now()}
	if q.For > 0 {
		ban.Expires = ban.At.Add(q.For)
	}
	if ban, err = b.DB.AddBan(ctx, ban); err != nil {
		return "", err
	}
	return ban.Target() + " is banned" + until(ban) + ".", nil
}

func (b Book) unban(ctx context.Context, q game.Query) (string, error) {
	t, err := target(q)
	if err != nil {
		return "", err
	}
	lifted, err := b.DB.LiftBans(ctx, t, "", q.By)
	if err != nil {
		return "", err
	}
	var who []string
	for _, ban := range lifted {
		who = append(who, ban.Target())
	}
	return strings.Join(who, ", ") + " may come again.", nil
}

func (b Book) bans(ctx context.Context) (string, error) {
	all, err := b.DB.Bans(ctx, false)
	if err != nil || len(all) == 0 {
		return "There are no bans.", err
	}
	lines := []string{fmt.Sprintf("%d bans:", len(all))}
	for _, ban := range all[:min(len(all), most)] {
		lines = append(lines, tell(ban))
	}
	if len(all) > most {
		lines = append(lines, fmt.Sprintf("and %d older ones: w3host bans lists all.", len(all)-most))
	}
	return strings.Join(lines, "\n"), nil
}

func (b Book) checkBan(ctx context.Context, q game.Query) (string, error) {
	name, addr := q.Name, q.Addr
	if !q.Here {
		t, err := storage.ParseBanTarget(q.Name)
		if err != nil {
			return "", err
		}
		if name = t.Name; t.Network.IsValid() {
			addr = t.Network.Addr()
		}
	}
	all, err := b.DB.Bans(ctx, false)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return "", err
	}
	var lines []string
	for _, ban := range all {
		if ban.Matches(name, addr, ban.Realm, time.Now()) {
			lines = append(lines, tell(ban))
		}
	}
	if lines == nil {
		return q.Name + " is not banned.", nil
	}
	return strings.Join(lines, "\n"), nil
}

// tell is a ban in a line.
func tell(b storage.Ban) string {
	text := b.Target() + onRealm(b.Realm) + " is banned by " + b.By + " since " + b.At.UTC().Format(time.DateOnly) + until(b)
	if b.Reason != "" {
		text += ": " + b.Reason
	}
	return text + "."
}

func until(b storage.Ban) string {
	if b.Expires.IsZero() {
		return ""
	}
	return " until " + b.Expires.UTC().Format("2006-01-02 15:04 UTC")
}
