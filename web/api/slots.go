package api

import (
	"strconv"

	"w3host/game"
	"w3host/protocol/w3gs"
)

// status is what a slot is.
func status(s *game.SnapshotSlot) string {
	switch {
	case s.Status == w3gs.SlotOpen:
		return "open"
	case s.Status == w3gs.SlotClosed:
		return "closed"
	case s.Computer:
		return "computer"
	}
	return "player"
}

func number(n uint32) string { return strconv.FormatUint(uint64(n), 10) }
