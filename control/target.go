package control

import (
	"strings"
	"time"

	"w3host/game"
	"w3host/game/command"
	"w3host/host"
	"w3host/storage"
	"w3host/texts"
)

// target is what a line acts on: the host, and the game that the caller is in or has named, if any.
type target struct {
	*Operator
	game    *host.Game
	id      uint32
	owned   []uint32 // open lobbies of a caller on a realm who is not an admin
	relayed bool     // the line came from another host
}

func (d *target) host() *host.Host { return d.opts.Host }

// namesOf returns the names of all players in the games.
func namesOf(games ...host.Info) (names []string) {
	for _, i := range games {
		for _, p := range i.Players {
			names = append(names, p.Name)
		}
	}
	return names
}

// run executes a command of the host, or one that queries the database.
func (d *target) run(by *command.Caller, line string) (command.Use[*target], command.Outcome) {
	table := d.table
	if d.game != nil {
		table = d.ofHost // the game does not know the command
	}
	u := table.Find(line)
	if u.Spec == nil {
		return u, command.Outcome{}
	}
	out := u.Run(d, command.Outside, by, namesOf(d.host().Infos()...))
	if out.Query != nil {
		d.askDatabase(by, u, out)
	}
	return u, out
}

// askDatabase sends the query of a command to the database. A part of a name means the only connected player whose name
// contains it, unless the command takes names as typed.
func (d *target) askDatabase(by *command.Caller, u command.Use[*target], out command.Outcome) {
	q := out.Query
	if found := d.find(q.Name); !u.AsTyped && len(found) == 1 && q.Name != "" {
		p := found[0].Player
		q.Name, q.Here, q.Addr, q.Home = p.Name, true, p.Addr.Addr(), p.Realm
		if g := d.host().Game(found[0].in); g != nil && u.Notice != "" {
			g.Notify(&command.Caller{PID: p.PID, Name: p.Name}, u.Notice, q.Reason)
		}
	}
	d.host().Ask(by, *q, func(refused string) { // the refusal may come from the database
		if u.Needs() > command.Anyone {
			d.audit(by, u, q.Name, refused)
		}
	})
}

func (d *target) audit(by *command.Caller, u command.Use[*target], on, refused string) {
	a := storage.AdminAction{
		At: time.Now(), Who: by.Name, Realm: by.Realm, Via: string(by.Via), Action: u.Name, On: on,
		Detail: u.Detail, Refused: refused,
	}
	if d.game != nil {
		a.Game = d.game.Key()
	}
	d.opts.Audit(a)
	d.opts.Log.Info().Str("by", by.Name).Str("command", u.Name+" "+u.Detail).Str("target", on).Str("refused", refused).Msg("command")
}

// located is a connected player, with the number of the lobby or game.
type located struct {
	game.Player
	in uint32
}

// find returns the connected players whose name contains part, or only the one with exactly that name.
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

// absent returns the error for a game that cannot be reached.
func (o *Operator) absent(id uint32) error {
	if o.opts.Host.Info(id).Apart {
		return cannot("game %d runs in the old process until it ends; the only command that reaches it is unhost %[1]d, which ends it", id)
	}
	return noGame(id)
}

func noGame(id uint32) error { return cannot("there is no game %d. Type games for a list", id) }

// cannot returns a refusal that can be shown to players.
func cannot(format string, args ...any) error { return texts.Of(format, args...) }

// deny tells the caller why a command was refused, in the caller's language.
func deny(by *command.Caller, err error) {
	by.Deny(texts.Sentence(texts.From(err)).In(by.Language))
}

// answer answers the caller in the caller's language.
func answer(c *call, format string, args ...any) {
	c.Answer(texts.Sprintf(c.Language, format, args...))
}
