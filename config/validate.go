package config

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-multierror"

	"w3host/w3gs"
)

// Interfaces in lan.broadcast stands for the broadcast addresses of all network
// interfaces, which may change while the host runs.
const Interfaces = "interfaces"

// languages are those of package texts.
var languages = []string{"en", "zh"}

// replayPlaces are the placeholders of replays.name.
var replayPlaces = []string{"{date}", "{time}", "{game}", "{map}", "{id}", "{players}"}

// Validate reports every invalid value with its key and what to write instead.
func (c *Config) Validate() error {
	v := validator{}

	v.address("host.listen", c.Host.Listen)
	v.version("host.version", c.Host.Version)
	v.oneOf("host.product", c.Host.Product, "W3XP", "WAR3")
	v.text("host.name", c.Host.Name, 1, w3gs.MaxNameLen)

	v.text("lobby.name", c.Lobby.Name, 1, w3gs.MaxGameNameLen)
	v.lobby(func(name string) string { return "lobby." + name }, &c.Lobby)
	v.oneOf("lobby.speed", c.Lobby.Speed, w3gs.Speeds.Words()...)
	v.oneOf("lobby.visibility", c.Lobby.Visibility, w3gs.Visibilities.Words()...)
	v.oneOf("lobby.language", c.Lobby.Language, languages...)
	v.text("lobby.command_trigger", c.Lobby.CommandTrigger, 1, 1)
	v.oneOf("lobby.same_address", c.Lobby.SameAddress, "allow", "warn", "refuse")
	v.within("lobby.kick_cooldown", c.Lobby.KickCooldown, 0, 24*time.Hour)

	v.within("game.latency", c.Game.Latency, w3gs.MinPeriod, w3gs.MaxPeriod)
	v.between("game.sync_limit", c.Game.SyncLimit, 2, w3gs.MaxSyncLimit)
	v.within("game.drop_after", c.Game.DropAfter, time.Second, time.Hour)
	v.within("game.last_player_timeout", c.Game.LastPlayerTimeout, 0, 24*time.Hour)
	v.within("game.adaptive_min", c.Game.AdaptiveMin, w3gs.MinPeriod, w3gs.MaxPeriod)
	v.within("game.adaptive_max", c.Game.AdaptiveMax, w3gs.MinPeriod, w3gs.MaxPeriod)
	if c.Game.AdaptiveMin > c.Game.AdaptiveMax {
		v.fault("game.adaptive_min", c.Game.AdaptiveMin, "must not be above game.adaptive_max = %v", c.Game.AdaptiveMax)
	}

	v.between("votes.percent", c.Votes.Percent, 1, 100)
	v.within("votes.time", c.Votes.Time, 5*time.Second, time.Hour)
	v.within("votes.cooldown", c.Votes.Cooldown, time.Second, 24*time.Hour)

	v.between("autohost.lobbies", c.Autohost.Lobbies, 0, 1000)
	v.between("autohost.max_games", c.Autohost.MaxGames, 1, 100000)
	if len(c.autohost) > 0 {
		v.entries(c)
	}

	v.within("reconnect.wait", c.Reconnect.Wait, time.Minute, 10*time.Minute)
	v.within("reconnect.extended_wait", c.Reconnect.ExtendedWait, time.Minute, time.Hour)
	if c.Reconnect.Listen != "" {
		v.address("reconnect.listen", c.Reconnect.Listen)
	}

	v.between("lan.port", c.LAN.Port, 1, 65535)
	for _, a := range c.LAN.Broadcast {
		if a != Interfaces {
			v.ipv4("lan.broadcast", a)
		}
	}
	for _, a := range c.LAN.Targets {
		v.ipv4("lan.targets", a)
	}
	for _, n := range c.LAN.Versions {
		v.version("lan.versions", n)
		if !n.SharesLobby(c.Host.Version) {
			v.fault("lan.versions", n, "cannot share lobbies with host.version = %v: its clients compute another checksum for the same map, or speak other packets", c.Host.Version)
		}
	}

	v.oneOf("transfer.mode", c.Transfer.Mode, "on", "off", "ask")
	v.between("transfer.max_downloaders", c.Transfer.MaxDownloaders, 0, 10000)
	v.within("transfer.download_timeout", c.Transfer.Timeout, 10*time.Second, 24*time.Hour)

	v.text("replays.dir", c.Replays.Dir, 1, 4096)
	v.template("replays.name", c.Replays.Name)
	v.between("replays.keep_days", c.Replays.KeepDays, 0, 36500)

	if !strings.Contains(c.Database.URL, ":") && !strings.Contains(c.Database.URL, "=") {
		v.fault("database.url", "(not shown, it may hold a password)", "must be sqlite:FILE or postgres://USER@HOST/DATABASE, for example sqlite:data/w3host.db")
	}
	v.text("database.spool", c.Database.Spool, 1, 4096)
	v.kept("database.keep_chat", c.Database.KeepChat)
	v.kept("database.keep_addresses", c.Database.KeepAddresses)
	v.kept("database.keep_games", c.Database.KeepGames)

	v.within("limits.join_timeout", c.Limits.JoinTimeout, 100*time.Millisecond, time.Hour)
	v.within("limits.lobby_timeout", c.Limits.LobbyTimeout, 15*time.Second, 24*time.Hour)
	v.within("limits.load_timeout", c.Limits.LoadTimeout, time.Second, 24*time.Hour)
	v.between("limits.unjoined", c.Limits.Unjoined, 1, 1<<20)
	v.between("limits.unjoined_per_ip", c.Limits.UnjoinedPerIP, 1, 1<<20)
	v.between("limits.joins_per_minute_per_ip", c.Limits.JoinsPerMinute, 1, 1<<20)
	v.between("limits.seats_per_ip", c.Limits.SeatsPerIP, 0, 100000)
	v.between("limits.games_per_ip", c.Limits.GamesPerIP, 0, 100000)
	v.between("limits.lobby_leaves", c.Limits.LobbyLeaves, 0, 1000)
	v.within("limits.lobby_leaves_within", c.Limits.LobbyLeavesWithin, time.Second, 24*time.Hour)
	v.between("limits.packet_rate", c.Limits.PacketRate, 50, 1<<20)
	v.between("limits.action_kib_per_second", c.Limits.ActionRate, 1, 1<<16)
	v.between("limits.action_burst_kib", c.Limits.ActionBurst, 4, 1<<16)
	v.between("limits.slot_requests_per_second", c.Limits.SlotRequests, 1, 1<<10)
	v.between("limits.command_burst", c.Limits.CommandBurst, 0, 1000)
	v.within("limits.command_every", c.Limits.CommandEvery, 100*time.Millisecond, time.Hour)
	v.within("limits.query_every", c.Limits.QueryEvery, c.Limits.CommandEvery.D(), time.Hour)
	v.between("limits.out_queue_kib", c.Limits.OutQueue, 16, 1<<20)
	v.within("limits.shutdown_timeout", c.Limits.Shutdown, 100*time.Millisecond, time.Minute)
	for _, n := range c.Limits.Exempt {
		if _, err := netip.ParsePrefix(n); err != nil {
			v.fault("limits.exempt", n, "must be a network such as 192.168.0.0/16")
		}
	}

	v.text("log.crashes", c.Log.Crashes, 1, 4096)
	v.text("log.journals", c.Log.Journals, 1, 4096)
	v.oneOf("log.keep_journals", c.Log.KeepJournals, "faults", "all", "none")
	v.oneOf("log.level", c.Log.Level, "debug", "info", "warn", "error")
	for i := range c.Realms {
		v.realm(c, i)
	}
	return v.faults.ErrorOrNil()
}

type validator struct {
	faults *multierror.Error
}

func (v *validator) fault(key string, value any, format string, args ...any) {
	v.faults = multierror.Append(v.faults, fmt.Errorf("%s = %v: %s", key, value, fmt.Sprintf(format, args...)))
}

// version checks that a version of the game can be hosted.
func (v *validator) version(key string, value w3gs.Version) {
	switch {
	case value > w3gs.LastVersion:
		v.fault(key, value, "cannot be hosted yet: clients from 1.30 on look for games by mDNS and would not see this host; hosted are %v to %v",
			w3gs.FirstVersion, w3gs.LastVersion)
	case value < w3gs.FirstVersion:
		v.fault(key, value, `must be from %v to %v, in quotes: version = "1.26"`, w3gs.FirstVersion, w3gs.LastVersion)
	}
}

func (v *validator) between(key string, value, low, high int) {
	if value < low || value > high {
		v.fault(key, value, "must be from %d to %d", low, high)
	}
}

func (v *validator) within(key string, value Duration, low, high time.Duration) {
	if value.D() < low || value.D() > high {
		v.fault(key, value, "must be from %v to %v", low, high)
	}
}

// kept demands a span longer than any game, so that nothing of a running game is removed.
func (v *validator) kept(key string, value Span) {
	if value != 0 && value.D() < day {
		v.fault(key, value, "must be at least 1d, or forever")
	}
}

func (v *validator) oneOf(key, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		v.fault(key, strconv.Quote(value), "must be one of %s", strings.Join(allowed, ", "))
	}
}

func (v *validator) text(key, value string, low, high int) {
	if len(value) < low || len(value) > high {
		v.fault(key, strconv.Quote(value), "must have from %d to %d bytes; it has %d", low, high, len(value))
	}
}

// template checks a file name with placeholders in braces.
func (v *validator) template(key, value string) {
	v.text(key, value, 1, 200)
	rest := value
	for _, place := range replayPlaces {
		rest = strings.ReplaceAll(rest, place, "")
	}
	if strings.ContainsAny(rest, `{}/\`) {
		v.fault(key, strconv.Quote(value), "must be a file name without folder; it can hold %s", strings.Join(replayPlaces, ", "))
	}
}

func (v *validator) address(key, value string) {
	_, port, err := net.SplitHostPort(value)
	n, portErr := strconv.Atoi(port)
	if err != nil || portErr != nil || n < 0 || n > 65535 {
		v.fault(key, strconv.Quote(value), "must be ADDRESS:PORT, for example 0.0.0.0:6112")
	}
}

func (v *validator) ipv4(key, value string) {
	if _, err := ParseTarget(value, 1); err != nil {
		v.fault(key, strconv.Quote(value), "must be an IPv4 address, with :PORT if it is not lan.port, for example 192.168.1.255")
	}
}

// ParseTarget reads an IPv4 address with or without a port.
func ParseTarget(s string, port uint16) (netip.AddrPort, error) {
	if addr, err := netip.ParseAddr(s); err == nil && addr.Is4() {
		return netip.AddrPortFrom(addr, port), nil
	}
	ap, err := netip.ParseAddrPort(s)
	if err == nil && !ap.Addr().Is4() {
		err = fmt.Errorf("%s is not an IPv4 address", s)
	}
	return ap, err
}
