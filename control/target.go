package control

import (
	"slices"
	"strings"
	"time"

	"w3host/game"
	"w3host/game/command"
	"w3host/host"
	"w3host/storage"
	"w3host/texts"
)

// target is what a line acts on: the host, and the game that the caller is in or has
// named.
type target struct {
	*Operator
	game *host.Game
	id   uint32
}

func (d *target) host() *host.Host { return d.opts.Host }

// names are those of all players of the host.
func (d *target) names() (names []string) {
	for _, i := range d.host().Infos() {
		for _, p := range i.Players {
			names = append(names, p.Name)
		}
	}
	return names
}

func (d *target) audit(by *command.Caller, out command.Outcome, refused string) {
	a := storage.AdminAction{
		At: time.Now(), Who: by.Name, Realm: by.Realm, Via: string(by.Via), Action: out.Name, On: out.Target,
		Detail: out.Detail, Refused: refused,
	}
	if d.game != nil {
		a.Game = d.game.Key()
	}
	d.opts.Audit(a)
	d.opts.Log.Info().Str("by", by.Name).Str("command", out.Name+" "+out.Detail).Str("target", out.Target).Str("refused", refused).Msg("command")
}

// run executes a command of the host, or one about people, who need not be in a game.
func (d *target) run(by *command.Caller, line string) command.Outcome {
	switch {
	case d.game != nil || d.ofHost.Has(line):
		return d.ofHost.Run(d, command.Always, by, line, d.names())
	case !d.ofPeople.Has(line):
		out := d.ofHost.Run(d, command.Always, by, line, nil)
		if s := d.ofGames.Usable(by.Level, line); s != nil {
			out.Err = texts.Refuse(texts.WrongPhase, "the command %s needs a lobby or game: use eg <id> %s", s.Name, s.Synopsis())
		}
		return out
	}
	q, out := game.Question(d.ofPeople, by, line, d.names())
	if q != nil && out.Err == nil {
		d.completeName(q)
		out.Target = q.Name
		audited, asked := out.Acted && out.Needs > command.Anyone, out
		d.host().Ask(by, *q, func(refused string) { // the database may have the last word
			if audited {
				d.audit(by, asked, refused)
			}
		})
	}
	out.Acted = false
	return out
}

// completeName replaces a part of a name by the only connected player's name with that
// part. Commands that make admins or end bans need the whole name.
func (d *target) completeName(q *game.Query) {
	switch q.What {
	case "unban", "addadmin", "deladmin", "checkadmin", "lang":
		return
	}
	if found := d.find(q.Name); len(found) == 1 && q.Name != "" {
		p := found[0].Player
		q.Name, q.Here, q.Addr = p.Name, true, p.Addr.Addr()
	}
}

// located is a connected player and the number of their lobby or game.
type located struct {
	game.Player
	in uint32
}

// find lists the connected players with a part of a name, or the one with exactly that
// name.
func (d *target) find(part string) (found []located) {
	for _, i := range d.host().Infos() {
		for _, p := range i.Players {
			if strings.EqualFold(p.Name, part) {
				return []located{{p, i.ID}}
			}
			if strings.Contains(strings.ToLower(p.Name), strings.ToLower(part)) {
				found = append(found, located{p, i.ID})
			}
		}
	}
	return found
}

func noGame(id uint32) error { return cannot("there is no game %d. Type games for a list", id) }

// cannot is a refusal.
func cannot(format string, args ...any) error { return texts.Of(format, args...) }

// deny tells a caller the reason of a refusal in their language.
func deny(by *command.Caller, err error) {
	by.Deny(texts.Sentence(texts.From(err)).In(by.Language))
}

// answer tells a caller something in their language.
func answer(c *call, format string, args ...any) {
	c.Answer(texts.Sprintf(c.Language, format, args...))
}

// asks reports whether a command only reads; such commands are not audited.
func asks(out command.Outcome) bool {
	switch out.Name {
	case "map", "autohost":
		return out.Detail == ""
	}
	return slices.Contains([]string{"help", "games", "game", "maps", "eg", "votemap", "sc"}, out.Name)
}
