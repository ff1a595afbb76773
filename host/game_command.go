package host

import (
	"strconv"
	"time"

	"w3host/command"
	"w3host/lobby"
	"w3host/mapxfer"
)

// executeLobby carries out the commands that only change the lobby.
func (g *Game) executeLobby(pid uint8, c command.Command) {
	switch c := c.(type) {
	case command.Start:
		g.operate(lobby.Start{Force: c.Force, Now: c.Now})
	case command.Abort:
		g.operate(lobby.Abort{})
	case command.AutoStart:
		if c.Off {
			c.Players = 0
		}
		g.operate(lobby.AutoStart{Players: c.Players, Hold: c.Hold})
	case command.Open:
		g.operate(lobby.Open{Slots: indexes(c.Slots)})
	case command.Close:
		g.operate(lobby.Close{Slots: indexes(c.Slots)})
	case command.OpenAll:
		g.operate(lobby.OpenAll{})
	case command.CloseAll:
		g.operate(lobby.CloseAll{})
	case command.Swap:
		g.operate(lobby.Swap{A: c.A - 1, B: c.B - 1})
	case command.Shuffle:
		g.operate(lobby.Shuffle{})
	case command.Hold:
		g.operate(lobby.Hold{Names: c.Names})
	case command.Unhold:
		g.operate(lobby.Unhold{Names: c.Names})
	case command.Computer:
		g.operate(lobby.Computer{Slot: c.Slot - 1, AI: c.AI})
	case command.Team:
		g.withSlot(c.Target, func(slot int) { g.operate(lobby.SetTeam{Slot: slot, Team: uint8(c.Team - 1)}) })
	case command.Colour:
		g.withSlot(c.Target, func(slot int) { g.operate(lobby.SetColour{Slot: slot, Colour: c.Colour}) })
	case command.Race:
		g.withSlot(c.Target, func(slot int) { g.operate(lobby.SetRace{Slot: slot, Race: c.Race}) })
	case command.Handicap:
		g.withSlot(c.Target, func(slot int) { g.operate(lobby.SetHandicap{Slot: slot, Handicap: uint8(c.Percent)}) })
	case command.FakePlayer:
		g.operate(lobby.FakePlayer{Count: c.Count})
	case command.DeleteFake:
		g.operate(lobby.DeleteFake{})
	case command.Observe:
		g.withPlayer(c.Player, func(p lobby.Player) { g.operate(lobby.Observe{PID: p.PID}) })
	case command.HCL:
		g.setHCL(pid, c.Text)
	case command.ClearHCL:
		g.operate(lobby.ClearHCL{})
	case command.Unhost:
		g.operate(lobby.Shutdown{Why: "the lobby was closed by its owner"})
	}
}

// withSlot finds the slot of a target, as an index.
func (g *Game) withSlot(t command.Target, do func(slot int)) {
	if t.Slot > 0 {
		do(t.Slot - 1)
		return
	}
	g.withPlayer(t.Player, func(p lobby.Player) { do(p.Slot) })
}

func (g *Game) setHCL(pid uint8, text string) {
	if text == "" {
		g.say(lobby.PIDSet(pid), "The mode is "+strconv.Quote(g.lobby.HCL())+".")
		return
	}
	g.operate(lobby.HCL{Text: text})
	if g.refusal == "" {
		g.say(0, "The mode is now "+strconv.Quote(text)+".")
	}
}

func (g *Game) setDownloads(text string) {
	mode, err := mapxfer.ParseMode(text)
	if err != nil {
		g.refusal = err.Error()
		return
	}
	g.transfer(g.xfer.SetMode(time.Since(g.opened), mode, g.xferOut[:0]))
	g.say(0, "Map downloads: "+mode.String()+".")
}

// indexes turns slot numbers into indexes.
func indexes(numbers []int) []int {
	list := make([]int, len(numbers))
	for i, n := range numbers {
		list[i] = n - 1
	}
	return list
}
