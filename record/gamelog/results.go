package gamelog

import (
	"slices"
	"time"

	"w3host/formats/w3map"
	"w3host/game"
	"w3host/record/leavers"
	"w3host/record/mapstats"
	"w3host/storage"
)

// shortestRated is the minimum game length for results reported by the map.
const shortestRated = 2 * time.Minute

// judge decides which results of a game count for ratings.
type judge struct {
	rules   game.ResultRules
	tells   w3map.Reports // report formats found in the map's script
	players int           // number of players without observers at the start
	loaded  time.Duration
	decided uint32           // turn of the first result that names a winner or a draw; 0 if there is none
	watch   *leavers.Watch   // nil if leavers do not automatically lose
	early   []uint8          // pids of players who left early
	left    map[uint8]uint32 // turn of each player's leave, by pid
}

// observe processes an event. It must be called before the event reaches the records, which ask the judge.
func (j *judge) observe(s *game.Stamped) {
	switch f := s.Fact.(type) {
	case *game.Opened:
		j.tells, j.rules = f.Config.Map.Reports, f.Config.Results
		if j.rules.LeaversLose {
			j.left = map[uint8]uint32{}
			j.watch = leavers.New(func(p game.Player) { j.early = append(j.early, p.PID) })
		}
	case *game.Started:
		for _, p := range f.Players {
			if !p.Observer {
				j.players++
			}
		}
	case *game.AllLoaded:
		j.loaded = s.At
	case *game.LeftGame:
		if j.left != nil {
			j.left[f.PID] = s.Turn
		}
	}
	if j.watch != nil {
		j.watch.Observe(s)
	}
}

// counts reports whether a game of this length satisfies the operator's [results] rules.
func (j *judge) counts(played time.Duration) bool {
	return played >= j.rules.MinLength && j.players >= j.rules.MinPlayers
}

// name remembers the first turn in which a result named a winner or a draw.
func (j *judge) name(turn uint32, outcome string) {
	if (outcome == storage.OutcomeWon || outcome == storage.OutcomeDrew) && (j.decided == 0 || turn < j.decided) {
		j.decided = turn
	}
}

// forfeits returns the pids of players who lost by leaving before the game was decided.
func (j *judge) forfeits() (pids []uint8) {
	for _, pid := range j.early {
		if j.left[pid] < j.decided {
			pids = append(pids, pid)
		}
	}
	return pids
}

// uncounted returns the reason why no result of a source can count, or "" if results can count.
func (r *Records) uncounted(source mapstats.Source, played time.Duration) string {
	switch tells := r.judge.tells; {
	case played < shortestRated:
		return "the game took less than " + shortestRated.String()
	case !r.judge.counts(played):
		return "the game was too short, or had too few players, for [results]"
	case source == mapstats.W3MMD && !tells.W3MMD, source == mapstats.DotA && !tells.DotA:
		return "the script of the map does not report this way"
	}
	return ""
}

// results records the map's final results and the players who lost by leaving.
func (r *Records) results(at time.Time, played time.Duration) {
	r.stats.Finish()
	uncounted := map[mapstats.Source]bool{}
	for _, source := range r.stats.Heard() {
		if why := r.uncounted(source, played); why != "" {
			uncounted[source] = true
			r.to.Record(storage.MapResult{Game: r.key, At: at, Source: storage.ResultSource(source), Name: storage.ResultUncounted, Value: why})
		}
	}
	for _, res := range r.stats.Results() {
		if res.PID != 0 && res.Name == storage.ResultOutcome && !uncounted[res.Source] && !r.stats.Doubted(res.Source) {
			r.judge.name(res.Turn, res.Value)
		}
	}
	lost := r.judge.forfeits()
	for _, rec := range resultsOf(r.stats, r.key, at, uncounted, lost) {
		r.to.Record(rec)
	}
	for _, pid := range lost {
		r.to.Record(storage.PlayerResult{
			Game: r.key, At: at, Turn: r.judge.left[pid], Source: storage.SourceHost, PID: pid,
			Name: storage.ResultOutcome, Value: storage.OutcomeForfeited,
		})
	}
}

// resultsOf returns the records for the map's results. Results of uncounted sources, and outcomes of players
// who lost by leaving, are marked as doubtful.
func resultsOf(stats *mapstats.Collector, key storage.GameKey, at time.Time, uncounted map[mapstats.Source]bool, lost []uint8) (records []storage.Record) {
	for _, res := range stats.Results() {
		source := storage.ResultSource(res.Source)
		if res.PID != 0 {
			doubtful := uncounted[res.Source] || stats.Doubted(res.Source) || res.Name == storage.ResultOutcome && slices.Contains(lost, res.PID)
			records = append(records, storage.PlayerResult{
				Game: key, At: at, Turn: res.Turn, Source: source, Sender: res.Sender,
				PID: res.PID, Name: res.Name, Value: res.Value, Contradicts: res.Contradicts, Doubtful: doubtful,
			})
			continue
		}
		name := res.Name
		if res.About != "" {
			name = res.About + ": " + name // a player who is not in this game
		}
		records = append(records, storage.MapResult{
			Game: key, At: at, Turn: res.Turn, Source: source, Sender: res.Sender,
			Name: name, Value: res.Value, Contradicts: res.Contradicts,
		})
	}
	return records
}

// decided records the result on which the players have agreed.
func (r *Records) decided(at time.Time, s *game.Stamped, f *game.Decided) {
	outcomes := map[game.Result]string{game.Victory: storage.OutcomeWon, game.Defeat: storage.OutcomeLost, game.Tie: storage.OutcomeDrew}
	counts := r.judge.counts(s.At - r.judge.loaded)
	if counts {
		for _, p := range f.Players {
			r.judge.name(s.Turn, outcomes[p.Result])
		}
	}
	lost := r.judge.forfeits()
	for _, p := range f.Players {
		r.to.Record(storage.PlayerResult{
			Game: r.key, At: at, Turn: s.Turn, Source: storage.SourceVote, PID: p.PID,
			Name: storage.ResultOutcome, Value: outcomes[p.Result], Doubtful: !counts || slices.Contains(lost, p.PID),
		})
	}
}
