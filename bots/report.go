package bots

import (
	"cmp"
	"slices"
	"time"

	"w3host/protocol/w3gs"
)

// Outcome says how a game ended for one bot.
type Outcome string

// Outcomes of a bot.
const (
	OutcomeLeft        Outcome = "left"        // the bot left with 0x21
	OutcomeKicked      Outcome = "kicked"      // the host removed it with 0x1C
	OutcomeEnded       Outcome = "ended"       // 0x14: the host ended the game
	OutcomeDropped     Outcome = "dropped"     // the host closed the connection without a reason
	OutcomeRefused     Outcome = "refused"     // the host refused the join with 0x05
	OutcomeUnreachable Outcome = "unreachable" // no connection was possible
	OutcomeGaveUp      Outcome = "gave up"     // no lobby was found, or the game never started
	OutcomeBroken      Outcome = "broken"      // the host's data were invalid, or the bot's own disk failed
	OutcomeStopped     Outcome = "stopped"     // the run was interrupted
)

// Report is the result of a run. Its measurements cover the bots that follow the rules, in the measured window: from the
// first turn of the last game until the bots begin to leave.
type Report struct {
	Addr     string
	Elapsed  time.Duration // of the whole run
	Measured time.Duration // length of the measured window

	Watch           bool // whether recorded games were watched
	Games, GamesRun int
	Bots            int
	Joined          int             // bots that got into a lobby
	Outcomes        map[Outcome]int // of the bots that follow the rules
	Misbehaved      map[Outcome]int // of the bots that misbehave

	Figures
	Totals

	Worst Worst
	CPU   time.Duration // processor time of this process in the window
	Kills int           // how often the host was killed

	Downloads  []DownloadReport
	Strangers  []StrangerReport
	Players    []PlayerReport
	FaultCount int64
	Faults     []Fault // the first 100

	// OK is true if there was no fault, every game ran, no bot that follows the rules was removed, and the host closed
	// all connections that never joined.
	OK bool
}

// Figures are the measurements of all bots together. Durations are explained at the unexported type recorder.
type Figures struct {
	Turns, MissedTurns           int64
	EarlyTurns, EarlyMissedTurns int64 // before the measured window
	Interval                     Summary
	Jitter                       Summary
	Late                         Summary
	ActionDelay                  Summary
	ChatDelay                    Summary
	OwnLate                      Summary
	Outage                       Summary // from a kill of the host to the next turn of each bot
}

// Totals are sums over the reports of all bots.
type Totals struct {
	ActionsSent, ActionsSeen int64 // this and the next three cover only the bots that follow the rules
	ActionsLost              int64
	LagScreens               int64
	StoodStill               time.Duration // the longest time of any bot
	OverflowParts            int64
	EmptyTurns               int64
	Resumed                  int64 // number of reconnections by GProxy++
	LargestTurnPacket        int
}

// Fault is one violation of the protocol by the host.
type Fault struct {
	Game   int
	Player string
	Packet w3gs.Op // 0 if the fault is not about one packet
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

// PlayerReport is the report about one bot.
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
	Resumed                               int // number of reconnections by GProxy++
	Diverged                              bool
	State                                 uint32 // checksum after the last turn, as sent in the last 0x27
	Events                                []Event
}

// Event is a packet of the host, kept if Options.Record is set. Turns, pings and map parts are not kept, except turns
// with increment 0.
type Event struct {
	At     time.Duration // since the start of the run
	Turn   int           // number of counted turns before it
	Packet w3gs.Op
	PID    uint8  // the player that it is about or comes from
	Value  uint32 // leave or kick reason, lag in ms, chat flag or map size
	Text   string
}

// DownloadReport is the report about one complete map download.
type DownloadReport struct {
	Player  string
	Path    string
	Bytes   int64
	Resumed int64         // bytes that an earlier run had downloaded
	Time    time.Duration // from telling the host that the map is missing to having it
	CRC32   string
	SHA256  string
	Intact  bool // whether CRC32 equals that of the map check
}

// StrangerReport is the report about one kind of connections that never join.
type StrangerReport struct {
	Kind          string
	Count, Closed int
	Slowest       time.Duration // longest time until the host closed one
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

// turnCPU returns the processor time of this process per turn of one player.
func (r *Report) turnCPU() time.Duration {
	if r.Turns == 0 {
		return 0
	}
	return r.CPU / time.Duration(r.Turns)
}
