package host

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"w3host/game"
	"w3host/protocol/w3gs"
)

// crashed handles a panic of the game, which is a fault of this program. It writes a crash report and ends the game. If the
// game has a ledger and the machine was handling a player's packet, it ends only that player's connection, and the game
// is rebuilt without the packet (rebuild.go).
func (g *Game) crashed(fault any, stack []byte) {
	what := fmt.Sprintf("panic: %v", fault)
	g.journal.Keep()
	kept := g.journal.End(false)
	file := g.shard.saveCrash(fmt.Sprintf("game-%d", g.id), what, stack, g.state())
	line := g.log.Error().Str("name", g.shard.Info(g.id).Name).Str("panic", fmt.Sprint(fault)).Str("file", file).Str("journal", kept).Bytes("stack", stack)
	if l := g.links[g.from]; l != nil && g.held && g.ledger != nil && g.ledger.Skip() {
		line.Str("player", l.name).Msg("a packet has crashed the game: its player is out, and the others play on when the game is made again")
		g.rebuild(l)
		return
	}
	line.Msg("game crashed; all other games go on")
	g.over = true // the machine gets no more input
	g.records.Crashed(time.Now(), what)
	g.sayCrash()
	g.end()
}

// sayCrash tells the players that the game has crashed. It calls no method of the machine, whose state may be broken.
func (g *Game) sayCrash() {
	for pid, l := range g.seats {
		if l == nil || g.facts.Loading { // a loading client accepts no packet
			continue
		}
		line := w3gs.Chat{To: []byte{byte(pid)}, From: g.otherPID(byte(pid)), Flag: w3gs.ChatLobby, Text: game.Crashed}
		var last w3gs.Packet = &w3gs.KickPlayer{Reason: w3gs.LeaveLobby}
		if !g.open.Load() {
			line.Flag, last = w3gs.ChatGame, &w3gs.GameOver{PID: byte(pid)}
		}
		l.DropPieces()
		l.send((&w3gs.ChatFromHost{Chat: line}).AppendTo(nil))
		l.send(last.AppendTo(nil))
	}
	for _, l := range g.links {
		if l.pid == 0 { // was about to join
			l.send((&w3gs.RejectJoin{Reason: w3gs.RejectStarted}).AppendTo(nil))
		}
	}
}

// otherPID returns a player ID whose chat a player is shown: another player's, else an observer's, whose chat players may
// not read, else their own.
func (g *Game) otherPID(pid byte) byte {
	for _, observes := range []bool{false, true} {
		if other := slices.IndexFunc(g.seats[:], func(l *link) bool { return l != nil && l.pid != pid && g.facts.Observers.Has(l.pid) == observes }); other >= 0 {
			return byte(other)
		}
	}
	return pid
}

// state describes the game for a crash report.
func (g *Game) state() (text string) {
	text = fmt.Sprintf("game: %v, map %s, log key %v\nlast input: %v\nopened: %v ago\n", g, g.spec.m.File, g.records.Key(), g.last, g.shard.Now()-g.opened)
	for pid, l := range g.seats {
		if l != nil {
			packets, pieces := l.Waiting()
			text += fmt.Sprintf("link of pid %d: %q from %v, %d bytes of packets and %d of the map wait\n",
				pid, l.name, l.Addr, packets, pieces)
		}
	}
	defer func() {
		if fault := recover(); fault != nil { // the machine's state may be broken
			text += fmt.Sprintf("machine: cannot be printed: %v\n", fault)
		}
	}()
	return text + fmt.Sprintf("machine: %+v\n", g.machine.Describe())
}

// Crashed implements loop.Handler: handling a packet of the client has panicked, and the connection ends.
func (l *link) Crashed(fault any) {
	stack := debug.Stack()
	file := l.shard.saveCrash("connection", fmt.Sprintf("panic: %v", fault), stack, fmt.Sprintf("connection from %v\n", l.Addr))
	l.log().Error().Str("panic", fmt.Sprint(fault)).Str("file", file).Bytes("stack", stack).
		Msg("connection crashed; all others go on")
}

// crashTime is the layout of the time in the file name of a crash report.
const crashTime = "20060102-150405.000000"

// saveCrash writes a crash report on another goroutine, and returns its file name. It does not block.
func (s *shard) saveCrash(who, what string, stack []byte, state string) string {
	now := time.Now()
	text := fmt.Sprintf("%s\n%s\n%s\n\n%s\n%s", s.opts.Game.Program, now.Format(time.RFC3339Nano), what, state, stack)
	if s.opts.Crashes == "" {
		return "no folder is set for it"
	}
	file := filepath.Join(s.opts.Crashes, fmt.Sprintf("%s-%s.txt", who, now.UTC().Format(crashTime)))
	s.writing.Go(func() { // ends when the file is written
		err := os.MkdirAll(s.opts.Crashes, 0o755)
		if err = cmp.Or(err, os.WriteFile(file, []byte(text), 0o600)); err != nil {
			s.log.Error().Err(err).Str("file", file).Msg("cannot write the crash report")
		}
		s.thinCrashes()
	})
	return file
}

// keptCrashes is how many crash reports are kept: a fault that a player can cause again and again must not fill the disk.
const keptCrashes = 100

// thinCrashes removes the oldest crash reports. Several hosts may share the directory.
func (s *shard) thinCrashes() {
	files, _ := fs.Glob(os.DirFS(s.opts.Crashes), "*.txt") // an unusable directory was logged when writing
	when := func(file string) string {                     // the end of the name, which sorts by time
		return file[max(0, len(file)-len(crashTime+".txt")):]
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Compare(when(a), when(b)) })
	for _, file := range files[:max(0, len(files)-keptCrashes)] {
		if err := os.Remove(filepath.Join(s.opts.Crashes, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.log.Warn().Err(err).Str("file", file).Msg("cannot remove an old crash report")
		}
	}
}
