package lobby

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// blocked returns why a start that is not forced has to wait, and for which players.
func (l *Lobby) blocked() *texts.Refusal {
	if wait := l.quietUntil - l.now; wait > 0 {
		return texts.Refuse(texts.NotYet, "%s just left: wait %v", l.left, wait.Round(100*time.Millisecond))
	}
	return l.unready()
}

// Blocked says why a start that is not forced has to wait; empty: it has not.
func (l *Lobby) Blocked() texts.Text {
	if no := l.blocked(); no != nil {
		return no.Text
	}
	return texts.Text{}
}

// Waits says why the lobby has not started: for how many players or for what it waits, or
// when it starts.
func (l *Lobby) Waits() texts.Text {
	missing := 0
	if l.auto.on() {
		missing = l.missing()
	}
	switch why := l.Blocked(); {
	case l.Counting():
		return texts.Sentence(texts.Of("the countdown is already running"))
	case missing > 0:
		return waitsFor(missing)
	case !why.Empty():
		return texts.Sentence(texts.Of("Waiting to start: %v", why))
	case l.auto.after > 0 && l.auto.Players == 0 && !l.auto.Full:
		return l.waitsForTime()
	}
	return l.auto.text()
}

func waitsFor(players int) texts.Text {
	return texts.Count(players, "Waiting for %d more player.", "Waiting for %d more players.")
}

// waitsForTime says it of a lobby that time alone starts, where nothing else is in the way.
func (l *Lobby) waitsForTime() texts.Text {
	a := &l.auto
	if a.enoughAt == never {
		return waitsFor(max(l.cfg.Start.MinPlayers, 1) - l.Humans().Len())
	}
	if left := a.enoughAt + a.after - l.now; left > 0 {
		return texts.Of("The game starts in %v.", left.Round(time.Second))
	}
	if ready, all := l.ready(); a.Ready && ready < all {
		return texts.Sentence(texts.Of("Waiting to start: %v", texts.Of("%d of %d are ready; type %sready", ready, all, l.cfg.Voice.Trigger)))
	}
	return texts.Sentence(texts.Of("Waiting to start: %v", texts.Of("the teams are not balanced yet")))
}

// Counting reports whether the countdown runs.
func (l *Lobby) Counting() bool { return l.phase == phaseCounting }

// unready says what is missing: players, their maps, slots for the mode string.
func (l *Lobby) unready() *texts.Refusal {
	var unanswered, loading, unmet []string
	for _, p := range l.seated(false) {
		switch download := l.slot(p).Download; {
		case download == w3gs.DownloadUnknown:
			unanswered = append(unanswered, p.name)
		case download < 100:
			loading = append(loading, fmt.Sprintf("%s (%d %%)", p.name, download))
		}
	}
	for _, p := range l.unmet() {
		unmet = append(unmet, p.name)
	}
	switch need := l.cfg.Start.MinPlayers; {
	case l.Humans().Len() < need:
		return &texts.Refusal{Code: texts.NotYet, Text: texts.Count(need, "at least %d player is needed", "at least %d players are needed")}
	case l.absentees() != nil:
		return texts.Refuse(texts.NotYet, "still missing: %s; fakeplayer puts fake players into their places", strings.Join(l.absentees(), ", "))
	case loading != nil:
		return texts.Refuse(texts.NotYet, "still downloading the map: %s", strings.Join(loading, ", "))
	case unanswered != nil:
		return texts.Refuse(texts.NotYet, "still checking who has the map: %s", strings.Join(unanswered, ", "))
	case unmet != nil:
		return texts.Refuse(texts.NotYet, "still reading the profiles of: %s", strings.Join(unmet, ", "))
	}
	return l.checkHCL()
}

// beginCountdown says the first number at once; the game starts one step after
// the last.
func (l *Lobby) beginCountdown(forced, now bool) {
	l.phase = phaseCounting
	l.countdown = countdown{forced: forced, left: l.cfg.Countdown.Lines, at: l.now, endedAt: l.countdown.endedAt}
	if now {
		l.countdown.left = 0
	} else {
		l.sink.Fact(&CountdownStarted{Seconds: l.countdown.left})
	}
	l.countDown()
}

// countDown says the number that is due, or starts the game. After a host
// suspension the count goes on from where it was.
func (l *Lobby) countDown() {
	if l.phase != phaseCounting || l.now < l.countdown.at {
		return
	}
	if l.countdown.left <= 0 {
		if no := l.unready(); no != nil && !l.countdown.forced && l.cfg.Countdown.GoesOn {
			l.abort(no.Text) // somebody has joined meanwhile
			return
		}
		l.start()
		return
	}
	l.say(0, "%d…", l.countdown.left)
	l.countdown.left--
	if l.countdown.at += l.cfg.Countdown.Step; l.countdown.at <= l.now {
		l.countdown.at = l.now + l.cfg.Countdown.Step
	}
}

// unsettle stops a countdown for a player who joined or left, unless it is to go on, or the player's address has stopped
// too many. It always stops when too few players are left.
func (l *Lobby) unsettle(by *Join, why texts.Text) {
	tooFew := l.Humans().Len() < max(l.cfg.Start.MinPlayers, 1) || l.countdown.byItself && !l.enough()
	if tooFew || !l.cfg.Countdown.GoesOn && l.mayStop(by) {
		l.noteStop(by)
		l.abort(why)
	}
}

// abort stops a countdown that runs.
func (l *Lobby) abort(why texts.Text) {
	if l.phase != phaseCounting {
		return
	}
	l.phase, l.countdown.endedAt = phaseOpen, l.now
	l.sink.Fact(&CountdownAborted{Why: why.String()})
	l.sayText(0, withWhy(why, "Countdown stopped.", "Countdown stopped: %v."))
}

// start ends the lobby: the last slot table if it is new, then 0x0A. Where clients need no time, the game
// begins at once, and else with Enter.
func (l *Lobby) start() {
	if no := l.checkHCL(); no != nil {
		l.sayText(0, texts.Sentence(texts.Of("Starting without the mode: %v", no.Text)))
		l.hcl = ""
	}
	l.final = make([]Place, len(l.slots)) // before the mode string goes into the handicaps
	for i, s := range l.slots {
		p, _ := l.Player(s.PID)
		l.final[i] = Place{Name: p.Name, Realm: p.Realm, Fake: p.Fake, Slot: s}
	}
	w3gs.WriteHCL(l.slots, l.hcl)
	humans := l.Humans()
	l.meetLate(never)
	watchers, unwatched := l.seatWatchers()
	if !slices.Equal(l.slots, l.table.sent) {
		l.flushTable(humans)
	}
	l.broadcast(humans, &w3gs.CountdownStart{})
	if l.phase = phaseStarted; l.version().StartDelay() == 0 {
		l.beginLoading()
	}
	l.sink.Started(Started{Table: l.SlotTable(), Players: l.Players(), Fakes: l.Fakes(), Places: slices.Clone(l.final), HCL: l.hcl, Extras: l.extrasOfAll(), Watchers: watchers, Unwatched: unwatched})
}

// Enter begins the game, the version's StartDelay after Started.
func (l *Lobby) Enter(now time.Duration) {
	l.begin(now)
	l.beginLoading()
	l.busy = false
}

// beginLoading has clients load: the virtual host leaves, 0x0B, every fake player has loaded.
func (l *Lobby) beginLoading() {
	humans := l.Humans()
	l.dropVirtualHost()
	l.broadcast(humans, &w3gs.CountdownEnd{})
	for _, p := range l.seated(true) {
		l.broadcast(humans, &w3gs.GameLoaded{PID: p.pid})
	}
}
