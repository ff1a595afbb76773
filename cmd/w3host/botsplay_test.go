package main

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/control"
	"w3host/daemon"
	"w3host/daemon/logging"

	"w3host/internal/testkit"
	"w3host/internal/tier"
)

// The first thing a newcomer tries: any number of bots that fits plays a game
// at a host with default settings, which they find by a search.
func TestBotsPlayAtADefaultHost(t *testing.T) {
	t.Parallel()
	for _, players := range []int{1, 3, 10, 12} {
		t.Run(fmt.Sprint(players), func(t *testing.T) {
			t.Parallel()
			var stdout, stderr testkit.Log
			line := fmt.Sprintf("--addr %s --players %d --minutes 0.01 --patience 60s", defaultHost(t), players)
			code := run(t.Context(), append([]string{"bots"}, strings.Fields(line)...), nil, &stdout, &stderr)
			want := "verdict       all went well: "
			if players > 10 {
				want = "use --players 10"
			}
			if (code == exitOK) != (players <= 10) || !strings.Contains(stdout.String(), want) {
				t.Errorf("exit %d:\n%s%s", code, stdout.String(), stderr.String())
			}
		})
	}
}

// By default players join by IPv4 and IPv6.
func TestPlayersOfIPv6(t *testing.T) {
	tier.All(t, "plays games in real time")
	t.Parallel()
	if l, err := net.Listen("tcp", "[::1]:0"); err != nil {
		t.Skip("no IPv6 here:", err)
	} else {
		l.Close()
	}
	at := hostAs(t, t.TempDir(), func(c *config.Config) { c.Host.Listen, c.LAN.Enabled = ":0", false })
	for i, addr := range []string{"[::1]", "127.0.0.1"} {
		var stdout, stderr testkit.Log
		line := fmt.Sprintf("--players 2 --minutes 0.01 --patience 60s --game %d --addr %s%s", i+1, addr, at)
		if code := run(t.Context(), append([]string{"bots"}, strings.Fields(line)...), nil, &stdout, &stderr); code != exitOK {
			t.Errorf("%s: exit %d:\n%s%s", addr, code, stdout.String(), stderr.String())
		}
	}
}

// defaultHost runs a host with default settings until the test ends, but with a
// short countdown, in a folder and at ports of its own, and for this machine.
func defaultHost(t *testing.T) (addr string) { return hostIn(t, t.TempDir()) }

// hostIn is defaultHost with its files in a folder.
func hostIn(t *testing.T, dir string) (addr string) { return hostAs(t, dir, func(*config.Config) {}) }

// hostAs is hostIn with other settings.
func hostAs(t *testing.T, dir string, set func(*config.Config)) (addr string) {
	t.Helper()
	c := config.Default()
	c.Host.Listen, c.LAN.Port, c.LAN.Broadcast = "127.0.0.1:0", int(testkit.FreePort(t)), nil
	c.Lobby.Countdown = 1
	c.Host.DataDir, c.Replays.Dir = dir, filepath.Join(dir, "replays")
	set(&c)
	var log testkit.Log
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- daemon.Run(ctx, daemon.Options{Config: c, Console: new(control.Console), Log: logging.ForPeople(&log, zerolog.InfoLevel)})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("%v:\n%s", err, log.String())
		}
	})
	addr = log.Await(t, `hosting on (\S+)`)
	log.Await(t, `(#1) lobby`)
	return addr
}
