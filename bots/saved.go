package bots

import (
	"slices"
	"strings"

	"w3host/formats/savedgame"
	"w3host/protocol/w3gs"
)

// Save is a saved game that every bot has in its folder Save\Multiplayer. Real clients load the game's state from it,
// including the players' ids and slots.
type Save struct {
	File string
	Game *savedgame.Save
}

// shows reports whether the bots can join a listed lobby. With a saved game only lobbies of that saved game qualify,
// without one only lobbies of no saved game, since clients without the file leave at once.
func (s *Save) shows(info *w3gs.GameInfo) bool {
	saved := info.Type&w3gs.GameTypeSaved != 0
	if s == nil || !saved {
		return saved == (s != nil)
	}
	return strings.EqualFold(info.Stat.MapPath, `Save\Multiplayer\`+s.File) && info.Stat.Checksum == s.Game.Magic
}

// needSaved checks that the slots equal those of the saved game.
func (p *player) needSaved(op w3gs.Op, t *w3gs.SlotTable) {
	saved := p.g.run.opts.Save.Game.Table.Slots
	if !p.need(len(t.Slots) == len(saved), op, "%d slots, the saved game has %d", len(t.Slots), len(saved)) {
		return
	}
	for i, s := range t.Slots {
		was := saved[i]
		free := s.Status == w3gs.SlotOpen && was.Status == w3gs.SlotOccupied && !was.Computer
		if s.Download, was.Download = 0, 0; free {
			s.Status, s.PID = was.Status, was.PID
		}
		p.need(s == was, op, "slot %d is %+v, in the saved game %+v", i+1, s, was)
	}
	p.need(slices.ContainsFunc(saved, func(s w3gs.Slot) bool { return s.PID == p.pid }), op, "nobody in the saved game has the pid %d", p.pid)
}
