package replay

import "w3host/protocol/w3gs"

// Rules select the layout of a replay's actions.
type Rules struct{ w3gs.ActionRules }

// Rules of the replay.
func (r *Reader) Rules() Rules { return r.Program.rules(r.Start.late()) }

func (p Program) rules(late bool) Rules {
	version := p.Version.game()
	return Rules{w3gs.ActionRules{Version: version, Early14: version == 14 && p.Build < build114b, Late: late}}
}

// counted reports whether readers count an action: what a player did, and what a map
// stored. Pauses, speed keys, saves, cheats, alliances, triggers and the
// heartbeats of 1.32 are left out, as in w3gjs.
func counted(a w3gs.Action) bool {
	switch id := a.ID; {
	case !a.Known:
		return false
	case id == 0x03, id >= 0x10 && id <= 0x1F, id == 0x51, id == 0x61, id >= 0x64 && id <= 0x68, id >= 0x6B && id <= 0x79:
		return true
	}
	return false
}
