package lobby

import (
	"slices"

	"w3host/texts"
	"w3host/w3gs"
)

// playingPlaces are the places of the humans who play.
func (l *Lobby) playingPlaces() (places []int) {
	for i, s := range l.slots {
		if l.human(s.PID) != nil && s.Team != l.observer {
			places = append(places, i)
		}
	}
	return places
}

func (op Arrange) apply(l *Lobby) *Refusal {
	places := l.playingPlaces()
	var there w3gs.PIDs
	for _, place := range places {
		there |= w3gs.Only(l.slots[place].PID)
	}
	if len(op.PIDs) != len(places) || w3gs.Only(op.PIDs...) != there {
		return Refuse(Malformed, "the players to arrange are not those who play")
	}
	for i, pid := range op.PIDs {
		if from := l.slotOf(pid); from != places[i] {
			l.exchange(places[i], from, true)
		}
	}
	return nil
}

// judgement is what was said of the balance of a table.
type judgement struct {
	table []w3gs.Slot
	why   texts.Text
}

// judged reports whether the table is the one that was judged, as far as players
// and teams go.
func (l *Lobby) judged() bool {
	return slices.EqualFunc(l.slots, l.auto.judgement.table, func(a, b w3gs.Slot) bool {
		return a.PID == b.PID && a.Team == b.Team && a.Status == b.Status
	})
}

// AwaitsBalance reports whether a start by itself waits for a Judge.
func (l *Lobby) AwaitsBalance() bool {
	if l.phase != phaseOpen || !l.auto.Balanced || !l.auto.met || l.judged() {
		return false
	}
	return l.autoStartDue() <= l.now && l.blocked() == nil
}

// unbalanced says why a start by itself waits for other teams.
func (l *Lobby) unbalanced() *Refusal {
	switch {
	case !l.auto.Balanced:
		return nil
	case !l.judged():
		return Refuse(NotYet, "the teams are not balanced yet")
	case !l.auto.judgement.why.Empty():
		return &Refusal{NotYet, l.auto.judgement.why}
	}
	return nil
}
