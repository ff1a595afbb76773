package lobby

import (
	"fmt"
	"strings"
	"time"

	"w3host/texts"
	"w3host/w3gs"
)

// plainJoinCounter is the join counter of whoever has no peer connections.
const plainJoinCounter = 2

// join admits or refuses a 0x1E.
func (l *Lobby) join(ev Join) {
	name := ev.Req.Name
	refuse := func(reason w3gs.RejectReason, why string) {
		l.emit(Rejected{Conn: ev.Conn, Reason: reason, Name: name, Why: why})
	}
	switch {
	case l.phase == phaseStarted:
		refuse(w3gs.RejectStarted, "the game has started")
		return
	case l.phase == phaseClosed:
		refuse(w3gs.RejectStarted, "the lobby is closed")
		return
	}
	if why := l.checkJoiner(ev); why != "" {
		refuse(w3gs.RejectInvalid, why)
		return
	}
	if l.hasRoom(1) {
		l.admit(ev)
		return
	}
	victim := l.displaced(ev)
	if victim == nil {
		refuse(w3gs.RejectFull, "the lobby is full")
		return
	}
	l.dismiss(victim, texts.Of("You make room for %s, who has a reserved place.", name),
		fmt.Sprintf("made room for %s, who has a reserved place", name), "")
	l.admit(ev)
	l.say(0, "%s made room for %s, who has a reserved place.", victim.name, name)
}

func (l *Lobby) checkJoiner(ev Join) (why string) {
	if why := checkName(ev.Req.Name); !why.Empty() {
		return why.String()
	}
	if l.named(ev.Req.Name) != nil {
		return "the name is taken"
	}
	if sameName(ev.Req.Name, l.cfg.VirtualHost) || sameName(ev.Req.Name, w3gs.StripColours(l.cfg.VirtualHost)) {
		return "the name is the host's"
	}
	if ev.Banned != "" {
		return "banned: " + ev.Banned
	}
	if others := l.neighbours(ev); l.cfg.SameAddress == refuseSame && others != "" {
		return "the address is that of " + others
	}
	return l.checkKept(ev)
}

// hasRoom reports whether n more can sit down: each needs an open slot and a
// pid, for which the virtual host gives way.
func (l *Lobby) hasRoom(n int) bool {
	c := l.Counts()
	return c.Open >= n && c.Players()+n <= int(l.cfg.MaxPID)
}

// displaced is who has to go for a joiner with a reserved place: the unreserved
// human who came last.
func (l *Lobby) displaced(ev Join) (victim *player) {
	doubtful := ev.Realm != "" && !ev.Vouched
	if !l.isHeld(ev.Req.Name, ev.Realm, doubtful) && l.placeOf(ev.Req.Name, ev.Realm, doubtful) < 0 {
		return nil
	}
	for _, p := range l.players {
		if p == nil || p.fake || l.isReserved(p) || l.placeOf(p.name, p.realm, p.doubtful) >= 0 {
			continue
		}
		if victim == nil || p.order > victim.order {
			victim = p
		}
	}
	return victim
}

func (l *Lobby) isReserved(p *player) bool { return l.isHeld(p.name, p.realm, p.doubtful) }

// isHeld reports whether a place is kept for a name: the owner's always is. A
// name without confirmation has no rights.
func (l *Lobby) isHeld(name, realm string, doubtful bool) bool {
	if doubtful {
		return false
	}
	if l.owner != "" && sameName(l.owner, name) && sameName(l.realm, realm) {
		return true
	}
	return hasName(l.held, name) || hasName(l.held, name+"@"+realm)
}

// admit seats a joiner and introduces them: 0x04, then 0x06 for the virtual
// host, the fakes and the others, then 0x3D; 0x06 about them to the others; 0x09
// to all.
func (l *Lobby) admit(ev Join) {
	name := ev.Req.Name
	l.unsettle(texts.Of("%s joined", name))
	others, neighbours := l.Humans(), l.neighbours(ev)
	if others == 0 {
		l.pingAt = l.now + l.cfg.PingEvery
	}
	p := l.enter(&player{
		name: name, req: ev.Req, external: ev.External, shared: ev.Shared,
		realm: ev.Realm, doubtful: ev.Realm != "" && !ev.Vouched,
		language: l.cfg.Language, joined: l.now, activeAt: l.now, askedUntil: l.now - 2*time.Second,
	})
	l.emit(Joined{Conn: ev.Conn, PID: p.pid, Slot: l.slotOf(p.pid), Name: name})
	l.send(p.pid, &w3gs.SlotInfoJoin{SlotTable: l.SlotTable(), PID: p.pid, External: ev.External})
	if l.vhost != 0 {
		l.send(p.pid, l.virtualHostInfo())
	}
	for other := range l.seated {
		if other.fake {
			l.send(p.pid, l.info(other))
		}
	}
	for other := range l.seated {
		if !other.fake && other != p {
			l.send(p.pid, l.info(other))
		}
	}
	check := l.cfg.MapCheck
	l.send(p.pid, &check)
	l.broadcast(others, l.info(p))
	l.flushTable()
	for _, line := range l.cfg.Welcome {
		l.tell(w3gs.Only(p.pid), texts.Plain(line))
	}
	l.warnOfNeighbours(name, neighbours)
}

// enter gives a human or fake player the smallest free pid and the first open
// slot; hasRoom has been asked. The virtual host gives way when it holds the
// last pid.
func (l *Lobby) enter(p *player) *player {
	if l.freePID() == 0 {
		l.dropVirtualHost()
	}
	l.joins++
	p.order = l.joins
	p.pid = l.freePID()
	l.players[p.pid] = p
	l.seat(l.firstOpen(), p)
	l.returnTo(p)
	return p
}

// freePID is the smallest pid that nobody has; 0 when all are taken.
func (l *Lobby) freePID() uint8 {
	for pid := uint8(1); pid <= l.cfg.MaxPID; pid++ {
		if pid != l.vhost && l.players[pid] == nil {
			return pid
		}
	}
	return 0
}

// info introduces a player. The join counter is of use only to peers, who need
// the addresses as well: the IP that the host sees, the port that the client listens on.
func (l *Lobby) info(p *player) *w3gs.PlayerInfo {
	info := &w3gs.PlayerInfo{JoinCounter: plainJoinCounter, PID: p.pid, Name: p.name, Extra: []byte{0}}
	if p.fake || l.cfg.HideAddresses {
		return info
	}
	info.JoinCounter = p.req.JoinCounter
	info.External = p.external
	if info.External != (w3gs.SockAddr{}) {
		info.External.Port = p.req.ListenPort
	}
	info.Internal = p.req.Internal
	return info
}

func (l *Lobby) virtualHostInfo() *w3gs.PlayerInfo {
	return &w3gs.PlayerInfo{JoinCounter: plainJoinCounter, PID: l.vhost, Name: l.cfg.VirtualHost, Extra: []byte{0}}
}

func (l *Lobby) dropVirtualHost() {
	if l.vhost == 0 {
		return
	}
	l.broadcast(l.Humans(), &w3gs.PlayerLeave{PID: l.vhost, Reason: w3gs.LeaveLobby})
	l.vhost = 0
}

// returnVirtualHost brings the virtual host back when a pid is free for it.
func (l *Lobby) returnVirtualHost() {
	if l.vhost != 0 || l.cfg.VirtualHost == "" {
		return
	}
	if l.vhost = l.freePID(); l.vhost != 0 {
		if changed, _ := l.tableChanged(); changed {
			l.flushTable() // the slot of who has left is free before a pid is in use again
		}
		l.broadcast(l.Humans(), l.virtualHostInfo())
	}
}

// SameAddress is what to do about several players from one address.
type SameAddress string

// What may be done.
const (
	allowSame  SameAddress = "allow"
	warnSame   SameAddress = "warn" // everybody reads it
	refuseSame SameAddress = "refuse"
)

// neighbours names the players who come from the address of a joiner.
func (l *Lobby) neighbours(ev Join) string {
	var names []string
	for p := range l.seated {
		if !p.fake && !p.shared && !ev.Shared && p.external.IP == ev.External.IP {
			names = append(names, p.name)
		}
	}
	return strings.Join(names, ", ")
}

// warnOfNeighbours tells everybody of a joiner who shares an address.
func (l *Lobby) warnOfNeighbours(name, others string) {
	if l.cfg.SameAddress == warnSame && others != "" {
		l.say(0, "%s comes from the same address as %s.", name, others)
	}
}
