package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/daemon"
	"w3host/formats/catalogue"
	"w3host/formats/mapconf"
	"w3host/protocol/w3gs"
)

const scriptsRemedy = "copy the game's Scripts\\common.j and Scripts\\blizzard.j to maps.scripts, or set it to the game's folder"

// checkScripts looks for the game's scripts, which are needed to compute a map's checksum.
func checkScripts(_ context.Context, c config.Config) Finding {
	var found, faults []string
	for _, v := range c.Versions() {
		if !v.SumsGameScripts() {
			continue
		}
		_, from, err := mapconf.FindScripts(c.Maps.Scripts, v)
		if err != nil {
			faults = append(faults, strings.TrimPrefix(err.Error(), c.Maps.Scripts+": "))
			continue
		}
		found = append(found, fmt.Sprintf("for %v in %s", v, from))
	}
	switch {
	case faults != nil:
		return fine("maps.scripts = %q: %s", c.Maps.Scripts, strings.Join(faults, "; ")).but("%s", scriptsRemedy)
	case found == nil:
		return fine("not needed: no lobby is for a version before %v", w3gs.ReforgedVersion)
	}
	return fine("common.j and blizzard.j %s", strings.Join(found, ", "))
}

// checkMaps reads the maps that an entry names. Those of a folder are only counted, since checkMapsFolder reads them.
func checkMaps(e config.Entry) func(context.Context, config.Config) Finding {
	return func(ctx context.Context, c config.Config) Finding {
		maps := daemon.NewMaps(ctx, c, "", zerolog.Nop()) // the doctor changes nothing
		var good, faults []string
		remedy := "name another map in lobby.map, in [[autohost]] or with --map; w3host map list shows the available maps"
		for _, choice := range e.Choices() {
			if n, folder, err := maps.Folder(choice); err != nil {
				faults = append(faults, err.Error())
				continue
			} else if folder {
				good = append(good, fmt.Sprintf("%s with %d maps", choice, n))
				continue
			}
			switch m, err := maps.Open(choice, e.Seen()); {
			case err != nil:
				faults = append(faults, err.Error())
			case !m.HasChecksum:
				faults = append(faults, m.File+": its checksum cannot be computed without the game's scripts, and clients refuse the map")
				remedy = scriptsRemedy + "; or write checksum and sha1 into a file beside the map (docs/maps.md)"
			default:
				good = append(good, fmt.Sprintf("%s, checksum %08x, %d players%s", m.File, m.Checksum, m.PlayerSlots, capped(e, m.LobbySlots(daemon.GameSettings(e.Lobby)))))
			}
		}
		if faults != nil {
			return fine("%s", strings.Join(faults, "; ")).but("%s", remedy)
		}
		return fine("%s", strings.Join(good, "; "))
	}
}

// capped returns a note if an entry requires more players than a map has slots; then the number of slots counts.
func capped(e config.Entry, slots []w3gs.Slot) (note string) {
	places := 0
	for _, s := range slots {
		if s.Status == w3gs.SlotOpen {
			places++
		}
	}
	if n := e.Lobby.Autostart; n > places {
		note = fmt.Sprintf(" (autostart = %d counts as %d there)", n, places)
	}
	if n := e.Lobby.MinPlayers; n > places {
		note += fmt.Sprintf(" (min_players = %d counts as %d there)", n, places)
	}
	return note
}

// checkMapsFolder reads every map in the folder.
func checkMapsFolder(ctx context.Context, c config.Config) Finding {
	version := c.Versions()[0]
	scripts, _, _ := mapconf.FindScripts(c.Maps.Scripts, version) // checkScripts reports the error
	maps, err := catalogue.Open(ctx, c.Maps.Dir, catalogue.Options{Version: version, Scripts: scripts, Report: func(error) {}})
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fine("there is no folder %s; only the built-in map and maps given by path can be hosted", c.Maps.Dir)
	case errors.Is(err, context.DeadlineExceeded):
		return fine("%s has more maps than can be read in %v; use w3host map verify to check all of them", c.Maps.Dir, patience)
	case err != nil:
		return fine("%s: %v", c.Maps.Dir, err).but("set maps.dir to a folder that the host may read")
	}
	if len(maps.Files()) == 0 {
		return fine("%s has no maps; only the built-in map and maps given by path can be hosted", c.Maps.Dir)
	}
	good, broken, unknown := 0, 0, 0
	for _, e := range maps.Files() {
		switch {
		case e.Fault != nil:
			broken++
		case !e.Map.HasChecksum:
			unknown++
		default:
			good++
		}
	}
	f := fine("%s: %d can be hosted, %d are broken, %d lack a checksum", c.Maps.Dir, good, broken, unknown)
	if broken+unknown > 0 {
		return f.but("use w3host map verify %s to see what is wrong with each map", c.Maps.Dir)
	}
	return f
}
