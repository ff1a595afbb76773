package control

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"w3host/formats/savedgame"
	"w3host/game"
	"w3host/host"
	"w3host/lobby"
	"w3host/protocol/w3gs"
)

// savedGames has friday.w3z alone, of Ann and Bob. It tells how it was asked.
type savedGames struct{ *stage }

func (s savedGames) Open(_ context.Context, ask SavedGame) (*game.Restored, *host.Map, error) {
	s.tell(fmt.Sprintf("asked for %q, anywhere %v, players %v, replay %q", ask.File, ask.Anywhere, ask.Players, ask.Replay))
	var doubt error
	file := ask.File
	if strings.HasPrefix(ask.File, "damaged") {
		doubt, ask.File = errors.New("the header's crc is wrong"), "friday.w3z"
	}
	if ask.File != "friday.w3z" {
		return nil, nil, cannot("there is no file %q in the folder of saved games, %s", ask.File, "saves")
	}
	slot := w3gs.Slot{PID: 3, Status: w3gs.SlotOccupied, Race: w3gs.RaceOrc, Handicap: 100}
	other := slot
	other.PID, other.Colour = 7, 1
	r := &game.Restored{
		By:   26,
		Save: &savedgame.Save{Doubt: doubt}, File: file,
		Players: map[int]lobby.Place{0: {Name: "Ann"}, 1: {Name: "Bob"}},
	}
	r.Table.Slots = []w3gs.Slot{slot, other, {Handicap: 100, Colour: 2}}
	m, err := s.stage.Open(strings.TrimSuffix(ask.File, "w3z")+"w3x", []w3gs.Version{26})
	return r, m, err
}
