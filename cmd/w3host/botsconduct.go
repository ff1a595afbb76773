package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"w3host/bots"
)

// misconduct holds the flags that make some bots misbehave, leave, download or use a GProxy: how many bots per game, and
// when.
type misconduct struct {
	desync, stall, garbage, neverRead, leavers, downloaders int

	stallAfter, stallFor, leaveAfter, ackDelay time.Duration
	stallAt, leaveAt                           int
	download                                   string
	refuse                                     float64
	ackSizes, everywhere                       bool

	gproxy, gproxyExtended int
	cut                    bots.ProxyConduct
}

func (m *misconduct) addTo(fs *pflag.FlagSet) {
	fs.IntVar(&m.desync, "desync", 0, "`K` bots answer turns with a wrong hash")
	fs.IntVar(&m.stall, "stall", 0, "`K` bots stop reading for --stall-for")
	fs.DurationVar(&m.stallFor, "stall-for", 10*time.Second, "how long a stall lasts")
	fs.DurationVar(&m.stallAfter, "stall-after", 5*time.Second, "when a stall begins, from the first turn")
	fs.IntVar(&m.garbage, "garbage", 0, "`K` bots send invalid packets, five seconds into the game")
	fs.IntVar(&m.neverRead, "never-read", 0, "`K` bots stop reading once the game has started")
	fs.DurationVar(&m.leaveAfter, "leave-after", 0, "--leavers bots leave this long after the first turn")
	fs.IntVar(&m.leavers, "leavers", 1, "`K` bots leave after --leave-after")
	fs.StringVar(&m.download, "download", "", "pretend not to have the map: download it into this `directory` and verify it")
	fs.IntVar(&m.downloaders, "downloaders", 0, "only the first `K` bots download; 0 means all")
	fs.Float64Var(&m.refuse, "refuse-parts", 0, "`fraction` of the map parts that downloaders refuse, such as 0.01")
	fs.DurationVar(&m.ackDelay, "ack-delay", 0, "delay before downloaders acknowledge a map part")
	fs.BoolVar(&m.ackSizes, "ack-sizes", false, "downloaders acknowledge with 0x42 instead of 0x44")
	fs.IntVar(&m.stallAt, "stall-at-percent", 0, "the first downloader stops reading for --stall-for at this percentage")
	fs.IntVar(&m.leaveAt, "leave-at-percent", 0, "the first downloader leaves at this percentage")
	fs.IntVar(&m.gproxy, "gproxy", 0, "the first `N` bots of each game sit behind a GProxy++ proxy")
	fs.IntVar(&m.gproxyExtended, "gproxy-extended", 0, "the next `N` bots use a proxy that needs no empty actions")
	fs.DurationVar(&m.cut.CutEvery, "cut-every", 0, "interrupt the proxies' connections this often once the game runs; 0 means never")
	fs.DurationVar(&m.cut.CutFor, "cut-for", time.Second, "how long an interrupted connection stays down")
	fs.IntVar(&m.cut.CutAtByte, "cut-at-byte", 0, "interrupt after this `byte` of the next data")
	fs.BoolVar(&m.everywhere, "everywhere", false, "let bots misbehave in every game instead of only the first")
}

// check returns an error for flags that contradict each other or do not fit the number of players.
func (m *misconduct) check(opts *bots.Options) error {
	bad := m.desync + m.stall + m.garbage + m.neverRead
	if m.leaveAfter > 0 {
		bad += m.leavers
	}
	switch {
	case opts.Play <= 0:
		return errors.New("--minutes must be more than 0")
	case min(m.desync, m.stall, m.garbage, m.neverRead, m.leavers, m.downloaders) < 0:
		return errors.New("a number of bots cannot be negative")
	case bad > opts.Players:
		return fmt.Errorf("%d bots would misbehave or leave, but a game has only %d players", bad, opts.Players)
	case m.stall > 0 && m.stallAfter+m.stallFor > opts.Play:
		return fmt.Errorf("a stall of %v after %v does not fit into %v of play: use more --minutes", m.stallFor, m.stallAfter, opts.Play)
	case m.leaveAfter > opts.Play:
		return fmt.Errorf("--leave-after %v is later than the end after %v: use more --minutes", m.leaveAfter, opts.Play)
	case min(m.gproxy, m.gproxyExtended, m.cut.CutAtByte) < 0 || m.gproxy+m.gproxyExtended > opts.Players:
		return fmt.Errorf("--gproxy %d and --gproxy-extended %d: a game has %d players", m.gproxy, m.gproxyExtended, opts.Players)
	case m.cut.CutEvery > 0 && m.gproxy+m.gproxyExtended == 0:
		return errors.New("--cut-every needs --gproxy or --gproxy-extended")
	case m.download == "" && (m.refuse > 0 || m.ackDelay > 0 || m.ackSizes || m.downloaders > 0 || m.stallAt > 0 || m.leaveAt > 0):
		return errors.New("flags about the download need --download DIRECTORY")
	}
	return nil
}

// conduct returns a function that assigns each bot's behaviour by its seat. Misbehaving bots get the last seats, because
// the first bot asks for the start.
func (m *misconduct) conduct(players int) func(game, seat int) bots.Conduct {
	return func(game, seat int) bots.Conduct {
		var c bots.Conduct
		if m.download != "" && (m.downloaders == 0 || seat < m.downloaders) {
			c.Download, c.RefuseParts, c.AckDelay, c.AckSizes = m.download, m.refuse, m.ackDelay, m.ackSizes
			if seat == 0 {
				c.LeaveAtPercent, c.StallAtPercent = m.leaveAt, m.stallAt
				if m.stallAt > 0 {
					c.StallFor = m.stallFor
				}
			}
		}
		if seat < m.gproxy+m.gproxyExtended {
			proxy := m.cut
			proxy.Extended = seat >= m.gproxy
			c.Proxy = &proxy
		}
		if game > 0 && !m.everywhere {
			return c
		}
		from := players
		mine := func(n int) bool {
			from -= n
			return seat >= from && seat < from+n
		}
		c.Desync = mine(m.desync)
		if mine(m.stall) {
			c.StallAfter, c.StallFor = m.stallAfter, m.stallFor
		}
		c.Garbage = mine(m.garbage)
		c.NeverRead = mine(m.neverRead)
		if m.leaveAfter > 0 && mine(m.leavers) {
			c.LeaveAfter = m.leaveAfter
		}
		return c
	}
}
