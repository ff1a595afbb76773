package replay

import (
	"fmt"
	"slices"

	"w3host/protocol/w3gs"
)

// Verify reads a replay to its end and returns all findings. In addition to the checks of Reader (checksums,
// lengths, padding, sizes and duration in the header) it checks the order of the records and the players they
// name.
func Verify(r *Reader) []Finding {
	v := verifier{r: r, last: KindStartMark, left: map[uint8]bool{}}
	for rec, err := range r.Records() {
		if err != nil {
			return r.Findings
		}
		v.check(rec)
	}
	v.end()
	return r.Findings
}

type verifier struct {
	r     *Reader
	marks int  // number of start marks seen, of three
	last  Kind // kind of the previous record
	left  map[uint8]bool
}

func (v *verifier) check(rec *Record) {
	r, at := v.r, fmt.Sprintf("byte %d of the stream", rec.Offset)
	switch rec.Kind {
	case KindStartMark:
		if want := byte(recStart1 + v.marks); rec.ID != want || v.marks == 3 {
			r.noteOnce(true, "marks", "%s: the start mark %#02x is out of order", at, rec.ID)
		}
		v.marks++
	case KindTurn, KindTurnPart:
		if v.marks < 3 {
			r.noteOnce(true, "early", "%s: a turn before the game has started", at)
		}
		if rec.Kind == KindTurnPart && rec.Increment != 0 {
			r.noteOnce(false, "part", "%s: a partial turn has an increment of %v", at, rec.Increment)
		}
		v.commands(rec, at)
	case KindChecksum:
		if v.last != KindTurn {
			r.noteOnce(false, "sum", "%s: a checksum that does not follow a turn", at)
		}
	case KindChat:
		if !v.known(rec.Chat.PID) {
			r.noteOnce(false, "chatter", "%s: player %d chats but has no record", at, rec.Chat.PID)
		}
	case KindLeave:
		if v.left[rec.Leave.PID] {
			r.noteOnce(false, "twice", "%s: player %d leaves twice", at, rec.Leave.PID)
		}
		if !v.known(rec.Leave.PID) {
			r.noteOnce(false, "leaver", "%s: player %d leaves but has no record", at, rec.Leave.PID)
		}
		v.left[rec.Leave.PID] = true
	}
	v.last = rec.Kind
}

func (v *verifier) commands(rec *Record, at string) {
	rules := v.r.Rules()
	for pid, data := range w3gs.Actions(rec.Commands) {
		if !v.known(pid) {
			v.r.noteOnce(false, "actor", "%s: player %d acts but has no record", at, pid)
		}
		for a := range rules.Actions(data) {
			if !a.Known {
				v.r.noteOnce(false, fmt.Sprint("action", a.ID), "%s: unknown action %#02x", at, a.Data[0])
			}
		}
	}
}

func (v *verifier) known(pid uint8) bool {
	return slices.ContainsFunc(v.r.Start.Players, func(p Player) bool { return p.PID == pid })
}

func (v *verifier) end() {
	r := v.r
	if v.marks < 3 {
		r.note(true, "only %d of 3 start marks found", v.marks)
	}
	if v.last != KindLeave {
		r.note(false, "the replay does not end with a leave")
	}
}
