// Package people implements the commands that need the database: statistics, ratings, bans, admins, warnings, notes and
// ignore lists.
//
// A command that a player or operator types becomes a command.Query; Directory.Ask answers it from the database or
// changes the database as ordered. Package daemon calls it on goroutines of the database, never on that of a game. The
// package checks no permissions; the command tables have done that.
package people

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"time"

	"w3host/game/command"
	"w3host/rating"
	"w3host/storage"
	"w3host/texts"
)

// Directory answers queries from the database. Its methods block on the database.
type Directory struct {
	DB   *storage.Store
	Rule func() Warnings // returns the current rule for warnings
}

// most is the number of bans or names that an answer lists at most.
const most = 10

// Ask executes a query. It returns the answer in the query's language, as several lines or none. An error is a
// texts.Text. Lists also go to q.Data as values.
func (d Directory) Ask(ctx context.Context, q command.Query) (string, error) {
	give, values := q.Data, any(nil)
	q.Data = func(v any) { values = v }
	lines, err := answers[q.What](d, ctx, &q)
	if errors.Is(err, storage.ErrUnavailable) || errors.Is(err, storage.ErrUnusable) || errors.Is(err, context.DeadlineExceeded) {
		err = texts.Of("the database does not answer: try again later")
	}
	if err != nil {
		return "", texts.From(err)
	}
	if give != nil && values != nil {
		give(values)
	}
	return texts.Join(lines, "\n").In(q.Language), nil
}

// Language returns the language that a player has chosen with the command "lang", and false if none was chosen.
func (d Directory) Language(ctx context.Context, name string) (texts.Language, bool, error) {
	tag, err := d.DB.LanguageOf(ctx, name)
	if err != nil || tag == "" {
		return texts.English, false, err
	}
	l, err := texts.ParseLanguage(tag)
	return l, err == nil, err
}

// Ignored lists the players whose messages a player has chosen not to see.
func (d Directory) Ignored(ctx context.Context, name, realm string) ([]string, error) {
	return d.DB.IgnoredBy(ctx, name, realm)
}

// answer holds the lines of an answer.
type answer = []texts.Text

// one returns an answer of one line.
func one(format string, args ...any) answer { return answer{texts.Of(format, args...)} }

// each returns an answer with a line for each item, or none if there are no items.
func each[T any](q *command.Query, all []T, err error, none answer, line func(T) texts.Text) (lines answer, _ error) {
	if err != nil {
		return nil, err
	}
	q.Give(all)
	for _, item := range all {
		lines = append(lines, line(item))
	}
	if lines == nil {
		return none, nil
	}
	return lines, nil
}

// worded replaces an error of the given kind by a text.
func worded(err, kind error, format string, args ...any) error {
	if errors.Is(err, kind) {
		return texts.Of(format, args...)
	}
	return err
}

// answers maps the names of commands to the methods that answer them.
var answers = map[string]func(Directory, context.Context, *command.Query) (answer, error){
	"stats":      Directory.stats,
	"rank":       Directory.rank,
	"statsdota":  Directory.dota,
	"top":        Directory.top,
	"lastgame":   Directory.lastGame,
	"saves":      Directory.saves,
	"check":      Directory.check,
	"checkme":    Directory.check,
	"alts":       Directory.alts,
	"ban":        Directory.ban,
	"banip":      Directory.banIP,
	"banlast":    Directory.ban,
	"unban":      Directory.unban,
	"bans":       Directory.bans,
	"checkban":   Directory.checkBan,
	"addadmin":   Directory.addAdmin,
	"deladmin":   Directory.removeAdmin,
	"admins":     Directory.admins,
	"checkadmin": Directory.admins,
	"trust":      Directory.trust,
	"untrust":    Directory.untrust,
	"trusted":    Directory.trusted,
	"lang":       Directory.lang,
	"warn":       Directory.warn,
	"unwarn":     Directory.unwarn,
	"note":       Directory.note,
	"remarks":    Directory.remarks,
	"ignore":     Directory.ignore,
	"unignore":   Directory.unignore,
}

func (d Directory) lang(ctx context.Context, q *command.Query) (answer, error) {
	return one("The host now talks to you in %s.", q.Language.Own()), d.DB.SetLanguage(ctx, q.Name, q.Language.String())
}

func (d Directory) ignore(ctx context.Context, q *command.Query) (answer, error) {
	err := d.DB.Ignore(ctx, q.By, q.Realm, q.Name)
	return one("You will no longer see messages from %s.", q.Name),
		worded(err, storage.ErrConflict, "you already ignore %d players: use unignore first", storage.MostIgnored)
}

func (d Directory) unignore(ctx context.Context, q *command.Query) (answer, error) {
	return one("You will see messages from %s again.", q.Name), d.DB.Unignore(ctx, q.By, q.Realm, q.Name)
}

func games(n int) texts.Text  { return texts.Count(n, "%d game", "%d games") }
func points(n int) texts.Text { return texts.Count(n, "%d point", "%d points") }

// played returns the statistics of a player for each realm. It is empty, without an error, for an unknown player.
func (d Directory) played(ctx context.Context, name string) ([]storage.PlayerStats, error) {
	all, err := d.DB.PlayerStats(ctx, name)
	if errors.Is(err, storage.ErrNotFound) {
		return []storage.PlayerStats{}, nil
	}
	return all, err
}

func (d Directory) stats(ctx context.Context, q *command.Query) (answer, error) {
	all, err := d.played(ctx, q.Name)
	return each(q, all, err, one("%s has not played here yet.", q.Name), func(s storage.PlayerStats) texts.Text {
		return texts.Of("%s: %v, %d won, %d lost, %d drawn, left %d early, dropped %v, ping %.0f ms, last game %s.",
			s.Name+onRealm(s.Realm), games(s.Games), s.Won, s.Lost, s.Drawn, s.LeftEarly, texts.Count(s.Dropped, "%d time", "%d times"), s.PingMS, s.Last.UTC().Format(time.DateOnly))
	})
}

// firstRating is the number of games after which a player's rating is shown. Before, it says little about the player.
const firstRating = 5

func (d Directory) rank(ctx context.Context, q *command.Query) (answer, error) {
	all, err := d.DB.RatingsOf(ctx, q.Name, q.Map)
	return each(q, all, err, one("%s has no rating on this map yet.", q.Name), func(r storage.Rating) texts.Text {
		if r.Games < firstRating {
			return texts.Of("%s has played %d of the %d rated games on %s after which a rating is shown.",
				r.Name+onRealm(r.Realm), r.Games, firstRating, r.Category)
		}
		return texts.Of("%s: place %d of %d on %s, %v (rated games: %d).", r.Name+onRealm(r.Realm), r.Place, r.Of, r.Category,
			points(r.Points), r.Games)
	})
}

// top lists the best players of a map's category. It omits players with fewer than firstRating games.
func (d Directory) top(ctx context.Context, q *command.Query) (answer, error) {
	category := rating.Category(cmp.Or(q.Name, q.Map))
	if category == "" {
		return nil, texts.Of("the map is missing. Usage: top <map>")
	}
	all, err := d.DB.BestRated(ctx, category, 3*most)
	all = slices.DeleteFunc(all, func(r storage.Rating) bool { return r.Games < firstRating })
	best, err := each(q, all[:min(len(all), most)], err, nil, func(r storage.Rating) texts.Text {
		return texts.Of("%d. %s (%v)", r.Place, r.Name+onRealm(r.Realm), points(r.Points))
	})
	if best == nil {
		return one("Nobody has played enough rated games on %s yet.", category), err
	}
	return one("The best on %s: %v.", category, texts.Join(best, ", ")), nil
}

// saves lists the latest saved games of a player.
func (d Directory) saves(ctx context.Context, q *command.Query) (answer, error) {
	all, err := d.DB.Saves(ctx, q.Name, most)
	return each(q, all, err, one("No saved games are known."), func(s storage.SavedGame) texts.Text {
		at := texts.Clock(time.Duration(s.PlayedMS) * time.Millisecond)
		return texts.Of("%q at %s on %s, %s: %s", s.File, at, s.Map, s.At.UTC().Format(time.DateOnly), s.Players)
	})
}

// dota answers with the averages of the values that DotA reports.
func (d Directory) dota(ctx context.Context, q *command.Query) (lines answer, err error) {
	all, err := d.played(ctx, q.Name)
	if err != nil {
		return nil, err
	}
	q.Give(all)
	for _, s := range all {
		var parts []texts.Text
		most := 0
		for _, v := range s.Values {
			if v.Source == storage.SourceDotA {
				most = max(most, v.Games)
				parts = append(parts, texts.Of("%v %.1f", texts.Known(strings.ReplaceAll(v.Name, "_", " ")), v.Mean))
			}
		}
		if most > 0 {
			lines = append(lines, texts.Of("%s in %v of DotA, on average: %v.", s.Name+onRealm(s.Realm), games(most), texts.Join(parts, ", ")))
		}
	}
	if lines == nil {
		return one("%s has not played DotA here.", q.Name), nil
	}
	return lines, nil
}

// check combines the statistics, bans and roles of a player.
func (d Directory) check(ctx context.Context, q *command.Query) (lines answer, err error) {
	values := map[string]any{}
	for _, part := range []struct {
		name string
		ask  func(context.Context, *command.Query) (answer, error)
	}{{"players", d.stats}, {"bans", d.checkBan}, {"admins", d.admins}} {
		of := *q
		of.Data = func(v any) { values[part.name] = v }
		some, err := part.ask(ctx, &of)
		if err != nil {
			return nil, err
		}
		lines = append(lines, some...)
	}
	q.Give(values)
	return lines, nil
}

func (d Directory) alts(ctx context.Context, q *command.Query) (answer, error) {
	names, err := d.DB.Namesakes(ctx, q.Name, most)
	if err != nil {
		return nil, err
	}
	q.Give(names)
	if len(names) == 0 {
		return one("No other names were seen from %s's addresses.", q.Name), nil
	}
	return one("Also seen from %s's addresses: %s.", q.Name, strings.Join(names, ", ")), nil
}

func onRealm(realm string) string {
	if realm == "" {
		return ""
	}
	return "@" + realm
}

// IsVast reports whether a network is larger than those assigned to a single network operator: wider than /8 for IPv4 or
// /16 for IPv6.
func IsVast(p netip.Prefix) bool {
	return p.IsValid() && (p.Addr().Is4() && p.Bits() < 8 || p.Addr().Is6() && p.Bits() < 16)
}
