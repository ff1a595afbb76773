package lobby

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// blocked returns why a start that is not forced has to wait, or nil.
func (l *Lobby) blocked() *texts.Refusal {
	if wait := l.quietUntil - l.now; wait > 0 {
		return texts.Refuse(texts.NotYet, "%s just left: wait %v", l.left, wait.Round(100*time.Millisecond))
	}
	return l.unready()
}

// Blocked returns why a start that is not forced has to wait, or an empty text.
func (l *Lobby) Blocked() texts.Text {
	if no := l.blocked(); no != nil {
		return no.Text
	}
	return texts.Text{}
}

// Waits describes what the start waits for: missing players, another reason, or the time of the automatic start.
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

// waitsForTime describes what a lobby that starts after a wait is waiting for, if nothing else blocks it.
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

// Counting reports whether the countdown is running.
func (l *Lobby) Counting() bool { return l.phase == phaseCounting }

// unready returns what is missing for a start: players, their maps, their profiles, or slots for the mode string.
func (l *Lobby) unready() *texts.Refusal {
	var unanswered, loading, notIntroduced []string
	for _, p := range l.seated(false) {
		switch download := l.slot(p).Download; {
		case download == w3gs.DownloadUnknown:
			unanswered = append(unanswered, p.name)
		case download < 100:
			loading = append(loading, fmt.Sprintf("%s (%d %%)", p.name, download))
		}
	}
	for _, p := range l.notIntroduced() {
		notIntroduced = append(notIntroduced, p.name)
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
	case notIntroduced != nil:
		return texts.Refuse(texts.NotYet, "still reading the profiles of: %s", strings.Join(notIntroduced, ", "))
	}
	return l.checkHCL()
}

// beginCountdown starts the countdown and announces its first number at once. The game starts one step after the last
// number.
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

// countDown announces the number that is due, or starts the game. After the host was suspended, the countdown continues
// where it stopped.
func (l *Lobby) countDown() {
	if l.phase != phaseCounting || l.now < l.countdown.at {
		return
	}
	if l.countdown.left <= 0 {
		if no := l.unready(); no != nil && !l.countdown.forced && l.cfg.Countdown.GoesOn {
			l.abort(no.Text) // a player has joined during the countdown
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

// unsettle stops the countdown because a player joined or left. It does nothing if the configuration lets the countdown
// continue or if the player's address has stopped too many countdowns already; but it always stops if too few players
// remain.
func (l *Lobby) unsettle(by *Join, why texts.Text) {
	tooFew := l.Humans().Len() < max(l.cfg.Start.MinPlayers, 1) || l.countdown.byItself && !l.enough()
	if tooFew || !l.cfg.Countdown.GoesOn && l.mayStop(by) {
		l.noteStop(by)
		l.abort(why)
	}
}

// abort stops the countdown, if it is running.
func (l *Lobby) abort(why texts.Text) {
	if l.phase != phaseCounting {
		return
	}
	l.phase, l.countdown.endedAt = phaseOpen, l.now
	l.sink.Fact(&CountdownAborted{Why: why.String()})
	l.sayText(0, withWhy(why, "Countdown stopped.", "Countdown stopped: %v."))
}

// start ends the lobby: it sends the final slot table if it changed, then 0x0A. For versions without a start delay the
// game begins at once, otherwise when Enter is called.
func (l *Lobby) start() {
	if no := l.checkHCL(); no != nil {
		l.sayText(0, texts.Sentence(texts.Of("Starting without the mode: %v", no.Text)))
		l.hcl = ""
	}
	l.final = make([]Place, len(l.slots)) // before the mode string is written into the handicaps
	for i, s := range l.slots {
		p, _ := l.Player(s.PID)
		l.final[i] = Place{Name: p.Name, Realm: p.Realm, Fake: p.Fake, Slot: s}
	}
	w3gs.WriteHCL(l.slots, l.hcl)
	humans := l.Humans()
	l.introduceOverdue(never)
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

// Enter begins the game. The caller must call it when the version's StartDelay has passed since Sink.Started.
func (l *Lobby) Enter(now time.Duration) {
	l.begin(now)
	l.beginLoading()
	l.busy = false
}

// beginLoading makes the clients load the game: the virtual host leaves, 0x0B is sent, and fake players are reported as
// loaded.
func (l *Lobby) beginLoading() {
	humans := l.Humans()
	l.dropVirtualHost()
	l.broadcast(humans, &w3gs.CountdownEnd{})
	for _, p := range l.seated(true) {
		l.broadcast(humans, &w3gs.GameLoaded{PID: p.pid})
	}
}
