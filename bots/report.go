package bots

import (
	"cmp"
	"slices"
	"time"

	"w3host/protocol/w3gs"
)

// Outcome is how a bot's game ended for it.
type Outcome string

// Outcomes.
const (
	OutcomeLeft        Outcome = "left"        // with 0x21
	OutcomeKicked      Outcome = "kicked"      // 0x1C
	OutcomeEnded       Outcome = "ended"       // 0x14: the host ended the game
	OutcomeDropped     Outcome = "dropped"     // closed without a reason
	OutcomeRefused     Outcome = "refused"     // 0x05
	OutcomeUnreachable Outcome = "unreachable" // no connection
	OutcomeGaveUp      Outcome = "gave up"     // the game never started
	OutcomeBroken      Outcome = "broken"      // the data was no W3GS, or the bot's own disk failed
	OutcomeStopped     Outcome = "stopped"     // the run was interrupted
)

// Report is the result of a run. Its figures cover the bots that play by the rules
// in the measured window: from the first turn of the last game until the bots begin
// to leave.
type Report struct {
	Addr     string
	Elapsed  time.Duration // the whole run
	Measured time.Duration // the window

	Watch           bool // the games are recorded ones
	Games, GamesRun int
	Bots            int
	Joined          int             // bots that got into a lobby
	Outcomes        map[Outcome]int // of the bots that play by the rules
	Misbehaved      map[Outcome]int // of the others

	Figures
	Totals

	Worst Worst
	CPU   time.Duration // of this process, in the window
	Kills int           // of the host

	Downloads  []DownloadReport
	Strangers  []StrangerReport
	Players    []PlayerReport
	FaultCount int64
	Faults     []Fault // the first ones

	// OK: no fault, every game ran, no bot that plays by the rules was removed, and
	// every stranger was closed.
	OK bool
}

// Figures are the measurements of all bots together; see recorder.
type Figures struct {
	Turns, MissedTurns           int64
	EarlyTurns, EarlyMissedTurns int64 // before the window
	Interval                     Summary
	Jitter                       Summary
	Late                         Summary
	ActionDelay                  Summary
	ChatDelay                    Summary
	OwnLate                      Summary
	Outage                       Summary // from a kill of the host to the next turn of each bot
}

// Totals are the sums of the reports of all bots.
type Totals struct {
	ActionsSent, ActionsSeen int64 // these and what lags, of the bots that play by the rules
	ActionsLost              int64
	LagScreens               int64
	StoodStill               time.Duration // the longest of any bot
	OverflowParts            int64
	EmptyTurns               int64
	Resumed                  int64 // reconnections by GProxy++
	LargestTurnPacket        int
}

// Fault is a violation of the protocol by the host.
type Fault struct {
	Game   int
	Player string
	Packet w3gs.Op // 0 when it is not about one packet
	Turn   int
	Text   string
}

// Worst is the longest interval between two turns.
type Worst struct {
	Game     int
	Player   string
	Turn     int
	Interval time.Duration
}

// PlayerReport is the report of one bot.
type PlayerReport struct {
	Game, Seat int
	Name       string
	PID        uint8
	Joined     bool
	Misbehaves bool
	Outcome    Outcome
	Why        string

	Turns, MissedTurns, EmptyTurns        int
	MaxInterval                           time.Duration
	ActionsSent, ActionsSeen, ActionsLost int
	OverflowParts, LargestTurnPacket      int
	LagScreens, Votes                     int
	StoodStill                            time.Duration
	LinesHeard, PartsRefused, Faults      int
	Resumed                               int // reconnections by GProxy++
	Diverged                              bool
	State                                 uint32 // after the last turn, as in the last 0x27
	Events                                []Event
}

// Event is a packet of the host, kept when Options.Record is set. Turns, pings
// and map parts are not kept; a turn with increment 0 is.
type Event struct {
	At     time.Duration // since the run began
	Turn   int           // counted turns before it
	Packet w3gs.Op
	PID    uint8  // whom it is about or from
	Value  uint32 // reason, lag in ms, chat flag or map size
	Text   string
}

// DownloadReport is a map that was downloaded to its end.
type DownloadReport struct {
	Player  string
	Path    string
	Bytes   int64
	Resumed int64         // of them from an earlier run
	Time    time.Duration // from saying that it lacks it to having it
	CRC32   string
	SHA256  string
	Intact  bool // CRC32 is the one of the map check
}

// StrangerReport is about one kind of connections that never join.
type StrangerReport struct {
	Kind          string
	Count, Closed int
	Slowest       time.Duration // until the host closed one
}

func (r *run) makeReport(games []*game, measured, cpu time.Duration) Report {
	out := Report{
		Addr: r.opts.Addr, Elapsed: r.now(), Measured: measured, CPU: cpu,
		Watch: r.opts.Watch, Games: len(games), Bots: len(games) * r.opts.Players,
		Outcomes: map[Outcome]int{}, Misbehaved: map[Outcome]int{},
		Figures: r.rec.figures(), FaultCount: r.faultCount, Faults: r.faults,
	}
	for _, g := range games {
		if g.running {
			out.GamesRun++
		}
		for _, p := range g.players {
			out.add(p)
		}
	}
	slices.SortFunc(out.Downloads, func(a, b DownloadReport) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

func (r *Report) add(p *player) {
	q := &p.report
	q.Game, q.Seat, q.Name = p.g.number, p.seat, p.name
	q.Misbehaves, q.Outcome, q.Why = p.conduct.misbehaves(), p.outcome, p.why
	q.Turns, q.State = p.turn, p.state.checksum()
	q.ActionsSent, q.ActionsSeen = int(p.sent), int(p.seen)
	if q.Joined {
		r.Joined++
	}
	if p.proxy != nil {
		state, _ := p.proxy.State()
		q.Resumed = state.Resumed
	}
	if p.worst.Interval > r.Worst.Interval {
		r.Worst = p.worst
	}
	if q.Misbehaves {
		r.Misbehaved[q.Outcome]++
	} else {
		r.Outcomes[q.Outcome]++
		r.ActionsSent += int64(q.ActionsSent)
		r.ActionsSeen += int64(q.ActionsSeen)
		r.ActionsLost += int64(q.ActionsLost)
		r.LagScreens += int64(q.LagScreens)
		r.StoodStill = max(r.StoodStill, q.StoodStill)
	}
	r.OverflowParts += int64(q.OverflowParts)
	r.EmptyTurns += int64(q.EmptyTurns)
	r.Resumed += int64(q.Resumed)
	r.LargestTurnPacket = max(r.LargestTurnPacket, q.LargestTurnPacket)
	if p.downloaded != nil {
		r.Downloads = append(r.Downloads, *p.downloaded)
	}
	r.Players = append(r.Players, *q)
}

// judge sets OK.
func (r *Report) judge() {
	r.OK = r.FaultCount == 0 && r.GamesRun == r.Games && r.completed() == r.Bots
	for _, s := range r.Strangers {
		r.OK = r.OK && s.Closed == s.Count
	}
}

// turnCPU is the processor time of this process for a turn of one player.
func (r *Report) turnCPU() time.Duration {
	if r.Turns == 0 {
		return 0
	}
	return r.CPU / time.Duration(r.Turns)
}
