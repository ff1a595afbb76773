// Package config has the settings of an operator: a TOML file overrides the defaults,
// the environment the file, flags both. One validation reports every fault at once.
package config

import "w3host/protocol/w3gs"

// Config is the whole configuration. A key is section.name, as in the file;
// its environment variable is W3HOST_SECTION_NAME. config.toml.example explains the
// keys, and a test keeps its values equal to the defaults. The properties of a key
// stand in its tags, written as in the environment:
//
//	default:"5"        its value where nothing is set; otherwise the zero value
//	range:"0..60"      its bounds; of a text, or of each text of a list, the length in bytes
//	range:"0|5..60"    the same, and 0 as well
//	range:"0|1d.."     the least age that is kept, and 0, for ever
//	oneof:"on off"     the words that it may be
//	entry:"downloads"  an [[autohost]] may set it too, under this name
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

	Commands map[string]Command `toml:"commands"` // by name

	File string // that was read; empty for none

	autohost []map[string]any // the [[autohost]] of the file; see Entries
	ownerSet bool             // lobby.owner is in the file or the environment
}

// Host is the program as the network sees it.
type Host struct {
	Listen  string       `toml:"listen" default:":6112"` // TCP address for every lobby and game
	Version w3gs.Version `toml:"version" default:"1.26" entry:"version"`
	Product string       `toml:"product" default:"W3XP" oneof:"W3XP WAR3"`
	Name    string       `toml:"name" default:"w3host" range:"1..15"`     // who speaks for the host in lobbies
	Play    bool         `toml:"play" default:"true"`                     // answer w3host lan play with the open lobbies
	UPnP    bool         `toml:"upnp"`                                    // the router is asked to pass the port on
	DataDir string       `toml:"data_dir" default:"data" range:"1..4096"` // see paths.go

	OnStop string   `toml:"on_stop" default:"end" oneof:"end drain"`    // what SIGTERM means
	Drain  Duration `toml:"drain_lobbies" default:"5m" range:"0s..24h"` // how long players in a lobby may start it then

	Standby string `toml:"standby" default:"auto" oneof:"auto on off"` // under w3host serve --supervise, another process runs all games along, and goes on if this one dies
}

// Lobby is how games are opened and started.
type Lobby struct {
	Name              string     `toml:"name" default:"w3host game" entry:"name"`                      // of the game, in the LAN list
	Map               string     `toml:"map" entry:"map"`                                              // file, or part of a name in maps.dir; empty for the built-in test map
	Autostart         int        `toml:"autostart" entry:"autostart" range:"-1..24"`                   // players; 0 when every open slot is taken, -1 never
	MinPlayers        int        `toml:"min_players" entry:"min_players" range:"0..24"`                // a start needs so many
	StartAfter        Duration   `toml:"start_after" entry:"start_after" range:"0s..24h"`              // start by itself when min_players have been in for so long
	StartReady        bool       `toml:"start_ready" entry:"start_ready"`                              // only when all are ready
	StartBalanced     bool       `toml:"start_balanced" entry:"start_balanced"`                        // only in even teams
	Countdown         int        `toml:"countdown" default:"5" entry:"countdown" range:"0..60"`        // lines, one a second
	CountdownRestarts bool       `toml:"countdown_restarts" default:"true" entry:"countdown_restarts"` // a join or leave stops it
	Observers         string     `toml:"observers" default:"off" entry:"observers" oneof:"off on referees on-defeat"`
	Speed             string     `toml:"speed" default:"fast" oneof:"slow normal fast"`
	Visibility        string     `toml:"visibility" default:"default" oneof:"default hide-terrain explored always-visible"`
	Owner             string     `toml:"owner" default:"first" entry:"owner"` // a name; "first" for the first player to join; empty for nobody
	Crossplay         bool       `toml:"crossplay" entry:"crossplay"`         // clients of each of versions get the map's identifiers of their own version
	HCL               string     `toml:"hcl" entry:"hcl"`
	Welcome           []string   `toml:"welcome" entry:"welcome" range:"1..220"`
	Rules             []string   `toml:"rules" entry:"rules" range:"1..220"`
	PingLimit         Duration   `toml:"ping_limit" entry:"ping_limit" range:"0|20ms..1m"`    // slower players are removed; 0: nobody
	MinRating         int        `toml:"min_rating" entry:"min_rating" range:"-10000..10000"` // points on the map; 0: no limit
	MaxRating         int        `toml:"max_rating" entry:"max_rating" range:"-10000..10000"`
	MinGames          int        `toml:"min_games" entry:"min_games" range:"0..10000"`  // rated ones on the map
	RequireGProxy     bool       `toml:"require_gproxy" entry:"require_gproxy"`         // players without a proxy are removed
	HideNames         NameHiding `toml:"hide_names" default:"false" entry:"hide_names"` // players know each other by numbers
	PublicChat        bool       `toml:"public_chat" entry:"public_chat"`               // the public site shows what was said to all
	EchoChat          bool       `toml:"echo_chat" entry:"echo_chat"`                   // from 1.32 on, lines go back to their sender
	IdleAfter         Duration   `toml:"idle_after" default:"30m" entry:"idle_after" range:"0|1s..24h"`
	AbandonedAfter    Duration   `toml:"abandoned_after" default:"1m" entry:"abandoned_after" range:"0|1s..24h"`
	Reserved          []string   `toml:"reserved" entry:"reserved"`
	Language          string     `toml:"language" default:"en" oneof:"en zh"` // of players who have not chosen one
	CommandTrigger    string     `toml:"command_trigger" default:"!" range:"1..1"`
	KickCooldown      Duration   `toml:"kick_cooldown" default:"1m" range:"0s..24h"`             // a kick keeps its victim out of the lobby for so long
	SameAddress       string     `toml:"same_address" default:"allow" oneof:"allow warn refuse"` // several players from one address
	LANAdmins         bool       `toml:"lan_admins"`                                             // the database's admins for the LAN may command, though names are not proved there
}

// Game is the action loop.
type Game struct {
	Latency            Duration `toml:"latency" default:"100ms" range:"20ms..500ms" entry:"latency"`
	LagLimit           Duration `toml:"lag_limit" range:"0|1s..20s"` // how far a player may be behind; 0: w3gs.Version.LagLimit
	SyncLimit          int      // the same in turns of 100 ms, set by the key's old name, sync_limit; 0: not set
	DropAfter          Duration `toml:"drop_after" default:"1m" range:"1s..1h"`
	LoadInGame         bool     `toml:"load_in_game"`
	ObserversNeverStop bool     `toml:"observers_never_stop" default:"true"`
	LastPlayerTimeout  Duration `toml:"last_player_timeout" default:"1m" range:"0s..24h"`
	IdleTimeout        Duration `toml:"idle_timeout" default:"10m" range:"0|1m..24h"`                // nobody has acted for so long; 0s: never
	LastPlayers        int      `toml:"last_players" default:"1" range:"1..23" entry:"last_players"` // players who count as the last
	Adaptive           bool     `toml:"adaptive_latency"`
	Equalise           bool     `toml:"equalise" entry:"equalise"`       // actions wait for the slowest line
	ShareUnits         bool     `toml:"share_units" entry:"share_units"` // of fakes and leavers, with their allies
}

// Votes sets the rules of players' votes.
type Votes struct {
	Percent int `toml:"percent" default:"70" range:"1..100"` // of the asked players who must agree
}

// Results says which results of games count, for statistics and ratings.
type Results struct {
	MinPlayers  int  `toml:"min_players" entry:"results_min_players" range:"0..24"` // at the start, without observers
	LeaversLose bool `toml:"leavers_lose" entry:"leavers_lose"`                     // a player who leaves allies alone in a game that goes on loses
}

// Moderation sets the measures that the host takes by itself against players who spoil games.
type Moderation struct {
	LeaverBan      Duration `toml:"leaver_ban" default:"0s" range:"0s..8760h"` // of a player who leaves allies alone; 0s: nobody is banned
	Warnings       int      `toml:"warnings" default:"3" range:"0..100"`       // the warning that is a ban; 0: none is
	WarningsWithin Span     `toml:"warnings_within" default:"30d"`             // earlier ones do not count
	WarningBan     Span     `toml:"warning_ban" default:"7d"`
	CountryFile    string   `toml:"country_file"`                                          // .mmdb with the countries of addresses; empty: they are not shown
	UnsafeNames    string   `toml:"unsafe_names" default:"refuse" oneof:"refuse mark off"` // that are taken for an admin's or another player's
}

// Reconnect is the GProxy++ extension: a player who loses the connection
// in a game may come back.
type Reconnect struct {
	Enabled bool     `toml:"enabled" default:"true"`
	Wait    Duration `toml:"wait" default:"3m" range:"1m..10m"` // rounded to whole minutes
	Listen  string   `toml:"listen"`                            // TCP address of its own; empty: host.listen
}

// Watch shows running games to others than their players, from their replays.
type Watch struct {
	Enabled bool     `toml:"enabled"`
	Delay   Duration `toml:"delay" default:"2m" range:"1m..1h"`      // how far behind
	Most    int      `toml:"most" default:"50" range:"1..1000"`      // viewers of a game
	All     int      `toml:"most_all" default:"500" range:"1..5000"` // viewers of all games
}

// Autohost keeps lobbies coming.
type Autohost struct {
	Lobbies  int `toml:"lobbies" default:"1" range:"0..1000" entry:"lobbies"`         // open at the same time
	MaxGames int `toml:"max_games" default:"100" range:"1..100000" entry:"max_games"` // running at the same time
}

// PlayerHosting lets players of realms open lobbies with the commands host, pub and priv.
type PlayerHosting struct {
	Enabled   bool     `toml:"enabled"`
	PerPerson int      `toml:"per_person" default:"1" range:"1..100"` // lobbies and games at the same time
	Maps      []string `toml:"maps" range:"1..250"`                   // parts of the names of files that they may choose; none: all
}

// LAN is the UDP discovery.
type LAN struct {
	Enabled       bool           `toml:"enabled" default:"true"`
	Port          int            `toml:"port" default:"6112" range:"1..65535"`
	Broadcast     []string       `toml:"broadcast" default:"255.255.255.255"`
	Targets       []string       `toml:"targets"`
	PushInfo      bool           `toml:"push_info"` // 0x30 to the targets with every 0x32
	BroadcastInfo bool           `toml:"broadcast_info"`
	Versions      []w3gs.Version `toml:"versions" entry:"versions"` // further ones, besides host.version; an entry with a version of its own begins with none
}

// Maps is where map files and the game's scripts are.
type Maps struct {
	Dir     string `toml:"dir" default:"maps"`
	Scripts string `toml:"scripts" default:"scripts"`
}

// Saves is where saved games are.
type Saves struct {
	Dir string `toml:"dir" default:"saves" range:"1..4096"`
}

// Transfer is the map download.
type Transfer struct {
	Mode           string   `toml:"mode" default:"on" entry:"downloads" oneof:"on off ask"`
	TotalRate      ByteRate `toml:"total_rate"`
	PlayerRate     ByteRate `toml:"player_rate" entry:"player_rate"`
	MaxDownloaders int      `toml:"max_downloaders" range:"0..10000" entry:"max_downloaders"`
	NoMapWait      Duration `toml:"no_map_wait" default:"0s" range:"0s..1h" entry:"no_map_wait"` // of a player who may not download
	Timeout        Duration `toml:"download_timeout" default:"10m" range:"10s..24h" entry:"download_timeout"`
}

// Replays is the recording of games.
type Replays struct {
	Enabled   bool      `toml:"enabled" default:"true"`
	Dir       string    `toml:"dir" default:"replays" range:"1..4096"`
	Name      string    `toml:"name" default:"{date} {time} {game} ({id})"` // template of the files' names
	KeepDays  int       `toml:"keep_days" range:"0..36500"`                 // 0 for ever
	KeepBytes ByteCount `toml:"keep_bytes" default:"10 GB"`                 // of all replays together
}

// Database is the game log.
type Database struct {
	URL         string `toml:"url"`   // empty: SQLite in host.data_dir
	Spool       string `toml:"spool"` // empty: in host.data_dir
	HostName    string `toml:"host_name"`
	RequireBans bool   `toml:"require_bans"` // nobody joins while the list of bans is not known

	// How long things are kept: longer than any game, so that nothing of a running one is removed. See docs/privacy.md.
	KeepChat      Span `toml:"keep_chat" range:"0|1d.."`
	KeepAddresses Span `toml:"keep_addresses" range:"0|1d.."`
	KeepGames     Span `toml:"keep_games" range:"0|1d.."`
	KeepAudit     Span `toml:"keep_audit" range:"0|1d.."`
}

// Fleet sets the rules of hosts that share a database.
type Fleet struct {
	Enabled  bool `toml:"enabled"`                      // an entry has its lobbies once, on whichever host
	MaxGames int  `toml:"max_games" range:"0..1000000"` // lobbies and games of all hosts; 0: no limit
	Agones   bool `toml:"agones"`                       // report the state of the host to the sidecar of Agones
}

// Limits protect the host from its visitors.
type Limits struct {
	LobbyTimeout   Duration `toml:"lobby_timeout" default:"1m" range:"15s..24h"`     // without any packet while in a lobby
	LoadTimeout    Duration `toml:"load_timeout" default:"5m" range:"1s..24h"`       // for loading the map
	Unjoined       int      `toml:"unjoined" default:"1024" range:"1..1048576"`      // connections without a seat, in all
	UnjoinedPerIP  int      `toml:"unjoined_per_ip" default:"48" range:"1..1048576"` // the same from one address
	JoinsPerMinute int      `toml:"joins_per_minute_per_ip" default:"60" range:"1..1048576"`
	SeatsPerIP     int      `toml:"seats_per_ip" default:"48" range:"0..100000"`         // in lobbies and games; 0: no limit
	GamesPerIP     int      `toml:"games_per_ip" default:"8" range:"0..100000"`          // with such a seat; 0: no limit
	ShareOfLobby   int      `toml:"share_of_lobby" default:"50" range:"0..100"`          // percent of the slots of a public lobby for one address; 0: no limit
	LobbyLeaves    int      `toml:"lobby_leaves" default:"10" range:"0..1000"`           // by one name at one address; 0: no limit
	PacketRate     int      `toml:"packet_rate" default:"200" range:"50..1048576"`       // packets a second from a player, without acknowledgements of map parts
	ActionRate     int      `toml:"action_kib_per_second" default:"16" range:"1..65536"` // KiB of actions that one player may add to turns; four times as much at once
	CommandBurst   int      `toml:"command_burst" default:"5" range:"0..1000"`           // commands that a player may give at once
	Exempt         []string `toml:"exempt" default:"127.0.0.0/8,::1/128"`                // networks without the per-address limits
	Shutdown       Duration `toml:"shutdown_timeout" default:"2s" range:"100ms..1m"`
}

// Control is how the host is commanded from its machine.
type Control struct {
	Console bool `toml:"console" default:"true"` // standard input
}

// Web is the web console, an HTTP server.
type Web struct {
	Enabled  bool      `toml:"enabled" default:"true"`
	Listen   string    `toml:"listen" default:"127.0.0.1:6180"`
	Public   string    `toml:"public_listen"`        // TCP address of what everybody may see, and no more; empty: none
	Metrics  string    `toml:"metrics_listen"`       // TCP address of /metrics without a log-in; empty: none
	Hosts    []string  `toml:"hosts" range:"1..253"` // names by which browsers ask for it
	Proxies  []string  `toml:"trusted_proxies"`      // networks whose X-Forwarded-For and X-Forwarded-Proto are believed
	BasePath string    `toml:"base_path"`            // below which a proxy shows it
	Cert     string    `toml:"tls_cert"`
	Key      string    `toml:"tls_key"`
	Autocert bool      `toml:"autocert"`                     // a certificate for hosts, by ACME
	Insecure bool      `toml:"insecure"`                     // plain HTTP beyond this machine
	Upload   ByteCount `toml:"upload_max" default:"128 MiB"` // of a map that a browser or program brings
}

// Public is the site for the community, see docs/site.md.
type Public struct {
	Name    string `toml:"name" default:"w3host" range:"1..60"` // of the community
	URL     string `toml:"url" range:"0..250"`                  // by which visitors reach it; empty: no link previews
	Address string `toml:"play_address" range:"0..250"`         // that players give to w3host lan play; empty: not shown
	LAN     bool   `toml:"lan"`                                 // names that no realm has confirmed are shown, too
	Index   bool   `toml:"index" default:"true"`                // search engines may list it
}

// Log sets the level and the form of the program's log.
type Log struct {
	Level        string `toml:"level" default:"info" oneof:"debug info warn error"`
	JSON         bool   `toml:"json"`
	KeepJournals string `toml:"keep_journals" default:"faults" oneof:"faults all none"` // the inputs of games
}
