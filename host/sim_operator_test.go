//go:build linux

package host

import (
	"fmt"
	"strings"
	"time"

	"w3host/game/command"
)

// answerWithin is how long an operator's command may take, on top of what simSlow adds.
const answerWithin = time.Second

// operate has an operator do something by chance, again and again: kick somebody, give commands to a game, close a
// lobby, reload the configuration. Each of these must be answered, unless the process dies.
func (w *simWorld) operate() {
	if w.ending {
		return
	}
	w.n.After(time.Duration(1+w.r.IntN(40))*time.Second, w.operate)
	p := w.proc
	if w.away || p.net.Dead() || p.h.Load() == nil || p.handing.Load() || len(w.games) == 0 {
		return
	}
	h := p.h.Load()
	g := w.games[len(w.games)-1-w.r.IntN(min(len(w.games), *simGames))]
	switch at := h.Game(g.id); {
	case at == nil:
	case w.r.IntN(8) == 0:
		w.request(p, "reloads the configuration", func() error { h.Configure(p.options); return nil })
	case w.r.IntN(8) == 0 && !g.started:
		w.request(p, fmt.Sprint("closes lobby ", g.id), func() error { h.CloseLobby(g.id, "operator"); return nil })
	default:
		line := w.commandFor(g)
		by := &command.Caller{Name: "operator", Level: command.Root, Via: command.ViaConsole, Reply: func(string) {}}
		w.request(p, fmt.Sprintf("commands game %d: %s", g.id, line), func() error { return at.Command(by, line) })
	}
}

// commandFor draws a command that disturbs no player who disturbs nobody.
func (w *simWorld) commandFor(g *simGame) string {
	var others []*simClient
	for _, c := range g.players {
		if !c.healthy {
			others = append(others, c)
		}
	}
	other := others[w.r.IntN(len(others))]
	name := other.name
	lines := []string{"say hello", "ping", "mute " + name, "unmute " + name, "kick " + name, "muteall", "unmuteall", "announce 60 welcome", "nonsense"}
	if !g.started {
		lines = append(lines, "swap 1 2", "shuffle", "balance", "close 6", "open 6", "abort", "latency 120")
	}
	line := lines[w.r.IntN(len(lines))]
	other.kicked = other.kicked || strings.HasPrefix(line, "kick")
	return line
}

// request runs a request of an operator on a goroutine of the process.
func (w *simWorld) request(p *simProc, what string, do func() error) {
	w.tell("an operator %s", what)
	w.requests++
	answered := make(chan error, 1)
	go func() { answered <- do() }() // ends with the process at the latest
	w.n.After(answerWithin, func() {
		select {
		case err := <-answered:
			if err != nil {
				w.tell("the operator who %s reads: %v", what, err)
			}
		default:
			if !p.net.Dead() {
				w.fault("an operator %s, and has no answer after %v", what, answerWithin)
			}
		}
	})
}
