package replay

import "w3host/protocol/w3gs"

// Rules selects the action layouts of a replay and describes its actions.
type Rules struct{ w3gs.ActionRules }

// Rules returns the action rules for the version that recorded the replay.
func (r *Reader) Rules() Rules { return r.Program.rules(r.Start.late()) }

func (p Program) rules(late bool) Rules {
	version := p.Version.game()
	return Rules{w3gs.ActionRules{Version: version, Early14: version == 14 && p.Build < build114b, Late: late}}
}

// counted reports whether Summary.Actions includes an action: those of players and values stored by the map.
// As in w3gjs, it excludes pauses, speed changes, saves, cheats, alliances, triggers and the heartbeats of
// 1.32.
func counted(a w3gs.Action) bool {
	switch id := a.ID; {
	case !a.Known:
		return false
	case id == 0x03, id >= 0x10 && id <= 0x1F, id == 0x51, id == 0x61, id >= 0x64 && id <= 0x68, id >= 0x6B && id <= 0x79:
		return true
	}
	return false
}
