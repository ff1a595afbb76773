package control

import (
	stdmaps "maps"
	"slices"
	"strings"
	"time"

	"w3host/game/command"
	"w3host/texts"
)

// A person is invited at most once in inviteEvery, and so many people.
const (
	inviteEvery = 5 * time.Minute
	mostInvited = 50

	longestAccount = 15 // name on a realm
)

// invite has the host's account whisper to somebody where the caller's lobby is. Owners on the LAN have no name
// at which they could be asked to stop.
func invite(whom string) act {
	return func(d *target, c *call) error {
		name, realm, ok := strings.Cut(whom, "@")
		id, err := d.lobby("eg <id> invite " + whom)
		i := d.host().Info(id)
		switch {
		case !ok || name == "" || len(name) > longestAccount || strings.ContainsAny(name, " \t"):
			return texts.Refuse(texts.Malformed, "write the player and the realm, such as bob@home")
		case c.Realm == "" && c.Level < command.Admin:
			return cannot("only admins, and owners whose name a realm has confirmed, invite people")
		case d.opts.Realms == nil || !slices.ContainsFunc(d.opts.Realms.Names(), func(name string) bool {
			return strings.EqualFold(name, realm) && d.opts.Realms.Online()[name]
		}):
			return cannot("the host is not logged on to a realm %q", realm)
		case err != nil:
			return err
		case i.ID == 0 || i.Playing:
			return cannot("the game has started")
		}
		now := time.Now()
		stdmaps.DeleteFunc(d.invited, func(_ string, at time.Time) bool { return now.Sub(at) >= inviteEvery })
		who := strings.ToLower(whom)
		if _, again := d.invited[who]; again || len(d.invited) >= mostInvited {
			return cannot("%s was invited just now, or too many people were: try again in five minutes", whom)
		}
		d.invited[who] = now
		c.Target = whom
		d.opts.Realms.Whisper(realm, name, texts.Sprintf(c.Language, "%s invites you to the game %q (%s).", c.Name, i.Name, i.Map))
		answer(c, "%s is invited.", whom)
		return nil
	}
}
