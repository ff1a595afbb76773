package bots

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"w3host/protocol/w3gs"
)

// compareEvery is the number of turns between two comparisons of the bots' states,
// about a second and a half.
const compareEvery = 16

// game is the bots that play together. mu guards them as well.
type game struct {
	run    *run
	number int
	loop   *loop
	due    atomic.Int64 // not after the first alarm of a bot with a connection; written with the lock held

	mu       sync.Mutex
	players  []*player
	left     int // bots that are not gone
	gathered bool
	running  bool
	percent  int           // the furthest download
	hostLine time.Duration // time of the last line of the host
	hostSaid string        // the last line of the host in the lobby
	states   []gameState   // after every compareEvery turns, of the first bot that got there

	startSaid int           // how often "!start" was said
	step      int           // of the script: the next
	done      chan struct{} // closed when every bot is gone

	ctx   context.Context // of the run
	lobby lobby           // that was joined
}

func newGame(r *run, number int) *game {
	g := &game{run: r, number: number}
	g.due.Store(int64(never))
	g.reset()
	return g
}

// reset makes new players, before another lobby is joined.
func (g *game) reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.players = g.players[:0]
	for seat := range g.run.opts.Players {
		name := fmt.Sprintf("%s%d", g.run.opts.NamePrefix, (g.number-1)*g.run.opts.Players+seat+1)
		if g.run.opts.Script != nil {
			name = g.run.opts.Script.Names[seat]
		}
		g.players = append(g.players, newPlayer(g, seat, name, g.run.opts.Conduct(g.number-1, seat)))
	}
	g.left, g.gathered, g.percent, g.hostLine, g.hostSaid, g.startSaid = len(g.players), false, 0, 0, "", 0
	g.states, g.step = nil, 0
	g.done = make(chan struct{})
}

// present are the bots that neither leave nor are gone.
func (g *game) present() []*player {
	return slices.DeleteFunc(slices.Clone(g.players), func(p *player) bool { return p.phase >= leaving })
}

// checkGathered checks whether every bot that is not gone is in the lobby and has
// the map; then the first one will ask for the start. The methods from here to
// finished are called by players, with the lock held.
func (g *game) checkGathered(now time.Duration) {
	here := g.present()
	if len(here) == 0 || slices.ContainsFunc(here, func(p *player) bool { return p.phase != inLobby || !p.ready }) {
		return
	}
	if !g.gathered {
		g.gathered = true
		g.run.log.Info().Int("game", g.number).Msgf("%s in the lobby, with the map", counted(len(here), "bot"))
		for _, p := range here {
			p.set(alarmGiveUp, now+g.run.opts.Patience)
			g.loop.update(p)
		}
	}
	if first := here[0]; !g.run.opts.NoStart && first.alarms[alarmStart] == 0 {
		first.set(alarmStart, now+startAfter)
		g.loop.update(first)
	}
}

// askStart says "!start", which most hosts know, and "!start force" from the second
// time on. The first bot owns the lobby on most hosts; in case it does not, another
// bot asks too at each repetition.
func (g *game) askStart(first *player) {
	text := "!start"
	if g.startSaid > 0 {
		text = "!start force"
	}
	g.run.log.Info().Int("game", g.number).Msgf("%s types %s", first.name, text)
	first.sayInLobby(text)
	if second := g.players[g.startSaid%len(g.players)]; second != first && second.phase == inLobby {
		second.sayInLobby(text)
		g.loop.update(second)
	}
	g.startSaid++
}

// hostSpoke takes a line of the host. Those of the first game's lobby are logged.
func (g *game) hostSpoke(now time.Duration, p *player, text string) {
	g.hostLine = now
	if p.phase != inLobby || text == g.hostSaid || g.present()[0] != p {
		return
	}
	g.hostSaid = text
	if g.number == 1 {
		g.run.log.Info().Int("game", g.number).Msgf("the host says: %s", text)
	}
}

// entered is called by every bot at its first turn.
func (g *game) entered(now time.Duration) {
	if g.running {
		return
	}
	g.running = true
	opts := &g.run.opts
	what := fmt.Sprintf("%v", opts.Play)
	if s := opts.Script; s != nil {
		what = counted(len(s.Steps), "step") + " of a recorded game"
	}
	doing := "the game runs; the bots play " + what
	if opts.Watch {
		doing = "the record begins; the bot watches it to its end"
	}
	g.run.log.Info().Int("game", g.number).Stringer("after", now.Round(10*time.Millisecond)).Msg(doing)
	g.run.started <- struct{}{}
}

// compare checks that the bots of the game saw the same turns, actions and
// leaves, in the same order, whether or not the host compares their answers.
func (g *game) compare(p *player) {
	if p.turn%compareEvery != 0 {
		return
	}
	i := p.turn/compareEvery - 1
	if i == len(g.states) {
		g.states = append(g.states, p.history)
	}
	if i < len(g.states) && g.states[i] != p.history && !p.report.Diverged {
		p.report.Diverged = true
		p.fault(0, "by turn %d it has seen other turns, actions or leaves than the first bot there", p.turn)
	}
}

func (g *game) finished(p *player) {
	g.left--
	g.run.log.Debug().Int("game", g.number).Str("player", p.name).Str("outcome", string(p.outcome)).
		Str("why", p.why).Int("turn", p.turn).Msg("bot is gone")
	if g.left == 0 {
		close(g.done)
		return
	}
	g.checkGathered(g.run.now()) // the others may have waited for this one
}

// leaveAt sets when the bots leave; 0 is now, without waiting for actions.
func (g *game) leaveAt(now, at time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range g.present() {
		switch {
		case at == 0:
			p.leave(now)
		case p.alarms[alarmLeave] == 0 || p.alarms[alarmLeave] > at:
			p.set(alarmLeave, at)
		}
		g.loop.update(p)
	}
}

// gameResult is how a game ended whose bots are all gone.
type gameResult int

const (
	gameRan     gameResult = iota
	gameNoHost             // nothing listens at the address
	gameTaken              // the lobby was full or had started
	gameNotOpen            // there was no such lobby, or it closed
	gameFailed             // anything else: trying again would not help
)

func (g *game) result() gameResult {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running {
		return gameRan
	}
	nobody, taken := true, false
	for _, p := range g.players {
		nobody = nobody && p.outcome == OutcomeUnreachable
		taken = taken || p.refused == w3gs.RejectFull || p.refused == w3gs.RejectStarted
		turnedAway := p.outcome == OutcomeDropped || (p.outcome == OutcomeRefused && p.refused != w3gs.RejectWrongKey)
		if p.report.Joined || !turnedAway && !nobody {
			return gameFailed
		}
	}
	switch {
	case nobody:
		return gameNoHost
	case taken:
		return gameTaken
	}
	return gameNotOpen
}

// finish ends all bots that are not gone.
func (g *game) finish(outcome Outcome, why string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.finishThese(g.players, outcome, why)
}

// finishThese is finish for some bots, with the lock held.
func (g *game) finishThese(players []*player, outcome Outcome, why string) {
	for _, p := range players {
		p.finish(outcome, why)
		g.loop.update(p)
	}
}

// await polls until ok holds or the game's bots are all gone.
func (g *game) await(ok func() bool) {
	for {
		g.mu.Lock()
		over := ok() || g.left == 0
		g.mu.Unlock()
		if over {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// tooSmall ends the game, since the lobby has no room for all bots.
func (g *game) tooSmall(first *player, l lobby, room int) {
	remedy := fmt.Sprintf("use --players %d", room)
	if g.run.opts.Script != nil {
		remedy = `all of a recorded game are needed; host a larger map, or have observers with lobby.observers = "on"`
	}
	err := fmt.Errorf("the lobby at %s has room for %s, %d want in: %s", l.addr, counted(room, "bot"), len(g.players), remedy)
	g.run.problem(err)
	first.leave(g.run.now())
	g.loop.update(first)
	g.finishThese(g.players[1:], OutcomeGaveUp, err.Error())
}
