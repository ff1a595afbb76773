package control

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"w3host/formats/savedgame"
	"w3host/game"
	"w3host/host"
	"w3host/lobby"
	"w3host/past"
	"w3host/protocol/w3gs"
)

// savedGames has friday.w3z alone, of Ann and Bob. It tells how it was asked.
type savedGames struct{ *stage }

func (s savedGames) Open(_ context.Context, ask SavedGame) (*game.Restored, *host.Map, error) {
	isReplay, file := ask.IsReplay(), ask.File
	if isReplay {
		s.tell(fmt.Sprintf("asked for %q from %v, anywhere %v, players %v", ask.File, ask.From, ask.Anywhere, ask.Players))
		ask.File = strings.TrimSuffix(ask.File, "g") + "z"
	} else {
		s.tell(fmt.Sprintf("asked for %q, anywhere %v, players %v, replay %q", ask.File, ask.Anywhere, ask.Players, ask.Replay))
	}
	var doubt error
	if strings.HasPrefix(file, "damaged") {
		doubt, ask.File = errors.New("the header's crc is wrong"), "friday.w3z"
	}
	if ask.File != "friday.w3z" {
		return nil, nil, cannot("there is no file %q in the folder of saved games, %s", file, "saves")
	}
	slot := w3gs.Slot{PID: 3, Status: w3gs.SlotOccupied, Race: w3gs.RaceOrc, Handicap: 100}
	other := slot
	other.PID, other.Colour = 7, 1
	r := &game.Restored{
		By:   26,
		Save: &savedgame.Save{Doubt: doubt}, File: ask.File,
		Players: map[int]lobby.Place{0: {Name: "Ann"}, 1: {Name: "Bob"}},
	}
	r.Table.Slots = []w3gs.Slot{slot, other, {Handicap: 100, Colour: 2}}
	if r.File = file; isReplay {
		r.Record = &past.Record{Length: cmp.Or(ask.From, 30*time.Minute)}
		r.Players[1] = lobby.Place{Name: "Bob", Gone: true}
	}
	m, err := s.stage.Open(strings.TrimSuffix(ask.File, "w3z")+"w3x", []w3gs.Version{26})
	return r, m, err
}
