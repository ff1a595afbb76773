package control

import (
	stdmaps "maps"
	"slices"
	"strings"
	"time"

	"w3host/game/command"
	"w3host/texts"
)

// Each person is invited at most once per inviteEvery, and at most mostInvited people in that time.
const (
	inviteEvery = 5 * time.Minute
	mostInvited = 50

	longestAccount = 15 // longest account name on a realm, in bytes
)

// invite whispers to a person on a realm where the caller's lobby is. Owners on the LAN cannot use it, because they have
// no realm account under which complaints could reach them.
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
			return cannot("%s or too many other people were invited just now: try again in five minutes", whom)
		}
		d.invited[who] = now
		c.Target = whom
		d.opts.Realms.Whisper(realm, name, texts.Sprintf(c.Language, "%s invites you to the game %q (%s).", c.Name, i.Name, i.Map))
		answer(c, "%s is invited.", whom)
		return nil
	}
}
