package replay

import (
	"fmt"
	"slices"
	"time"

	"w3host/protocol/w3gs"
)

// Limits of a summary, which keep huge files from exhausting memory.
const (
	maxChatLines = 50000
	maxLeaves    = 1000
)

// Summary describes a whole replay: players, chat, leaves, results and statistics.
type Summary struct {
	Header
	Start   Start
	Players []*PlayerSummary
	Slots   []w3gs.Slot // reconstructed for official replays, which store none
	Chat    []ChatLine
	Leaves  []LeaveLine

	Turns, Commands, Actions, Checksums int

	Played time.Duration // sum of all turns, including pauses
	Winner int           // winning team, or NoTeam

	Findings []Finding

	lag timeline // milliseconds by which turns exceeded their usual length
}

// PlayerSummary describes a player with a record. Computer players have none.
type PlayerSummary struct {
	PID      uint8
	Name     string
	Team     int        // NoTeam if the player has no slot
	Slot     *w3gs.Slot // nil if the player has no slot
	Observer bool
	Leave    *LeaveLine // the last leave; nil if the player never left
	Result   Result
	APM      float64

	apm         apm
	pausedAtEnd time.Duration
	contradicts bool
}

// ChatLine is a chat line with its game time.
type ChatLine struct {
	Time time.Duration
	Chat
}

// LeaveLine is a leave with its game time.
type LeaveLine struct {
	Time time.Duration
	Leave
}

// Player returns the player with the given pid, or nil.
func (s *Summary) Player(pid uint8) *PlayerSummary {
	for _, p := range s.Players {
		if p.PID == pid {
			return p
		}
	}
	return nil
}

// Name returns the player's name, or "player N" if the player has no record.
func (s *Summary) Name(pid uint8) string {
	if p := s.Player(pid); p != nil {
		return p.Name
	}
	return fmt.Sprintf("player %d", pid)
}

// Summarise reads a replay to its end or to the first error, which is then among the findings.
func Summarise(r *Reader) *Summary {
	s := &Summary{Header: r.Header, Start: r.Start, Slots: r.slots()}
	s.addPlayers(r.names())
	w := summariser{Summary: s, r: r, rules: r.Rules()}
	ended := false // the last record is a leave
	for rec, err := range r.Records() {
		if ended = err == nil && rec.Kind == KindLeave; err == nil {
			w.add(rec)
		}
	}
	s.Played = r.time
	if s.unfinished() || s.Duration == 0 {
		s.Duration = s.Played - w.paused
	}
	for _, p := range s.Players {
		p.finish(s.Played, w.paused)
	}
	s.findResults(ended)
	s.Findings = r.Findings
	return s
}

type summariser struct {
	*Summary
	r      *Reader
	rules  Rules
	paused time.Duration
	pause  bool
	usual  int // running average of turn lengths, in 1/16 milliseconds
}

func (w *summariser) add(rec *Record) {
	switch rec.Kind {
	case KindTurn, KindTurnPart:
		w.turn(rec)
	case KindChecksum:
		w.Checksums++
	case KindChat:
		if len(w.Chat) == maxChatLines {
			w.r.noteOnce(false, "chat", "more than %d chat lines: the rest is left out", maxChatLines)
			return
		}
		w.Chat = append(w.Chat, ChatLine{rec.Time, rec.Chat})
	case KindLeave:
		w.leave(LeaveLine{rec.Time, rec.Leave})
	}
}

func (w *summariser) leave(l LeaveLine) {
	if len(w.Leaves) == maxLeaves {
		w.r.noteOnce(false, "leaves", "more than %d leaves: the rest is left out", maxLeaves)
		return
	}
	w.Leaves = append(w.Leaves, l)
	if p := w.Player(l.PID); p != nil {
		p.Leave, p.pausedAtEnd = &l, w.paused
	} else {
		w.r.noteOnce(false, fmt.Sprint("leave", l.PID), "player %d leaves but has no record", l.PID)
	}
}

func (w *summariser) turn(rec *Record) {
	w.Turns++
	if w.pause {
		w.paused += rec.Increment
	}
	w.addLag(rec)
	for pid, data := range w3gs.Actions(rec.Commands) {
		w.Commands++
		p := w.Player(pid)
		if p == nil {
			w.r.noteOnce(false, fmt.Sprint("acts", pid), "player %d acts but has no record", pid)
			p = &PlayerSummary{}
		}
		p.apm.add(w.rules.CountActions(data), rec.Time)
		for a := range w.rules.Actions(data) {
			switch {
			case !a.Known:
				w.r.noteOnce(false, fmt.Sprint("action", a.ID), "unknown action %#02x at %v in the game", a.Data[0], rec.Time)
			case a.ID == 0x01:
				w.pause = true
			case a.ID == 0x02:
				w.pause = false
			}
			if counted(a) {
				w.Actions++
			}
		}
	}
}

// addLag adds the time by which a turn exceeded twice the usual length. This is the only trace of lag in a
// replay, because the game time stops while players are waited for.
func (w *summariser) addLag(rec *Record) {
	ms := int(rec.Increment.Milliseconds())
	if rec.Kind != KindTurn || ms == 0 {
		return
	}
	if w.usual == 0 {
		w.usual = ms << 4
	}
	if over := ms - 2*(w.usual>>4); over > 0 {
		w.lag.add(rec.Time, over)
	}
	w.usual += ms - w.usual>>4
}

func (p *PlayerSummary) finish(end, paused time.Duration) {
	if p.Leave != nil {
		end, paused = p.Leave.Time, p.pausedAtEnd
	}
	if played := end - paused; played > 0 {
		p.APM = float64(p.apm.total) / played.Minutes()
	}
}

// slots returns the slots of the file. Official replays have none; there every player gets a slot, with
// alternating teams (the document, §6.1).
func (r *Reader) slots() []w3gs.Slot {
	if len(r.Start.Slots) > 0 {
		return r.Start.Slots
	}
	var slots []w3gs.Slot
	for i, p := range r.Start.Players {
		slots = append(slots, w3gs.Slot{
			PID: p.PID, Download: 100, Status: w3gs.SlotOccupied, Team: uint8(i % 2), Colour: NoColour,
			Race: p.ladderRace(), AI: w3gs.AINormal, Handicap: 100,
		})
	}
	return slots
}

// NoColour is the colour of the slots of official replays, which do not store it.
const NoColour = 0xFF

func (s *Summary) addPlayers(names map[uint8]string) {
	for _, rec := range s.Start.Players {
		p := &PlayerSummary{PID: rec.PID, Name: rec.Name, Team: NoTeam}
		if long := names[rec.PID]; long != "" {
			p.Name = long
		}
		at := slices.IndexFunc(s.Slots, func(slot w3gs.Slot) bool {
			return slot.PID == rec.PID && slot.Status == w3gs.SlotOccupied && !slot.Computer
		})
		if at >= 0 {
			p.Slot, p.Team = &s.Slots[at], int(s.Slots[at].Team)
			p.Observer = p.Slot.Team == s.Version.game().ObserverTeam()
		}
		s.Players = append(s.Players, p)
	}
}
