package gamesync

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// Desync reports that the players' games have diverged. It contains everything needed to analyse the cause
// later, and is stored as JSON. The resulting drops follow it.
type Desync struct {
	reportOnly
	Turn     uint32        `json:"turn"`
	GameTime time.Duration `json:"game_time_ns"`
	Ends     bool          `json:"ends"` // the game ends because no group was the largest
	Groups   []Group       `json:"groups"`
	Past     []PastTurn    `json:"past"` // the last 50 turns up to Turn
	Line     texts.Text    `json:"line"` // also sent with Sink.Say
}

// Group is a set of players whose games are identical.
type Group struct {
	Hash    Hash      `json:"hash"`
	PIDs    w3gs.PIDs `json:"pids"`
	Players []string  `json:"players"`
	GoesOn  bool      `json:"goes_on"`
}

// PastTurn is a turn before a desync: its actions, and the answers of all players, including those who have
// left since.
type PastTurn struct {
	Number    uint32       `json:"number"`
	Increment uint16       `json:"increment_ms"`
	Hashes    []PlayerHash `json:"hashes"`
	Actions   []PastAction `json:"actions,omitempty"`
	Lost      bool         `json:"lost,omitempty"` // the actions are no longer available, because they were too old and too large
}

// PlayerHash is a player's answer to a turn.
type PlayerHash struct {
	PID  uint8 `json:"pid"`
	Hash Hash  `json:"hash"`
}

// PastAction is a player's action in a turn.
type PastAction struct {
	PID  uint8 `json:"pid"`
	Data Hex   `json:"data"`
}

// Hash is a sync checksum, encoded as eight hex digits in JSON.
type Hash uint32

// MarshalText returns the hex digits.
func (h Hash) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%08x", uint32(h)), nil }

// Hex is a byte slice, encoded as hex digits in JSON.
type Hex []byte

// MarshalText returns the hex digits.
func (h Hex) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h), nil }

// desync drops the players outside the largest group, or ends the game if two groups are equally large.
func (l *Loop) desync(rec *turnRecord, groups []Group, tie bool) {
	var lost w3gs.PIDs
	for i := range groups {
		groups[i].GoesOn = !tie && uint32(groups[i].Hash) == rec.sum
		if !groups[i].GoesOn {
			lost |= groups[i].PIDs
		}
	}
	d := &Desync{Turn: rec.number, GameTime: rec.gameTime, Ends: tie, Groups: groups, Past: l.past(rec.number)}
	d.Line = desyncLine(d)
	l.sink.Fact(d)
	l.sink.Say(l.live, d.Line)
	if tie {
		l.finish(EndDesync)
		return
	}
	l.dropAll(lost, WhyDesync)
}

// past returns the recorded turns up to number.
func (l *Loop) past(number uint32) []PastTurn {
	first := l.hashes.ring.oldest
	if number >= reportTurns {
		first = max(first, number+1-reportTurns)
	}
	past := make([]PastTurn, 0, number+1-first)
	for n := first; n <= number; n++ {
		rec := l.hashes.ring.at(n)
		turn := PastTurn{Number: n, Increment: rec.increment, Lost: rec.lost}
		for pid := range rec.have.All() {
			turn.Hashes = append(turn.Hashes, PlayerHash{pid, Hash(rec.hashes[pid])})
		}
		for pid, data := range w3gs.Actions(rec.actions) {
			turn.Actions = append(turn.Actions, PastAction{pid, slices.Clone(data)})
		}
		past = append(past, turn)
	}
	return past
}

func desyncLine(d *Desync) texts.Text {
	var sides []texts.Text
	var lost []string
	for _, gr := range d.Groups {
		side := strings.Join(gr.Players, ", ")
		sides = append(sides, texts.Plain(side))
		if !gr.GoesOn {
			lost = append(lost, side)
		}
	}
	if d.Ends {
		line := sides[0]
		for _, side := range sides[1:] {
			line = texts.Of("%v against %v", line, side)
		}
		return texts.Of("desync at turn %d: %v; the game ends", d.Turn, line)
	}
	return texts.Of("desync at turn %d: dropped %s", d.Turn, strings.Join(lost, ", "))
}
