package control

import (
	"context"
	"path"
	"strconv"
	"strings"
	"time"

	"w3host/game"
	"w3host/game/command"
	"w3host/host"
	"w3host/texts"
)

// Saves finds saved games, and recorded ones that are to go on.
type Saves interface {
	// Open reads such a game, and finds its map and its players.
	Open(ctx context.Context, ask SavedGame) (*game.Restored, *host.Map, error)
}

// SavedGame is a saved game, or a replay from which the game is to go on, as somebody asks for it.
type SavedGame struct {
	File     string
	From     time.Duration  // when it is to go on from its replay; 0: at its end
	Anywhere bool           // File and Replay may be any path, not only names in the folder of saved games
	Players  map[int]string // who had a slot, from 0, as NAME or NAME@REALM; the others are to be found
	Replay   string         // of the game, which has the names of the players; empty: none
}

// isSave reports whether a file is a saved game by its name.
func isSave(file string) bool { return strings.EqualFold(path.Ext(file), ".w3z") }

// isReplay reports whether a file is a replay by its name.
func isReplay(file string) bool { return strings.EqualFold(path.Ext(file), ".w3g") }

// IsReplay reports whether the game is to go on from a replay.
func (s *SavedGame) IsReplay() bool { return isReplay(s.File) }

// openSaved reads the words after the file of a saved game: slot=name, a replay, and the name of the
// lobby. Behind that of a replay the time may stand from which the game is to go on.
func openSaved(file string, a *args) act {
	ask := SavedGame{File: file, Players: map[int]string{}}
	if !isSave(file) && !ask.IsReplay() {
		ask.File += ".w3z"
	}
	if ask.IsReplay() && a.Begins("from") {
		ask.From = readMoment(a)
	}
	var name []string
	var w host.Wish
	for !a.Empty() {
		if slot, player, given := a.Assignment("slot"); given {
			ask.Players[slot] = player
			continue
		}
		switch word := a.Phrase("name"); {
		case strings.EqualFold(word, "--owner"):
			w.Owner = a.Phrase("name")
		case isReplay(word) && !ask.IsReplay():
			ask.Replay = word
		default:
			name = append(name, word)
		}
	}
	w.Name = strings.Join(name, " ")
	return func(d *target, c *call) error { return d.openSaved(c, ask, w) }
}

// readMoment reads a time in a game: minutes, or 14:20, or 1:14:20.
func readMoment(a *args) (at time.Duration) {
	word := a.Word("minute")
	parts := strings.Split(word, ":")
	if len(parts) == 1 {
		parts = append(parts, "0")
	}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 16)
		if err != nil || len(parts) > 3 || i > 0 && n >= 60 {
			a.Fail("%q is no time in a game: say 14 for its minute 14, or 14:20", word)
			return 0
		}
		at = at*60 + time.Duration(n)*time.Second
	}
	if at == 0 {
		a.Fail("a game cannot go on at its beginning: use host <map>")
	}
	return at
}

// openSaved opens the lobby of a saved game.
func (d *target) openSaved(c *call, ask SavedGame, w host.Wish) error {
	if c.Level < command.Admin && d.players.Enabled {
		return cannot("only admins open saved games")
	}
	if err := d.mayOpen(c, ask.File, &w); err != nil {
		return err
	}
	ask.Anywhere = c.Via == command.ViaConsole || c.Via == command.ViaControl
	r, m, err := d.opts.Saves.Open(context.Background(), ask)
	if err != nil {
		return err
	}
	w.Map, w.Restored, w.For, c.Target = m, r, &game.Config{Version: r.By}, r.File
	if err := d.openLobby(c, w, r.File); err != nil {
		return err
	}
	switch {
	case r.Doubt != nil && r.Record != nil:
		answer(c, "%s is damaged: %v. The game goes on from what can be read of it.", r.File, texts.From(r.Doubt))
	case r.Doubt != nil:
		answer(c, "%s is damaged: %v. If it does not load for the players, copy it again from one of them, or take an earlier one.", r.File, texts.From(r.Doubt))
	}
	var players []string
	for _, h := range r.Humans() {
		if p := r.Players[h.Slot]; !p.Gone && !(p.Fake && r.Record != nil) {
			players = append(players, p.Name)
		}
	}
	if r.Record != nil {
		answer(c, "It goes on at %s, for %s. First they are shown what was played.", texts.Clock(r.Record.Length), strings.Join(players, ", "))
		return nil
	}
	answer(c, `It is for %s. Each of them needs the file in Save\Multiplayer, under this name.`, strings.Join(players, ", "))
	return nil
}
