package lobby

import (
	"slices"
	"strings"

	"w3host/texts"
)

// holder is the player for whom a place is held. With a realm, that realm must have confirmed the
// name; without one, any realm must have, or the player comes from the LAN. The two are
// kept apart because a player of the LAN may be called Bob@Home.
type holder struct {
	name, realm string
	spared      bool // see isSpared
}

// guestList says who gets in even when others do not, and who does not for now.
type guestList struct {
	held   []holder
	locked bool // only those with a held place may join
	kept   []keptOut
}

// parseHolders takes NAME or NAME@REALM of each.
func parseHolders(list []string) (holders []holder) {
	for _, text := range list {
		name, realm, _ := strings.Cut(text, "@")
		if h := (holder{name: strings.TrimSpace(name), realm: strings.TrimSpace(realm)}); !slices.ContainsFunc(holders, h.same) {
			holders = append(holders, h)
		}
	}
	return holders
}

func (h holder) String() string {
	if h.realm == "" {
		return h.name
	}
	return h.name + "@" + h.realm
}

func (h holder) same(other holder) bool {
	return sameName(h.name, other.name) && sameName(h.realm, other.realm)
}

// means reports whether a join is said to be the holder's; whether that is true,
// Join.doubtful says.
func (h holder) means(j Join) bool {
	return sameName(h.name, j.Req.Name) && (h.realm == "" || sameName(h.realm, j.Realm))
}

// isHeld reports whether a place is kept for a name: the owner's always is.
func (l *Lobby) isHeld(j Join) bool {
	return j.is(l.owner.name, l.owner.realm) ||
		!j.doubtful() && slices.ContainsFunc(l.guests.held, func(h holder) bool { return h.means(j) })
}

// isSpared reports whether the rules about pings and ratings, and votes about players, spare a player: the owner that
// the configuration or the opener of the lobby has named, and players with a place that the configuration, an admin or
// another spared player holds. Owning the lobby by joining first, or a place that such an owner holds, is not enough.
func (l *Lobby) isSpared(j Join) bool {
	return j.is(l.cfg.Owner.Name, l.cfg.Owner.Realm) ||
		!j.doubtful() && slices.ContainsFunc(l.guests.held, func(h holder) bool { return h.spared && h.means(j) })
}

// holders are the players in the lobby, by the names that are theirs beyond doubt.
func (l *Lobby) holders() (holders []holder) {
	for _, p := range l.seated(false) {
		if !p.doubtful() {
			holders = append(holders, holder{name: p.name, realm: p.Realm})
		}
	}
	return holders
}

func (op LockJoins) apply(l *Lobby) *texts.Refusal {
	l.guests.locked = !op.Off
	l.sayText(0, texts.If(op.Off, "Everybody can join again.", "The lobby is locked: only players with a held place can join."))
	return nil
}

// lockedOut reports whether a joiner has no place in a locked lobby. A name that its realm
// may still confirm is let in: the realm does so only once the player is in.
func (l *Lobby) lockedOut(j Join) bool {
	j.Vouched = true
	return l.guests.locked && !l.isHeld(j) && l.placeOf(j) < 0
}

// mostHeld bounds the held places: each join, table and pong asks about all of them.
func (l *Lobby) mostHeld() int { return len(l.slots) + len(l.cfg.Admission.Reserved) }

func (op Hold) apply(l *Lobby) *texts.Refusal {
	named := parseHolders(op.Names)
	if op.Present {
		named = l.holders()
	}
	is := func(h holder) bool { return slices.ContainsFunc(named, h.same) }
	more := 0
	for _, h := range named {
		held := slices.ContainsFunc(l.guests.held, h.same)
		switch fault := CheckName(h.name, l.version()); {
		case op.Off && !held:
			return texts.Refuse(texts.NoSuch, "no place is held for %q", h.String())
		case !op.Off && !fault.Empty():
			return texts.Refuse(texts.Malformed, "no place can be held for %q: %v", h.String(), fault)
		case !held:
			more++
		}
	}
	switch {
	case op.Present && named == nil:
		return texts.Refuse(texts.NoSuch, "the lobby is empty")
	case op.Off:
		l.guests.held = slices.DeleteFunc(l.guests.held, is)
		return nil
	case len(l.guests.held)+more > l.mostHeld():
		return texts.Refuse(texts.Full, "at most %d places can be held here: release one with unhold", l.mostHeld())
	}
	for i, h := range named {
		named[i].spared = op.Spare || slices.ContainsFunc(l.guests.held, func(old holder) bool { return old.spared && old.same(h) })
	}
	l.guests.held = append(slices.DeleteFunc(l.guests.held, is), named...)
	l.guests.kept = slices.DeleteFunc(l.guests.kept, func(k keptOut) bool {
		return slices.ContainsFunc(named, func(h holder) bool { return h.means(k.Join) })
	})
	return nil
}
