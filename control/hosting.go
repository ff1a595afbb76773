package control

import (
	"cmp"
	stdmaps "maps"
	"slices"
	"strings"

	"w3host/game"
	"w3host/game/autohost"
	"w3host/game/command"
	"w3host/host"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// PlayerHosting configures which lobbies players may open; see config.PlayerHosting.
type PlayerHosting struct {
	Enabled   bool
	PerPerson int
	Maps      []string
}

// with extends the rules so that all players may use the commands that open lobbies, except those for which a rule sets
// a level.
func (p PlayerHosting) with(rules command.Rules) command.Rules {
	if !p.Enabled {
		return rules
	}
	all := command.Rules{}
	stdmaps.Copy(all, rules)
	for _, s := range commands {
		if r := all[s.Name]; s.Hosting && r.Level == "" {
			r.Level = "player"
			all[s.Name] = r
		}
	}
	return all
}

// allows reports whether players may open lobbies with this map.
func (p PlayerHosting) allows(file string) bool {
	return len(p.Maps) == 0 || slices.ContainsFunc(p.Maps, func(part string) bool {
		return strings.Contains(strings.ToLower(file), strings.ToLower(part))
	})
}

// mayHost returns an error if the caller may not open a lobby with this map for this owner.
func (d *target) mayHost(c *call, file string, w *host.LobbyRequest) error {
	p := d.players
	if c.Level >= command.Admin || !p.Enabled { // the level required by a rule was checked before
		return nil
	}
	hosted := 0
	for _, i := range d.host().Infos() {
		if strings.EqualFold(i.By, w.By) {
			hosted++
		}
	}
	switch {
	case w.By == "":
		return cannot("only players on a realm can host: whisper to the host's account there")
	case w.Owner != w.By:
		return cannot("only admins host for somebody else")
	case !p.allows(file):
		return cannot("players cannot host %s here: choose one of %s", file, strings.Join(p.Maps, ", "))
	case hosted >= p.PerPerson:
		return texts.Count(p.PerPerson, "you already have %d lobby or game: close it or wait until it ends", "you already have %d lobbies or games: close one or wait until one ends")
	}
	return nil
}

// readRequest parses a lobby name, settings and an owner, in any order.
func readRequest(a *args) (w host.LobbyRequest) {
	var name []string
	for !a.Empty() {
		word := a.Optional()
		key, value, setting := strings.Cut(word, "=")
		switch {
		case strings.EqualFold(word, "--owner"):
			w.Owner = a.Phrase("name")
		case setting:
			readSetting(a, &w, strings.ToLower(key), strings.ToLower(value))
		default:
			name = append(name, word)
		}
	}
	w.Name = strings.Join(name, " ")
	return w
}

// readSetting parses a setting of the "create game" screen.
func readSetting(a *args, w *host.LobbyRequest, key, value string) {
	var keys []string
	for _, choice := range w3gs.Screen {
		if keys = append(keys, choice.Key); choice.Key != key {
			continue
		}
		bits, err := choice.Parse(value)
		if err != nil {
			a.Fail("%q is not one of %s", value, strings.Join(choice.List(), ", "))
		}
		w.Mask |= choice.Mask
		w.Settings = w.Settings&^choice.Mask | bits
		return
	}
	a.Fail("%q is not a setting: use one of %s", key, strings.Join(keys, ", "))
}

// open returns the act that opens a lobby with the map that pattern matches.
func open(pattern string, w host.LobbyRequest) act {
	return func(d *target, c *call) error {
		file, err := d.opts.Maps.Find(pattern)
		if err != nil {
			return err
		}
		setup := d.host().Setup(d.id)
		w.For = &setup
		return d.open(c, file, w)
	}
}

// openNext opens a lobby with the next map of autohost, for the versions of that autohost entry.
func openNext(w host.LobbyRequest, private bool) act {
	w.Private = private
	return func(d *target, c *call) (err error) {
		var files []string
		var setup game.Config
		d.host().Keep(func(k *autohost.Keeper) { files, setup, err = k.Upcoming(d.id) })
		if err != nil || len(files) == 0 {
			return cannot("no map is set: use host <map> [name]")
		}
		w.For = &setup
		return d.open(c, files[0], w)
	}
}

func (d *target) open(c *call, file string, w host.LobbyRequest) error {
	if err := d.mayOpen(c, file, &w); err != nil {
		return err
	}
	m, err := d.opts.Maps.Open(file, w.For.Seen())
	if err != nil {
		return err
	}
	w.Map, c.Target = m, m.File
	return d.openLobby(c, w, m.File)
}

// mayOpen returns an error if the caller cannot open a lobby now. A caller on a realm becomes the owner of the lobby.
func (d *target) mayOpen(c *call, file string, w *host.LobbyRequest) error {
	if c.Realm != "" {
		w.By = c.Name + "@" + c.Realm
	}
	w.Owner = cmp.Or(w.Owner, w.By)
	full, disabled := false, false
	d.host().Keep(func(k *autohost.Keeper) { full, disabled = k.Full(), k.Disabled() })
	switch {
	case disabled:
		return cannot("opening lobbies is disabled: use enable to turn it back on")
	case full:
		return cannot("the limit of lobbies and games is reached (autohost.max_games)")
	case len(w.Name) > w3gs.MaxGameNameLen:
		return cannot("the name is too long: the game list shows at most %d bytes", w3gs.MaxGameNameLen)
	}
	return d.mayHost(c, file, w)
}

// openLobby opens the lobby and answers with its map or saved game.
func (d *target) openLobby(c *call, w host.LobbyRequest, what string) error {
	if w.Name == "" {
		w.Name = d.host().LobbyName()
	}
	opened, err := d.place()
	if err != nil {
		return err
	}
	defer opened()
	g, err := d.host().OpenFor(w)
	if err != nil {
		return err
	}
	if w.Private {
		answer(c, "Lobby #%d %q is open (private): %s", g.ID(), w.Name, what)
	} else {
		answer(c, "Lobby #%d %q is open: %s", g.ID(), w.Name, what)
	}
	if realm, before := d.host().Waits(g.ID()); realm != "" {
		answer(c, "On %s it is found once %q has started or closed; lobbies = 2 in [[realm]] lets both take turns.", realm, before)
	}
	return nil
}
