package mapstats

import (
	"encoding/binary"
	"strconv"
)

// dotaFile is the game cache that DotA reports through. Its missions are "Data"
// (what happens, as it happens), "Global" (the end) and a player's colour
// number (the figures at the end).
const dotaFile = "dr.x"

// dotaFigures are the keys of a player's figures.
var dotaFigures = map[string]string{
	"1": "kills", "2": "deaths", "3": "creep kills", "4": "creep denies", "5": "assists", "6": "gold",
	"7": "neutral kills", "9": "hero", "id": "id",
	"8_0": "item 1", "8_1": "item 2", "8_2": "item 3", "8_3": "item 4", "8_4": "item 5", "8_5": "item 6",
}

// Winners in "Global".
const (
	dotaSentinel = 1 // colours 1 to 5
	dotaScourge  = 2 // colours 7 to 11
)

// dota takes a report; result has its source, sender and turn.
func (c *Collector) dota(result Result, r Report) {
	switch r.Mission {
	case "Data":
		result.Value = r.Key + " " + dotaValue(r.Value)
		c.sheet.event(result)
	case "Global":
		result.Name, result.Value = r.Key, decimal(r.Value)
		if r.Key == "Winner" {
			c.dotaWinner(result, r.Value)
		}
		c.sheet.setOf(result)
	default:
		colour, err := strconv.Atoi(r.Mission)
		name, known := dotaFigures[r.Key]
		if err != nil || !known {
			return
		}
		p, in := c.byColour(colour)
		if !in {
			result.About = "colour " + strconv.Itoa(colour)
		}
		result.PID, result.Name, result.Value = p.PID, name, decimal(r.Value)
		if r.Key == "9" || len(r.Key) == 3 {
			result.Value = dotaValue(r.Value)
		}
		c.sheet.setOf(result)
	}
}

// dotaWinner turns the winning side into an outcome for each player.
func (c *Collector) dotaWinner(result Result, winner uint32) {
	if winner != dotaSentinel && winner != dotaScourge {
		return
	}
	for _, p := range c.players {
		side := uint32(0)
		switch {
		case p.Colour >= 1 && p.Colour <= 5:
			side = dotaSentinel
		case p.Colour >= 7 && p.Colour <= 11:
			side = dotaScourge
		default:
			continue // an observer
		}
		result.PID, result.Name, result.Value = p.PID, outcome, lost
		if side == winner {
			result.Value = won
		}
		c.weigh(&result)
		c.sheet.setOf(result)
	}
}

// dotaValue writes an object id as its four letters, any other number as such.
func dotaValue(v uint32) string {
	letters := binary.BigEndian.AppendUint32(nil, v)
	for _, ch := range letters {
		if ch < '0' || ch > 'z' {
			return decimal(v)
		}
	}
	return string(letters)
}

func decimal(v uint32) string { return strconv.FormatUint(uint64(v), 10) }
