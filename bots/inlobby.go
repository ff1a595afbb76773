package bots

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"w3host/protocol/w3gs"
)

// slowStart is the least time that slow clients need between 0x0A (countdown) and 0x0B (start).
const slowStart = 5 * time.Second

// lobbyView is the lobby as the host has described it.
type lobbyView struct {
	known     pidSet // players introduced and not gone, without the bot itself
	loaded    pidSet
	table     w3gs.SlotTable
	checked   bool // whether 0x3D (map check) has come
	drawn     bool // whether the first 0x09 (slots) has come
	holds     bool // whether the bot has the map
	ready     bool // has the map, and met is true
	extras    extras
	readyAs   string // the command that the host asks players to type when ready; "" if it has not asked
	readySaid bool
	download  *download
}

// onWelcome handles a packet 0x04: the host has accepted the bot.
func (p *player) onWelcome(now time.Duration, q *w3gs.SlotInfoJoin) {
	if !p.need(p.phase == joining, q.Op(), "a second time") {
		return
	}
	p.phase = inLobby
	p.pid = q.PID
	p.pinged = now
	p.report.PID, p.report.Joined = q.PID, true
	p.need(q.PID != 0 && q.PID <= w3gs.MaxSlots, q.Op(), "player id %d", q.PID)
	p.takeTable(q.Op(), &q.SlotTable)
	p.note(now, Event{Packet: q.Op(), PID: q.PID})
	// The first pong of a client is not an answer to a ping.
	p.send(&w3gs.PongToHost{Tick: w3gs.FirstPongTick})
	if p.g.run.opts.ChatEvery == 0 {
		p.set(alarmGreet, now+greetAfter)
	} else {
		p.set(alarmChat, now+time.Duration(rand.Int64N(int64(p.g.run.opts.ChatEvery)))+1)
	}
}

func (p *player) onReject(q *w3gs.RejectJoin) {
	p.need(p.phase == joining, q.Op(), "to a player who is in")
	p.refused = q.Reason
	p.finish(OutcomeRefused, refusal(q.Reason))
}

func (p *player) onIntroduction(now time.Duration, q *w3gs.PlayerInfo) {
	switch {
	case !p.need(p.phase == inLobby, q.Op(), "%q introduced outside the lobby", q.Name):
	case !p.need(q.PID != p.pid, q.Op(), "the bot is introduced to itself"):
	case !p.need(!p.known.has(q.PID), q.Op(), "player %d introduced twice", q.PID):
	case !p.need(q.PID != 0 && q.PID <= w3gs.MaxSlots+1, q.Op(), "player id %d", q.PID):
	}
	version := p.g.run.opts.Version
	longest := w3gs.MaxNameLen
	if version.Reforged() {
		longest = w3gs.MaxTagLen
	}
	p.need((q.Name != "" || version.SharesNames()) && len(q.Name) <= longest, q.Op(), "name %q: want 1 to %d bytes", q.Name, longest)
	p.need(len(q.Extra) == version.JoinExtra(), q.Op(), "%d bytes behind the name: clients of %v want %d", len(q.Extra), version, version.JoinExtra())
	p.known.add(q.PID)
	p.note(now, Event{Packet: q.Op(), PID: q.PID, Text: q.Name})
}

func (p *player) onMapCheck(now time.Duration, q *w3gs.MapCheck) {
	if !p.need(p.phase == inLobby && !p.checked, q.Op(), "wanted once, in the lobby") {
		return
	}
	version := p.g.run.opts.Version
	p.need(p.drawn == p.drawsAtJoin(), q.Op(), "the first 0x09 came %v", p.drawn)
	p.need(q.Size > 0 && q.Path != "" && len(q.Path) <= w3gs.MaxMapPathLen, q.Op(), "map %q of %d bytes", q.Path, q.Size)
	p.need(q.HasSHA1 || !version.HasSHA1(), q.Op(), "no SHA-1 for version %v", version)
	if want := p.g.run.opts.Map; want != nil && *want != *q {
		p.fault(q.Op(), "not the map that the bot has: %+v, want %+v", *q, *want)
		p.finish(OutcomeBroken, "the host has another map")
		return
	}
	p.need(version.MapPath(q.Path) == q.Path && (version.MapPath(`\`) == "/" || !strings.Contains(q.Path, "/")), q.Op(), "path %q: not as clients of %v write it", q.Path, version)
	p.checked = true
	p.note(now, Event{Packet: q.Op(), Value: q.Size, Text: q.Path})
	if p.reforged() {
		p.set(alarmMet, now+metWithin)
	}
	if p.conduct.Download == "" && version.IntroducesAtJoin() {
		p.send(&w3gs.MapSize{Flag: w3gs.MapHave, Size: q.Size})
		p.holds = true
	}
	if p.reforged() {
		p.sayExtra(w3gs.NewSkins(p.pid))
	}
	if version.IntroducesAtJoin() {
		p.sayExtra(w3gs.NewPair(p.pid))
	}
	if p.conduct.Download != "" {
		p.openDownload(now, q)
		return
	}
	if !p.holds {
		p.send(&w3gs.MapSize{Flag: w3gs.MapHave, Size: q.Size})
	}
	p.holds = true
	p.checkReady(now)
}

// checkReady checks whether the bot has all that it needs for the start, and tells the game.
func (p *player) checkReady(now time.Duration) {
	if p.ready || !p.holds || !p.met() {
		return
	}
	p.ready = true
	p.sayReady()
	p.g.checkGathered(now)
}

// drawsAtJoin reports whether the first 0x09 must come before 0x3D: for clients of 3.0, and when watching recorded games
// of 1.32 and later.
func (p *player) drawsAtJoin() bool {
	o := &p.g.run.opts
	return o.Version.IntroducesAtJoin() || o.Watch && o.Version.Reforged()
}

func (p *player) onSlots(now time.Duration, q *w3gs.SlotInfo) {
	if !p.need(p.phase == inLobby, q.Op(), "outside the lobby") {
		return
	}
	p.need(p.checked || p.drawsAtJoin() && !p.drawn, q.Op(), "before 0x3D")
	p.drawn = true
	p.takeTable(q.Op(), &q.SlotTable)
	own := 0
	for _, s := range p.table.Slots {
		if s.PID == p.pid {
			own++
		} else if s.PID != 0 && !p.known.has(s.PID) && p.checked {
			p.fault(q.Op(), "player %d in the table was never introduced", s.PID)
		}
	}
	p.need(own == 1, q.Op(), "the bot's player id %d is in %d slots", p.pid, own)
	p.note(now, Event{Packet: q.Op()})
}

// takeTable stores a slot table and checks that it is valid.
func (p *player) takeTable(op w3gs.Op, t *w3gs.SlotTable) {
	limit := p.g.run.opts.Version.Slots()
	n := len(t.Slots)
	p.need(n > 0 && n <= limit && (p.table.Slots == nil || n == len(p.table.Slots)), op, "%d slots", n)
	var colours, pids pidSet
	for i, s := range t.Slots {
		if s.Status != w3gs.SlotOccupied {
			p.need(s.PID == 0, op, "slot %d is empty and has player %d", i+1, s.PID)
			continue
		}
		observer := s.Team == p.g.run.opts.Version.ObserverTeam()
		p.need(s.PID == 0 || !pids.has(s.PID), op, "player %d has two slots", s.PID)
		p.need(observer || !colours.has(s.Colour), op, "colour %d is taken twice", s.Colour)
		pids.add(s.PID)
		colours.add(s.Colour)
	}
	if p.g.run.opts.Save != nil {
		p.needSaved(op, t)
	}
	p.table = *t
}

// room returns how many bots the lobby can take, including this one.
func (p *player) room() int {
	n := 1
	for _, s := range p.table.Slots {
		if s.Status == w3gs.SlotOpen {
			n++
		}
	}
	return n
}

func (p *player) onCountdown(now time.Duration) {
	if !p.need(p.phase == inLobby && p.drawn, w3gs.OpCountdownStart, "outside the lobby") {
		return
	}
	p.phase, p.countdownAt = starting, now
	p.note(now, Event{Packet: w3gs.OpCountdownStart})
}

// onStart handles a packet 0x0B: the slots are final and the bot loads the map.
func (p *player) onStart(now time.Duration) {
	if !p.need(p.phase == starting, w3gs.OpCountdownEnd, "without 0x0A") {
		return
	}
	if took := now - p.countdownAt; p.g.run.opts.SlowStart && took < slowStart {
		p.fault(w3gs.OpCountdownEnd, "%v after 0x0A: a slow client goes to the score screen", took.Round(time.Millisecond))
		p.finish(OutcomeBroken, "went to the score screen")
		return
	}
	p.phase = loading
	p.needMet(w3gs.OpCountdownEnd)
	for _, pid := range p.known.list() {
		seated := slices.ContainsFunc(p.table.Slots, func(s w3gs.Slot) bool { return s.PID == pid })
		p.need(seated, w3gs.OpCountdownEnd, "player %d has no slot and is still there", pid)
	}
	players := p.known
	players.add(p.pid)
	p.state = newGameState(&p.table, players)
	p.alarms[alarmGreet], p.alarms[alarmStart], p.alarms[alarmGiveUp] = 0, 0, 0
	load := p.g.run.opts.LoadTime
	p.set(alarmLoaded, now+load/2+time.Duration(rand.Int64N(int64(load/2)+1)))
	if p.conduct.NeverRead {
		p.isLoaded, p.misbehaved, p.paused = true, true, true
		p.alarms[alarmLoaded] = 0
		p.send(&w3gs.LoadedSelf{})
	}
	p.note(now, Event{Packet: w3gs.OpCountdownEnd})
}
