package control

import (
	"context"
	"path"
	"strings"

	"w3host/game"
	"w3host/game/command"
	"w3host/host"
	"w3host/texts"
)

// Saves opens saved games. Package control/saves implements it.
type Saves interface {
	// Open reads a saved game and finds its map and players. It blocks on files and the database.
	Open(ctx context.Context, ask SavedGame) (*game.Restored, *host.Map, error)
}

// SavedGame describes the saved game that a caller wants to host.
type SavedGame struct {
	File     string
	Anywhere bool           // File and Replay may be any path instead of a name in the folder of saved games
	Players  map[int]string // players by slot, from 0, as NAME or NAME@REALM; missing ones are looked up
	Replay   string         // replay of the game, which names its players, or empty
}

// isSave reports whether the file name is that of a saved game.
func isSave(file string) bool { return strings.EqualFold(path.Ext(file), ".w3z") }

// isReplay reports whether the file name is that of a replay.
func isReplay(file string) bool { return strings.EqualFold(path.Ext(file), ".w3g") }

// openSaved parses the arguments after the file of a saved game: slot=name, a replay, and the name of the lobby.
func openSaved(file string, a *args) act {
	ask := SavedGame{File: file, Players: map[int]string{}}
	switch {
	case isReplay(file):
		a.Fail("a game cannot go on from a replay, because the players' clients would ignore their own recorded actions: save it while it is played, and host the saved game (.w3z)")
	case !isSave(file):
		ask.File += ".w3z"
	}
	var name []string
	var w host.LobbyRequest
	for !a.Empty() {
		if slot, player, given := a.Assignment("slot"); given {
			ask.Players[slot] = player
			continue
		}
		switch word := a.Phrase("name"); {
		case strings.EqualFold(word, "--owner"):
			w.Owner = a.Phrase("name")
		case isReplay(word):
			ask.Replay = word
		default:
			name = append(name, word)
		}
	}
	w.Name = strings.Join(name, " ")
	return func(d *target, c *call) error { return d.openSaved(c, ask, w) }
}

// openSaved opens a lobby for a saved game.
func (d *target) openSaved(c *call, ask SavedGame, w host.LobbyRequest) error {
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
	if r.Doubt != nil {
		answer(c, "%s is damaged: %v. If it does not load for the players, copy it again from one of them, or take an earlier one.", r.File, texts.From(r.Doubt))
	}
	var players []string
	for _, h := range r.Humans() {
		players = append(players, r.Players[h.Slot].Name)
	}
	answer(c, `It is for %s. Each of them needs the file in Save\Multiplayer, under this name.`, strings.Join(players, ", "))
	return nil
}
