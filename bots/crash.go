package bots

import (
	"strings"
	"time"
)

// crash ends the bot's client as a crash of the game does, without a word. A new client joins the
// running game later, under the same name and from the same address, is shown the game from its
// start, and goes on when the host says that it is back.
func (p *player) crash(now time.Duration) {
	if p.phase != loading && p.phase != playing || p.socket == nil {
		return
	}
	p.socket.close()
	again := newPlayer(p.g, p.seat, p.name, p.conduct)
	again.report, again.worst, again.returning = p.report, p.worst, true
	again.report.Crashes++
	*p = *again
	p.crashedAt = now
	ctx, l, wait := p.g.ctx, p.g.lobby, p.conduct.CrashFor
	go func() { // ends with the connection, or with the run
		sleep(ctx, wait)
		p.g.run.connect(ctx, p, l)
	}()
}

// heardBack looks for the host's word that the bot is back, or that it has seen the record from which
// the game goes on: it plays from there on.
func (p *player) heardBack(now time.Duration, text string) {
	back := strings.HasSuffix(text, p.name+" is back.")
	switch {
	case p.phase == inLobby && strings.Contains(text, "This game goes on at "):
		p.returning = true
		return
	case !p.returning || p.phase != playing || !back && !strings.HasSuffix(text, "what you do counts from here on."):
		return
	}
	p.returning, p.lastTurn, p.sent = false, 0, p.seen
	if back {
		p.report.Returns++
		p.report.SlowestReturn = max(p.report.SlowestReturn, now-p.crashedAt-p.conduct.CrashFor)
	}
	p.beginToAct(now)
}

// beginToAct sets the first alarms for the bot's actions in the game.
func (p *player) beginToAct(now time.Duration) {
	if rate := p.g.run.opts.Actions; rate > 0 {
		p.set(alarmAct, now+pause(rate))
	}
	if p.conduct.CrashEvery > 0 {
		p.set(alarmCrash, now+pause(1/p.conduct.CrashEvery.Seconds()))
	}
}

// passing reports whether a packet is of the past, which the bot is shown.
func (p *player) passing() bool { return p.returning || p.g.run.opts.Watch }
