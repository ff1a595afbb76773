package host_test

import (
	"strconv"
	"testing"
	"time"

	"w3host/bots"
	"w3host/host"
	"w3host/protocol/w3gs"
)

// downloads lets every bot fetch the map into dir.
func downloads(dir string) func(game, seat int) bots.Conduct {
	return func(int, int) bots.Conduct { return bots.Conduct{Download: dir} }
}

// TestTransferLeavesTheLobbyResponsive: while ten players take all that the
// loopback gives, a line of one of them is with the others at once.
func TestTransferLeavesTheLobbyResponsive(t *testing.T) {
	size, every, limit := 3<<20, 150*time.Millisecond, 500*time.Millisecond
	if transfersLong() { // long enough to talk no more than what mutes a player
		size, every, limit = 64<<20, 1300*time.Millisecond, 300*time.Millisecond
	}
	r := newTransferRig(t, size, nil)
	order := r.order(10)
	order.Dir, order.Chat = t.TempDir(), every
	j := newJudge(t)
	start := time.Now()
	seen := startChild(t, order).report(false)
	if seen.Rounds != 1 {
		t.Errorf("%d of 10 bots got the map", seen.Downloads)
	}
	t.Logf("ten times %s in %v; chat, said to heard: %d lines, p50 %v, p99 %v, max %v", megabytes(int(r.m.Size)),
		time.Since(start).Round(time.Millisecond), seen.Chat.Count, seen.Chat.P50, seen.Chat.P99, seen.Chat.Max)
	j.figure(seen.Chat.Count >= 20, "only %d lines came", seen.Chat.Count)
	j.figure(seen.Chat.P99 <= limit, "chat took %+v, want %v at most", seen.Chat, limit)
}

// TestTransferYieldsToGames: while twenty players download in one lobby, the
// turns of running games go out on time.
func TestTransferYieldsToGames(t *testing.T) {
	games, lasting, limit := 1, time.Second, 50*time.Millisecond
	if transfersLong() {
		games, lasting, limit = 10, 20*time.Second, 5*time.Millisecond
	}
	r := serveTransfers(t, func(o *host.Options) {
		o.Game.Version, o.Game.Lobby.Start.Humans = 29, 10
	})
	small, _ := transferMap(t, 0)
	for i := range games {
		r.open("game "+strconv.Itoa(i+1), small)
	}
	r.lobbyOf(t, 20, transferSize(1<<19))

	load := r.order(20)
	load.Version, load.Prefix, load.Dir, load.Again = 29, "loader-", t.TempDir(), true
	play := childOrder{Addr: load.Addr, Version: 29, Games: games, Players: 10, Play: lasting}
	if games == 1 {
		play.GameID = 1 // saves looking for it
	}
	j := newJudge(t)
	loaders, players := startChild(t, load), startChild(t, play)
	seen := players.report(false)
	loaded := loaders.report(true)
	if !seen.OK {
		t.Errorf("the games did not go well: %d ran, %v", seen.GamesRun, seen.Outcomes)
	}
	t.Logf("%d games, %d times 20 downloads of %s; |interval - 100 ms|: %d turns, p50 %v, p99 %v, p99.9 %v, max %v; bots' own lateness p99 %v",
		seen.GamesRun, loaded.Rounds, megabytes(int(r.m.Size)), seen.Jitter.Count, seen.Jitter.P50, seen.Jitter.P99, seen.Jitter.P999,
		seen.Jitter.Max, seen.OwnLate.P99)
	j.figure(loaded.Rounds > 0, "no round of downloads was over before the games")
	j.figure(seen.Jitter.P99 <= limit, "p99 of |interval - 100 ms| is %v, want %v at most", seen.Jitter.P99, limit)
}

// lobbyOf opens the lobby of the downloads, with so many slots.
func (r *transferRig) lobbyOf(t *testing.T, slots, size int) {
	made, sum := transferMap(t, size)
	m, read := *made, *made.Map
	read.Slots, read.PlayerSlots = nil, uint8(slots)
	for i := range slots {
		read.Slots = append(read.Slots, w3gs.Slot{
			Download: w3gs.DownloadUnknown, Status: w3gs.SlotOpen, Team: uint8(i), Colour: uint8(i),
			Race: w3gs.RaceRandom, AI: w3gs.AINormal, Handicap: 100,
		})
	}
	read.Version, m.Map = 29, &read
	r.m, r.sum = &m, sum
	r.game = r.open("downloads", &m)
}
