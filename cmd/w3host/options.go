package main

import (
	"net/netip"

	"github.com/rs/zerolog"

	"w3host/command"
	"w3host/config"
	"w3host/game"
	"w3host/host"
	"w3host/journal"
	"w3host/lobby"
	"w3host/mapxfer"
	gamesync "w3host/sync"
	"w3host/texts"
	"w3host/w3gs"
)

// The configuration has been validated when it comes here.

func hostOptions(c config.Config, log zerolog.Logger) host.Options {
	return host.Options{
		Listen:  c.Host.Listen,
		Version: w3gs.Version(c.Host.Version),
		Product: product(c),
		Name:    c.Host.Name,

		ProgramName: "w3host " + programVersion(),

		Turns:    turnConfig(c),
		Lobby:    lobbyOptions(c),
		Votes:    votes(c),
		Transfer: transferConfig(c),
		Limits:   hostLimits(c),
		Reconnect: host.ReconnectOptions{
			Enabled: c.Reconnect.Enabled, Listen: c.Reconnect.Listen,
			Wait: c.Reconnect.Wait.D(), ExtendedWait: c.Reconnect.ExtendedWait.D(),
		},
		Autohost:        host.Autohost{Entries: entries(c), MaxGames: c.Autohost.MaxGames},
		RequireEntryKey: c.Lobby.RequireEntryKey && c.LAN.Enabled,
		Log:             log,
		Crashes:         c.Log.Crashes,
		Journal:         journalOptions(c.Log),
	}
}

func hostLimits(c config.Config) host.Limits {
	return host.Limits{
		JoinTimeout:       c.Limits.JoinTimeout.D(),
		LobbyTimeout:      c.Limits.LobbyTimeout.D(),
		Unjoined:          c.Limits.Unjoined,
		UnjoinedPerIP:     c.Limits.UnjoinedPerIP,
		JoinsPerMinute:    c.Limits.JoinsPerMinute,
		LobbyLeaves:       c.Limits.LobbyLeaves,
		LobbyLeavesWithin: c.Limits.LobbyLeavesWithin.D(),
		PacketRate:        c.Limits.PacketRate,
		SlotRequests:      c.Limits.SlotRequests,
		OutQueue:          c.Limits.OutQueue << 10,
		Exempt:            prefixes(c.Limits.Exempt),
		Shutdown:          c.Limits.Shutdown.D(),
	}
}

func votes(c config.Config) game.Votes {
	return game.Votes{Share: c.Votes.Percent, Time: c.Votes.Time.D(), Cooldown: c.Votes.Cooldown.D()}
}

func lobbyOptions(c config.Config) host.LobbyOptions {
	l := &c.Lobby
	return host.LobbyOptions{
		Autostart:       l.Autostart,
		MinPlayers:      l.MinPlayers,
		StartAfter:      l.StartAfter.D(),
		StartReady:      l.StartReady,
		StartBalanced:   l.StartBalanced,
		Countdown:       l.Countdown,
		CountdownGoesOn: !l.CountdownRestarts,
		Settings:        gameSettings(*l),
		HCL:             l.HCL,
		Owner:           l.Owner,
		Welcome:         l.Welcome,
		Rules:           l.Rules,
		Reserved:        l.Reserved,
		PingLimit:       l.PingLimit.D(),
		IdleAfter:       l.IdleAfter.D(),
		AbandonedAfter:  l.AbandonedAfter.D(),
		OwnerAFKAfter:   l.OwnerAFKAfter.D(),
		HideAddresses:   l.HideAddresses,
		Language:        language(l.Language),
		Trigger:         l.CommandTrigger[0],
		KickCooldown:    l.KickCooldown.D(),
		SameAddress:     lobby.SameAddress(l.SameAddress),
		Commands:        commandRules(c),
		Cooldown:        game.Cooldown{Burst: c.Limits.CommandBurst, Every: c.Limits.CommandEvery.D(), Query: c.Limits.QueryEvery.D()},
	}
}

func commandRules(c config.Config) command.Rules {
	rules := make(command.Rules, len(c.Commands))
	for name, cmd := range c.Commands {
		rules[name] = command.Rule(cmd)
	}
	return rules
}

func language(tag string) texts.Language {
	l, _ := texts.ParseLanguage(tag) // config has checked it
	return l
}

func journalOptions(c config.Log) journal.Options {
	o := journal.Options{Dir: c.Journals}
	switch c.KeepJournals {
	case "all":
		o.Keep = journal.KeepAll
	case "none":
		o.Dir = ""
	}
	return o
}

func product(c config.Config) w3gs.Product {
	if c.Host.Product == w3gs.ProductROC.String() {
		return w3gs.ProductROC
	}
	return w3gs.ProductTFT
}

func gameSettings(l config.Lobby) w3gs.GameSettings {
	speed, _ := w3gs.Speeds.Parse(l.Speed) // config has checked them
	visibility, _ := w3gs.Visibilities.Parse(l.Visibility)
	observers, _ := w3gs.ObserverChoices.Parse(l.Observers)
	return speed | visibility | observers
}

func turnConfig(c config.Config) gamesync.Config {
	t := gamesync.Defaults()
	t.Period, t.SyncLimit, t.DropAfter = c.Game.Latency.D(), c.Game.SyncLimit, c.Game.DropAfter.D()
	t.LoadTimeout = c.Limits.LoadTimeout.D()
	t.LastPlayer = max(c.Game.LastPlayerTimeout.D(), 1) // 0 is at once, not never
	t.ActionRate, t.ActionBurst = c.Limits.ActionRate<<10, c.Limits.ActionBurst<<10
	t.LoadInGame, t.ObserversNeverStop = c.Game.LoadInGame, c.Game.ObserversNeverStop
	t.Adaptive = gamesync.Adaptive{On: c.Game.Adaptive, Min: c.Game.AdaptiveMin.D(), Max: c.Game.AdaptiveMax.D()}
	return t
}

func transferConfig(c config.Config) mapxfer.Config {
	t := mapxfer.Defaults()
	t.Mode, _ = mapxfer.ParseMode(c.Transfer.Mode)
	t.TotalRate, t.PlayerRate = int64(c.Transfer.TotalRate), int64(c.Transfer.PlayerRate)
	t.MaxDownloaders, t.Timeout = c.Transfer.MaxDownloaders, c.Transfer.Timeout.D()
	return t
}

func prefixes(networks []string) []netip.Prefix {
	list := make([]netip.Prefix, 0, len(networks))
	for _, n := range networks {
		if prefix, err := netip.ParsePrefix(n); err == nil {
			list = append(list, prefix)
		}
	}
	return list
}
