package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"w3host/bots"
	"w3host/internal/terminal"
	"w3host/logging"
	"w3host/w3gs"
)

const botsHelp = `w3host bots fills lobbies of a host with simulated players, plays the games and reports
what the players felt. Without flags: ten players, one game of half a minute, at the
host on this machine. The exit code is 0 when all went well, 1 when the host did
something that the protocol does not allow, turned a bot out, or a game could not
be played, and 2 when the flags make no sense.

--json prints one object with these keys; docs/bots.md says what they mean:
  ok verdict addr elapsed_s measured_s games games_run bots joined outcomes misbehaved
  turns missed_turns early_turns early_missed_turns worst_interval
  interval_ms jitter_ms late_ms action_delay_ms chat_delay_ms own_late_ms
      (each with count mean p50 p99 p999 max)
  actions overflow_parts largest_turn_packet empty_turns resumed lag_screens
  stood_still_s cpu_s cpu_us_per_player_turn fault_count faults downloads
  strangers, and with --each players`

// misconduct holds the flags about misbehaving, leaving and downloading bots: how many of
// a game do so.
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

func botsCommand() *cobra.Command {
	var (
		opts    bots.Options
		bad     misconduct
		minutes float64
		asJSON  bool
		each    bool
		verbose bool
		id, key uint
		from    string
		speed   float64
		inOrder bool
	)
	cmd := &cobra.Command{Use: "bots", Short: "play games with simulated players, and measure them", Long: botsHelp, Args: noArgs}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&opts.Addr, "addr", bots.DefaultAddr, "`host:port` of the host, TCP to join and UDP to search")
	fs.IntVar(&opts.Players, "players", bots.DefaultPlayers, "players in each game")
	fs.IntVar(&opts.Games, "games", 1, "games to play at the same time")
	fs.Float64Var(&opts.Actions, "actions-per-second", bots.DefaultActions, "actions of each player; 0 for none")
	fs.IntVar(&opts.ActionBytes, "action-bytes", bots.ActionLen, "length of an action")
	fs.IntVar(&opts.Burst, "burst", 0, "actions that the players of a game send together in one turn, once")
	fs.Float64Var(&minutes, "minutes", bots.DefaultPlay.Minutes(), "minutes to play, from the first turn of the last game")
	fs.DurationVar(&opts.LoadTime, "load-time", bots.DefaultLoadTime, "how long loading takes at most, and half of it at least")
	fs.DurationVar(&opts.RoundTrip, "round-trip", 0, "`time` that the lines to the host add to the round trip, half of it each way")
	fs.DurationVar(&opts.Period, "period", 0, "`time` that every turn must advance by; 0 takes what the host says")
	fs.DurationVar(&opts.ChatEvery, "chat-every", 0, "each player says a line about this often; 0 once in the lobby and once in the game")
	fs.DurationVar(&opts.VoteAfter, "vote-after", 0, "vote to drop laggers this long after the lag screen came up; 0 never")
	fs.DurationVar(&opts.Patience, "patience", bots.DefaultPatience, "how long to wait for a lobby, and in a full one for its start")
	fs.StringVar(&opts.Realm, "realm", "", "look for lobbies in the list of the realm at `host:port`, and log each bot on there")
	fs.StringVar(&opts.RealmPassword, "realm-password", bots.RealmPassword, "`password` of the bots' accounts, which are registered if need be")
	fs.UintVar(&id, "game", 0, "join the lobby with this game `id` without searching")
	fs.UintVar(&key, "entry-key", 0, "entry `key` of that lobby")
	version := fs.String("version", w3gs.DefaultVersion.String(), "`VERSION` of the game that they play")
	fs.StringVar(&opts.NamePrefix, "name-prefix", bots.DefaultPrefix, "a bot is called prefix and number")
	start := fs.Bool("say-start", true, "say !start when all bots are in the lobby and the host does nothing")
	fs.BoolVar(&opts.OwnAddresses, "own-addresses", false, "give every bot its own 127.x.y.z address (host on this machine)")
	fs.IntVar(&opts.Strangers, "strangers", 0, "also open this many connections that never join: silent, noisy, half a header, too long, slow")
	fs.BoolVar(&opts.Portable, "portable", false, "one goroutine reads each connection, instead of epoll (Linux)")
	fs.IntVar(&opts.Loops, "loops", 1, "goroutines that share the games")

	fs.IntVar(&bad.desync, "desync", 0, "`K` bots answer turns with a wrong hash")
	fs.IntVar(&bad.stall, "stall", 0, "`K` bots stop reading for --stall-for")
	fs.DurationVar(&bad.stallFor, "stall-for", 10*time.Second, "how long a stall lasts")
	fs.DurationVar(&bad.stallAfter, "stall-after", 5*time.Second, "when a stall begins, from the first turn")
	fs.IntVar(&bad.garbage, "garbage", 0, "`K` bots send bytes that are no packet, five seconds into the game")
	fs.IntVar(&bad.neverRead, "never-read", 0, "`K` bots read nothing any more once the game has started")
	fs.DurationVar(&bad.leaveAfter, "leave-after", 0, "--leavers bots leave this long after the first turn")
	fs.IntVar(&bad.leavers, "leavers", 1, "`K` bots leave after --leave-after")
	fs.StringVar(&bad.download, "download", "", "the bots lack the map: download it to this `directory`, check and hash it")
	fs.IntVar(&bad.downloaders, "downloaders", 0, "only the first `K` bots download; 0 for all")
	fs.Float64Var(&bad.refuse, "refuse-parts", 0, "`share` of map parts that downloaders refuse, like 0.01")
	fs.DurationVar(&bad.ackDelay, "ack-delay", 0, "downloaders acknowledge map parts this late")
	fs.BoolVar(&bad.ackSizes, "ack-sizes", false, "downloaders acknowledge with 0x42 instead of 0x44")
	fs.IntVar(&bad.stallAt, "stall-at-percent", 0, "the first downloader stops reading for --stall-for at this percentage")
	fs.IntVar(&bad.leaveAt, "leave-at-percent", 0, "the first downloader leaves at this percentage")
	fs.IntVar(&bad.gproxy, "gproxy", 0, "the first `N` bots of each game sit behind a GProxy++ proxy")
	fs.IntVar(&bad.gproxyExtended, "gproxy-extended", 0, "the next `N` behind one that needs no empty actions")
	fs.DurationVar(&bad.cut.CutEvery, "cut-every", 0, "interrupt their connections this often once the game runs; 0 never")
	fs.DurationVar(&bad.cut.CutFor, "cut-for", time.Second, "and connect again after this `time`")
	fs.IntVar(&bad.cut.CutAtByte, "cut-at-byte", 0, "interrupt behind this `byte` of the next data")
	fs.BoolVar(&bad.everywhere, "everywhere", false, "bots misbehave in every game, not only in the first")

	fs.StringVar(&from, "from-replay", "", "play the game of this `file` (.w3g): its players' actions, lines and leaves, at their times")
	fs.Float64Var(&speed, "speed", 1, "with --from-replay: how many times as fast")
	fs.BoolVar(&inOrder, "in-order", false, "with --from-replay: one player acts in a turn, so that actions of different players keep their order")

	fs.BoolVar(&asJSON, "json", false, "report as one JSON object")
	fs.BoolVar(&each, "each", false, "with --json: also one object for each bot")
	fs.BoolVar(&verbose, "verbose", false, "also say what becomes of each bot")
	_ = cmd.MarkFlagFilename("from-replay", "w3g")
	_ = cmd.MarkFlagDirname("download")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		opts.Play = time.Duration(minutes * float64(time.Minute))
		opts.GameID, opts.EntryKey = uint32(id), uint32(key)
		var err error
		if opts.Version, err = w3gs.ParseVersion(*version); err != nil {
			return fmt.Errorf("--version: %w", err)
		}
		opts.NoStart = !*start
		if opts.Actions == 0 {
			opts.Actions = -1
		}
		if from != "" {
			script, err := readScript(from)
			if err == nil && speed <= 0 {
				err = errors.New("--speed must be more than 0")
			}
			if err != nil {
				return usageError{err}
			}
			script.Speed, script.InOrder = speed, inOrder
			opts.Script, opts.Players = script, len(script.Names)
		}
		if err := bad.check(&opts); err != nil {
			return usageError{err}
		}
		opts.Conduct = bad.conduct(opts.Players)
		level := zerolog.InfoLevel
		if verbose {
			level = zerolog.DebugLevel
		}
		opts.Log, opts.Program = logging.ForPeople(cmd.ErrOrStderr(), level), terminal.Program
		report, err := bots.Run(cmd.Context(), opts)
		if report.Bots == 0 {
			return usageError{err}
		}
		write := report.WriteText
		if asJSON {
			write = func(w io.Writer) error { return report.WriteJSON(w, each) }
		}
		if err := write(cmd.OutOrStdout()); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
		if err == nil && !report.OK {
			return exitCode(exitFailed) // the report says why
		}
		return err
	}
	return cmd
}

// check returns an error for flags that contradict each other.
func (m *misconduct) check(opts *bots.Options) error {
	bad := m.desync + m.stall + m.garbage + m.neverRead
	if m.leaveAfter > 0 {
		bad += m.leavers
	}
	switch {
	case opts.Play <= 0:
		return errors.New("--minutes must be more than 0")
	case min(m.desync, m.stall, m.garbage, m.neverRead, m.leavers, m.downloaders) < 0:
		return errors.New("a number of bots cannot be below 0")
	case bad > opts.Players:
		return fmt.Errorf("%d bots are to misbehave or leave, a game has %d players", bad, opts.Players)
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

// conduct assigns the behaviour of bots by their seat. Misbehaving bots have the last
// seats, because the first bot asks for the start.
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
