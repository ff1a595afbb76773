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

// A panic is a fault of this program. It ends the game that it happens in, or
// the one connection, and nothing else: its details go to the log and
// to a file.

// crashed ends the game, or if it is held and the machine was taking a player's packet, only
// that player's connection.
func (g *Game) crashed(fault any, stack []byte) {
	what := fmt.Sprintf("panic: %v", fault)
	g.journal.Keep()
	kept := g.journal.End(false)
	file := g.shard.saveCrash(fmt.Sprintf("game-%d", g.id), what, stack, g.state())
	line := g.log.Error().Str("name", g.shard.Info(g.id).Name).Str("panic", fmt.Sprint(fault)).Str("file", file).Str("journal", kept).Bytes("stack", stack)
	if l := g.links[g.from]; l != nil && g.held && g.ledger != nil && g.ledger.Skip() {
		line.Str("player", l.name).Msg("a packet has crashed the game: its player is out, and the others play on when the game is made again")
		g.stand(l)
		return
	}
	line.Msg("game crashed; all other games go on")
	g.over = true // the machine takes no input any more
	g.records.Crashed(time.Now(), what)
	g.sayCrash()
	g.end()
}

// sayCrash writes to the players. It calls no method of the machine, which may be in
// any state.
func (g *Game) sayCrash() {
	for pid, l := range g.seats {
		if l == nil || g.facts.Loading { // a client that loads can take no packet
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

// otherPID is a pid whose voice a player hears: another player's, else an observer's, whose
// lines players may not read, else their own.
func (g *Game) otherPID(pid byte) byte {
	for _, observes := range []bool{false, true} {
		if other := slices.IndexFunc(g.seats[:], func(l *link) bool { return l != nil && l.pid != pid && g.facts.Observers.Has(l.pid) == observes }); other >= 0 {
			return byte(other)
		}
	}
	return pid
}

// state describes the game for the report of a crash.
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
		if fault := recover(); fault != nil { // the machine may be in any state
			text += fmt.Sprintf("machine: cannot be printed: %v\n", fault)
		}
	}()
	return text + fmt.Sprintf("machine: %+v\n", g.machine.Describe())
}

// Crashed notes that a packet of the client has caused a panic.
func (l *link) Crashed(fault any) {
	stack := debug.Stack()
	file := l.shard.saveCrash("connection", fmt.Sprintf("panic: %v", fault), stack, fmt.Sprintf("connection from %v\n", l.Addr))
	l.log().Error().Str("panic", fmt.Sprint(fault)).Str("file", file).Bytes("stack", stack).
		Msg("connection crashed; all others go on")
}

// crashTime is the layout of the time in the name of a report.
const crashTime = "20060102-150405.000000"

// saveCrash has a report of a crash written, and returns its name. The
// disk may take its time: no game waits for it.
func (s *shard) saveCrash(who, what string, stack []byte, state string) string {
	now := time.Now()
	text := fmt.Sprintf("%s\n%s\n%s\n\n%s\n%s", s.opts.Game.Program, now.Format(time.RFC3339Nano), what, state, stack)
	if s.opts.Crashes == "" {
		return "no folder is set for it"
	}
	file := filepath.Join(s.opts.Crashes, fmt.Sprintf("%s-%s.txt", who, now.UTC().Format(crashTime)))
	s.writing.Go(func() { // ends with the file
		err := os.MkdirAll(s.opts.Crashes, 0o755)
		if err = cmp.Or(err, os.WriteFile(file, []byte(text), 0o600)); err != nil {
			s.log.Error().Err(err).Str("file", file).Msg("cannot write the crash report")
		}
		s.thinCrashes()
	})
	return file
}

// keptCrashes is how many reports of crashes are kept, the newest: a fault that somebody
// can cause again and again must not fill the disk, and more of it tell nothing new.
const keptCrashes = 100

// thinCrashes removes the oldest reports of crashes. Hosts may share the folder.
func (s *shard) thinCrashes() {
	files, _ := fs.Glob(os.DirFS(s.opts.Crashes), "*.txt") // that it cannot be written to was logged
	when := func(file string) string {                     // the name ends with the time, in digits of one width
		return file[max(0, len(file)-len(crashTime+".txt")):]
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Compare(when(a), when(b)) })
	for _, file := range files[:max(0, len(files)-keptCrashes)] {
		if err := os.Remove(filepath.Join(s.opts.Crashes, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.log.Warn().Err(err).Str("file", file).Msg("cannot remove an old crash report")
		}
	}
}
