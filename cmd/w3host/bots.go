package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"w3host/bots"
	"w3host/daemon/logging"
	"w3host/internal/terminal"
	"w3host/protocol/w3gs"
)

const botsHelp = `w3host bots fills lobbies of a host with simulated players, plays the games and reports
the latency and faults that the players saw. Without flags: ten players, one game of half a
minute, on the host on this machine. The exit code is 0 if all went well, 1 if the host
violated the protocol, rejected a bot or a game could not be played, and 2 if the flags
make no sense.

--json prints one object with these keys, explained in docs/bots.md:
  ok verdict addr elapsed_s measured_s games games_run bots joined outcomes misbehaved
  turns missed_turns early_turns early_missed_turns worst_interval
  interval_ms jitter_ms late_ms action_delay_ms chat_delay_ms outage_ms own_late_ms
      (each with count mean p50 p99 p999 max)
  actions overflow_parts largest_turn_packet empty_turns resumed lag_screens
  stood_still_s cpu_s cpu_us_per_player_turn kills fault_count faults
  downloads strangers, and with --each players`

// botsCall holds the flags of one `w3host bots` invocation that are not bots.Options yet.
type botsCall struct {
	call
	opts    bots.Options
	bad     misconduct
	minutes float64
	start   bool

	save    string
	from    string
	speed   float64
	inOrder bool

	each, verbose bool
}

func botsCommand() *cobra.Command {
	c := new(botsCall)
	cmd := &cobra.Command{Use: "bots", Short: "play games with simulated players and measure the host", Long: botsHelp, Args: noArgs}
	fs := cmd.Flags()
	c.addTo(fs)
	c.bad.addTo(fs)
	fs.StringVar(&c.save, "save", "", "join the lobby of this saved game `file` (.w3z) and continue it")
	fs.StringVar(&c.from, "from-replay", "", "replay this `file` (.w3g): the actions, chat lines and leaves of its players, at their times")
	fs.Float64Var(&c.speed, "speed", 1, "with --from-replay: playback speed factor")
	fs.BoolVar(&c.inOrder, "in-order", false, "with --from-replay: let only one player act per turn, so that actions of different players keep their order")
	c.addJSONFlag(fs, "report as one JSON object")
	fs.BoolVar(&c.each, "each", false, "with --json: include one object for each bot")
	fs.BoolVar(&c.verbose, "verbose", false, "log the progress of each bot")
	_ = cmd.MarkFlagFilename("from-replay", "w3g")
	_ = cmd.MarkFlagFilename("save", "w3z")
	_ = cmd.MarkFlagDirname("download")
	return c.runs(cmd, c.complete, c.play)
}

func (c *botsCall) addTo(fs *pflag.FlagSet) {
	fs.StringVar(&c.opts.Addr, "addr", bots.DefaultAddr, "`host:port` of the host, TCP to join and UDP to search")
	fs.IntVar(&c.opts.Players, "players", bots.DefaultPlayers, "players in each game")
	fs.IntVar(&c.opts.Games, "games", 1, "games to play at the same time")
	fs.Float64Var(&c.opts.Actions, "actions-per-second", bots.DefaultActions, "actions of each player; 0 for none")
	fs.IntVar(&c.opts.ActionBytes, "action-bytes", bots.ActionLen, "length of an action")
	fs.IntVar(&c.opts.Burst, "burst", 0, "actions that the players of a game send together in one turn, once")
	fs.Float64Var(&c.minutes, "minutes", bots.DefaultPlay.Minutes(), "minutes to play, counted from the first turn of the last game to start")
	fs.DurationVar(&c.opts.LoadTime, "load-time", bots.DefaultLoadTime, "longest loading time of a bot; each takes between half of it and all of it")
	fs.DurationVar(&c.opts.RoundTrip, "round-trip", 0, "`time` added to each round trip to the host, half of it in each direction")
	fs.DurationVar(&c.opts.Period, "period", 0, "expected `time` per turn; 0 takes the value that the host sends")
	fs.DurationVar(&c.opts.ChatEvery, "chat-every", 0, "average time between chat lines of a player; 0 means one line in the lobby and one in the game")
	fs.DurationVar(&c.opts.VoteAfter, "vote-after", 0, "vote to drop laggers this long after the lag screen came up; 0 means never")
	fs.DurationVar(&c.opts.Patience, "patience", bots.DefaultPatience, "how long to wait for a lobby, and then for its start")
	fs.StringVar(&c.opts.Realm, "realm", "", "find lobbies in the game list of the realm at `host:port`; each bot logs on there")
	fs.StringVar(&c.opts.RealmPassword, "realm-password", bots.RealmPassword, "`password` of the bots' accounts, which are registered if missing")
	fs.Uint32Var(&c.opts.GameID, "game", 0, "join the lobby with this game `id` without searching")
	fs.Uint32Var(&c.opts.EntryKey, "entry-key", 0, "entry `key` of that lobby")
	fs.TextVar(&c.opts.Version, "version", w3gs.DefaultVersion, "`VERSION` of the game that they play")
	fs.StringVar(&c.opts.NamePrefix, "name-prefix", "", "`prefix` of the bots' names, before their number (default bot-; with --watch fan-)")
	fs.BoolVar(&c.start, "say-start", true, "say !start when all bots are in the lobby and the host does not start by itself")
	fs.BoolVar(&c.opts.SlowStart, "slow-start", false, "leave to the score screen when 0x0B comes within 5 s of 0x0A, like clients from 1.32 on on slow computers")
	fs.BoolVar(&c.opts.Watch, "watch", false, "watch a recorded game shown by w3host lan watch: each bot joins its own session and stays to the end")
	fs.StringVar(&c.opts.Kill, "kill", "", "kill the host on this machine during play, by the `PIDFILE` that w3host serve --supervise --pid-file writes")
	fs.DurationVar(&c.opts.KillEvery, "every", 3*time.Second, "with --kill: how often")
	fs.BoolVar(&c.opts.OwnAddresses, "own-addresses", false, "give every bot its own 127.x.y.z address (host on this machine)")
	fs.IntVar(&c.opts.Strangers, "strangers", 0, "also open this many connections that never join: silent, noisy, half a header, too long, slow")
	fs.BoolVar(&c.opts.Portable, "portable", false, "use one goroutine per connection instead of epoll (Linux)")
	fs.IntVar(&c.opts.Loops, "loops", 1, "number of goroutines that run the games")
}

// complete turns the flags into bots.Options. It returns an error for values that make no sense.
func (c *botsCall) complete() error {
	opts := &c.opts
	opts.Play = time.Duration(c.minutes * float64(time.Minute))
	opts.NoStart = !c.start
	if opts.Actions == 0 {
		opts.Actions = -1
	}
	if c.save != "" {
		game, err := readSave(c.save)
		if err != nil {
			return failed(c.save, err)
		}
		opts.Save = &bots.Save{File: filepath.Base(c.save), Game: game}
	}
	if c.from != "" {
		script, err := readScript(c.from)
		if err != nil {
			return err
		}
		if c.speed <= 0 {
			return errors.New("--speed must be more than 0")
		}
		script.Speed, script.InOrder = c.speed, c.inOrder
		opts.Script, opts.Players = script, len(script.Names)
	}
	opts.Conduct = c.bad.conduct(opts.Players)
	return c.bad.check(opts)
}

// reportColumn is the column where the texts of the report begin; wrapped lines are indented to it.
const reportColumn = 14

// play runs the bots and prints their report to stdout. It returns exitFailed if the report is not OK.
func (c *botsCall) play() error {
	level := either(c.verbose, zerolog.DebugLevel, zerolog.InfoLevel)
	c.opts.Log, c.opts.Program = logging.ForPeople(c.stderr, level), terminal.Program
	report, err := bots.Run(c.ctx, c.opts)
	if report.Bots == 0 {
		return usageError{err}
	}
	write := func(w io.Writer) error { return report.WriteText(hanging{w, reportColumn}) }
	if c.json {
		write = func(w io.Writer) error { return report.WriteJSON(w, c.each) }
	}
	if err := write(c.stdout); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if err == nil && !report.OK {
		return exitCode(exitFailed) // the report says why
	}
	return err
}
