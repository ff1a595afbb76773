package game

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"w3host/game/command"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
)

// stir does something nobody waits for.
func (c *crowd) stir() {
	if len(c.order) == 0 {
		return
	}
	a := c.players[c.order[c.r.IntN(len(c.order))]]
	if a.pid == 0 || a.gone {
		return
	}
	if c.playing {
		c.stirPlay(a)
	} else {
		c.stirLobby(a)
	}
}

func (c *crowd) stirLobby(a *actor) {
	switch n := c.r.IntN(30); {
	case n < 6:
		c.say(a, c.chat(a, w3gs.ChatLobby, "hello"))
	case n < 10:
		c.say(a, c.chat(a, w3gs.ChatLobby, "!"+c.line()))
	case n < 20:
		flags := []w3gs.ChatFlag{w3gs.ChatTeam, w3gs.ChatColour, w3gs.ChatRace, w3gs.ChatHandicap}
		p := c.chat(a, flags[c.r.IntN(4)], "")
		p.Value = []uint8{0, 1, 3, 12, 2, 4, 8, 32, 50, 100, uint8(c.r.IntN(256))}[c.r.IntN(11)]
		c.say(a, p)
	case n == 20 && !c.patient:
		c.say(a, &w3gs.LeaveGame{Reason: w3gs.LeaveLobby})
	case n == 21 && !c.patient:
		c.lose(a)
	case n == 22:
		c.say(a, &w3gs.MapPartNotOK{From: a.pid, To: a.pid})
	case n == 23:
		c.after(0, Input{Kind: Backlog, Link: a.link, Figures: mapxfer.Figures{
			Queued: c.r.IntN(5000), Unacked: c.r.IntN(5000), RTT: time.Duration(c.r.IntN(200)) * time.Millisecond,
			MinRTT: time.Duration(1+c.r.IntN(20)) * time.Millisecond,
		}})
	case n == 24:
		c.after(0, Input{Kind: HostLate, By: time.Duration(c.r.IntN(20)) * time.Millisecond})
	case n == 26:
		c.tell(a)
	case n == 25 && c.r.IntN(4) == 0:
		c.after(0, Input{Kind: Ban, Link: a.link, Why: "late"})
	}
}

func (c *crowd) stirPlay(a *actor) {
	if a.wire != nil && c.r.IntN(12) == 0 {
		c.cutWire(a.wire)
		if c.r.IntN(4) == 0 { // several at once
			for _, other := range c.seated() {
				if other.wire != nil {
					c.cutWire(other.wire)
				}
			}
		}
		return
	}
	switch n := c.r.IntN(500); {
	case n < 420:
		c.act(a)
	case n < 430:
		p := c.chat(a, w3gs.ChatGame, "gg")
		p.Scope = w3gs.ChatScope(c.r.IntN(3))
		c.say(a, p)
	case n < 460:
		line := c.line()
		if c.r.IntN(2) == 0 {
			line = votes[c.r.IntN(len(votes))]
		}
		c.say(a, c.chat(a, w3gs.ChatGame, "!"+line))
	case n < 462:
		c.say(a, &w3gs.LeaveGame{Reason: w3gs.LeaveLost})
	case n < 465:
		c.lose(a)
	case n < 470:
		a.delay = time.Duration(1+c.r.IntN(4000)) * time.Millisecond // lags
	case n < 480:
		c.after(0, Input{Kind: Backlog, Link: a.link, Queued: c.r.IntN(50000), Moves: c.r.Uint64N(20)})
	case n < 485:
		c.after(0, Input{Kind: Beat, By: time.Duration(c.r.IntN(100)) * time.Millisecond})
	case n < 488:
		c.now += c.upTo([]time.Duration{3 * time.Second, 20 * time.Second}[c.r.IntN(8)/7]) // the host is suspended
	case n < 495:
		c.tell(a)
	}
}

// load has a client load the map.
func (c *crowd) load(a *actor) {
	c.later(a.loads, func() {
		a.loaded = true
		c.say(a, &w3gs.LoadedSelf{})
	})
}

// act sends an action, or a burst of them, unless the client loads or stands still.
func (c *crowd) act(a *actor) {
	if !a.loaded || beyond(a.stalls, c.now) > c.now || beyond(a.frozen, c.now) > c.now {
		return
	}
	n, size := 1, 1+c.r.IntN(30)
	switch c.r.IntN(200) {
	case 0:
		n, size = 20, 500
	case 1:
		size = w3gs.MaxActionLen
	case 2, 3, 4, 5, 6, 7:
		size = 900
	}
	for range n {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(c.r.Uint32())
		}
		c.say(a, &w3gs.OutgoingAction{Data: data})
	}
}

// lose ends a link. Where there is a proxy it is cut, and comes back.
func (c *crowd) lose(a *actor) {
	if a.wire != nil && c.playing {
		c.cutWire(a.wire)
		return
	}
	if a.wire != nil {
		c.hostLoses(a.wire.own, "reset")
		c.proxyLoses(a.wire.own)
	} else {
		c.after(0, Input{Kind: Lost, Link: a.link, Why: "reset"})
	}
	a.gone = true
}

func (c *crowd) chat(a *actor, flag w3gs.ChatFlag, text string) *w3gs.ChatToHost {
	p := &w3gs.ChatToHost{Chat: w3gs.Chat{From: a.pid, Flag: flag, Text: text}}
	for pid := range c.seated() {
		p.To = append(p.To, pid)
	}
	if p.To == nil {
		p.To = []uint8{a.pid}
	}
	return p
}

// lines are commands, right and wrong; N is a number.
var lines = strings.Split("swap N 1|open N|close N|comp N|kick pN|mute pN|start force|abort|shuffle|owner pN|latency N0|"+
	"synclimit N|fakeplayer|deletefp|help|help kick|ping|openall|closeall|say hi|drop|end|hold pN|unhold pN|autostart N|"+
	"autostart off|autostart 2 balanced|balance|rank|team pN 2|colour pN 3|race pN orc|handicap pN 70|obs pN|hcl ab|clearhcl|download pN|downloads on|"+
	"muteall|unmuteall|version|nonsense|start now|kick|ping 3000|votekick pN|yes|no|ban pN 1h|banlast|stats|check pN|from|ff|draw|ready|unready|autostart ready 1|messages off|lock|unlock|announce 10 x|pin x|priv|pub N|rename N|unban pN|journal|checkme|rules", "|")

// votes are what players decide together, and what the owner does in a game.
var votes = strings.Split("rmk|rmk|yes|yes|yes|no|ff|draw|votekick p2|pause|resume", "|")

// tell has the host say something to a player alone, who may be another by now.
func (c *crowd) tell(a *actor) {
	c.after(time.Duration(c.r.IntN(500))*time.Millisecond, Input{Kind: HostLine, Caller: &command.Caller{PID: a.pid, Name: a.name}, Line: fmt.Sprintf("secret of %d", a.pid)})
}

func (c *crowd) line() string {
	return strings.ReplaceAll(lines[c.r.IntN(len(lines))], "N", strconv.Itoa(1+c.r.IntN(13)))
}

// console has the operator type a line.
func (c *crowd) console(after time.Duration, line string) {
	c.after(after, Input{Kind: Command, Line: line, Caller: &command.Caller{Name: "console", Level: command.Root, Via: command.ViaConsole}})
}
