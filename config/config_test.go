package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

func TestExampleIsTheDefaults(t *testing.T) {
	example, err := Load(filepath.Join("..", "config.toml.example"), nil)
	if err != nil {
		t.Fatal(err)
	}
	example.File = ""
	if !reflect.DeepEqual(example, Default()) {
		t.Errorf("config.toml.example differs from Default():\n%+v\n%+v", example, Default())
	}
	text, err := os.ReadFile(filepath.Join("..", "config.toml.example"))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range Keys() {
		_, name, _ := strings.Cut(key, ".")
		if !strings.Contains(string(text), "\n"+name+" = ") && key != ownerKey { // which is not set, or entries would have it, too
			t.Errorf("config.toml.example does not show %s", key)
		}
	}
}

func TestDefaultsAreValid(t *testing.T) {
	c := Default()
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
}

func TestOrderOfSources(t *testing.T) {
	path := write(t, "[game]\nlatency = \"80ms\"\nlag_limit = \"7s\"\n")
	c, err := Load(path, []string{"W3HOST_GAME_LATENCY=60ms", "W3HOST_LAN_BROADCAST=10.0.0.255, 10.1.0.255:6113", "W3HOST_LOBBY_LAN_ADMINS=true", "W3HOST_LAN_VERSIONS=24, 27", "OTHER=1"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Game.Latency.D() != 60*time.Millisecond || c.Game.LagLimit.D() != 7*time.Second || c.Game.DropAfter.D() != time.Minute {
		t.Errorf("got %+v", c.Game)
	}
	if !c.Lobby.LANAdmins || Default().Lobby.LANAdmins {
		t.Error("lobby.lan_admins must be off until somebody sets it")
	}
	if want := []string{"10.0.0.255", "10.1.0.255:6113"}; !reflect.DeepEqual(c.LAN.Broadcast, want) {
		t.Errorf("broadcast = %q", c.LAN.Broadcast)
	}
	if want := []w3gs.Version{24, 27}; !reflect.DeepEqual(c.LAN.Versions, want) {
		t.Errorf("versions = %v", c.LAN.Versions)
	}
}

// TestOldSyncLimit: the old name of game.lag_limit takes turns of 100 ms, from files and the environment.
func TestOldSyncLimit(t *testing.T) {
	file, env := "[game]\nsync_limit = 30\n", "W3HOST_GAME_SYNC_LIMIT=12"
	for want, from := range map[int][2]string{30: {file}, 12: {file, env}, 0: {"[game]\nlag_limit = \"20s\"\n"}} {
		c, err := Load(write(t, from[0]), from[1:])
		if err := errors.Join(err, c.Validate()); err != nil || c.Game.SyncLimit != want {
			t.Errorf("%q: %d turns, want %d: %v", from, c.Game.SyncLimit, want, err)
		}
	}
	for want, from := range map[string][2]string{
		"game.sync_limit = 30: is the old name of game.lag_limit": {file + "lag_limit = \"2s\"\n"},
		"game.sync_limit = 1: must be from 2 to 10000":            {"", "W3HOST_GAME_SYNC_LIMIT=1"},
		"game.lag_limit = 900ms: must be from 1s to 20s":          {"[game]\nlag_limit = \"900ms\"\n"},
		"game.lag_limit = 21s: must be from 1s to 20s":            {"[game]\nlag_limit = \"21s\"\n"},
	} {
		c, err := Load(write(t, from[0]), from[1:])
		if err := errors.Join(err, c.Validate()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", from, err)
		}
	}
}

// One run names every fault: key, value and remedy.
func TestAllFaultsAtOnce(t *testing.T) {
	path := write(t, `
speed = "fast"
[game]
latencyy = "80ms"
sync_limit = "many"
latency = "fast"
drop_after = 100
[lans]
enabled = true
[transfer]
total_rate = "quick"
[limits]
exempt = "10.0.0.0/8"
`)
	_, err := Load(path, []string{"W3HOST_LAN_PROT=6112", "W3HOST_LOG_JSON=maybe"})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		`unknown key "speed"; did you mean`,
		`unknown key "game.latencyy"; did you mean "game.latency"`,
		`game.sync_limit = many: write a whole number`,
		`game.latency = fast: "fast" is not a duration; write a number and a unit`,
		`game.drop_after = 100: a duration needs a unit and quotes: "100ms" or "100s"`,
		`unknown key "lans"; did you mean "lan.`,
		`transfer.total_rate = quick: "quick" is not a rate; write "unlimited"`,
		`limits.exempt = 10.0.0.0/8: write a list of texts`,
		`W3HOST_LAN_PROT is not a setting; did you mean W3HOST_LAN_PORT?`,
		`W3HOST_LOG_JSON=maybe: write true or false`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("missing %q in:\n%v", want, err)
		}
	}
}

// TestRemovedKeys reads keys of features that are gone: the message says why, and what to do.
func TestRemovedKeys(t *testing.T) {
	for text, want := range map[string]string{
		"[return]\nenabled = true\n":                              `"return" is not a setting any more, delete it: players cannot come back with a new client`,
		"[watch]\nseat = true\n":                                  `"watch.seat" is not a setting any more, delete it: with watch.enabled`,
		"[[autohost]]\nwatch_seat = true":                         `"watch_seat" is not a setting any more, delete it: with watch.enabled`,
		"[limits]\nout_queue_kib = 100":                           `"limits.out_queue_kib" is not a setting any more, delete it: 4 MiB may wait`,
		"[[autohost]]\nname = \"x\"\nresults_min_length = \"3m\"": `"results_min_length" is not a setting any more, delete it: a game counts from two minutes on`,
	} {
		if _, err := Load(write(t, text), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	_, err := Load("", []string{"W3HOST_WATCH_SPEED=2"})
	if want := "W3HOST_WATCH_SPEED is not a setting any more, delete it: spectators start"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("environment: %v, want %s", err, want)
	}
}

// Keys that were there once, and whose values are constants now, are refused like others that
// nobody knows.
func TestKeysThatAreConstants(t *testing.T) {
	for _, key := range []string{"web.autocert_directory"} {
		section, name, _ := strings.Cut(key, ".")
		_, err := Load(write(t, fmt.Sprintf("[%s]\n%s = 1\n", section, name)), nil)
		if want := fmt.Sprintf("unknown key %q; did you mean", key); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", key, err, want)
		}
	}
}

func TestSyntaxErrorNamesTheLine(t *testing.T) {
	_, err := Load(write(t, "[game]\nlatency = = 3\n"), nil)
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("got %v", err)
	}
}

func TestMissingFile(t *testing.T) {
	_, err := Load(filepath.Join(t.TempDir(), "none.toml"), nil)
	if err == nil || !strings.Contains(err.Error(), "does not exist; copy config.toml.example") {
		t.Errorf("got %v", err)
	}
}

func TestValidateNamesEveryBadValue(t *testing.T) {
	c := Default()
	c.Host.Listen = "6112"
	c.Host.Product = "W4"
	c.Lobby.Name = strings.Repeat("x", 32)
	c.Game.Latency = Duration(10 * time.Millisecond)
	c.Lobby.Countdown, c.Lobby.Speed, c.Lobby.Rules = 61, "warp", []string{"x", ""}
	c.LAN.Broadcast = []string{"interfaces", "::1"}
	c.LAN.Versions = []w3gs.Version{24, 22, 36, 40}
	c.Limits.Exempt = []string{"here"}
	c.Database.URL = "w3host"
	c.Host.OnStop = "never"
	err := c.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, key := range []string{
		"host.listen", "host.product", "lobby.name", "game.latency = 10ms: must be from 20ms to 500ms",
		"lobby.countdown = 61: must be from 0 to 60", `lobby.speed = "warp": must be one of slow, normal, fast`, `lobby.rules = "": must have`, "lan.broadcast", "lan.versions = 1.22: cannot share", "lan.versions = 1.36: cannot share", "lan.versions = 1.40: must be from 1.07 to 1.36, 2.0 or 3.0", "limits.exempt", "database.url", "host.on_stop",
	} {
		if !strings.Contains(err.Error(), key) {
			t.Errorf("missing %q in:\n%v", key, err)
		}
	}
}

// Games are shown from their replays.
func TestWatchNeedsReplays(t *testing.T) {
	c := Default()
	c.Watch.Enabled, c.Replays.Enabled = true, false
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "watch.enabled = true: needs replays.enabled") {
		t.Error(err)
	}
	if c.Replays.Enabled = true; c.Validate() != nil {
		t.Error(c.Validate())
	}
}

// Hosts cannot share a file: who asks for it is told what can be shared.
func TestFleetNeedsPostgres(t *testing.T) {
	c := Default()
	c.Fleet.Enabled = true
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "fleet.enabled = true: needs Postgres as database.url") {
		t.Error(err)
	}
	if c.Database.URL = "postgres://w3host@db/w3host"; c.Validate() != nil {
		t.Error(c.Validate())
	}
}

func TestByteRate(t *testing.T) {
	for text, want := range map[string]ByteRate{
		"unlimited": 0, "0": 0, "1500": 1500, "500 KB": 500_000, "2MB/s": 2_000_000, "1 MiB": 1 << 20, "1.5 KiB": 1536,
	} {
		var r ByteRate
		if err := r.UnmarshalText([]byte(text)); err != nil || r != want {
			t.Errorf("%q: got %d, %v; want %d", text, r, err, want)
		}
	}
	for _, text := range []string{"", "-1", "KB", "1 QB", "0.2", "2000 TB"} {
		var r ByteRate
		if err := r.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: no error, got %d", text, r)
		}
	}
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// config.toml in the current folder is read where no file is named; a folder of that name
// is what Docker makes of a file that is missing.
func TestFind(t *testing.T) {
	t.Chdir(t.TempDir())
	if got := Find(""); got != "" {
		t.Errorf("found %q in an empty folder", got)
	}
	if err := os.WriteFile(DefaultFile, []byte("[lobby]\nname = \"found\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := Load(Find(""), nil); err != nil || c.Lobby.Name != "found" || c.File != "config.toml" {
		t.Errorf("%q of %q, %v", c.Lobby.Name, c.File, err)
	}
	if got := Find("other.toml"); got != "other.toml" {
		t.Errorf("found %q", got)
	}
	if err := os.Mkdir("folder.toml", 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Load("folder.toml", nil); err == nil || !strings.Contains(err.Error(), "is a folder, which Docker creates") {
		t.Error(err)
	}
}

// A file that only its owner may read does not reach the user of a container.
func TestUnreadableFileNamesTheRemedy(t *testing.T) {
	err := notRead("config.toml", &fs.PathError{Op: "open", Path: "config.toml", Err: fs.ErrPermission})
	if !strings.Contains(err.Error(), "chmod 644 config.toml") {
		t.Error(err)
	}
}

// An address is exempt as the network of it alone.
func TestParseNetwork(t *testing.T) {
	for text, want := range map[string]string{
		"172.18.0.1": "172.18.0.1/32", "::ffff:172.18.0.1": "172.18.0.1/32", "fd00::1": "fd00::1/128",
		"172.16.0.0/12": "172.16.0.0/12", "fe80::1%eth0": "invalid Prefix", "here": "invalid Prefix",
	} {
		if got, err := ParseNetwork(text); got.String() != want || (err != nil) == got.IsValid() {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

// What only a file can have is refused with where to write it.
func TestListsAreNotOfTheEnvironment(t *testing.T) {
	for variable, want := range map[string]string{
		"W3HOST_AUTOHOST_NAME=night":   "an [[autohost]] entry cannot come from the environment or .env; write it into config.toml",
		"W3HOST_AUTOHOST=x":            "an [[autohost]] entry cannot",
		"W3HOST_REALM_ACCOUNT=bot":     "a [[realm]] cannot",
		"W3HOST_COMMANDS_KICK_LEVEL=x": "a [commands.NAME] cannot",
		"W3HOST_AUTOHOST_LOBIES=1":     "did you mean W3HOST_AUTOHOST_LOBBIES?",
		"W3HOST_AUTOHOST_MAX_GAMES=1":  "",
	} {
		_, err := Load("", []string{variable})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", variable, err)
		}
	}
}
