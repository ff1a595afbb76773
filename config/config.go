// Package config reads and validates the settings of a host. Load starts with the defaults, which a TOML file overrides, and
// environment variables override both; flags are applied by the caller with Config.Set. Config.Validate then reports every
// fault at once. Package cmd/w3host loads a Config for each command, and package daemon turns it into the options of the
// other packages. Package config starts nothing and opens no files except the ones that hold settings.
package config

import "w3host/protocol/w3gs"

// Config is the whole configuration. A key is written section.name, as in the file; its environment variable is
// W3HOST_SECTION_NAME. config.toml.example explains the keys, and a test compares its values with the defaults. Struct tags
// hold the properties of a key, with values written as in the environment:
//
//	default:"5"        the default; without this tag it is the zero value
//	range:"0..60"      the bounds; for a text, and for each text of a list, they are its length in bytes
//	range:"0|5..60"    the same, but 0 is allowed as well
//	range:"0|1d.."     the minimum retention period; 0 means for ever
//	oneof:"on off"     the allowed words
//	entry:"downloads"  the name under which an [[autohost]] entry may set the key, too
type Config struct {
	Host          Host          `toml:"host"`
	Lobby         Lobby         `toml:"lobby"`
	Game          Game          `toml:"game"`
	Votes         Votes         `toml:"votes"`
	Results       Results       `toml:"results"`
	Moderation    Moderation    `toml:"moderation"`
	Autohost      Autohost      `toml:"autohost"`
	PlayerHosting PlayerHosting `toml:"player_hosting"`
	Reconnect     Reconnect     `toml:"reconnect"`
	Watch         Watch         `toml:"watch"`
	LAN           LAN           `toml:"lan"`
	Maps          Maps          `toml:"maps"`
	Saves         Saves         `toml:"saves"`
	Transfer      Transfer      `toml:"transfer"`
	Replays       Replays       `toml:"replays"`
	Database      Database      `toml:"database"`
	Fleet         Fleet         `toml:"fleet"`
	Limits        Limits        `toml:"limits"`
	Control       Control       `toml:"control"`
	Web           Web           `toml:"web"`
	Public        Public        `toml:"public"`
	Log           Log           `toml:"log"`
	Realms        []Realm       `toml:"realm"`   // see realm.go
	Webhooks      []Webhook     `toml:"webhook"` // see webhook.go
	Ladders       []Ladder      `toml:"ladder"`  // see ladder.go

	Commands map[string]Command `toml:"commands"` // by the name of the command

	File string // the configuration file that was read, or ""

	autohost []map[string]any // the [[autohost]] entries of the file as decoded; see Entries
	ownerSet bool             // the file or the environment sets lobby.owner
}

// Host configures the process: its address, name, files and shutdown.
type Host struct {
	Listen  string       `toml:"listen" default:":6112"` // TCP address for every lobby and game
	Version w3gs.Version `toml:"version" default:"1.26" entry:"version"`
	Product string       `toml:"product" default:"W3XP" oneof:"W3XP WAR3"`
	Name    string       `toml:"name" default:"w3host" range:"1..15"`     // name of the host's player in lobbies
	Play    bool         `toml:"play" default:"true"`                     // answer w3host lan play with the open lobbies
	UPnP    bool         `toml:"upnp"`                                    // forward the port on the router
	DataDir string       `toml:"data_dir" default:"data" range:"1..4096"` // see paths.go

	OnStop string   `toml:"on_stop" default:"end" oneof:"end drain"`    // effect of SIGTERM
	Drain  Duration `toml:"drain_lobbies" default:"5m" range:"0s..24h"` // while draining, how long lobbies with players may still start

	Standby string `toml:"standby" default:"auto" oneof:"auto on off"` // with serve --supervise, whether a standby process re-executes all games and takes over after a crash
}

// Lobby configures how lobbies are opened, whom they admit and when they start.
type Lobby struct {
	Name              string     `toml:"name" default:"w3host game" entry:"name"`                      // name of the game in the LAN list
	Map               string     `toml:"map" entry:"map"`                                              // file, or part of a file name in maps.dir; "": the built-in test map
	Autostart         int        `toml:"autostart" entry:"autostart" range:"-1..24"`                   // number of players; 0: when every open slot is taken; -1: never
	MinPlayers        int        `toml:"min_players" entry:"min_players" range:"0..24"`                // minimum number of players for a start
	StartAfter        Duration   `toml:"start_after" entry:"start_after" range:"0s..24h"`              // start when min_players have been in the lobby for this long; 0: never
	StartReady        bool       `toml:"start_ready" entry:"start_ready"`                              // an automatic start waits until all players are ready
	StartBalanced     bool       `toml:"start_balanced" entry:"start_balanced"`                        // an automatic start waits until the teams are even
	Countdown         int        `toml:"countdown" default:"5" entry:"countdown" range:"0..60"`        // seconds
	CountdownRestarts bool       `toml:"countdown_restarts" default:"true" entry:"countdown_restarts"` // a join or leave stops the countdown
	Observers         string     `toml:"observers" default:"off" entry:"observers" oneof:"off on referees on-defeat"`
	Speed             string     `toml:"speed" default:"fast" oneof:"slow normal fast"`
	Visibility        string     `toml:"visibility" default:"default" oneof:"default hide-terrain explored always-visible"`
	Owner             string     `toml:"owner" default:"first" entry:"owner"` // a name; "first": the first player to join; "": nobody
	Crossplay         bool       `toml:"crossplay" entry:"crossplay"`         // send clients of further versions the map's identifiers of their own version
	HCL               string     `toml:"hcl" entry:"hcl"`
	Welcome           []string   `toml:"welcome" entry:"welcome" range:"1..220"`
	Rules             []string   `toml:"rules" entry:"rules" range:"1..220"`
	PingLimit         Duration   `toml:"ping_limit" entry:"ping_limit" range:"0|20ms..1m"`    // players with a longer round trip are removed; 0: nobody
	MinRating         int        `toml:"min_rating" entry:"min_rating" range:"-10000..10000"` // rating points on the map; 0: no limit
	MaxRating         int        `toml:"max_rating" entry:"max_rating" range:"-10000..10000"`
	MinGames          int        `toml:"min_games" entry:"min_games" range:"0..10000"`  // rated games on the map
	RequireGProxy     bool       `toml:"require_gproxy" entry:"require_gproxy"`         // remove players without a GProxy++ proxy
	HideNames         NameHiding `toml:"hide_names" default:"false" entry:"hide_names"` // show players as numbers to each other
	PublicChat        bool       `toml:"public_chat" entry:"public_chat"`               // the public site shows public chat of finished games
	EchoChat          bool       `toml:"echo_chat" entry:"echo_chat"`                   // from 1.32 on, send chat lines back to their sender
	IdleAfter         Duration   `toml:"idle_after" default:"30m" entry:"idle_after" range:"0|1s..24h"`
	AbandonedAfter    Duration   `toml:"abandoned_after" default:"1m" entry:"abandoned_after" range:"0|1s..24h"`
	Reserved          []string   `toml:"reserved" entry:"reserved"`
	Language          string     `toml:"language" default:"en" oneof:"en zh"` // language of the host's messages to players who have not chosen one
	CommandTrigger    string     `toml:"command_trigger" default:"!" range:"1..1"`
	KickCooldown      Duration   `toml:"kick_cooldown" default:"1m" range:"0s..24h"`             // how long a kicked player stays out of the lobby
	SameAddress       string     `toml:"same_address" default:"allow" oneof:"allow warn refuse"` // policy for several players from one address
	LANAdmins         bool       `toml:"lan_admins"`                                             // trust the names of LAN admins, which nothing proves
}

// Game configures the turns of running games and when games end.
type Game struct {
	Latency            Duration `toml:"latency" default:"100ms" range:"20ms..500ms" entry:"latency"`
	LagLimit           Duration `toml:"lag_limit" range:"0|1s..20s"` // how far a player may be behind before the lag screen; 0: w3gs.Version.LagLimit
	SyncLimit          int      // LagLimit in turns of 100 ms, set by the old key sync_limit; 0: not set
	DropAfter          Duration `toml:"drop_after" default:"1m" range:"1s..1h"`
	LoadInGame         bool     `toml:"load_in_game"`
	ObserversNeverStop bool     `toml:"observers_never_stop" default:"true"`
	LastPlayerTimeout  Duration `toml:"last_player_timeout" default:"1m" range:"0s..24h"`
	IdleTimeout        Duration `toml:"idle_timeout" default:"10m" range:"0|1m..24h"`                // end a game without actions after this time; 0: never
	LastPlayers        int      `toml:"last_players" default:"1" range:"1..23" entry:"last_players"` // number of remaining players that count as the last
	Adaptive           bool     `toml:"adaptive_latency"`
	Equalise           bool     `toml:"equalise" entry:"equalise"`       // delay actions to match the slowest connection
	ShareUnits         bool     `toml:"share_units" entry:"share_units"` // share the units of fake players and leavers with their allies
}

// Votes configures votes of players, such as a kick vote.
type Votes struct {
	Percent int `toml:"percent" default:"70" range:"1..100"` // percent of the other players who must agree
}

// Results configures which games count for statistics and ratings.
type Results struct {
	MinPlayers  int  `toml:"min_players" entry:"results_min_players" range:"0..24"` // number of players at the start, without observers
	LeaversLose bool `toml:"leavers_lose" entry:"leavers_lose"`                     // a player who leaves allies alone in a game that continues loses
}

// Moderation configures automatic bans and the check of names.
type Moderation struct {
	LeaverBan      Duration `toml:"leaver_ban" default:"0s" range:"0s..8760h"` // length of the ban for leaving allies alone; 0: none
	Warnings       int      `toml:"warnings" default:"3" range:"0..100"`       // number of warnings that cause a ban; 0: never
	WarningsWithin Span     `toml:"warnings_within" default:"30d"`             // older warnings do not count
	WarningBan     Span     `toml:"warning_ban" default:"7d"`
	CountryFile    string   `toml:"country_file"`                                          // .mmdb file with the countries of addresses; "": none
	UnsafeNames    string   `toml:"unsafe_names" default:"refuse" oneof:"refuse mark off"` // policy for names that imitate an admin's or another player's
}

// Reconnect configures reconnections of players with a GProxy++ proxy.
type Reconnect struct {
	Enabled bool     `toml:"enabled" default:"true"`
	Wait    Duration `toml:"wait" default:"3m" range:"1m..10m"` // rounded to whole minutes
	Listen  string   `toml:"listen"`                            // separate TCP address; "": host.listen
}

// Watch configures spectators of running games.
type Watch struct {
	Enabled bool     `toml:"enabled"`
	Delay   Duration `toml:"delay" default:"2m" range:"1m..1h"`      // delay of the spectators
	Most    int      `toml:"most" default:"50" range:"1..1000"`      // maximum number of spectators of one game
	All     int      `toml:"most_all" default:"500" range:"1..5000"` // maximum number of spectators of all games
}

// Autohost configures how many lobbies are kept open.
type Autohost struct {
	Lobbies  int `toml:"lobbies" default:"1" range:"0..1000" entry:"lobbies"`         // lobbies open at the same time
	MaxGames int `toml:"max_games" default:"100" range:"1..100000" entry:"max_games"` // games running at the same time
}

// PlayerHosting configures whether realm players may open lobbies with the commands host, pub and priv.
type PlayerHosting struct {
	Enabled   bool     `toml:"enabled"`
	PerPerson int      `toml:"per_person" default:"1" range:"1..100"` // lobbies and games of one person at the same time
	Maps      []string `toml:"maps" range:"1..250"`                   // parts of the file names of allowed maps; none: all maps
}

// LAN configures the announcements on the local network.
type LAN struct {
	Enabled       bool           `toml:"enabled" default:"true"`
	Port          int            `toml:"port" default:"6112" range:"1..65535"`
	Broadcast     []string       `toml:"broadcast" default:"255.255.255.255"`
	Targets       []string       `toml:"targets"`
	PushInfo      bool           `toml:"push_info"` // send targets W3GS_GAMEINFO (0x30) with every W3GS_REFRESHGAME (0x32)
	BroadcastInfo bool           `toml:"broadcast_info"`
	Versions      []w3gs.Version `toml:"versions" entry:"versions"` // further versions besides host.version; not inherited by an entry that sets its version
}

// Maps configures the folders of map files and of the game's scripts.
type Maps struct {
	Dir     string `toml:"dir" default:"maps"`
	Scripts string `toml:"scripts" default:"scripts"`
}

// Saves configures the folder of saved games.
type Saves struct {
	Dir string `toml:"dir" default:"saves" range:"1..4096"`
}

// Transfer configures map downloads.
type Transfer struct {
	Mode           string   `toml:"mode" default:"on" entry:"downloads" oneof:"on off ask"`
	TotalRate      ByteRate `toml:"total_rate"`
	PlayerRate     ByteRate `toml:"player_rate" entry:"player_rate"`
	MaxDownloaders int      `toml:"max_downloaders" range:"0..10000" entry:"max_downloaders"`
	NoMapWait      Duration `toml:"no_map_wait" default:"0s" range:"0s..1h" entry:"no_map_wait"` // how long a player may stay who lacks the map and may not download it
	Timeout        Duration `toml:"download_timeout" default:"10m" range:"10s..24h" entry:"download_timeout"`
}

// Replays configures the recording of games.
type Replays struct {
	Enabled   bool      `toml:"enabled" default:"true"`
	Dir       string    `toml:"dir" default:"replays" range:"1..4096"`
	Name      string    `toml:"name" default:"{date} {time} {game} ({id})"` // template of the file names
	KeepDays  int       `toml:"keep_days" range:"0..36500"`                 // 0: for ever
	KeepBytes ByteCount `toml:"keep_bytes" default:"10 GB"`                 // total size of all replays; 0: no limit
}

// Database configures the game log.
type Database struct {
	URL         string `toml:"url"`   // "": SQLite in host.data_dir
	Spool       string `toml:"spool"` // "": a folder in host.data_dir
	HostName    string `toml:"host_name"`
	RequireBans bool   `toml:"require_bans"` // refuse joins until the list of bans has been read

	// Retention periods (docs/privacy.md). Their minimum is longer than any game, so that no data of a running game is deleted.
	KeepChat      Span `toml:"keep_chat" range:"0|1d.."`
	KeepAddresses Span `toml:"keep_addresses" range:"0|1d.."`
	KeepGames     Span `toml:"keep_games" range:"0|1d.."`
	KeepAudit     Span `toml:"keep_audit" range:"0|1d.."`
}

// Fleet configures hosts that share a database.
type Fleet struct {
	Enabled  bool `toml:"enabled"`                      // only one of the hosts opens the lobbies of an entry
	MaxGames int  `toml:"max_games" range:"0..1000000"` // maximum number of lobbies and games of all hosts; 0: no limit
	Agones   bool `toml:"agones"`                       // report the state of the host to the sidecar of Agones
}

// Limits protect the host and its players from clients that send too much or too little.
type Limits struct {
	LobbyTimeout   Duration `toml:"lobby_timeout" default:"1m" range:"15s..24h"`     // drop a lobby player who has sent nothing for this long
	LoadTimeout    Duration `toml:"load_timeout" default:"5m" range:"1s..24h"`       // maximum time to load the map
	Unjoined       int      `toml:"unjoined" default:"1024" range:"1..1048576"`      // connections that have not joined
	UnjoinedPerIP  int      `toml:"unjoined_per_ip" default:"48" range:"1..1048576"` // the same from one address
	JoinsPerMinute int      `toml:"joins_per_minute_per_ip" default:"60" range:"1..1048576"`
	SeatsPerIP     int      `toml:"seats_per_ip" default:"48" range:"0..100000"`         // seats in lobbies and games; 0: no limit
	GamesPerIP     int      `toml:"games_per_ip" default:"8" range:"0..100000"`          // lobbies and games with such a seat; 0: no limit
	ShareOfLobby   int      `toml:"share_of_lobby" default:"50" range:"0..100"`          // percent of the slots of a public lobby that one address may take; 0: no limit
	LobbyLeaves    int      `toml:"lobby_leaves" default:"10" range:"0..1000"`           // leaves of lobbies by one name at one address in two minutes; 0: no limit
	PacketRate     int      `toml:"packet_rate" default:"200" range:"50..1048576"`       // packets a second from a player, without acknowledgements of map parts
	ActionRate     int      `toml:"action_kib_per_second" default:"16" range:"1..65536"` // KiB of actions that one player may add to turns; four times as much at once
	CommandBurst   int      `toml:"command_burst" default:"5" range:"0..1000"`           // commands that a player may give at once; 0: no limit
	Exempt         []string `toml:"exempt" default:"127.0.0.0/8,::1/128"`                // networks without the limits per address
	Shutdown       Duration `toml:"shutdown_timeout" default:"2s" range:"100ms..1m"`
}

// Control configures commands from the terminal.
type Control struct {
	Console bool `toml:"console" default:"true"` // read commands from standard input
}

// Web configures the HTTP server of the web console.
type Web struct {
	Enabled  bool      `toml:"enabled" default:"true"`
	Listen   string    `toml:"listen" default:"127.0.0.1:6180"`
	Public   string    `toml:"public_listen"`        // TCP address that serves only the public site; "": none
	Metrics  string    `toml:"metrics_listen"`       // TCP address of /metrics without login; "": none
	Hosts    []string  `toml:"hosts" range:"1..253"` // host names under which browsers open it
	Proxies  []string  `toml:"trusted_proxies"`      // networks whose X-Forwarded-For and X-Forwarded-Proto are trusted
	BasePath string    `toml:"base_path"`            // path behind a reverse proxy
	Cert     string    `toml:"tls_cert"`
	Key      string    `toml:"tls_key"`
	Autocert bool      `toml:"autocert"`                     // get a certificate for Hosts by ACME
	Insecure bool      `toml:"insecure"`                     // allow plain HTTP beyond this machine
	Upload   ByteCount `toml:"upload_max" default:"128 MiB"` // maximum size of an uploaded map
}

// Public configures the public site (docs/site.md).
type Public struct {
	Name    string `toml:"name" default:"w3host" range:"1..60"` // name of the site
	URL     string `toml:"url" range:"0..250"`                  // address for visitors; "": no link previews
	Address string `toml:"play_address" range:"0..250"`         // address for w3host lan play; "": not shown
	LAN     bool   `toml:"lan"`                                 // also show names that no realm has confirmed
	Index   bool   `toml:"index" default:"true"`                // allow search engines
}

// Log configures the program's log and the journals.
type Log struct {
	Level        string `toml:"level" default:"info" oneof:"debug info warn error"`
	JSON         bool   `toml:"json"`
	KeepJournals string `toml:"keep_journals" default:"faults" oneof:"faults all none"` // which journals of games are kept
}
