// Package people answers from the game log's database what commands ask about
// players, bans and admins, and changes there what they order.
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

// Book answers queries.
type Book struct{ DB *storage.Store }

// most is how many bans or names a line tells.
const most = 10

// Ask carries a query out. The answer is a line, or several; an error is one
// line too.
func (b Book) Ask(ctx context.Context, q game.Query) (string, error) {
	text, err := b.ask(ctx, q)
	if errors.Is(err, storage.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("the database does not answer: try again later")
	}
	return text, err
}

func (b Book) ask(ctx context.Context, q game.Query) (string, error) {
	switch q.What {
	case "stats":
		return b.stats(ctx, q.Name)
	case "rank":
		return b.rank(ctx, q)
	case "statsdota":
		return b.dota(ctx, q.Name)
	case "check":
		return b.check(ctx, q)
	case "alts":
		return b.alts(ctx, q.Name)
	case "ban", "banip":
		return b.ban(ctx, q)
	case "unban":
		return b.unban(ctx, q)
	case "bans":
		return b.bans(ctx)
	case "checkban":
		return b.checkBan(ctx, q)
	case "addadmin", "deladmin":
		return b.setAdmin(ctx, q)
	case "admins":
		return b.admins(ctx, "")
	case "checkadmin":
		return b.admins(ctx, q.Name)
	}
	return "", fmt.Errorf("the database is not asked for %s", q.What)
}

func (b Book) stats(ctx context.Context, name string) (string, error) {
	all, err := b.DB.PlayerStats(ctx, name)
	if errors.Is(err, storage.ErrNotFound) {
		return name + " has not played here yet.", nil
	}
	lines := make([]string, len(all))
	for i, s := range all {
		lines[i] = fmt.Sprintf("%s%s: %d games, %d won, %d lost, %d drawn, left %d early, dropped %d times, ping %.0f ms, last game %s.",
			s.Name, onRealm(s.Realm), s.Games, s.Won, s.Lost, s.Drawn, s.LeftEarly, s.Dropped, s.PingMS, s.Last.UTC().Format(time.DateOnly))
	}
	return strings.Join(lines, "\n"), err
}

func (b Book) rank(ctx context.Context, q game.Query) (string, error) {
	all, err := b.DB.RatingsOf(ctx, q.Name, q.Map)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return q.Name + " has no rating on this map yet.", nil
	}
	lines := make([]string, len(all))
	for i, r := range all {
		lines[i] = fmt.Sprintf("%s%s: place %d of %d on %s, %d points (rated games: %d).", r.Name, onRealm(r.Realm), r.Place, r.Of, r.Category, r.Points, r.Games)
	}
	return strings.Join(lines, "\n"), nil
}

// dota tells the means of the values that DotA reports.
func (b Book) dota(ctx context.Context, name string) (string, error) {
	all, err := b.DB.PlayerStats(ctx, name)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return "", err
	}
	var lines []string
	for _, s := range all {
		var parts []string
		games := 0
		for _, v := range s.Values {
			if v.Source == storage.SourceDotA {
				games = max(games, v.Games)
				parts = append(parts, fmt.Sprintf("%s %.1f", strings.ReplaceAll(v.Name, "_", " "), v.Mean))
			}
		}
		if games > 0 {
			lines = append(lines, fmt.Sprintf("%s%s in %d games of DotA, on average: %s.", s.Name, onRealm(s.Realm), games, strings.Join(parts, ", ")))
		}
	}
	if lines == nil {
		return name + " has played no game of DotA here.", nil
	}
	return strings.Join(lines, "\n"), nil
}

// check is what the database knows of somebody.
func (b Book) check(ctx context.Context, q game.Query) (string, error) {
	var lines []string
	for _, part := range []func() (string, error){
		func() (string, error) { return b.stats(ctx, q.Name) },
		func() (string, error) { return b.checkBan(ctx, q) },
		func() (string, error) { return b.admins(ctx, q.Name) },
	} {
		line, err := part()
		if err != nil {
			return "", err
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), nil
}

func (b Book) alts(ctx context.Context, name string) (string, error) {
	names, err := b.DB.Namesakes(ctx, name, most)
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return "No other name has come from " + name + "'s addresses.", nil
	}
	return "From " + name + "'s addresses also came " + strings.Join(names, ", ") + ".", nil
}

func (b Book) admins(ctx context.Context, name string) (string, error) {
	all, err := b.DB.Admins(ctx)
	if err != nil {
		return "", err
	}
	var list []string
	for _, a := range all {
		if name == "" || strings.EqualFold(a.Name, strings.TrimSpace(name)) {
			list = append(list, fmt.Sprintf("%s%s (%s)", a.Name, onRealm(a.Realm), a.Role))
		}
	}
	switch {
	case len(list) > 0:
		return "Admins: " + strings.Join(list, ", ") + ".", nil
	case name != "":
		return name + " is no admin.", nil
	}
	return "There are no admins.", nil
}

func (b Book) setAdmin(ctx context.Context, q game.Query) (string, error) {
	if q.What == "deladmin" {
		if err := b.DB.RemoveAdmin(ctx, q.Name, q.Realm); err != nil {
			return "", err
		}
		return q.Name + " is no longer an admin" + onRealm(q.Realm) + ".", nil
	}
	role := storage.RoleAdmin
	if q.Root {
		role = storage.RoleRoot
	}
	if err := b.DB.AddAdmin(ctx, storage.Admin{Name: q.Name, Realm: q.Realm, Role: role, By: q.By, At: time.Now()}); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s is an admin%s now (%s).", q.Name, onRealm(q.Realm), role), nil
}

func onRealm(realm string) string {
	if realm == "" {
		return ""
	}
	return "@" + realm
}

// isVast is true of networks wider than anybody is given.
func isVast(p netip.Prefix) bool {
	return p.IsValid() && (p.Addr().Is4() && p.Bits() < 8 || p.Addr().Is6() && p.Bits() < 16)
}
