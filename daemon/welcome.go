package daemon

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/rs/zerolog"

	"w3host/bots"
	"w3host/config"
	"w3host/host"
	"w3host/internal/terminal"
	"w3host/lobby"
	"w3host/w3map"
)

// welcome tells a first-time user where the game is and how to join.
func welcome(c config.Config, addr netip.AddrPort, m *host.Map, log zerolog.Logger) {
	log.Info().Stringer("listen", addr).Str("map", m.File).Int("players", int(m.PlayerSlots)).
		Msgf("hosting %q on %s", w3map.Plain(m.Name), addr)
	ip := addr.Addr().Unmap()
	if ip.Is6() && !ip.IsUnspecified() {
		log.Warn().Msgf("clients of Warcraft III speak IPv4 and cannot reach %s; use --listen 0.0.0.0:%d", addr, addr.Port())
	}
	where := fmt.Sprintf("Warcraft III %v, Local Area Network", c.Host.Version)
	switch {
	case !c.LAN.Enabled:
		where = "clients that know this address; it is not announced, since the LAN part is off"
	case ip.IsLoopback():
		where += "; from this machine only"
	case c.Lobby.Map == "":
		where += " (with a map of your own: --map FILE)"
	}
	log.Info().Msg("to join: " + where)
	log.Info().Msg("the game starts " + startsWhen(c.Lobby))
	log.Info().Msgf("to try it without the game: %s", botsHint(addr, int(m.PlayerSlots)))
}

func startsWhen(l config.Lobby) string {
	var when []string
	switch {
	case l.Autostart > 0:
		when = append(when, fmt.Sprintf("with %d players", l.Autostart))
	case l.Autostart == 0:
		when = append(when, "when every open slot is taken")
	}
	switch l.Owner {
	case "":
	case lobby.OwnerFirst:
		when = append(when, fmt.Sprintf("when the first who joined says %sstart", l.CommandTrigger))
	default:
		when = append(when, fmt.Sprintf("when %s says %sstart", l.Owner, l.CommandTrigger))
	}
	if len(when) == 0 {
		return "when an admin says " + l.CommandTrigger + "start"
	}
	return strings.Join(when, ", or ")
}

// botsHint is the command for simulated players, without flags that are the default.
func botsHint(addr netip.AddrPort, players int) string {
	if ip := addr.Addr().Unmap(); ip.IsUnspecified() {
		addr = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), addr.Port())
	}
	hint := terminal.Program + " bots"
	if addr.String() != bots.DefaultAddr {
		hint += " --addr " + addr.String()
	}
	return hint + fmt.Sprintf(" --players %d", players)
}
