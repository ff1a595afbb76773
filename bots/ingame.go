package bots

import (
	"hash/crc32"
	"math/rand/v2"
	"time"

	"w3host/protocol/w3gs"
)

// gameView is the running game as the host has described it.
type gameView struct {
	isLoaded   bool // whether 0x23 (loaded) was sent
	turn       int  // number of turns so far, without empty ones
	state      gameState
	parts      int       // packets 0x48 of the current turn so far
	partSum    uint32    // CRC-32 of that turn's actions so far
	history    gameState // hash of all states and of the empty turns between them
	empties    uint32    // empty turns since the last counted one
	laggers    pidSet
	screenSeen time.Duration // when the lag screen appeared; 0 while there is none
	screenGone time.Duration // when the last lag screen ended
	lastTurn   time.Duration // arrival of the previous turn; 0: the next interval is not measured
	anchor     time.Duration // smallest difference of a turn's arrival and its game time
	gameTime   time.Duration // sum of all increments
}

// Allowed increments in ms if Options.Period is 0.
const (
	minIncrement = 20
	maxIncrement = 500
)

// When bots begin to misbehave, and in which turn they send the burst.
const (
	desyncTurn   = 20
	burstTurn    = 30
	garbageAfter = 5 * time.Second
)

// onLoaded handles a packet 0x08: a player, possibly the bot itself, has loaded.
func (p *player) onLoaded(now time.Duration, pid uint8) {
	const op = w3gs.OpGameLoaded
	switch {
	case !p.need(p.phase >= loading, op, "before 0x0B"):
	case !p.need(pid == p.pid || p.known.has(pid), op, "player %d is not in the game", pid):
	case !p.need(!p.loaded.has(pid), op, "player %d has loaded twice", pid):
	case !p.need(pid != p.pid || p.isLoaded, op, "the bot has not loaded yet"):
	}
	p.loaded.add(pid)
	p.note(now, Event{Packet: op, PID: pid})
}

// onLeave handles a packet 0x07. In the game its position among the turns is part of the state.
func (p *player) onLeave(now time.Duration, q *w3gs.PlayerLeave) {
	p.note(now, Event{Packet: q.Op(), PID: q.PID, Value: uint32(q.Reason)})
	if !p.need(q.PID != p.pid, q.Op(), "about the bot itself") || !p.need(p.known.has(q.PID), q.Op(), "player %d is not there", q.PID) {
		return
	}
	if p.phase >= loading {
		p.needLoaded(q.Op())
		p.state = p.state.leave(q.PID, q.Reason)
	}
	p.known.remove(q.PID)
	p.extras.skins.remove(q.PID)
	p.extras.profile.remove(q.PID)
	if p.phase == inLobby {
		p.checkReady(now)
	}
	p.laggers.remove(q.PID)
	if p.phase == playing && p.laggers.empty() && p.screenSeen != 0 {
		p.screenDown(now)
	}
}

// needLoaded checks that game data may come: not while the bot loads, and not while others load unless they are on the
// lag screen.
func (p *player) needLoaded(op w3gs.Op) bool {
	switch {
	case p.phase == playing:
		return true
	case p.phase != loading:
		p.fault(op, "outside the game")
		return false
	case !p.isLoaded:
		p.fault(op, "while the bot loads")
		return true
	}
	waiting := p.known.without(&p.loaded)
	if !waiting.empty() && p.laggers.empty() {
		p.fault(op, "while players %v load", waiting.list())
	}
	return true
}

// onPart handles a packet 0x48: the first actions of a turn that is too long for one packet.
func (p *player) onPart(now time.Duration, q *w3gs.IncomingAction2, n int) {
	if !p.needLoaded(q.Op()) {
		return
	}
	p.need(len(q.Actions) > 0, q.Op(), "without actions")
	p.parts++
	p.report.OverflowParts++
	p.takeActions(now, q.Op(), n, q.Actions)
}

// onTurn handles a packet 0x0C. A turn with increment 0 only keeps the connection alive and is not counted; every other
// turn is acknowledged with the state after it.
func (p *player) onTurn(now time.Duration, q *w3gs.IncomingAction, n int) {
	op := q.Op()
	if !p.needLoaded(op) {
		return
	}
	if q.IncrementMillis == 0 {
		p.need(len(q.Actions) == 0 && p.parts == 0, op, "increment 0 with actions")
		p.report.EmptyTurns++
		p.empties++
		p.note(now, Event{Packet: op})
		return
	}
	if !p.laggers.empty() {
		p.fault(op, "a turn while the lag screen is up for %v", p.laggers.list())
	}
	p.need(p.parts == 0 || len(q.Actions) > 0, op, "no actions after a 0x48: the last part belongs in the 0x0C")
	increment := time.Duration(q.IncrementMillis) * time.Millisecond
	if want := p.g.run.opts.Period; want != 0 && increment != want {
		p.fault(op, "increment %v, the period is %v", increment, want)
	} else if q.IncrementMillis < minIncrement || q.IncrementMillis > maxIncrement {
		p.fault(op, "increment %v", increment)
	}
	if p.phase == loading {
		p.enter(now)
	}
	p.takeActions(now, op, n, q.Actions)
	p.state = p.state.turn(q.IncrementMillis, p.partSum)
	p.history = p.history.mix(uint64(p.state)).empties(p.empties)
	p.parts, p.partSum, p.empties = 0, 0, 0
	p.turn++
	p.measure(now, increment)
	if p.scripted() {
		p.answerDue, p.answers = true, p.appendAck(p.answers)
		p.g.compare(p)
		p.g.playScript(now)
		return
	}
	p.answer()
	p.g.compare(p)
	if p.quit && p.seen == p.sent {
		p.leave(now)
	}
}

// enter starts playing, at the first counted turn.
func (p *player) enter(now time.Duration) {
	p.phase = playing
	p.need(p.loaded.has(p.pid), w3gs.OpGameLoaded, "none of the bot itself came before the first turn")
	if rate := p.g.run.opts.Actions; rate > 0 {
		p.set(alarmAct, now+pause(rate))
	}
	if p.scripted() {
		p.alarms[alarmChat] = 0
	} else if p.g.run.opts.ChatEvery == 0 { // otherwise the alarm is already set
		p.set(alarmChat, now+time.Second+time.Duration(rand.Int64N(int64(time.Second))))
	}
	c := &p.conduct
	if c.Garbage {
		p.set(alarmGarbage, now+garbageAfter)
	}
	if c.StallFor > 0 && c.StallAtPercent == 0 {
		p.set(alarmStall, now+c.StallAfter)
	}
	if c.LeaveAfter > 0 {
		p.set(alarmLeave, now+c.LeaveAfter)
	}
	p.g.entered(now)
}

// takeActions handles the actions of one packet of a turn; n is the packet's length in bytes.
func (p *player) takeActions(now time.Duration, op w3gs.Op, n int, actions []byte) {
	if n > segment {
		p.fault(op, "%d bytes: a packet of a turn is at most %d", n, segment)
	}
	p.report.LargestTurnPacket = max(p.report.LargestTurnPacket, n)
	if len(actions) == 0 {
		return
	}
	rest := actions
	for pid, data := range w3gs.Actions(actions) {
		block := rest[:w3gs.ActionPrefix+len(data)]
		rest = rest[len(block):]
		if pid == p.pid && p.g.run.opts.Watch { // a client ignores actions that carry its own id but that it did not send
			continue
		}
		p.partSum = crc32.Update(p.partSum, crc32.IEEETable, block)
		switch {
		case pid == p.pid:
			p.ownAction(now, op, data)
		case !p.known.has(pid):
			p.fault(op, "an action of player %d, who is not in the game", pid)
		}
	}
	p.partSum = crc32.Update(p.partSum, crc32.IEEETable, rest)
}

func (p *player) ownAction(now time.Duration, op w3gs.Op, data []byte) {
	if p.g.run.opts.Script != nil {
		p.ownStep(op, data)
		return
	}
	number, stamp, ok := parseAction(data)
	if !ok || number != p.seen+1 {
		p.fault(op, "own action %d where %d was due", number, p.seen+1)
	}
	p.seen++
	if delay := sinceMicros(now, stamp); ok && p.measured() && (p.screenGone == 0 || now-delay > p.screenGone) {
		p.g.run.rec.delay.add(delay)
	}
}

// act sends an action, unless the lag screen is up, and sets the alarm for the next one.
func (p *player) act(now time.Duration) {
	if p.quit || p.phase != playing {
		return
	}
	p.set(alarmAct, now+pause(p.g.run.opts.Actions))
	if p.laggers.empty() { // a client sends nothing while the lag screen is up
		p.sendActions(1, now)
	}
}

func (p *player) sendActions(n int, now time.Duration) {
	var scratch [w3gs.MaxActionLen]byte
	for range n {
		p.sent++
		p.out = appendAction(p.out, &scratch, p.g.run.opts.ActionBytes, p.sent, now)
	}
}

// answer acknowledges a turn, and sends the bot's part of the burst if it is due.
func (p *player) answer() {
	p.out = p.appendAck(p.out)
	if opts := &p.g.run.opts; opts.Burst > 0 && p.turn == burstTurn {
		share := (opts.Burst + p.seat) / opts.Players // the shares of all bots add up to Burst
		p.sendActions(share, p.lastTurn)
	}
}

func (p *player) appendAck(dst []byte) []byte {
	ack := w3gs.Keepalive{Checksum: p.state.checksum()}
	if p.conduct.Desync && p.turn >= desyncTurn {
		p.misbehaved = true
		ack.Checksum ^= 0xDE57C
	}
	return ack.AppendTo(dst)
}

// pause returns a random time to the next action, so that there are rate actions a second on average.
func pause(rate float64) time.Duration {
	mean := float64(time.Second) / rate
	return time.Duration(mean*(0.5+rand.Float64())) + 1
}
