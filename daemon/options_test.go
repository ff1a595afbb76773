package daemon

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"w3host/config"
)

// TestKeysReachTheHost: each key of these sections changes what the host, or a
// game, is made from.
func TestKeysReachTheHost(t *testing.T) {
	words := map[string]string{
		"lobby.observers": "on", "lobby.speed": "slow", "lobby.visibility": "explored", "lobby.language": "zh",
		"lobby.same_address": "refuse", "lobby.hide_names": "true", "transfer.mode": "off", "reconnect.listen": "127.0.0.1:7000", "game.lag_limit": "4s",
	}
	elsewhere := []string{"lobby.name", "lobby.map", "lobby.lan_admins", "autohost.lobbies"} // read for entries, maps and lists
	sections := []string{"lobby", "game", "votes", "transfer", "reconnect", "limits"}
	made := func(c config.Config) string {
		o := hostOptions(c, "v1", zerolog.Nop())
		o.Autohost.Entries = nil // they repeat the sections
		return fmt.Sprintf("%+v %s", o, returnListen(c.Reconnect))
	}
	plain := made(config.Default())
	for key, value := range config.Default().Values() {
		if section, _, _ := strings.Cut(key, "."); !slices.Contains(sections, section) || slices.Contains(elsewhere, key) {
			continue
		}
		other := words[key]
		switch {
		case other != "":
		case reflect.ValueOf(value).Kind() == reflect.Bool:
			other = fmt.Sprint(!reflect.ValueOf(value).Bool())
		default:
			for _, text := range []string{"3", "60", "7m", "45s", "200ms", "8 MB", "10.0.0.0/8"} {
				c := config.Default()
				if c.Set(key, text) == nil && c.Validate() == nil {
					other = text
					break
				}
			}
		}
		c := config.Default()
		if err := c.Set(key, other); err != nil {
			t.Fatalf("%s = %q: %v", key, other, err)
		}
		if made(c) == plain {
			t.Errorf("%s = %q has no effect", key, other)
		}
	}
}

// TestLagLimit: the limit is a time, and without a setting that of the version, also in an entry.
func TestLagLimit(t *testing.T) {
	for text, want := range map[string]int{
		"":                                50,
		"[host]\nversion = \"1.31\"":      50,
		"[host]\nversion = \"1.36\"":      30,
		"[[autohost]]\nversion = \"3.0\"": 30,
		"[game]\nlag_limit = \"2s\"":      20,
		"[game]\nlag_limit = \"1150ms\"":  12,
		"[game]\nsync_limit = 7":          7,
		"[game]\nlatency = \"20ms\"":      50,
		"[game]\nlag_limit = \"20s\"\n[host]\nversion = \"2.0\"": 200,
	} {
		c, err := configOf(t, text)
		if err != nil {
			t.Fatal(err)
		}
		if got := hostEntry(&c.Entries()[0], "v1").Setup.Turns.SyncLimit; got != want {
			t.Errorf("%q: %d turns of 100 ms, want %d", text, got, want)
		}
	}
}

// TestAutostart: -1 never, 0 when every slot is taken.
func TestAutostart(t *testing.T) {
	for n, want := range map[int]string{-1: "0 false", 0: "0 true", 5: "5 false"} {
		c := config.Default()
		c.Lobby.Autostart = n
		if l := lobbyConfig(c); fmt.Sprint(l.Start.Humans, l.Start.Full) != want {
			t.Errorf("autostart = %d: %d players, when full: %v", n, l.Start.Humans, l.Start.Full)
		}
	}
}

func TestOwner(t *testing.T) {
	for owner, want := range map[string]string{"first": " true", "Bob": "Bob false", "Bob@Home": "Bob Home false", "": " false"} {
		c := config.Default()
		c.Lobby.Owner = owner
		l := lobbyConfig(c)
		if got := strings.TrimSpace(l.Owner.Name+" "+l.Owner.Realm) + " " + fmt.Sprint(l.Owner.First); got != want {
			t.Errorf("owner = %q: %q, want %q", owner, got, want)
		}
	}
}
