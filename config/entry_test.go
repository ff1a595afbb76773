package config

import (
	"fmt"
	"strings"
	"testing"
)

// load reads a configuration file with this text.
func load(t *testing.T, text string) (Config, error) {
	t.Helper()
	c, err := Load(write(t, text), nil)
	if err == nil {
		err = c.Validate()
	}
	return c, err
}

// TestEntries: an entry has what it sets, and the rest from the sections.
func TestEntries(t *testing.T) {
	c, err := load(t, `
[lobby]
min_players = 2
welcome = ["hello"]
[transfer]
player_rate = "1 MB"
[[autohost]]
name = "a {n}"
maps = ["x", "y/"]
weights = [3, 1]
rotation = "random"
hours = ["18:00-02:00"]
start_ready = true
min_players = 4
max_downloaders = 3
[[autohost]]
name = "b"
map = "z"
downloads = "ask"
player_rate = "100 KB"
welcome = []
`)
	if err != nil {
		t.Fatal(err)
	}
	a, b := c.Entries()[0], c.Entries()[1]
	if !a.Lobby.StartReady || a.Lobby.MinPlayers != 4 || a.Transfer.MaxDownloaders != 3 || a.Transfer.PlayerRate != 1e6 || len(a.Lobby.Welcome) != 1 || len(a.Choices()) != 2 {
		t.Errorf("%+v", a)
	}
	if b.Lobby.StartReady || b.Lobby.MinPlayers != 2 || b.Transfer.Mode != "ask" || b.Transfer.PlayerRate != 1e5 || len(b.Lobby.Welcome) != 0 || b.Choices()[0] != "z" {
		t.Errorf("%+v", b)
	}
	if c.Lobby.StartReady || c.Transfer.MaxDownloaders == 3 {
		t.Errorf("the entry changes the sections: %+v", c.Lobby)
	}
}

// TestVersionsOfEntries: an entry with a version of its own has none of lan.versions.
func TestVersionsOfEntries(t *testing.T) {
	c, err := load(t, `
[lan]
versions = ["1.27"]
[[autohost]]
name = "both"
[[autohost]]
name = "other"
version = "1.36"
[[autohost]]
name = "same"
version = "1.26"
[[autohost]]
name = "more"
version = "1.34"
versions = ["1.33"]
crossplay = true
`)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"[1.26 1.27]", "[1.36]", "[1.26]", "[1.34 1.33]"} {
		if got := fmt.Sprint(c.Entries()[i].Seen()); got != want {
			t.Errorf("entry %d is for %s, want %s", i+1, got, want)
		}
	}
	if got := fmt.Sprint(c.Versions()); got != "[1.26 1.27 1.36 1.34 1.33]" {
		t.Errorf("lobbies are for %s", got)
	}
}

// TestFaultsOfEntries: each has the number of its entry, its key, and the way out.
func TestFaultsOfEntries(t *testing.T) {
	for text, want := range map[string]string{
		`rotatoin = "x"`:      `unknown key "rotatoin" in autohost entry 1; did you mean "rotation"?`,
		`versions = ["1.40"]`: `autohost entry 1: versions = 1.40: must be from 1.07 to 1.36, 2.0 or 3.0`,
		`versions = ["1.36"]`: `autohost entry 1: versions = 1.36: cannot share lobbies with host.version = 1.26`,
		`version = "1.40"`:    `autohost entry 1: version = 1.40: must be from 1.07 to 1.36, 2.0 or 3.0`,
		`version = "new"`:     `autohost entry 1: version = new: "new" is not a game version: write it as 26, 1.26, 2.0 or 3.0`,
		`version = "1.36"
versions = ["1.26", "1.35"]`: `autohost entry 1: versions = 1.26: cannot share lobbies with version = 1.36: its clients compute another checksum ` +
			`for the same map, or speak other packets. An [[autohost]] of its own with version = "1.26" shows them lobbies beside these`,
		`hide_names = "sometimes"`: `autohost entry 1: hide_names = sometimes: write true, false or "always"`,
		`crossplay = true`:         `autohost entry 1: crossplay = true: has no effect without further versions: write them into versions`,
		`lobbies = "two"`:          `autohost entry 1: lobbies = two: `,
		`max_games = 0`:            `autohost entry 1: max_games = 0: must be from 1 to 100000`,
		`rotation = "wild"`:        `rotation = "wild": must be one of order, random, vote`,
		`hours = ["18-2"]`:         `hours = "18-2": must be a span of hours, for example 18:00-02:00`,
		`map = "a"
maps = ["b"]`: `map = "a": must not be there beside maps`,

		"require_gproxy = true\n[reconnect]\nenabled = false": `autohost entry 1: require_gproxy = true: lets nobody in while reconnect.enabled = false: proxies are not answered`,

		`maps = ["a", "b"]
rotation = "random"
weights = [1]`: `weights = [1]: must have a number for each of the 2 maps`,
		`maps = ["a"]
weights = [1]`: `weights = [1]: has no effect with rotation = "order"`,
		`maps = ["a"]
rotation = "vote"
weights = [0]`: `weights = [0]: leaves no map`,
		`maps = ["a"]
rotation = "vote"
weights = [-1]`: `weights = -1: must be from 0 to 1000`,
		`autostart = 2
min_players = 3`: `autostart = 2: must not be below min_players = 3`,
		`autostart = -1
start_ready = true`: `start_ready = true: has no effect where nothing starts by itself: set autostart or start_after`,
		`autostart = -1
start_balanced = true`: `start_balanced = true: has no effect`,
		`ping_limit = "1ms"`:                       `ping_limit = 1ms: must be from 20ms to 1m0s`,
		`idle_after = "1ms"`:                       `idle_after = 1ms: must be from 1s to 24h0m0s`,
		`downloads = "yes"`:                        `downloads = "yes": must be one of on, off, ask`,
		`max_downloaders = -1`:                     `max_downloaders = -1: must be from 0 to 10000`,
		`download_timeout = "1s"`:                  `download_timeout = 1s: must be from 10s`,
		`latency = "1s"`:                           `latency = 1s: must be from 20ms to 500ms`,
		`observers = "some"`:                       `observers = "some": must be one of`,
		`reserved = [""]`:                          `reserved = "": must have from 1`,
		"[autohost]":                               `Write either [autohost] or [[autohost]] entries, not both`,
		"[[autohost]]":                             `autohost entry 2: name = "w3host game": entry 1 has the same`,
		`name = "` + strings.Repeat("x", 60) + `"`: `name = `,
	} {
		_, err := load(t, "[[autohost]]\n"+text+"\n")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v\nwant %s", text, err, want)
		}
	}
}

// TestOwnersOfEntries: the lobbies of an [[autohost]] have an owner only where the file or the environment sets one; those
// of [autohost] belong to the first player.
func TestOwnersOfEntries(t *testing.T) {
	for text, want := range map[string]string{
		"[autohost]\nlobbies = 2": "first",
		"[[autohost]]\nname = \"a\"\n[[autohost]]\nname = \"b\"\nowner = \"first\"": " first",
		"[lobby]\nowner = \"Boss\"\n[[autohost]]\nname = \"a\"":                     "Boss",
		"[lobby]\nowner = \"first\"\n[[autohost]]\nname = \"a\"":                    "first",
	} {
		c, err := load(t, text)
		if err != nil {
			t.Fatal(err)
		}
		var owners []string
		for _, e := range c.Entries() {
			owners = append(owners, e.Lobby.Owner)
		}
		if got := strings.Join(owners, " "); got != want {
			t.Errorf("%s: owners %q, want %q", text, got, want)
		}
	}
	c, err := load(t, "[lobby]\nautostart = -1\n[[autohost]]\nname = \"a\"\n[[autohost]]\nname = \"b\"\nstart_after = \"1m\"\nmin_players = 2")
	if err != nil {
		t.Fatal(err)
	}
	if all := c.Entries(); !all[0].Unstartable() || all[1].Unstartable() {
		t.Errorf("unstartable: %v, %v", all[0].Unstartable(), all[1].Unstartable())
	}
}
