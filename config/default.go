package config

import "time"

// Default is what holds where nothing is set. config.toml.example shows the
// same values with their explanation; a test keeps the two equal.
func Default() Config {
	return Config{
		Host: Host{
			Listen:  "0.0.0.0:6112",
			Version: 26,
			Product: "W3XP",
			Name:    "w3host",
		},
		Lobby: Lobby{
			Name:              "w3host game",
			Countdown:         5,
			CountdownRestarts: true,
			Rules:             []string{},
			IdleAfter:         Duration(30 * time.Minute),
			AbandonedAfter:    Duration(time.Minute),
			OwnerAFKAfter:     Duration(15 * time.Minute),
			Observers:         "off",
			Speed:             "fast",
			Visibility:        "default",
			Owner:             "first",
			Welcome:           []string{},
			Reserved:          []string{},
			HideAddresses:     true,
			CommandTrigger:    "!",
			KickCooldown:      Duration(time.Minute),
			SameAddress:       "allow",
			RequireEntryKey:   true,
		},
		Game: Game{
			Latency:            Duration(100 * time.Millisecond),
			SyncLimit:          50,
			DropAfter:          Duration(time.Minute),
			ObserversNeverStop: true,
			LastPlayerTimeout:  Duration(time.Minute),
			AdaptiveMin:        Duration(60 * time.Millisecond),
			AdaptiveMax:        Duration(250 * time.Millisecond),
		},
		Autohost:  Autohost{Lobbies: 1, MaxGames: 100},
		Reconnect: Reconnect{Enabled: true, Wait: Duration(3 * time.Minute), ExtendedWait: Duration(5 * time.Minute)},
		Votes:     Votes{Percent: 70, Time: Duration(time.Minute), Cooldown: Duration(2 * time.Minute)},
		LAN: LAN{
			Enabled:   true,
			Port:      6112,
			Broadcast: []string{"255.255.255.255"},
			Targets:   []string{},
			Versions:  []int{},
		},
		Maps:     Maps{Dir: "maps", Scripts: "scripts", Cache: "data/maps.json"},
		Transfer: Transfer{Mode: "on", Timeout: Duration(10 * time.Minute)},
		Replays:  Replays{Enabled: true, Dir: "replays", Name: "{date} {time} {game} ({id})", KeepBytes: 10e9},
		Database: Database{URL: "sqlite:data/w3host.db", Spool: "data/spool"},
		Limits: Limits{
			JoinTimeout:    Duration(10 * time.Second),
			LobbyTimeout:   Duration(time.Minute),
			LoadTimeout:    Duration(5 * time.Minute),
			Unjoined:       1024,
			UnjoinedPerIP:  8,
			JoinsPerMinute: 30,
			PacketRate:     200,
			ActionRate:     16,
			ActionBurst:    64,
			SlotRequests:   8,
			CommandBurst:   5,
			CommandEvery:   Duration(2 * time.Second),
			QueryEvery:     Duration(5 * time.Second),
			OutQueue:       4096,
			Exempt:         []string{"127.0.0.0/8", "::1/128"},
			Shutdown:       Duration(2 * time.Second),
		},
		Control: Control{Socket: "data/control.sock", Console: true},
		Log:     Log{Level: "info", Crashes: "data/crashes", Journals: "data/journals", KeepJournals: "faults"},
	}
}
