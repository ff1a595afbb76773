package saves

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"w3host/control"
	"w3host/formats/replay"
	"w3host/formats/savedgame"
	"w3host/game"
	"w3host/host"
	"w3host/past"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// openRecord reads a replay from which the game is to go on. It lies in the folder of saved games, or
// that of replays.
func (s Finder) openRecord(ctx context.Context, ask control.SavedGame) (*game.Restored, *host.Map, error) {
	file, err := openSave(s.Dir(), ask.File, ask.Anywhere)
	if err != nil {
		path := filepath.Join(s.Replays(), ask.File)
		if _, missing := os.Stat(path); missing != nil || !filepath.IsLocal(ask.File) {
			return nil, nil, err
		}
		if file, err = openSave(s.Replays(), ask.File, false); err != nil {
			return nil, nil, err
		}
	}
	defer file.Close()
	in, err := replay.NewReader(file)
	if err != nil {
		return nil, nil, texts.Of("%s: %v", ask.File, err)
	}
	r := &game.Restored{Save: start(in), File: filepath.Base(file.Name())}
	if err := r.Check(); err != nil {
		return nil, nil, texts.Of("%s: %v", ask.File, err)
	}
	m, err := s.complete(ctx, r, ask, recorded(r.Save, in))
	if err != nil {
		return nil, nil, err
	}
	if r.By.Reforged() {
		return nil, nil, texts.Of("games of %s do not go on from their replays: those of %s to 1.31 do", r.By.String(), w3gs.FirstVersion.String())
	}
	if r.Record, err = past.ReadRecord(in, ask.From); err != nil {
		return nil, nil, texts.Of("%s: %v", ask.File, err)
	}
	r.Record.File = r.File
	if err := left(r, ask); err != nil {
		return nil, nil, texts.Of("%s: %v", ask.File, err)
	}
	return r, m, nil
}

// start is how a recorded game began, in the terms of a saved one.
func start(in *replay.Reader) *savedgame.Save {
	s := &in.Start
	g := &savedgame.Save{Header: in.Header}
	for _, f := range in.Findings {
		if f.Fault {
			g.Doubt = errors.Join(g.Doubt, errors.New(f.Text))
		}
	}
	g.MapPath, g.GameName, g.Type = s.Settings.MapPath, s.GameName, w3gs.GameType(s.GameType)
	g.Stat = w3gs.StatString{
		Settings: s.Settings.Flags, Width: s.Settings.Width, Height: s.Settings.Height,
		Checksum: s.Settings.Checksum, MapPath: s.Settings.MapPath, HostName: s.Settings.HostName,
	}
	g.Stat.SHA1, g.Stat.HasSHA1 = s.Settings.SHA1(in.Program)
	g.Table = w3gs.SlotTable{Slots: s.Slots, RandomSeed: s.RandomSeed, Layout: s.Layout, PlayerSlots: s.StartSpots}
	return g
}

// left notes who had left the game by the time from which it goes on.
func left(r *game.Restored, ask control.SavedGame) error {
	somebody := false
	for _, h := range r.Humans() {
		p := r.Players[h.Slot]
		if r.Record.Left.Has(h.PID) {
			if ask.Players[h.Slot] != "" {
				return texts.Of("slot %d has nobody any more: its player has left before %s", h.Slot+1, texts.Clock(r.Record.Length))
			}
			p.Fake, p.Gone = true, true
			r.Players[h.Slot] = p
		}
		somebody = somebody || !p.Fake
	}
	if !somebody {
		return texts.Of("nobody is left to play at %s: name a time before that", texts.Clock(r.Record.Length))
	}
	return nil
}
