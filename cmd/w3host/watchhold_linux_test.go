package main

import (
	"context"
	"net/netip"
	"syscall"
	"testing"
	"time"

	"w3host/bots"
	"w3host/internal/testkit"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
)

// TestShownAfterTakeOver: a game that another process has gone on with is shown again, under the same
// name, with the same map, from its replay that is written anew; also by a standby, and after an upgrade.
func TestShownAfterTakeOver(t *testing.T) {
	t.Parallel()
	for _, standby := range []string{"off", "on"} {
		t.Run("standby "+standby, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			p, pidFile := startHold(t, dir, "W3HOST_HOST_STANDBY="+standby, "W3HOST_WATCH_ENABLED=true")
			ctx, leave := context.WithCancel(t.Context())
			done := make(chan bots.Report, 1)
			go func() {
				report, err := bots.Run(ctx, bots.Options{
					Addr: p.addr, Players: 4, NoStart: true, OwnAddresses: true, LoadTime: 200 * time.Millisecond,
					Play: 2 * time.Minute, Actions: 20, ActionBytes: 200,
				})
				if err != nil {
					t.Error(err)
				}
				done <- report
			}()
			shown := func(times int) w3gs.GameInfo {
				testkit.Eventually(t, "the game is shown", func() bool { return p.count("the game can be watched") == times })
				info := watched(t, p.addr)
				if check := greeted(t, p.addr, info); check.Path != info.Stat.MapPath || check.Checksum != info.Stat.Checksum {
					t.Errorf("who watches is asked for %+v, listed is %+v", check, info.Stat)
				}
				info.EntryKey, info.UptimeSeconds = 0, 0
				return info
			}
			first := shown(1)
			pid, err := hostOf(pidFile)
			if err != nil {
				t.Fatal(err)
			}
			if standby == "on" {
				testkit.Eventually(t, "the standby is ready", func() bool { return p.count("ready to take over from the running host") > 0 })
			}
			_ = syscall.Kill(pid, syscall.SIGKILL)
			if second := shown(2); second != first {
				t.Errorf("first it is listed as %+v\nthen as %+v", first, second)
			}
			if standby == "off" {
				upgrade(t, dir, pidFile, "")
				if third := shown(3); third != first {
					t.Errorf("first it is listed as %+v\nbehind an upgrade as %+v", first, third)
				}
			}
			leave()
			if report := <-done; !report.OK {
				t.Error(report.Verdict())
			}
			stopHold(t, p)
		})
	}
}

// watched is the game that the host at an address shows.
func watched(t *testing.T, addr string) (info w3gs.GameInfo) {
	t.Helper()
	testkit.Eventually(t, "it is in the list", func() bool {
		c := testkit.Dial(t, netip.MustParseAddrPort(addr))
		c.Send(gproxy.List{Format: gproxy.ListFormat}.AppendTo(nil))
		for {
			frame, err := c.Take(time.Second)
			if err != nil || frame[0] == gproxy.Magic {
				return false
			}
			if err := info.Decode(frame.Body()); err == nil && len(info.Name) > 8 && info.Name[:8] == "[watch] " {
				return true
			}
		}
	})
	return info
}

// greeted is the map that who watches a game is asked for.
func greeted(t *testing.T, addr string, info w3gs.GameInfo) (check w3gs.MapCheck) {
	t.Helper()
	c := testkit.Dial(t, netip.MustParseAddrPort(addr))
	join := w3gs.ReqJoin{GameID: info.GameID, EntryKey: info.EntryKey, ListenPort: 6112, JoinCounter: 1, Name: "Fan", Extra: []byte{0}}
	if err := c.Tell(&join); err != nil {
		t.Fatal(err)
	}
	for {
		frame, err := c.Take(10 * time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if frame.Op() == w3gs.OpMapCheck {
			if err := check.Decode(frame.Body()); err != nil {
				t.Fatal(err)
			}
			return check
		}
	}
}
