package lobby

import (
	"strings"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// Owner returns the name of the owner, who need not be in the lobby, or "".
func (l *Lobby) Owner() string { return l.owner.name }

// Owns reports whether the player with this pid is the owner.
func (l *Lobby) Owns(pid uint8) bool {
	p := l.human(pid)
	return p != nil && l.isOwner(p)
}

// BelongsTo reports whether an account is the owner, who need not be in the lobby. The caller must have verified that
// the account belongs to the person asking.
func (l *Lobby) BelongsTo(name, realm string) bool {
	return l.owner.name != "" && sameName(l.owner.name, name) && sameName(l.owner.realm, realm)
}

// StandIn returns the pid of the player who may start the game and stop the countdown while the owner is absent. This is
// the human player who joined first. It returns 0 while the owner is present, if there is no owner, and after the start.
func (l *Lobby) StandIn() uint8 {
	if p := l.longestIn(); p != nil && l.owner.name != "" && l.phase < phaseStarted && l.ownerIn() == nil {
		return p.pid
	}
	return 0
}

// ownerIn returns the owner if present, or nil.
func (l *Lobby) ownerIn() *player {
	if p := l.named(l.owner.name); p != nil && !p.fake && l.isOwner(p) {
		return p
	}
	return nil
}

// isOwner reports whether a player is the owner: the player's name and the realm that verified it are the owner's, or the
// player was made the owner after joining. For a nameless player only the second condition counts.
func (l *Lobby) isOwner(p *player) bool {
	if p.Nameless {
		return p.entitled && l.owner.name == p.name
	}
	j := p.Join
	j.Vouched = j.Vouched || p.entitled
	return j.is(l.owner.name, l.owner.realm)
}

// entitle makes a player in the lobby the owner.
func (l *Lobby) entitle(p *player) {
	l.owner.name, l.owner.realm, p.entitled = p.name, p.Realm, true
}

// longestIn returns the human player who joined first, or nil.
func (l *Lobby) longestIn() (first *player) {
	for _, p := range l.players {
		if p != nil && !p.fake && !p.kicked && (first == nil || p.order < first.order) {
			first = p
		}
	}
	return first
}

func (op SetOwner) apply(l *Lobby) *texts.Refusal {
	p := l.named(op.Player)
	if p != nil && p.fake {
		return texts.Refuse(texts.NotHuman, "%s is a fake player and cannot own the game", p.name)
	}
	if op.Player == "" {
		l.cfg.Owner.First = false
		l.say(0, "Nobody owns this game any more.")
	}
	l.owner.name, l.owner.realm, _ = strings.Cut(op.Player, "@")
	if p != nil {
		l.entitle(p)
	}
	if p := l.ownerIn(); p != nil {
		l.say(0, "%s is now the owner.", p.name)
	}
	return nil
}

// settleOwner makes the player who joined first the owner if the owner is absent and Ownership.First is set. It then tells
// a new owner, or a new stand-in for an absent owner, which commands they may use.
func (l *Lobby) settleOwner() {
	if l.phase == phaseClosed {
		return
	}
	owner := l.ownerIn()
	if l.cfg.Owner.First && owner == nil {
		if owner = l.longestIn(); owner == nil {
			l.owner.name = ""
		} else {
			if l.owner.name != "" {
				l.say(0, "%s is now the owner.", owner.name)
			}
			l.entitle(owner)
		}
	}
	informed := l.owner.informed
	if l.owner.informed = l.StandIn(); owner != nil {
		l.owner.informed = owner.pid
	}
	trigger := l.cfg.Voice.Trigger
	switch {
	case l.owner.informed == informed || l.owner.informed == 0:
		return
	case owner == nil:
		l.say(w3gs.Only(l.owner.informed), "%s, the owner of this lobby, is away. Until they return you can use %sstart and %[2]sabort.", l.owner.name, trigger)
		return
	}
	l.sayText(w3gs.Only(l.owner.informed), texts.If(l.phase == phaseStarted,
		"You own this game: %shelp lists your commands.", "You own this lobby: %shelp lists your commands.", trigger))
	owner.activeAt = l.now // the idle time of a new owner starts now
}
