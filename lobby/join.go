package lobby

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// plainJoinCounter is the join counter sent for players without peer connections.
const plainJoinCounter = 2

// doubtful reports whether a name has no rights: its realm has not confirmed it, or it is the made-up name of a nameless
// player.
func (j *Join) doubtful() bool { return j.Nameless || j.Realm != "" && !j.Vouched }

// is reports whether the joiner has the rights of this name.
func (j *Join) is(name, realm string) bool {
	return name != "" && sameName(j.Req.Name, name) && sameName(j.Realm, realm) && !j.doubtful()
}

// near reports whether two players come from the same address, unless that is shared by many players.
func (j *Join) near(other Join) bool {
	return !j.Shared && !other.Shared && j.Source.IsValid() && j.Source == other.Source
}

// Join admits or refuses a player who sends 0x1E.
func (l *Lobby) Join(now time.Duration, ev Join) {
	l.begin(now)
	l.join(ev)
	l.finish()
}

func (l *Lobby) join(ev Join) {
	name := ev.Req.Name
	if reason, why := l.reject(ev); why != "" {
		l.sink.Rejected(&ev, reason, why)
		return
	}
	l.activeAt = l.now
	if fake := l.placeholder(ev); fake != nil {
		l.dismiss(fake, texts.Text{}, "", "")
		l.flushTable(l.Humans()) // sent first, so that the slot is free before its pid is used again
	}
	if l.hasRoom(1) {
		l.admit(ev)
		return
	}
	victim := l.displaced(ev)
	l.dismiss(victim, texts.Of("You were removed to make room for %s, who has a reserved place.", name),
		fmt.Sprintf("made room for %s, who has a reserved place", name), "")
	l.admit(ev)
	l.say(0, "%s made room for %s, who has a reserved place.", victim.name, name)
}

// reject returns why a player cannot join, or "".
func (l *Lobby) reject(ev Join) (w3gs.RejectReason, string) {
	name := ev.Req.Name
	switch fault, kept, neighbours := l.checkName(name), l.checkKept(ev), l.neighbours(ev); {
	case l.phase == phaseStarted:
		return w3gs.RejectStarted, "the game has started"
	case l.phase == phaseClosed:
		return w3gs.RejectStarted, "the lobby is closed"
	case !fault.Empty():
		return w3gs.RejectInvalid, fault.String()
	case !l.version().SharesNames() && l.named(name) != nil && l.placeholder(ev) == nil:
		return w3gs.RejectInvalid, "the name is taken"
	case l.likeHost(name):
		return w3gs.RejectInvalid, "the name is the host's"
	case ev.Banned != "":
		return w3gs.RejectInvalid, "banned: " + ev.Banned
	case l.cfg.Admission.LookAlikes == refuseLike && l.twin(ev) != "":
		return w3gs.RejectInvalid, "the name looks like that of " + l.twin(ev)
	case l.cfg.Admission.SameAddress == refuseSame && neighbours != "":
		return w3gs.RejectInvalid, "the address is that of " + neighbours
	case kept != "":
		return w3gs.RejectInvalid, kept
	case l.cfg.Restored && l.placeOf(ev) < 0:
		return w3gs.RejectFull, "they are not in the saved game"
	case l.lockedOut(ev):
		return w3gs.RejectFull, "the lobby is locked"
	case l.disturbs(&ev):
		return w3gs.RejectFull, "the address has stopped the countdown too often"
	case l.tooSilent(&ev):
		return w3gs.RejectFull, "too many clients of the network around the address did not report the map"
	case l.overShare(&ev):
		return w3gs.RejectFull, "the address has its share of the slots (limits.share_of_lobby)"
	case !l.hasRoom(1) && l.placeholder(ev) == nil && l.displaced(ev) == nil:
		return w3gs.RejectFull, "the lobby is full"
	}
	return 0, ""
}

// hasRoom reports whether n more players can sit down. Each needs an open slot and a pid; the virtual host gives up its
// pid if necessary.
func (l *Lobby) hasRoom(n int) bool {
	c := l.Counts()
	return c.Open >= n && c.Players()+n <= int(l.cfg.Wire.MaxPID)
}

// displaced returns the player who is removed for a joiner with a reserved place: the unreserved player who joined last.
func (l *Lobby) displaced(by Join) (victim *player) {
	reserved := func(j Join) bool { return l.isHeld(j) || l.placeOf(j) >= 0 }
	if !reserved(by) {
		return nil
	}
	for _, p := range l.seated(false) {
		if !reserved(p.Join) && (victim == nil || p.order > victim.order) {
			victim = p
		}
	}
	return victim
}

// Vouch gives a player the rights of its name after the realm has confirmed it.
func (l *Lobby) Vouch(now time.Duration, pid uint8, exempt bool) {
	l.begin(now)
	if p := l.human(pid); p != nil {
		p.Vouched, p.Exempt = true, exempt
		if l.phase == phaseOpen {
			l.returnTo(p)
		}
	}
	l.finish()
}

// admit seats a joiner and sends the introductions: to the joiner 0x04, 0x06 for the virtual host and all players, and
// 0x3D; to the others 0x06 about the joiner; to all 0x09.
func (l *Lobby) admit(ev Join) {
	twin, others, neighbours := l.twin(ev), l.Humans(), l.neighbours(ev)
	if others == 0 {
		l.pingAt = l.now + l.cfg.Pace.PingEvery
	}
	ev.Version = l.versionOf(ev)
	joined := texts.Of("%s joined", ev.Req.Name)
	if ev.Req.Name == "" {
		joined = texts.Of("a player joined")
	}
	l.unsettle(&ev, joined)
	p := l.enter(&player{Join: ev})
	name, atJoin := p.name, l.version().IntroducesAtJoin()
	l.sink.Joined(&ev, p.pid, l.slotOf(p.pid))
	l.send(p.pid, &w3gs.SlotInfoJoin{SlotTable: l.SlotTable(), PID: p.pid, External: ev.External})
	if atJoin {
		l.send(p.pid, &w3gs.SlotInfo{SlotTable: l.SlotTable()})
	}
	for _, other := range l.present() {
		if other != p {
			l.send(p.pid, l.info(other))
		}
	}
	if atJoin {
		l.introduceAll(p)
	}
	check, own := l.cfg.OtherChecks[p.Version]
	if !own {
		check = l.cfg.MapCheck
	}
	l.send(p.pid, &check)
	l.broadcast(others, l.info(p))
	l.sendExtras(others, p.extra.skins, l.shownProfile(p)) // nil if clients of this version speak first
	if l.version().Reforged() {
		l.flushTable(others) // the newcomer's table follows the introductions
	} else {
		l.flushTable(l.Humans())
	}
	if l.cfg.Pace.PingEvery > 0 {
		l.sendPing(w3gs.Only(p.pid))
	}
	for _, line := range l.cfg.Voice.Welcome {
		l.sayText(w3gs.Only(p.pid), texts.Plain(line))
	}
	if l.cfg.Admission.NamesShown {
		l.say(w3gs.Only(p.pid), "Names are not hidden: only melee maps are sure to play the same without them.")
	}
	if l.cfg.Admission.SameAddress == warnSame && neighbours != "" {
		l.say(0, "%s comes from the same address as %s.", name, neighbours)
	}
	if l.cfg.Admission.LookAlikes == markLike && twin != "" {
		l.say(0, "%s is not %s: the names only look alike.", name, twin)
	}
	l.sayMissing(p)
}

// enter gives a human or fake player the smallest free pid and the first open slot, or those of the saved game. The
// caller has checked hasRoom. The virtual host leaves if it has the last pid.
func (l *Lobby) enter(p *player) *player {
	var to int
	if l.cfg.Restored {
		to = l.placeOf(p.Join)
		p.pid = l.cfg.Places[to].Slot.PID
	} else {
		to = l.firstOpen()
		p.pid = l.takePID(to, l.version().NumbersBySlot())
	}
	l.register(p)
	who := w3gs.Slot{PID: p.pid, Download: w3gs.DownloadUnknown, AI: w3gs.AINormal}
	if p.fake {
		who.Download = 100
	}
	l.seat(to, who)
	l.returnTo(p)
	return p
}

// register records a human or fake player who has a pid.
func (l *Lobby) register(p *player) {
	l.joins++
	p.order = l.joins
	l.call(p)
	l.hideName(p)
	if l.cfg.Admission.LookAlikes != "" {
		p.likeness = Likeness(p.name)
	}
	p.language, p.joined, p.activeAt = l.cfg.Voice.Language, l.now, l.now
	l.players[p.pid] = p
	if p.fake || l.version().IntroducesAtJoin() {
		p.extra = plainExtras(p)
	}
}

// takePID returns a pid for a player who takes a slot, or 0 if all are taken. With bySlot it is that of the slot if it is free. The
// virtual host leaves if it has the last free pid or that of the slot.
func (l *Lobby) takePID(slot int, bySlot bool) uint8 {
	own := uint8(slot + 1)
	switch {
	case bySlot && own <= l.cfg.Wire.MaxPID && l.players[own] == nil && !l.savedPID(own):
		if l.vhost == own {
			l.dropVirtualHost()
		}
		return own
	case l.freePID() == 0:
		l.dropVirtualHost()
	}
	return l.freePID()
}

// hostPID returns a pid for the virtual host, if possible one that belongs to no slot, or 0 if all are taken.
func (l *Lobby) hostPID() uint8 {
	if l.version().NumbersBySlot() {
		for pid := uint8(len(l.slots)) + 1; pid <= l.cfg.Wire.MaxPID; pid++ {
			if l.players[pid] == nil {
				return pid
			}
		}
		for pid := min(uint8(len(l.slots)), l.cfg.Wire.MaxPID); pid > 0; pid-- {
			if l.players[pid] == nil {
				return pid
			}
		}
		return 0
	}
	return l.freePID()
}

// freePID returns the smallest pid that is free and not reserved by a saved game, or 0 if all are taken.
func (l *Lobby) freePID() uint8 {
	for pid := uint8(1); pid <= l.cfg.Wire.MaxPID; pid++ {
		if pid != l.vhost && l.players[pid] == nil && !l.savedPID(pid) {
			return pid
		}
	}
	return 0
}

// info returns the 0x06 that introduces a player. Join counter and addresses matter only to clients that connect to each
// other; they need the IP address seen by the host and the port that the client listens on.
func (l *Lobby) info(p *player) *w3gs.PlayerInfo {
	info := &w3gs.PlayerInfo{JoinCounter: plainJoinCounter, PID: p.pid, Name: l.clientName(p), Extra: make([]byte, l.version().JoinExtra())}
	if p.fake || l.cfg.Wire.HideAddresses {
		return info
	}
	info.JoinCounter, info.External, info.Internal = p.Req.JoinCounter, p.External, p.Req.Internal
	if info.External != (w3gs.SockAddr{}) {
		info.External.Port = p.Req.ListenPort
	}
	return info
}

func (l *Lobby) virtualHost() *player {
	host := &player{pid: l.vhost, name: l.cfg.Voice.VirtualHost, fake: true}
	host.Req.Name = host.name
	host.extra = plainExtras(host)
	return host
}

func (l *Lobby) dropVirtualHost() {
	if l.vhost != 0 {
		l.broadcast(l.Humans(), &w3gs.PlayerLeave{PID: l.vhost, Reason: w3gs.LeaveLobby})
		l.vhost = 0
	}
}

// returnVirtualHost brings the virtual host back if a pid is free.
func (l *Lobby) returnVirtualHost() {
	if l.vhost != 0 || l.cfg.Voice.VirtualHost == "" {
		return
	}
	if l.vhost = l.hostPID(); l.vhost != 0 {
		if !slices.Equal(l.slots, l.table.sent) {
			l.flushTable(l.Humans()) // sent first, so that the slot of a player who left is free before its pid is used again
		}
		l.show(l.virtualHost())
	}
}

// SameAddress is the rule for several players who join from one address.
type SameAddress string

// The values of SameAddress.
const (
	allowSame  SameAddress = "allow"
	warnSame   SameAddress = "warn" // announce it to all players
	refuseSame SameAddress = "refuse"
)

// neighbours returns the names of the players who have the joiner's address.
func (l *Lobby) neighbours(ev Join) string {
	var names []string
	for _, p := range l.seated(false) {
		if p.near(ev) {
			names = append(names, p.name)
		}
	}
	return strings.Join(names, ", ")
}
