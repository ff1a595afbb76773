package host

import (
	"fmt"
	"strings"
	"time"

	"w3host/command"
	"w3host/lobby"
	"w3host/w3gs"
)

// chat hands a line to the lobby, and says whether it is a command.
func (g *Game) chat(c *conn, line w3gs.Chat) {
	level := g.level(c.pid, c.name)
	ev := lobby.Chat{PID: c.pid, Line: line, Trusted: level > command.Anyone}
	if text, ok := g.ordered(line.Text); ok {
		call, _ := command.Parse(text, nil)
		ev.Command = call.Spec.Name != "" && level >= call.Needs
		_, ev.Urgent = call.Command.(command.Abort)
	}
	g.show(g.lobby.Handle(time.Since(g.opened), ev, g.lobbyOut[:0]))
}

// ordered is what follows the trigger of a command.
func (g *Game) ordered(text string) (string, bool) {
	return strings.CutPrefix(text, string(g.opts.Lobby.Trigger))
}

// heard takes a line that a player has said: it is logged, stored, and obeyed
// if it is a command. A muted command is not stored as chat, or a mute would not
// bound how much one player has stored; the audit log has those that matter.
func (g *Game) heard(e lobby.Said) {
	g.log.Debug().Str("player", e.Name).Bool("muted", e.Muted).Str("text", e.Text).Msg("chat")
	if !e.Muted || !e.Command {
		g.book.said(e)
	}
	if text, ok := g.ordered(e.Text); ok && text != "" {
		g.later(func() { g.obey(e.PID, e.Name, text) })
	}
}

// obey carries out a command from the chat, or answers the caller alone with
// what to type instead.
func (g *Game) obey(pid uint8, name, line string) {
	var names []string
	for _, p := range g.lobby.Find("") {
		names = append(names, p.Name)
	}
	call, err := command.Parse(line, names)
	level := g.level(pid, name)
	answer := ""
	switch {
	case call.Spec.Name == "" && level < command.Owner:
		return // not for us: players begin lines with all sorts of signs
	case level < call.Needs:
		needs := call.Needs
		if g.lobby.StandIn() == 0 {
			needs = max(needs, command.Owner)
		}
		answer = fmt.Sprintf("only %v may use %s", needs, call.Spec.Name)
	case err != nil:
		answer = err.Error()
	case call.Spec.Phase&g.phase() == 0:
		answer = call.Spec.Name + " is for the " + map[bool]string{true: "lobby", false: "game"}[g.turns != nil]
	default:
		g.refusal, g.target, g.caller = "", "", name
		g.execute(pid, call.Command)
		answer = g.refusal
		if call.Needs > command.Anyone {
			g.log.Info().Str("player", name).Str("command", line).Str("target", g.target).Str("refused", answer).Msg("command")
			g.book.admin(name, g.via(), line, g.target, answer)
		}
	}
	if answer != "" {
		g.say(lobby.PIDSet(pid), answer)
	}
}

// level is what a player may do.
func (g *Game) level(pid uint8, name string) command.Level {
	level := g.opts.Admins.Level(name, "")
	switch {
	case g.lobby.Owns(pid):
		return max(level, command.Owner)
	case g.lobby.StandIn() == pid:
		return max(level, command.StandIn)
	}
	return level
}

func (g *Game) phase() command.Phase {
	if g.turns == nil {
		return command.InLobby
	}
	return command.InGame
}

func (g *Game) via() string {
	if g.turns == nil {
		return "lobby"
	}
	return "game"
}

// execute carries out one command; g.refusal says why it could not.
func (g *Game) execute(pid uint8, c command.Command) {
	switch c := c.(type) {
	case command.Help:
		g.say(lobby.PIDSet(pid), g.help(c.Topic, pid))
	case command.Version:
		g.say(lobby.PIDSet(pid), g.opts.ProgramName)
	case command.Ping:
		g.ping(pid, c.Limit)
	case command.Say:
		g.say(0, c.Text)
	case command.SetOwner:
		g.setOwner(pid, c.Player)
	case command.Kick:
		g.kick(c)
	case command.Mute:
		g.withPlayer(c.Player, func(p lobby.Player) { g.operate(lobby.Mute{PID: p.PID, Off: c.Off}) })
	case command.MuteAll:
		g.operate(lobby.MuteAll{Off: c.Off})
	case command.Latency:
		g.setLatency(pid, c.Period)
	case command.SyncLimit:
		g.setSyncLimit(pid, c.Turns)
	case command.Drop:
		g.drop()
	case command.End:
		g.say(0, "The game was ended by its owner.")
		g.play(g.turns.End(g.playTime(), g.turnsOut[:0]))
	case command.Download:
		g.withPlayer(c.Player, func(p lobby.Player) {
			g.transfer(g.xfer.Allow(time.Since(g.opened), p.PID, g.xferOut[:0]))
		})
	case command.Downloads:
		g.setDownloads(c.Mode)
	default:
		g.executeLobby(pid, c)
	}
}

// operate hands an operation to the lobby; its Refused comes to refused.
func (g *Game) operate(op lobby.Operation) {
	g.show(g.lobby.Handle(time.Since(g.opened), op, g.lobbyOut[:0]))
}

// refused keeps why an operation could not be done, for whoever asked for it.
func (g *Game) refused(e lobby.Refused) { g.refusal = e.Why }

// withPlayer finds one player by a part of his name.
func (g *Game) withPlayer(part string, do func(lobby.Player)) {
	switch found := g.lobby.Find(part); len(found) {
	case 0:
		g.refusal = fmt.Sprintf("no player's name has %q in it", part)
	case 1:
		g.target = found[0].Name
		do(found[0])
	default:
		names := make([]string, len(found))
		for i, p := range found {
			names[i] = p.Name
		}
		g.refusal = fmt.Sprintf("%q may be %s: type more of the name", part, strings.Join(names, " or "))
	}
}

func (g *Game) help(topic string, pid uint8) string {
	trigger := string(g.opts.Lobby.Trigger)
	if topic != "" {
		s, ok := command.Find(strings.ToLower(strings.TrimPrefix(topic, trigger)))
		if !ok {
			return fmt.Sprintf("there is no command %q", topic)
		}
		return trigger + s.Synopsis() + ": " + s.Help
	}
	p, _ := g.lobby.Player(pid)
	level := g.level(pid, p.Name)
	var names []string
	for _, s := range command.Table() {
		if s.Phase&g.phase() != 0 && (s.Level <= level || s.AskAnyone) {
			names = append(names, trigger+s.Name)
		}
	}
	return strings.Join(names, " ")
}

func (g *Game) setOwner(pid uint8, player string) {
	if player == "" {
		owner := g.lobby.Owner()
		if owner == "" {
			owner = "nobody"
		}
		g.say(lobby.PIDSet(pid), "The owner is "+owner+".")
		return
	}
	g.withPlayer(player, func(p lobby.Player) { g.operate(lobby.SetOwner{Player: p.Name}) })
}

// kick removes a player from the lobby or the game.
func (g *Game) kick(c command.Kick) {
	by := g.caller
	g.withPlayer(c.Player, func(p lobby.Player) {
		g.operate(lobby.Kick{PID: p.PID, Why: c.Reason, By: by, CloseSlot: c.CloseSlot, KeepOut: true})
	})
}

// drop ends the wait for those on the lag screen.
func (g *Game) drop() {
	laggers := g.turns.Laggers()
	if laggers == 0 {
		g.refusal = "nobody is on the lag screen"
		return
	}
	var names []string
	for pid := range laggers.All() {
		names = append(names, g.playerName(pid))
	}
	g.target = strings.Join(names, ", ")
	g.say(0, "Dropped: "+g.target+".")
	g.play(g.turns.DropLaggers(g.playTime(), g.turnsOut[:0]))
}

// ping shows the round trips, or kicks who is slower than the limit.
func (g *Game) ping(pid uint8, limit time.Duration) {
	var parts []string
	for _, p := range g.lobby.Players() {
		if p.Pings == 0 {
			parts = append(parts, p.Name+": ?")
			continue
		}
		parts = append(parts, fmt.Sprintf("%s: %d ms", p.Name, p.RTT.Milliseconds()))
		if limit > 0 && p.RTT > limit {
			by := g.caller
			g.later(func() { g.operate(lobby.Kick{PID: p.PID, Why: "ping", By: by, KeepOut: true}) })
		}
	}
	g.say(lobby.PIDSet(pid), strings.Join(parts, ", "))
}

func (g *Game) setLatency(pid uint8, period time.Duration) {
	switch {
	case period == 0:
		g.say(lobby.PIDSet(pid), fmt.Sprintf("The latency is %d ms.", g.latency.Milliseconds()))
	default:
		g.latency = period
		if g.turns != nil {
			g.play(g.turns.SetPeriod(g.playTime(), period, g.turnsOut[:0]))
		}
		g.say(0, fmt.Sprintf("The latency is now %d ms.", period.Milliseconds()))
	}
}

func (g *Game) setSyncLimit(pid uint8, turns int) {
	switch {
	case turns == 0:
		g.say(lobby.PIDSet(pid), fmt.Sprintf("The sync limit is %d turns.", g.syncLimit))
	default:
		g.syncLimit = turns
		if g.turns != nil {
			g.play(g.turns.SetSyncLimit(g.playTime(), turns, g.turnsOut[:0]))
		}
		g.say(0, fmt.Sprintf("The sync limit is now %d turns.", turns))
	}
}
