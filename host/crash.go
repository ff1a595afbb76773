package host

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"w3host/storage"
	"w3host/w3gs"
)

// A panic is a fault of this program. It ends the game that it happens in, or
// the one connection, and nothing else: what is known of it goes to the log and
// to a file.

// crashLine is what the players of a game that has crashed read.
const crashLine = "This game has crashed: a fault of the host. Its operator finds the details in the log."

// crashed ends the game if it panics. It is deferred by run.
func (g *Game) crashed() {
	fault := recover()
	if fault == nil {
		return
	}
	g.over, g.broken = true, true
	stack, what := debug.Stack(), fmt.Sprintf("panic: %v", fault)
	file := g.host.saveCrash(fmt.Sprintf("game-%d", g.id), what, stack, g.state())
	g.log.Error().Str("name", g.name).Str("panic", fmt.Sprint(fault)).Str("file", file).Bytes("stack", stack).
		Msg("game crashed; all other games go on")
	g.book.end(storage.GameEnded{How: storage.EndCrashed, Detail: what, Turns: g.book.turns})
	g.sayCrash()
}

// sayCrash tells the players. It asks nothing of the rooms, which may be in any
// state.
func (g *Game) sayCrash() {
	for pid, c := range g.conns {
		if c == nil || g.turns != nil && g.turns.Loading() { // a client that loads can take no packet
			continue
		}
		line := w3gs.Chat{To: []byte{byte(pid)}, From: g.otherPID(byte(pid)), Flag: w3gs.ChatLobby, Text: crashLine}
		if g.turns == nil {
			c.sendPacket(&w3gs.ChatFromHost{Chat: line})
			c.sendLast((&w3gs.KickPlayer{Reason: w3gs.LeaveLobby}).AppendTo(nil))
			continue
		}
		line.Flag = w3gs.ChatGame
		c.sendPacket(&w3gs.ChatFromHost{Chat: line})
		c.sendPacket(&w3gs.GameOver{PID: byte(pid)})
	}
}

// refuseJoins answers those who were about to join, without the lobby.
func (g *Game) refuseJoins(events []event) {
	for _, e := range events {
		if e.kind == evJoin && e.c.pid == 0 {
			e.c.sendPacket(&w3gs.RejectJoin{Reason: w3gs.RejectStarted})
			e.c.finish(errGameOver)
		}
	}
}

// otherPID is a pid whose voice a player hears: another's, if there is one.
func (g *Game) otherPID(pid byte) byte {
	for other, c := range g.conns {
		if c != nil && byte(other) != pid {
			return byte(other)
		}
	}
	return pid
}

// state describes the game for whoever looks into a crash; what it cannot tell
// any more is left out.
func (g *Game) state() string {
	var b strings.Builder
	part := func(name string, tell func() any) {
		defer func() {
			if fault := recover(); fault != nil {
				fmt.Fprintf(&b, "%s: cannot be told: %v\n", name, fault)
			}
		}()
		fmt.Fprintf(&b, "%s: %+v\n", name, tell())
	}
	part("game", func() any { return fmt.Sprintf("%d %q, map %s, log key %v", g.id, g.name, g.m.File, g.book.key) })
	part("opened", func() any { return fmt.Sprintf("%v, %v ago", g.opened, time.Since(g.opened)) })
	if g.turns != nil {
		part("playing", func() any {
			return fmt.Sprintf("for %v, turn %d, game time %v, loading %v, laggers %b", g.playTime(), g.turns.Turns(),
				g.turns.GameTime(), g.turns.Loading(), g.turns.Laggers())
		})
	}
	part("last event", func() any { return g.lastEvent })
	for pid, c := range g.conns {
		if c != nil {
			part(fmt.Sprintf("connection %d", pid), func() any {
				packets, pieces := c.backlog()
				return fmt.Sprintf("%q from %v, %d bytes of packets and %d of the map wait", c.name, c.addr, packets, pieces)
			})
		}
	}
	part("owner", func() any { return g.lobby.Owner() })
	part("players", func() any { return g.lobby.Players() })
	part("fake players", func() any { return g.lobby.Fakes() })
	part("slots", func() any { return g.lobby.SlotTable() })
	return b.String()
}

// caught is deferred by what a connection does with the bytes of its client. A
// panic in it becomes the error that ends the connection.
func (c *conn) caught(err *error) {
	fault := recover()
	if fault == nil {
		return
	}
	stack := debug.Stack()
	file := c.host.saveCrash("connection", fmt.Sprintf("panic: %v", fault), stack, fmt.Sprintf("connection from %v\n", c.addr))
	c.log.Error().Str("panic", fmt.Sprint(fault)).Str("file", file).Bytes("stack", stack).
		Msg("connection crashed; all others go on")
	*err = errCrashed
}

// saveCrash writes a file that tells of a crash and returns its name, or why
// there is none.
func (h *Host) saveCrash(who, what string, stack []byte, state string) string {
	now := time.Now()
	text := fmt.Sprintf("%s\n%s\n%s\n\n%s\n%s", h.opts.ProgramName, now.Format(time.RFC3339Nano), what, state, stack)
	if h.opts.Crashes == "" {
		return "no folder is set for it"
	}
	file := filepath.Join(h.opts.Crashes, fmt.Sprintf("%s-%s.txt", who, now.UTC().Format("20060102-150405.000000")))
	err := os.MkdirAll(h.opts.Crashes, 0o755)
	if err == nil {
		err = os.WriteFile(file, []byte(text), 0o600)
	}
	if err != nil {
		return "could not be written: " + err.Error()
	}
	return file
}
