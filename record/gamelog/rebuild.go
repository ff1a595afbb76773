package gamelog

import (
	"w3host/protocol/w3gs"
	"w3host/record/mapstats"
	"w3host/storage"
)

// Rebuild recomputes the results of a game from its stored map reports. It returns false if the stored
// reports are incomplete because a client exceeded the limit.
func Rebuild(g *storage.ReportedGame) ([]storage.Record, bool) {
	roster := make([]mapstats.Player, len(g.Players))
	for i, p := range g.Players {
		roster[i] = mapstats.Player{PID: p.PID, Name: p.Name, Colour: p.Colour}
	}
	stats := mapstats.New(w3gs.DefaultVersion, roster) // the version is irrelevant: stored reports are already decoded
	left := g.Left
	for _, batch := range g.Reports {
		for ; len(left) > 0 && left[0].Turn <= batch.Turn; left = left[1:] {
			stats.Left(left[0].Turn, left[0].PID)
		}
		reports := make([]mapstats.Report, len(batch.Reports))
		for i, r := range batch.Reports {
			reports[i] = mapstats.Report(r)
		}
		stats.Reports(batch.Turn, batch.Played, batch.Sender, reports)
	}
	for _, l := range left {
		stats.Left(l.Turn, l.PID)
	}
	stats.Finish()
	uncounted := map[mapstats.Source]bool{}
	for _, source := range g.Uncounted {
		uncounted[mapstats.Source(source)] = true
	}
	return resultsOf(stats, g.Key, g.Ended, uncounted, g.Forfeited), !stats.Full()
}
