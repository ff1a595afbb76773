package lobby

import (
	"slices"
	"strings"

	"w3host/texts"
)

// holder is the player for whom a place is reserved. With a realm, that realm must have confirmed the name. Without one,
// any realm may have confirmed it, or the player joins from the LAN. Name and realm are separate fields because a LAN
// player may be called Bob@Home.
type holder struct {
	name, realm string
	spared      bool // exempt from some rules; see isSpared
}

// guestList holds reserved places and temporarily excluded players.
type guestList struct {
	held   []holder
	locked bool // only players with a reserved place may join
	kept   []keptOut
}

// parseHolders parses a list of NAME or NAME@REALM.
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

// means reports whether the joiner claims to be the holder. Join.doubtful tells whether the name is confirmed.
func (h holder) means(j Join) bool {
	return sameName(h.name, j.Req.Name) && (h.realm == "" || sameName(h.realm, j.Realm))
}

// isHeld reports whether a place is reserved for the joiner. The owner always has one.
func (l *Lobby) isHeld(j Join) bool {
	return j.is(l.owner.name, l.owner.realm) ||
		!j.doubtful() && slices.ContainsFunc(l.guests.held, func(h holder) bool { return h.means(j) })
}

// isSpared reports whether a player is exempt from ping and rating limits and from votes: the owner named by the
// configuration or by the opener of the lobby, and players whose place was reserved by the configuration, an admin or
// another exempt player. It is not enough to become the owner by joining first, or to get a place from such an owner.
func (l *Lobby) isSpared(j Join) bool {
	return j.is(l.cfg.Owner.Name, l.cfg.Owner.Realm) ||
		!j.doubtful() && slices.ContainsFunc(l.guests.held, func(h holder) bool { return h.spared && h.means(j) })
}

// holders returns the players in the lobby whose names are confirmed.
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

// lockedOut reports whether the lobby is locked and the joiner has no reserved place. An unconfirmed name of a realm
// counts, because the realm confirms it only after the join.
func (l *Lobby) lockedOut(j Join) bool {
	j.Vouched = true
	return l.guests.locked && !l.isHeld(j) && l.placeOf(j) < 0
}

// mostHeld is the limit for reserved places, which are checked on each join, table and pong.
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
