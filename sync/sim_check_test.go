package gamesync

import (
	"bytes"
	"time"

	"w3host/w3gs"
)

// checkTurn holds a turn against what must be in it and when it was due.
func (s *sim) checkTurn(t *Turn) {
	if int(t.Number) != len(s.turns)+1 {
		s.fail("turn %d after %d turns", t.Number, len(s.turns))
	}
	if !bytes.Equal(t.Actions, s.expect) {
		s.fail("turn %d has %d bytes of actions, %d have arrived", t.Number, len(t.Actions), len(s.expect))
	}
	for pid := range s.present.All() {
		if c := s.byPID[pid]; len(s.turns)-s.acked[pid] > s.limit && !(c.observer && s.cfg.ObserversNeverStop) {
			s.fail("turn %d is sent although pid %d is %d behind", t.Number, pid, len(s.turns)-s.acked[pid])
		}
	}
	due, increment := s.now-t.Late, time.Duration(t.Increment)*time.Millisecond
	switch step := due - s.lastDue; {
	case t.Late < 0:
		s.fail("turn %d is early by %v", t.Number, -t.Late)
	case step == increment:
	case step < increment && t.Number > 1:
		s.fail("turn %d is due %v after the one before and says %v", t.Number, step, increment)
	case !s.stood && s.sleptAt <= s.lastDue:
		s.fail("turn %d is due %v after the one before, not %v, and nothing stood still", t.Number, step, increment)
	case s.stood && s.sleptAt <= s.lastDue && (due <= s.resumed || due > s.resumed+increment):
		s.fail("turn %d is due at %v, the game goes on since %v", t.Number, due, s.resumed)
	}
	s.lastDue, s.stood = due, false
	s.limit = s.wantLimit
}

func (s *sim) checkPeriod(e *PeriodChanged) {
	if e.Period < w3gs.MinPeriod || e.Period > w3gs.MaxPeriod {
		s.fail("period %v", e.Period)
	}
	if !e.Adaptive {
		return
	}
	if e.Period < s.cfg.Adaptive.Min || e.Period > s.cfg.Adaptive.Max {
		s.fail("adaptive period %v is out of bounds", e.Period)
	}
	if s.changed > 0 && s.now-s.changed < 10*time.Second-s.jitter {
		s.fail("the adaptive period changed at %v and again", s.changed)
	}
	s.changed = s.now
}

func (s *sim) checkScreen(e *ScreenUp) {
	s.stood, s.votes = true, 0
	var want w3gs.PIDs
	for pid := range s.present.All() {
		if len(s.turns)-s.acked[pid] > s.limit && !(s.byPID[pid].observer && s.cfg.ObserversNeverStop) {
			want |= w3gs.Only(pid)
		}
	}
	if e.Laggers != want {
		s.fail("lag screen for %b, want %b: limit %d, answered %v of %d", e.Laggers, want, s.limit, s.acked, len(s.turns))
	}
}

func (s *sim) checkDrop(e *Drop) {
	switch c := s.byPID[e.PID]; e.Why {
	case WhyActionWhileLoading, WhyActionTooLong:
		if !s.mischief.Has(e.PID) {
			s.fail("honest pid %d dropped: %v", e.PID, e.Why)
		}
	case WhyKeepaliveFlood:
		if c.extraAck == 0 {
			s.fail("pid %d dropped: %v", e.PID, e.Why)
		}
	case WhyVotedOut:
		if s.votes.Len() == 0 {
			s.fail("pid %d voted out without votes", e.PID)
		}
	}
}

// checkDesync recounts the vote from what the clients are known to be.
func (s *sim) checkDesync(e *Desync) {
	s.desyncs++
	if len(e.Past) == 0 || e.Past[len(e.Past)-1].Number != e.Turn || len(e.Past) > 50 {
		s.fail("dossier of %d turns", len(e.Past))
	}
	size := map[uint32]int{}
	most, ties := 0, 0
	for _, gr := range e.Groups {
		side := s.side(gr.PIDs, int(e.Turn))
		if size[side] > 0 {
			s.fail("desync at turn %d parts equal players: %+v", e.Turn, e.Groups)
		}
		size[side] = gr.PIDs.Len()
		if size[side] > most {
			most, ties = size[side], 0
		}
		if size[side] == most {
			ties++
		}
	}
	if e.Turn <= s.settled { // an observer's answer to a turn that was settled without them
		for _, gr := range e.Groups {
			for pid := range gr.PIDs.All() {
				if !gr.GoesOn && !(s.byPID[pid].observer && s.cfg.ObserversNeverStop) {
					s.fail("desync at settled turn %d drops pid %d", e.Turn, pid)
				}
			}
		}
		return
	}
	if e.Ends != (ties > 1) {
		s.fail("desync at turn %d: ends %v with groups %+v", e.Turn, e.Ends, e.Groups)
	}
	for _, gr := range e.Groups {
		if gr.GoesOn != (ties == 1 && gr.PIDs.Len() == most) {
			s.fail("desync at turn %d: wrong group goes on: %+v", e.Turn, e.Groups)
		}
	}
}

// side is how the clients of a group differ from honest ones at a turn, which
// must be in one way.
func (s *sim) side(group w3gs.PIDs, turn int) uint32 {
	sides := map[uint32]bool{}
	last := uint32(0)
	for pid := range group.All() {
		last = s.byPID[pid].side(turn)
		sides[last] = true
		if s.acked[pid] < turn {
			s.fail("pid %d has not answered turn %d", pid, turn)
		}
	}
	if len(sides) != 1 {
		s.fail("desync at turn %d puts different players into one group: %b", turn, group)
	}
	return last
}

// checkState holds the game's state against the rules after every call.
func (s *sim) checkState() {
	if s.isOver {
		return
	}
	live := s.g.Live()
	if live != s.present {
		s.fail("the game has %b, there are %b", live, s.present)
	}
	if live == 0 && s.humans != 0 {
		s.fail("nobody is left and the game goes on")
	}
	least := len(s.turns)
	for pid := range (live &^ s.g.late).All() {
		least = min(least, s.acked[pid])
	}
	if !s.cfg.ObserversNeverStop && s.g.late != 0 {
		s.fail("observers %b are not waited for", s.g.late)
	}
	first, different := uint32(0), false
	for pid := range live.All() {
		c := s.byPID[pid]
		if s.acked[pid] != int(s.g.byPID[pid].acked) {
			s.fail("pid %d has answered %d turns, the game counts %d", pid, s.acked[pid], s.g.byPID[pid].acked)
		}
		if s.acked[pid] < least {
			continue
		}
		side := 1 + c.side(least)
		different = different || first != 0 && side != first
		first = side
	}
	if different {
		s.fail("turn %d is answered by all and the desync is not seen", least)
	}
	for pid := range (s.onScreen & live &^ s.g.Laggers()).All() {
		if 2*(len(s.turns)-s.acked[pid]) >= s.limit {
			s.fail("pid %d is off the lag screen, %d turns behind", pid, len(s.turns)-s.acked[pid])
		}
	}
	if s.g.phase == standing {
		for pid := range s.g.Laggers().All() {
			if 2*(len(s.turns)-s.acked[pid]) < s.limit {
				s.fail("pid %d is back and still on the lag screen", pid)
			}
		}
		if electors := live &^ s.g.Laggers(); 2*(s.votes&electors).Len() > electors.Len() {
			s.fail("the vote has passed and nobody was dropped")
		}
	}
	longest := s.cfg.DropAfter
	if !s.started {
		longest = s.cfg.LoadTimeout
	}
	if s.now-s.lastMove > longest+s.jitter+2*time.Second && s.sleptAt < s.lastMove {
		s.fail("nothing has moved since %v", s.lastMove)
	}
}

// checkEnd looks at the finished game as a whole.
func (s *sim) checkEnd() {
	if len(s.left) != s.humans.Len() || s.live != 0 {
		s.fail("%d of %d players left", len(s.left), s.humans.Len())
	}
	if s.over.GameTime != s.gameTime || int(s.over.Turns) != len(s.turns) {
		s.fail("the end says %v, %d turns; there were %v, %d", s.over.GameTime, s.over.Turns, s.gameTime, len(s.turns))
	}
	if s.over.How == HowDesync && s.desyncs == 0 {
		s.fail("ended as desync without one")
	}
	for _, c := range s.clients {
		whole := c.cutAt == never && c.closed && !c.quitted
		if whole && c.playing && (c.turns != s.turnsAtDrop[c.pid]) {
			s.fail("pid %d saw %d of %d turns", c.pid, c.turns, s.turnsAtDrop[c.pid])
		}
	}
	if at, ok := s.g.Next(); ok {
		s.fail("a game that is over waits for %v", at)
	}
}
