// Package saves loads saved games (.w3z) for hosting: it reads the file, finds the map on which the game was played and
// determines who played in which slot, from the caller, a replay or the game log. Package daemon creates a Finder for
// package control. It never writes files.
package saves

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"w3host/control"
	"w3host/formats/mapconf"
	"w3host/formats/replay"
	"w3host/formats/savedgame"
	"w3host/game"
	"w3host/host"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/storage"
	"w3host/texts"
)

// whoPlayedTimeout is how long to wait for the game log. Other commands wait meanwhile.
const whoPlayedTimeout = 2 * time.Second

// Finder loads saved games. It implements control.Saves.
type Finder struct {
	DB *storage.Store
	// Dir returns the folder of saved games; Product and Versions return the game versions that the host plays. They are
	// called for each saved game.
	Dir      func() string
	Product  func() w3gs.Product
	Versions func() []w3gs.Version
	// Map opens the map on which a game of this version was played.
	Map func(*savedgame.Head, w3gs.Version) (*host.Map, error)
}

// Open reads a saved game for its lobby. The error can be shown to players.
func (s Finder) Open(ctx context.Context, ask control.SavedGame) (*game.Restored, *host.Map, error) {
	file, err := openSave(s.Dir(), ask.File, ask.Anywhere)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	g, err := savedgame.Read(file)
	if err != nil {
		return nil, nil, texts.Of("%s: %v", ask.File, err)
	}
	r := &game.Restored{Save: g, File: filepath.Base(file.Name())}
	m, err := s.complete(ctx, r, ask)
	return r, m, err
}

// complete finds the version, map and players of the saved game r.
func (s Finder) complete(ctx context.Context, r *game.Restored, ask control.SavedGame) (*host.Map, error) {
	g := r.Save
	by, err := s.version(g)
	if err != nil {
		return nil, err
	}
	if !fits(g.Table.Slots, by) {
		return nil, texts.Of("%s: its slots are not possible in version %s", ask.File, by.String())
	}
	m, err := s.Map(&g.Head, by)
	if err != nil {
		return nil, texts.Of("the map of the game, %s, is missing here or is another version", g.MapFile())
	}
	r.By = by
	r.Players, err = s.players(ctx, g, ask)
	return m, err
}

// version returns the version of the saved game if the host plays it.
func (s Finder) version(g *savedgame.Save) (w3gs.Version, error) {
	product, versions := s.Product().String(), s.Versions()
	var names []string
	for _, v := range versions {
		if by := replay.HostOf(product, int(v)); g.Product == by.Product && g.Version == by.Version {
			return v, nil
		}
		names = append(names, v.String())
	}
	return 0, texts.Of("the game is of %s %s, and this host plays %s %s", g.Product, g.Version.String(), product, strings.Join(names, ", "))
}

// fits reports whether the slots are possible in a version.
func fits(slots []w3gs.Slot, v w3gs.Version) bool {
	most := uint8(v.Slots()) // also the number of the observers' team and colour
	return len(slots) <= int(most) && !slices.ContainsFunc(slots, func(s w3gs.Slot) bool {
		return s.PID > most || s.Team > most || s.Colour > most
	})
}

// openSave opens a file in the folder of saved games. If anywhere is set, the name may also be any other path.
func openSave(dir, name string, anywhere bool) (*os.File, error) {
	if !anywhere && !filepath.IsLocal(name) {
		return nil, texts.Of("%q is not in the folder of saved games: give its name there, without a path", name)
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(name); anywhere && err == nil {
		path = name
	}
	f, _, err := mapconf.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, texts.Of("there is no file %q in the folder of saved games, %s", name, dir)
	}
	return f, err
}

// players returns the players by slot, from the caller's arguments, a replay of the game, or the game log, which has the
// games of all hosts that share it.
func (s Finder) players(ctx context.Context, g *savedgame.Save, ask control.SavedGame) (map[int]lobby.Place, error) {
	players, err := map[int]lobby.Place{}, error(nil)
	switch {
	case ask.Replay != "":
		players, err = fromReplay(g, ask, s.Dir())
	case len(ask.Players) < len(g.Humans()):
		players, err = s.fromLog(ctx, g)
	}
	if err != nil {
		return nil, err
	}
	var unknown []string
	names := map[string]bool{}
	for _, h := range g.Humans() {
		if said := ask.Players[h.Slot]; said != "" {
			name, realm, _ := strings.Cut(said, "@")
			players[h.Slot] = lobby.Place{Name: name, Realm: realm}
		}
		name := players[h.Slot].Name
		if folded := strings.ToLower(name); name == "" {
			unknown = append(unknown, strconv.Itoa(h.Slot+1))
		} else if names[folded] {
			return nil, texts.Of("%s cannot have two slots", name)
		} else {
			names[folded] = true
		}
	}
	for slot := range ask.Players {
		if !slices.ContainsFunc(g.Humans(), func(h savedgame.Human) bool { return h.Slot == slot }) {
			return nil, texts.Of("slot %d of the game had no player", slot+1)
		}
	}
	if unknown != nil {
		return nil, texts.Of("the players of the slots %s are unknown, because the game was not hosted here: add slot=name for each, or a replay of the game", strings.Join(unknown, ", "))
	}
	return players, nil
}

// fromLog looks up the game in the log by its map, seed and slots. An unknown game is not an error.
func (s Finder) fromLog(ctx context.Context, g *savedgame.Save) (map[int]lobby.Place, error) {
	b := storage.Beginning{
		MapSHA1: g.Stat.SHA1, HasSHA1: g.Stat.HasSHA1, Checksum: g.Stat.Checksum, Seed: g.Table.RandomSeed, PIDs: map[int]uint8{},
	}
	for _, h := range g.Humans() {
		b.PIDs[h.Slot] = h.PID
	}
	ctx, cancel := context.WithTimeout(ctx, whoPlayedTimeout)
	defer cancel()
	seats, err := s.DB.WhoPlayed(ctx, b)
	players := map[int]lobby.Place{}
	for _, p := range seats {
		players[p.Slot] = lobby.Place{Name: p.Name, Realm: p.Realm, Fake: p.Fake}
	}
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return players, nil
	case errors.Is(err, storage.ErrUnavailable), errors.Is(err, storage.ErrUnusable), errors.Is(err, context.DeadlineExceeded):
		return nil, game.ErrNoDatabase
	}
	return players, err
}

// fromReplay reads the players from a replay of the game.
func fromReplay(g *savedgame.Save, ask control.SavedGame, dir string) (map[int]lobby.Place, error) {
	f, err := openSave(dir, ask.Replay, ask.Anywhere)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := replay.NewReader(io.LimitReader(f, maxReplayStart))
	if err != nil {
		return nil, texts.Of("%s: %v", ask.Replay, err)
	}
	if r.Start.RandomSeed != g.Table.RandomSeed {
		return nil, texts.Of("%s is a replay of another game", ask.Replay)
	}
	return recorded(g, r), nil
}

// recorded returns the players named in the replay, by slot.
func recorded(g *savedgame.Save, r *replay.Reader) map[int]lobby.Place {
	players := map[int]lobby.Place{}
	for _, h := range g.Humans() {
		for _, p := range r.Start.Players {
			if p.PID == h.PID {
				players[h.Slot] = lobby.Place{Name: p.Name}
			}
		}
	}
	return players
}

// maxReplayStart is a limit in bytes for reading the start of a replay, which contains the names.
const maxReplayStart = 8 << 20
