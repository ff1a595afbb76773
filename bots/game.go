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

// compareEvery is the number of turns between two comparisons of the bots' states, about 1.5 s.
const compareEvery = 16

// game is a group of bots that play in the same lobby. mu guards the game and its players.
type game struct {
	run    *run
	number int
	loop   *loop
	due    atomic.Int64 // not later than the first alarm of any connected bot; written with mu held

	mu       sync.Mutex
	players  []*player
	left     int // bots that are not gone yet
	gathered bool
	running  bool
	percent  int           // progress of the furthest download
	hostLine time.Duration // time of the last line of the host
	hostSaid string        // the last line of the host in the lobby
	states   []gameState   // the first bot's state after every compareEvery turns

	startSaid int           // how often "!start" was typed
	step      int           // index of the next step of the script
	done      chan struct{} // closed when every bot is gone

	ctx   context.Context // of the run
	lobby lobby           // the lobby that was joined
}

func newGame(r *run, number int) *game {
	g := &game{run: r, number: number}
	g.due.Store(int64(never))
	g.reset()
	return g
}

// reset makes new players before another lobby is joined.
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

// present returns the bots that are neither leaving nor gone.
func (g *game) present() []*player {
	return slices.DeleteFunc(slices.Clone(g.players), func(p *player) bool { return p.phase >= leaving })
}

// checkGathered checks whether every bot that is not gone is in the lobby and has the map; if so, the first bot will ask
// for the start. This method and those down to finished are called by players, with mu held.
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

// askStart types "!start", which most hosts know, and "!start force" from the second time on. On most hosts the first
// bot owns the lobby; in case it does not, a different bot types it too at each repetition.
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

// hostSpoke handles a line of the host. The lines in the first game's lobby are logged.
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

// entered is called by every bot at its first turn; the first call marks the game as running.
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

// compare checks that the bots of the game saw the same turns, actions and leaves in the same order, whether or not the
// host compares their checksums.
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

// leaveAt sets when the bots leave; with at 0 they leave now without waiting for their actions.
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

// gameResult says how a game ended, once all its bots are gone.
type gameResult int

const (
	gameRan     gameResult = iota
	gameNoHost             // nothing accepts connections at the address
	gameTaken              // the lobby was full or its game had started
	gameNotOpen            // there was no such lobby, or it was closed
	gameFailed             // any other reason; trying again would not help
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

// finish ends all bots that are not gone, with this outcome.
func (g *game) finish(outcome Outcome, why string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.finishThese(g.players, outcome, why)
}

// finishThese ends the given bots; mu must be held.
func (g *game) finishThese(players []*player, outcome Outcome, why string) {
	for _, p := range players {
		p.finish(outcome, why)
		g.loop.update(p)
	}
}

// await blocks until ok returns true, polling it every 5 ms with mu held, or until all bots are gone.
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

// tooSmall ends the game because the lobby has no room for all bots.
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
