package lobby

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// keptOut is a kicked player who may not join again until a time.
type keptOut struct {
	Join
	until time.Duration
}

func (op Kick) apply(l *Lobby) *texts.Refusal {
	p, game := l.player(op.PID), l.phase == phaseStarted
	switch {
	case p == nil:
		return l.absent(op.PID)
	case game && p.fake:
		return texts.Refuse(texts.NotHuman, "%s is a fake player and stays until the game is over", p.name)
	case game && p.kicked:
		return texts.Refuse(texts.TooLate, "%s is already being removed", p.name)
	}
	i := l.slotOf(p.pid)
	if op.KeepOut && !p.fake && l.cfg.Admission.KickCooldown > 0 {
		l.guests.kept = append(l.guests.kept, keptOut{p.Join, l.now + l.cfg.Admission.KickCooldown})
	}
	l.kick(p, op)
	if op.CloseSlot && !game {
		l.slots[i].Status = w3gs.SlotClosed
	}
	return nil
}

// kick removes a human or fake player from the lobby. In a game it only asks the turn loop to remove the player, and
// Leave follows.
func (l *Lobby) kick(p *player, op Kick) {
	you := withWhy(op.Why, "You were kicked.", "You were kicked: %v")
	others := withWhy(op.Why, "%s was kicked.", "%s was kicked: %v", p.name)
	why := strings.TrimSuffix("kicked: "+op.Why.String(), ": ") // for logs and records
	if l.phase == phaseStarted {
		l.sayText(w3gs.Only(p.pid), you)
		p.kicked = true
		l.sayText(0, others)
		l.sink.Kicked(p.pid, l.slotOf(p.pid), why, op.By)
		return
	}
	l.dismiss(p, you, why, op.By)
	l.returnVirtualHost()
	if !p.fake {
		l.abort(texts.Of("%s was kicked", p.name))
		l.sayText(0, others)
	}
}

// dismiss removes a player after showing them a line.
func (l *Lobby) dismiss(p *player, line texts.Text, why, by string) {
	if !p.fake {
		l.sayText(w3gs.Only(p.pid), line)
		l.expel(p, why, by)
	}
	l.remove(p)
}

// expel tells a client with 0x1C that it was removed. Older hosts only close the connection, but then clients show a
// connection error.
func (l *Lobby) expel(p *player, why, by string) {
	l.send(p.pid, &w3gs.KickPlayer{Reason: w3gs.LeaveLobby})
	l.sink.Kicked(p.pid, l.slotOf(p.pid), why, by)
}

// withWhy returns the text plain, or with a reason the text reasoned, which takes the reason as its last argument.
func withWhy(why texts.Text, plain, reasoned string, args ...any) texts.Text {
	if why.Empty() {
		return texts.Of(plain, args...)
	}
	return texts.Of(reasoned, append(args, why)...)
}

// checkKept returns why a player cannot join for now, or "".
func (l *Lobby) checkKept(ev Join) (why string) {
	l.guests.kept = slices.DeleteFunc(l.guests.kept, func(k keptOut) bool { return k.until <= l.now })
	for _, k := range l.guests.kept {
		if k.near(ev) || ev.Req.Name != "" && sameName(k.Req.Name, ev.Req.Name) {
			return fmt.Sprintf("%s was kicked and is kept out for another %v", cmp.Or(k.Req.Name, "a player without a name"), (k.until - l.now).Round(time.Second))
		}
	}
	return ""
}

// Leave handles a 0x21 or, if lost is set, a broken connection. In the lobby it answers a 0x21 with 0x1B and sends 0x07
// to the others; after the start the turn loop does that, and the player is only removed from the list.
func (l *Lobby) Leave(now time.Duration, pid uint8, reason w3gs.LeaveReason, lost bool) {
	l.begin(now)
	if p := l.human(pid); p != nil {
		l.leave(p, reason, lost)
	}
	l.finish()
}

func (l *Lobby) leave(p *player, reason w3gs.LeaveReason, lost bool) {
	l.activeAt = l.now
	if !lost && l.phase < phaseStarted {
		l.send(p.pid, &w3gs.LeaveAck{})
	}
	l.sink.Left(p.pid, reason, lost)
	if l.phase == phaseStarted {
		l.players[p.pid] = nil
		return
	}
	l.remove(p)
	l.returnVirtualHost()
	l.unsettle(&p.Join, texts.Of("%s left", p.name))
}

// remove frees a player's slot and pid and tells the others.
func (l *Lobby) remove(p *player) {
	l.noteSilence(p)
	l.vacate(l.slotOf(p.pid))
	l.players[p.pid] = nil
	if l.owner.informed == p.pid {
		l.owner.informed = 0 // the next player with this pid has not been informed
	}
	l.broadcast(l.Humans(), &w3gs.PlayerLeave{PID: p.pid, Reason: w3gs.LeaveLobby})
	if p.fake {
		return
	}
	if l.noteMixed(p); l.now-p.joined >= briefStay {
		l.left, l.quietUntil = p.name, l.now+l.cfg.Start.QuietAfterLeave
	}
}

// apply closes a lobby that has not started.
func (op Shutdown) apply(l *Lobby) *texts.Refusal {
	if l.phase == phaseCounting {
		l.sink.Fact(&CountdownAborted{Why: "the lobby closes"})
	}
	l.sayText(0, withWhy(op.Why, "The lobby is closed.", "The lobby is closed: %v"))
	for _, p := range l.seated(false) {
		l.expel(p, "the lobby closed", "")
	}
	l.players = [pidLimit]*player{}
	l.phase = phaseClosed
	l.sink.Closed(op.Why.String())
	return nil
}
