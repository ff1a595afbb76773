package daemon

import (
	"cmp"
	"net/netip"
	"time"

	"github.com/hashicorp/go-multierror"
	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/control"
	"w3host/game"
	"w3host/game/command"
	"w3host/host"
	"w3host/host/admission"
	"w3host/lobby"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
	"w3host/record/journal"
	"w3host/spectate"
	gamesync "w3host/sync"
	"w3host/texts"
)

const (
	// adaptiveMin is the shortest turn period for home connections; adaptiveMax is the longest that is playable.
	adaptiveMin, adaptiveMax = 60 * time.Millisecond, 250 * time.Millisecond
	// extendedWait applies to players behind a proxy that needs no empty actions, because then no client limits the
	// wait.
	extendedWait = 5 * time.Minute
	// ownerAFKAfter is the time without activity of the owner after which a lobby is closed.
	ownerAFKAfter = 15 * time.Minute
)

// Limits on what one client may do, which no configuration changes. Real clients stay far below them.
const (
	joinTimeout       = 10 * time.Second // from the connection to the join
	lobbyLeavesWithin = 2 * time.Minute  // the period of limits.lobby_leaves
	outQueue          = 4 << 20          // bytes that may wait for one player's socket before the player is dropped
	actionBurst       = 4                // seconds of limits.action_kib_per_second that one player may use at once
	slotRequests      = 8                // changes of a player's own slot a second
	commandEvery      = 2 * time.Second  // refill of limits.command_burst by one command
	queryEvery        = 5 * time.Second  // the same for commands that ask the database
	resultsMinLength  = 2 * time.Minute  // shorter games do not count for statistics and ratings
)

// Check returns all errors of a configuration. The other functions of this package require one without errors.
func Check(c config.Config) error {
	return multierror.Append(c.Validate(), control.CheckRules(commandRules(c)), checkHooks(c)).ErrorOrNil()
}

// standbyFrom is the number of lobbies and games from which a standby process runs. Restoring fewer takes less than two
// seconds, however long they have been played.
var standbyFrom = map[string]int{"auto": 20, "on": 1, "off": 0}

func hostOptions(c config.Config, version string, log zerolog.Logger) host.Options {
	return host.Options{
		Product:         Product(c),
		Game:            gameConfig(c, version),
		Limits:          hostLimits(c.Limits),
		Autohost:        host.Autohost{Entries: entries(c, version), MaxGames: c.Autohost.MaxGames},
		RequireEntryKey: c.LAN.Enabled, // announcements contain the key
		Listing:         c.Host.Play,
		Watch:           watchOptions(&c),
		Log:             log,
		Crashes:         c.CrashDir(),
		Standby:         standbyFrom[c.Host.Standby],
		Journal:         journalOptions(c),
	}
}

func hostLimits(l config.Limits) host.Limits {
	return host.Limits{
		Limits: admission.Limits{
			Unjoined:          l.Unjoined,
			UnjoinedPerIP:     l.UnjoinedPerIP,
			JoinsPerMinute:    l.JoinsPerMinute,
			SeatsPerIP:        l.SeatsPerIP,
			GamesPerIP:        l.GamesPerIP,
			LobbyLeaves:       l.LobbyLeaves,
			LobbyLeavesWithin: lobbyLeavesWithin,
			Exempt:            prefixes(l.Exempt),
		},
		JoinTimeout:  joinTimeout,
		ShareOfLobby: l.ShareOfLobby,
		PacketRate:   l.PacketRate,
		OutQueue:     outQueue,
		Shutdown:     l.Shutdown.D(),
	}
}

// gameConfig returns the configuration of a game; version is that of the program.
func gameConfig(c config.Config, version string) game.Config {
	return game.Config{
		Version:     c.Host.Version,
		Versions:    c.LAN.Versions,
		Crossplay:   c.Lobby.Crossplay,
		Program:     "w3host " + version,
		Settings:    GameSettings(c.Lobby),
		Lobby:       lobbyConfig(c),
		Turns:       turnConfig(c),
		Transfer:    transferConfig(c.Transfer),
		Reconnect:   reconnectConfig(c.Reconnect),
		Votes:       game.Votes{Share: c.Votes.Percent, Time: time.Minute, Cooldown: 2 * time.Minute},
		Entry:       game.EntryRules{MinRating: c.Lobby.MinRating, MaxRating: c.Lobby.MaxRating, MinGames: c.Lobby.MinGames, Proxied: c.Lobby.RequireGProxy},
		Results:     game.ResultRules{MinPlayers: c.Results.MinPlayers, MinLength: resultsMinLength, LeaversLose: c.Results.LeaversLose},
		Trigger:     c.Lobby.CommandTrigger[0],
		Commands:    commandRules(c),
		Cooldown:    game.Cooldown{Burst: c.Limits.CommandBurst, Every: commandEvery, Query: queryEvery},
		Rules:       c.Lobby.Rules,
		PublicChat:  c.Lobby.PublicChat,
		Silence:     c.Limits.LobbyTimeout.D(),
		IdleTimeout: c.Game.IdleTimeout.D(),
	}
}

// loadBehind is how long a player may take to load after the others have loaded.
const loadBehind = 2 * time.Minute

// mapSilence is how long a client may take to report whether it has a small map. Real clients take about a second, plus
// the time to read a large map.
const mapSilence = 15 * time.Second

func lobbyConfig(c config.Config) lobby.Config {
	l, to := &c.Lobby, lobby.Defaults()
	to.HCL, to.Voice.VirtualHost, to.Voice.Welcome = l.HCL, c.Host.Name, l.Welcome
	to.Voice.Language, _ = texts.ParseLanguage(l.Language)
	to.Wire.HideAddresses = true // players do not need each other's addresses
	to.SetOwner(l.Owner)
	to.Admission = lobby.Admission{
		Reserved: l.Reserved, KickCooldown: l.KickCooldown.D(), PingLimit: l.PingLimit.D(), MapSilence: mapSilence, SameAddress: lobby.SameAddress(l.SameAddress), Anonymous: l.HideNames.Hides(), AnyMap: l.HideNames == config.HideAlways,
	}
	if names := c.Moderation.UnsafeNames; names != "off" {
		to.Admission.LookAlikes = lobby.LookAlikes(names)
	}
	to.Start.Humans, to.Start.Full = max(l.Autostart, 0), l.Autostart == 0
	to.Start.Ready, to.Start.Balanced = l.StartReady, l.StartBalanced
	to.Start.MinPlayers, to.Start.After = l.MinPlayers, l.StartAfter.D()
	to.Countdown.Lines, to.Countdown.GoesOn = l.Countdown, !l.CountdownRestarts
	to.Close = lobby.CloseRules{Idle: l.IdleAfter.D(), Abandoned: l.AbandonedAfter.D(), OwnerAFK: ownerAFKAfter}
	to.Pace.SlotRequests = slotRequests
	to.Chat.Echo = l.EchoChat
	to.WatchersSeat = c.Watch.Enabled
	return to
}

// reconnectConfig rounds the wait to whole minutes: each empty action extends a client's wait by one minute, and the
// first minute needs none.
func reconnectConfig(r config.Reconnect) game.Reconnect {
	if !r.Enabled {
		return game.Reconnect{}
	}
	wait := r.Wait.D().Round(time.Minute)
	return game.Reconnect{Wait: wait, Empties: int(wait/time.Minute) - 1, ExtendedWait: max(wait, extendedWait)}
}

func watchOptions(c *config.Config) host.Watch {
	w := &c.Watch
	language, _ := texts.ParseLanguage(c.Lobby.Language)
	return host.Watch{
		On: w.Enabled, Delay: w.Delay.D(), Most: w.Most, All: w.All,
		Past: spectate.Options{Speed: 1, Language: language},
	}
}

// returnListen returns the address of the port for reconnecting players, or "".
func returnListen(r config.Reconnect) string {
	if !r.Enabled {
		return ""
	}
	return r.Listen
}

func commandRules(c config.Config) command.Rules {
	rules := make(command.Rules, len(c.Commands))
	for name, cmd := range c.Commands {
		rules[name] = command.Rule(cmd)
	}
	return rules
}

func journalOptions(c config.Config) journal.Options {
	o := journal.Options{Dir: c.JournalDir(), KeepAll: c.Log.KeepJournals == "all"}
	if c.Log.KeepJournals == "none" {
		o.Dir = ""
	}
	return o
}

// Product returns the configured product: Reign of Chaos or The Frozen Throne.
func Product(c config.Config) w3gs.Product {
	if c.Host.Product == w3gs.ProductROC.String() {
		return w3gs.ProductROC
	}
	return w3gs.ProductTFT
}

// GameSettings converts the settings of a lobby for packets to clients.
func GameSettings(l config.Lobby) w3gs.GameSettings {
	speed, _ := w3gs.Speeds.Parse(l.Speed) // validated by package config
	visibility, _ := w3gs.Visibilities.Parse(l.Visibility)
	observers, _ := w3gs.ObserverChoices.Parse(l.Observers)
	return speed | visibility | observers
}

func turnConfig(c config.Config) gamesync.Config {
	t := gamesync.Defaults()
	t.Period, t.SyncLimit, t.DropAfter = c.Game.Latency.D(), syncLimit(c), c.Game.DropAfter.D()
	t.LoadTimeout = c.Limits.LoadTimeout.D()
	if t.LoadTimeout <= gamesync.Defaults().LoadTimeout { // a longer timeout means that the operator expects slow computers
		t.LoadBehind = loadBehind
	}
	t.LastPlayer = max(c.Game.LastPlayerTimeout.D(), 1) // 0 means at once, not never
	t.LastPlayers = c.Game.LastPlayers
	t.ActionRate, t.ActionBurst = c.Limits.ActionRate<<10, actionBurst*c.Limits.ActionRate<<10
	t.LoadInGame, t.ObserversNeverStop = c.Game.LoadInGame, c.Game.ObserversNeverStop
	t.Equalise, t.ShareUnits = c.Game.Equalise, c.Game.ShareUnits
	t.Adaptive = gamesync.Adaptive{On: c.Game.Adaptive, Min: adaptiveMin, Max: adaptiveMax}
	return t
}

// syncLimit returns how many turns of 100 ms a player may be behind.
func syncLimit(c config.Config) int {
	if c.Game.SyncLimit != 0 {
		return c.Game.SyncLimit
	}
	limit := cmp.Or(c.Game.LagLimit.D(), c.Host.Version.LagLimit())
	return int((limit + gamesync.LimitTurn - 1) / gamesync.LimitTurn)
}

func transferConfig(c config.Transfer) mapxfer.Config {
	t := mapxfer.Defaults()
	t.Mode, _ = mapxfer.ParseMode(c.Mode)
	t.TotalRate, t.PlayerRate = int64(c.TotalRate), int64(c.PlayerRate)
	t.MaxDownloaders, t.Timeout, t.Wait = c.MaxDownloaders, c.Timeout.D(), c.NoMapWait.D()
	return t
}

func prefixes(networks []string) []netip.Prefix { return parsed(networks, config.ParseNetwork) }

// parsed returns the values of the texts that can be parsed; it is never nil.
func parsed[T any](texts []string, parse func(string) (T, error)) []T {
	list := make([]T, 0, len(texts))
	for _, text := range texts {
		if value, err := parse(text); err == nil {
			list = append(list, value)
		}
	}
	return list
}
