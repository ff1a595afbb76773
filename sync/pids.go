package gamesync

import "w3host/w3gs"

// MaxPID is the highest player id a game can have; ids begin at 1.
const MaxPID = w3gs.MaxPID

// PIDs is a set of player ids.
type PIDs = w3gs.PIDs

// Only is the set of one player.
func Only(pid uint8) PIDs { return 1 << pid }
