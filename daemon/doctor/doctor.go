// Package doctor checks whether a host can run on this machine with a configuration, and suggests a remedy for each
// fault. Examine reports one Finding per check; `w3host doctor` and the web console call it. It changes nothing on the
// machine.
package doctor

import (
	"context"
	"fmt"
	"time"

	"w3host/config"
	"w3host/daemon"
	"w3host/internal/openfiles"
)

// patience is the time limit of each check.
const patience = 3 * time.Second

// Finding is the result of one check.
type Finding struct {
	What   string
	Detail string // what was found
	Remedy string // what to do about it; a finding with a remedy is a fault
}

func fine(format string, args ...any) Finding {
	return Finding{Detail: fmt.Sprintf(format, args...)}
}

func (f Finding) but(remedy string, args ...any) Finding {
	f.Remedy = fmt.Sprintf(remedy, args...)
	return f
}

// check is one check with its name.
type check struct {
	what string
	look func(context.Context, config.Config) Finding
}

// Examine runs all checks, in the order in which a starting host depends on them, and reports each finding. With ask it
// also logs on to the realms. It returns only the error of ctx.
func Examine(ctx context.Context, c config.Config, ask bool, report func(Finding)) error {
	c.Host.Listen = daemon.FirstPort(c.Host.Listen)
	checks := []check{{"clock", checkClock}, {"open files", checkFiles}, {"scripts", checkScripts}}
	for _, e := range c.Entries() {
		checks = append(checks, check{fmt.Sprintf("map of %q", e.Lobby.Name), checkMaps(e)})
		if e.Unstartable() {
			checks = append(checks, check{fmt.Sprintf("start of %q", e.Lobby.Name), checkStart})
		}
	}
	checks = append(checks, check{"maps folder", checkMapsFolder}, check{"TCP port", checkListen}, check{"UDP port", checkLANPort},
		check{"UDP port of 3.0", checkLocalPort}, check{"broadcast", checkBroadcasts}, check{"multicast DNS", checkMulticast}, check{"database", checkDatabase}, check{"spool", checkSpool}, check{"replays", checkReplays})
	if c.Fleet.Enabled {
		checks = append(checks, check{"fleet", checkFleet})
	}
	if c.Moderation.CountryFile != "" {
		checks = append(checks, check{"countries", checkCountries})
	}
	for _, r := range c.Realms {
		checks = append(checks, check{"realm " + r.Name, checkRealm(r, ask)})
	}
	for _, check := range checks {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		limited, stop := context.WithTimeout(ctx, patience)
		f := check.look(limited, c)
		stop()
		f.What = check.what
		report(f)
	}
	return nil
}

// checkStart returns the finding about an entry whose lobbies never start automatically and have no owner.
func checkStart(context.Context, config.Config) Finding {
	return fine("its lobbies have no owner and never start automatically; only admins and votes can start them").
		but("set autostart, start_after or owner in the [[autohost]] entry")
}

// checkClock detects a clock that is not set or that jumps, because stored times and the ends of bans depend on it.
func checkClock(context.Context, config.Config) Finding {
	const remedy = "set the clock and enable NTP (timedatectl set-ntp true)"
	now := time.Now()
	if now.Year() < 2025 || now.Year() > 2100 {
		return fine("the clock shows %s", now.Format(time.DateTime)).but(remedy)
	}
	time.Sleep(50 * time.Millisecond)
	then := time.Now()
	if jump := then.Round(0).Sub(now.Round(0)) - then.Sub(now); jump.Abs() > time.Second {
		return fine("the clock jumped by %v within %v", jump, then.Sub(now)).but(remedy)
	}
	return fine("%s", now.Format("2006-01-02 15:04:05 MST"))
}

// checkFiles compares the limit of open files with the needs of the configured games: one per player, and some more.
func checkFiles(_ context.Context, c config.Config) Finding {
	slots := 0
	for _, v := range c.Versions() {
		slots = max(slots, v.Slots())
	}
	need := uint64((c.Autohost.MaxGames+c.Autohost.Lobbies)*slots + c.Limits.Unjoined + 100)
	most, known := openfiles.Limit()
	if !known {
		return fine("this system has no such limit")
	}
	if most < need {
		return fine("the limit is %d; %d games, %d lobbies and %d visitors can need %d", most, c.Autohost.MaxGames, c.Autohost.Lobbies, c.Limits.Unjoined, need).
			but("use ulimit -n %d, LimitNOFILE=%d in the systemd unit, or a lower autohost.max_games", need, need)
	}
	return fine("the limit is %d; at most %d are needed", most, need)
}
