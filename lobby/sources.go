package lobby

import (
	"maps"
	"net/netip"
	"slices"
	"time"

	"w3host/internal/allowance"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// Rules that keep the players of one address from making a lobby unusable for others.
const (
	// briefStay is how long a player must have been in for a leave to cause a quiet time.
	briefStay = 10 * time.Second
	// mostStops is how many countdowns the joins, leaves and changes of one address may stop. More joins of it are then
	// refused, until the lobby has been without a countdown for forgetStops.
	mostStops   = 2
	forgetStops = time.Minute
	// othersWait is how long the slots beyond the share of one address stay reserved for others, while no other is in.
	othersWait = time.Minute
	// checkRate is the speed, in bytes a second, at which a client must be able to check the map. The
	// time for a map of this size is added to MapSilence.
	checkRate = 10 << 20
	// silenceRefill is in how many seconds one second of allowed silence comes back to an address.
	silenceRefill = 4
	// mostSources bounds the addresses that a lobby remembers.
	mostSources = 1024
)

// sources counts the acts of addresses that disturb the others.
type sources struct {
	stops   map[netip.Addr]int // countdowns that an address has stopped
	silence map[netip.Addr]allowance.Allowance
	mixedAt time.Duration // when players of several addresses were in last
}

// remembered reports whether the rules about addresses apply to a player.
func (j *Join) remembered() bool { return !j.Shared && j.Source.IsValid() }

// mayStop reports whether a player may stop a countdown that the game could also go through with.
func (l *Lobby) mayStop(j *Join) bool {
	return !j.remembered() || l.sources.stops[j.Source] < mostStops || !l.othersIn(j)
}

// othersIn reports whether players of other addresses than a joiner's are in. Where there are none, as on a host behind
// a bridge of containers, nobody has to be protected from the address.
func (l *Lobby) othersIn(j *Join) bool {
	return slices.ContainsFunc(l.seated(false), func(p *player) bool { return !p.near(*j) })
}

// noteStop counts that a player stops a countdown.
func (l *Lobby) noteStop(j *Join) {
	if l.phase == phaseCounting && j.remembered() && l.othersIn(j) && len(l.sources.stops) < mostSources {
		if l.sources.stops == nil {
			l.sources.stops = map[netip.Addr]int{}
		}
		l.sources.stops[j.Source]++
	}
}

// disturbs reports whether a joiner comes from an address that has stopped too many countdowns.
func (l *Lobby) disturbs(j *Join) bool {
	if l.phase != phaseCounting && l.now >= l.countdown.endedAt+forgetStops {
		l.sources.stops = nil
	}
	return !j.Exempt && !l.isSpared(*j) && !l.mayStop(j)
}

// overShare reports whether a joiner's address has all the slots that one address may have, while others may still come.
func (l *Lobby) overShare(j *Join) bool {
	percent, c := l.cfg.Admission.ShareOfLobby, l.Counts()
	if percent == 0 || !j.remembered() || j.Exempt || l.isSpared(*j) || l.placeOf(*j) >= 0 {
		return false
	}
	most := max(2, (c.Open+c.Humans)*percent/100)
	var reached time.Duration // when the address got its last slot
	own := 0
	for _, p := range l.seated(false) {
		if !p.near(*j) {
			continue
		}
		own++
		reached = max(reached, p.joined)
	}
	switch {
	case own < most:
		return false
	case own < c.Humans:
		return true
	}
	if own > most { // others have waited for these slots already
		return false
	}
	return l.now < max(reached, l.sources.mixedAt)+othersWait
}

// noteMixed notes, behind the leave of a player, whether players of several addresses were in until now.
func (l *Lobby) noteMixed(left *player) {
	if l.othersIn(&left.Join) {
		l.sources.mixedAt = l.now
	}
}

// mapSilence is how long a client may take to report how much of the map it has; 0: as long as it likes.
func (l *Lobby) mapSilence() time.Duration {
	if l.cfg.Admission.MapSilence == 0 {
		return 0
	}
	return l.cfg.Admission.MapSilence + time.Duration(l.cfg.MapCheck.Size/checkRate)*time.Second
}

// silentUntil is when a player who has not reported the map is removed; never: not at all. Silence is counted per address,
// or a player could leave and join again in time.
func (l *Lobby) silentUntil(p *player) time.Duration {
	most := l.mapSilence()
	if most == 0 || p.fake || l.slot(p).Download != w3gs.DownloadUnknown {
		return never
	}
	if used, known := l.sources.silence[p.Source]; known && p.remembered() {
		most = max(used.Left(p.joined, silenceRefill*most)/silenceRefill, probeEvery)
	}
	return p.joined + most
}

// noteSilence counts how long a player who leaves has not reported the map.
func (l *Lobby) noteSilence(p *player) {
	most := l.mapSilence()
	if most == 0 || p.fake || !p.remembered() || l.slot(p).Download != w3gs.DownloadUnknown {
		return
	}
	if l.sources.silence == nil {
		l.sources.silence = map[netip.Addr]allowance.Allowance{}
	}
	maps.DeleteFunc(l.sources.silence, func(_ netip.Addr, a allowance.Allowance) bool { return a.Left(l.now, most) >= most })
	if used, known := l.sources.silence[p.Source]; known || len(l.sources.silence) < mostSources {
		used.Use(l.now, silenceRefill*(l.now-p.joined))
		l.sources.silence[p.Source] = used
	}
}

// removeSilent removes the players who have not reported the map in time, and keeps their addresses out for a while.
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
