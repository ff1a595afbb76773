package daemon

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"w3host/bots"
	"w3host/config"
	"w3host/internal/terminal"
	"w3host/lobby"
	"w3host/protocol/w3gs"
)

// welcome logs for a first-time user what is hosted, how to join and what real clients need. Each lobby is logged when
// it opens.
func welcome(c config.Config, addr netip.AddrPort, maps *Maps, log zerolog.Logger) {
	on := addr.String()
	if addr.Addr() == netip.IPv6Unspecified() { // listens on IPv4 too
		on = fmt.Sprintf(":%d", addr.Port())
	}
	log.Info().Stringer("listen", addr).Msgf("hosting on %s", on)
	versions := c.Versions()
	players, version, refused := 0, c.Host.Version, ""
	for _, e := range c.Entries() {
		file, m := maps.first(&e)
		if m == nil {
			continue // a warning is logged when its lobby should open
		}
		if len(versions) > 1 {
			file += " for " + versionList(e.Seen())
		}
		log.Info().Msgf("%q: %s, starts %s", e.Lobby.Name, file, startsWhen(e.Lobby))
		if players == 0 {
			players, version = int(m.PlayerSlots), e.Host.Version
			if n := e.Lobby.Autostart; n > 0 {
				players = min(n, players)
			}
		}
		if !m.HasChecksum && refused == "" {
			refused = m.File
			if len(versions) > 1 {
				refused += fmt.Sprintf(" (%v)", e.Host.Version)
			}
		}
	}
	ip := addr.Addr().Unmap()
	if ip.Is6() && !ip.IsUnspecified() {
		log.Warn().Msgf("Warcraft III clients use IPv4 and cannot reach %s; use --listen :%d", addr, addr.Port())
	}
	var where []string
	if c.LAN.Enabled {
		where = append(where, "Local Area Network")
	}
	for _, r := range c.Realms {
		list := "the list of games on " + r.Name
		others := func(v w3gs.Version) bool { return !v.SharesLobby(c.RealmVersion(&r)) }
		if theirs := slices.DeleteFunc(slices.Clone(versions), others); len(theirs) < len(versions) {
			list += fmt.Sprintf(" (%s)", versionList(theirs))
		}
		where = append(where, list)
	}
	how := fmt.Sprintf("to join: Warcraft III %s, %s", versionList(versions), strings.Join(where, " or "))
	switch {
	case where == nil:
		how = "to join: only by this address, since lan.enabled is off and there is no [[realm]]"
	case ip.IsLoopback():
		how += "; from this machine only"
	}
	log.Info().Msg(how)
	if refused != "" {
		log.Info().Msgf("clients refuse %s until the game's common.j and blizzard.j are in %s (docs/maps.md)",
			refused, absolute(c.Maps.Scripts))
	}
	log.Info().Msgf("to try it without the game: %s", botsHint(addr, version, players))
}

// versionList formats versions for people.
func versionList(list []w3gs.Version) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = v.String()
	}
	return strings.Join(words, ", ")
}

func startsWhen(l config.Lobby) string {
	var when []string
	switch {
	case l.Autostart > 0:
		when = append(when, fmt.Sprintf("with %d players", l.Autostart))
	case l.Autostart == 0:
		when = append(when, "when full")
	}
	switch l.Owner {
	case "":
	case lobby.OwnerFirst:
		when = append(when, fmt.Sprintf("when the first player types %sstart", l.CommandTrigger))
	default:
		when = append(when, fmt.Sprintf("when %s types %sstart", l.Owner, l.CommandTrigger))
	}
	if len(when) == 0 {
		return "when an admin types " + l.CommandTrigger + "start"
	}
	return strings.Join(when, ", or ")
}

// botsHint returns the command for simulated players, without flags that have their default value.
func botsHint(addr netip.AddrPort, version w3gs.Version, players int) string {
	if ip := addr.Addr().Unmap(); ip.IsUnspecified() {
		addr = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), addr.Port())
	}
	hint := terminal.Program + " bots"
	if addr.String() != bots.DefaultAddr {
		hint += " --addr " + addr.String()
	}
	if version != w3gs.DefaultVersion {
		hint += " --version " + version.String()
	}
	return hint + fmt.Sprintf(" --players %d", players)
}
