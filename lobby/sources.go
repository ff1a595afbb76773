package lobby

import (
	"maps"
	"net/netip"
	"slices"
	"time"

	"w3host/internal/allowance"
	"w3host/internal/network"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// Limits that keep the players of one address from making a lobby unusable for others.
const (
	// briefStay is how long a player must have been in the lobby for the leave to delay a start.
	briefStay = 10 * time.Second
	// mostStops is how many countdowns the joins, leaves and changes of one address may stop. After that, further joins
	// from it are refused until there has been no countdown for forgetStops.
	mostStops   = 2
	forgetStops = time.Minute
	// othersWait is how long the slots beyond the share of one address are kept for players of other addresses, while
	// there are none.
	othersWait = time.Minute
	// checkRate is the speed, in bytes per second, at which a client is expected to verify the map. The resulting time
	// is added to MapSilence.
	checkRate = 10 << 20
	// silenceRefill is the number of seconds in which an address regains one second of allowed silence.
	silenceRefill = 4
	// mostSources is the number of addresses and networks that a lobby remembers.
	mostSources = 1024
	// wideFactor multiplies the limit of one address to give that of the network around it. Networks are limited because
	// an attacker may have all addresses of one.
	wideFactor = 4
)

// sources tracks, per address, behaviour that disturbs other players.
type sources struct {
	stops   map[origin]int // number of countdowns that its players have stopped
	silence map[origin]allowance.Allowance
	mixedAt time.Duration // when players of several addresses were present last
}

// origin is the address of a player, or the network around it (network.Wide).
type origin struct {
	addr netip.Addr
	wide bool
}

// origins returns the address of a player and the network around it, to which limits apply. Private addresses have no such network.
func (j *Join) origins() []origin {
	list := []origin{{addr: j.Source}}
	if wide := network.Wide(j.Source); wide.IsValid() {
		list = append(list, origin{addr: wide, wide: true})
	}
	return list
}

// factor returns the multiple of the limit of one address that applies to an origin.
func (o origin) factor() int {
	if o.wide {
		return wideFactor
	}
	return 1
}

// remembered reports whether the rules about addresses apply to a player.
func (j *Join) remembered() bool { return !j.Shared && j.Source.IsValid() }

// mayStop reports whether a player's join or leave may stop a countdown that could also continue.
func (l *Lobby) mayStop(j *Join) bool {
	if !j.remembered() || !l.othersIn(j) {
		return true
	}
	return !slices.ContainsFunc(j.origins(), func(o origin) bool {
		stops, known := l.sources.stops[o]
		return stops >= o.factor()*mostStops || !known && len(l.sources.stops) >= mostSources
	})
}

// othersIn reports whether players from other addresses are present. If not, as on a host behind a container bridge, the
// rules about addresses protect no one.
func (l *Lobby) othersIn(j *Join) bool {
	return slices.ContainsFunc(l.seated(false), func(p *player) bool { return !p.near(*j) })
}

// noteStop counts a countdown stopped by a player's address.
func (l *Lobby) noteStop(j *Join) {
	if l.phase != phaseCounting || !j.remembered() || !l.othersIn(j) {
		return
	}
	if l.sources.stops == nil {
		l.sources.stops = map[origin]int{}
	}
	for _, o := range j.origins() {
		if _, known := l.sources.stops[o]; known || len(l.sources.stops) < mostSources {
			l.sources.stops[o]++
		}
	}
}

// disturbs reports whether a joiner's address has stopped too many countdowns.
func (l *Lobby) disturbs(j *Join) bool {
	if l.phase != phaseCounting && l.now >= l.countdown.endedAt+forgetStops {
		l.sources.stops = nil
	}
	return !j.Exempt && !l.isSpared(*j) && !l.mayStop(j)
}

// overShare reports whether the joiner's address, or the network around it, already has its share of the slots, while players
// of other addresses may still come. The share of a network is that of an address plus half of the remaining slots.
func (l *Lobby) overShare(j *Join) bool {
	percent, c := l.cfg.Admission.ShareOfLobby, l.Counts()
	if percent == 0 || !j.remembered() || j.Exempt || l.isSpared(*j) || l.placeOf(*j) >= 0 {
		return false
	}
	seats, wide := c.Open+c.Humans, network.Wide(j.Source)
	return l.takesShare(max(2, seats*percent/100), func(p *player) bool { return p.near(*j) }) ||
		wide.IsValid() && l.takesShare(max(2, seats*(100+percent)/200), func(p *player) bool { return !p.Shared && network.Wide(p.Source) == wide })
}

// takesShare reports whether the players selected by is have most slots or more, while other players may still come.
func (l *Lobby) takesShare(most int, is func(*player) bool) bool {
	var reached time.Duration // when they got their last slot
	own, humans := 0, l.seated(false)
	for _, p := range humans {
		if is(p) {
			own++
			reached = max(reached, p.joined)
		}
	}
	switch {
	case own < most:
		return false
	case own < len(humans):
		return true
	}
	if own > most { // the waiting time for others is over
		return false
	}
	return l.now < max(reached, l.sources.mixedAt)+othersWait
}

// noteMixed records, after a player has left, whether players of several addresses were present until now.
func (l *Lobby) noteMixed(left *player) {
	if l.othersIn(&left.Join) {
		l.sources.mixedAt = l.now
	}
}

// mapSilence returns how long a client may take to report how much of the map it has; 0 means no limit.
func (l *Lobby) mapSilence() time.Duration {
	if l.cfg.Admission.MapSilence == 0 {
		return 0
	}
	return l.cfg.Admission.MapSilence + time.Duration(l.cfg.MapCheck.Size/checkRate)*time.Second
}

// silentUntil returns when a player who has not reported the map is removed, or never. The allowance is per address, so
// that leaving and joining again does not renew it.
func (l *Lobby) silentUntil(p *player) time.Duration {
	if l.mapSilence() == 0 || p.fake || l.slot(p).Download != w3gs.DownloadUnknown {
		return never
	}
	return p.joined + max(l.silenceLeft(&p.Join, p.joined), probeEvery)
}

// silenceLeft returns how long a player may still take to report the map: the smaller allowance of its address and of the
// network around it.
func (l *Lobby) silenceLeft(j *Join, at time.Duration) time.Duration {
	left := l.mapSilence()
	if !j.remembered() {
		return left
	}
	for _, o := range j.origins() {
		if used, known := l.sources.silence[o]; known {
			left = min(left, used.Left(at, silenceRefill*time.Duration(o.factor())*l.mapSilence())/silenceRefill)
		}
	}
	return left
}

// tooSilent reports whether the network around the joiner's address has used up its allowance for players who do not report
// the map. A single address is not refused for that, but its players are removed soon.
func (l *Lobby) tooSilent(j *Join) bool {
	most := l.mapSilence()
	if most == 0 || !j.remembered() || l.isSpared(*j) {
		return false
	}
	return slices.ContainsFunc(j.origins(), func(o origin) bool {
		used, known := l.sources.silence[o]
		return o.wide && (!known && len(l.sources.silence) >= mostSources ||
			known && used.Left(l.now, silenceRefill*wideFactor*most) < silenceRefill*probeEvery)
	})
}

// noteSilence charges the time without a report to the address of a player who leaves.
func (l *Lobby) noteSilence(p *player) {
	most := l.mapSilence()
	if most == 0 || p.fake || !p.remembered() || l.slot(p).Download != w3gs.DownloadUnknown {
		return
	}
	if l.sources.silence == nil {
		l.sources.silence = map[origin]allowance.Allowance{}
	}
	maps.DeleteFunc(l.sources.silence, func(o origin, a allowance.Allowance) bool {
		limit := silenceRefill * time.Duration(o.factor()) * most
		return a.Left(l.now, limit) >= limit
	})
	for _, o := range p.origins() {
		if used, known := l.sources.silence[o]; known || len(l.sources.silence) < mostSources {
			used.Use(l.now, silenceRefill*(l.now-p.joined))
			l.sources.silence[o] = used
		}
	}
}

// removeSilent removes players who have not reported the map in time and keeps them out for KickCooldown.
func (l *Lobby) removeSilent() {
	if l.cfg.Admission.MapSilence == 0 {
		return
	}
	for _, p := range l.seated(false) {
		if l.now >= l.silentUntil(p) && l.phase < phaseStarted {
			l.guests.kept = append(l.guests.kept, keptOut{p.Join, l.now + l.cfg.Admission.KickCooldown})
			l.dismiss(p, texts.Of("You were removed: your game did not report whether it has the map."), "did not report the map", "")
			l.returnVirtualHost()
		}
	}
}
