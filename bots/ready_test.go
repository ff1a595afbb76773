package bots

import (
	"slices"
	"strings"
	"testing"

	"w3host/protocol/w3gs"
)

// Bots type the command that a lobby asks for, in any language, once each.
func TestReadyWhenAsked(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"The game starts when all are ready: type !ready.", "所有人准备好后开始：请输入!ready。"} {
		h := startFakeHost(t, &fakeHost{Players: 3, NoStart: true, OnFrame: func(g *fakeGame, c *fakeConn, f w3gs.Frame) bool {
			p, _ := w3gs.Decode(f, w3gs.FromClient)
			switch q := p.(type) {
			case *w3gs.MapSize:
				for _, text := range []string{"Ann is ready: 1 of 3 are.", line, line} {
					c.Write((&w3gs.ChatFromHost{Chat: w3gs.Chat{To: []uint8{c.PID}, From: virtualPID, Flag: w3gs.ChatLobby, Text: text}}).AppendTo(nil))
				}
			case *w3gs.ChatToHost:
				g.Said = append(g.Said, q.Text)
				if ready := slices.DeleteFunc(slices.Clone(g.Said), func(text string) bool { return text != "!ready" }); len(ready) == 3 && !g.Started {
					g.Start()
				}
				return true
			}
			return false
		}})
		wantOK(t, runBots(t, h, Options{NoStart: true}))
		if said := strings.Join(h.Game(0).Said, "|"); strings.Count(said, "!ready") != 3 {
			t.Errorf("%q: said %q", line, said)
		}
	}
}
