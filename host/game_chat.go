package host

import (
	"time"

	"w3host/lobby"
)

// heard takes a line that a player has said: it is logged, stored, and obeyed
// if it is a command.
func (g *Game) heard(e lobby.Said) {
	g.log.Debug().Str("player", e.Name).Bool("muted", e.Muted).Str("text", e.Text).Msg("chat")
	g.book.said(e)
	if len(e.Text) > 1 && e.Text[0] == g.opts.Lobby.Trigger {
		g.later(func() { g.obey(e.PID, e.Name, e.Text[1:]) })
	}
}

func (g *Game) obey(pid uint8, name, text string) {
	if text == "start" {
		g.show(g.lobby.Handle(time.Since(g.opened), lobby.Start{}, g.lobbyOut[:0]))
	}
}

// refused answers an operation that could not be done.
func (g *Game) refused(e lobby.Refused) {
	g.log.Info().Str("command", e.Op.Name()).Str("reason", e.Why).Msg("command refused")
}
