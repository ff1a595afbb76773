package host

import "w3host/game/command"

// level returns the player's level by the admin lists. A name that its realm has not confirmed has no rights, not even
// those of the same name on the LAN.
func (l *link) level() command.Level {
	if l.realm != "" && !l.vouched {
		return command.Anyone
	}
	return l.shard.opts.Admins.Level(Joiner{l.name, l.realm, l.Addr.Addr(), l.loggedIn})
}

// banned returns why the player may not be here, or "". A ban on a realm applies to names that the realm has confirmed.
func (l *link) banned() string {
	realm := ""
	if l.vouched {
		realm = l.realm
	}
	return l.shard.opts.Bans.Banned(l.name, l.Addr.Addr(), realm, l.game != nil && l.game.playing)
}
