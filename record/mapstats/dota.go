package mapstats

import (
	"encoding/binary"
	"strconv"
)

// dotaFile is the game cache through which DotA reports. Its missions are "Data" (events during the game),
// "Global" (the end of the game) and a player's colour number (final statistics).
const dotaFile = "dr.x"

// dotaFigures maps the keys of a player's statistics to readable names.
var dotaFigures = map[string]string{
	"1": "kills", "2": "deaths", "3": "creep kills", "4": "creep denies", "5": "assists", "6": "gold",
	"7": "neutral kills", "9": "hero", "id": "id",
	"8_0": "item 1", "8_1": "item 2", "8_2": "item 3", "8_3": "item 4", "8_4": "item 5", "8_5": "item 6",
}

// Values of the key "Winner" in "Global".
const (
	dotaSentinel = 1 // colours 1 to 5
	dotaScourge  = 2 // colours 7 to 11
)

// dota processes a report. result already has its source, sender and turn.
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

// dotaWinner derives an outcome for each player from the winning side.
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
			continue // observer
		}
		result.PID, result.Name, result.Value = p.PID, outcome, lost
		if side == winner {
			result.Value = won
		}
		c.checkQuorum(&result)
		c.sheet.setOf(result)
	}
}

// dotaValue formats an object ID as its four letters and other values as numbers.
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
