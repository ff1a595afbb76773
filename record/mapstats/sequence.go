package mapstats

import (
	"time"

	"w3host/protocol/w3gs"
)

// The library of W3MMD numbers messages from 0. A client that is drawn sends one; whoever does not see it within 7 to
// 10 seconds sends it, too. So each number has one text, unless a client lies, and none is missing for long.
const (
	// settleAfter is the game time for which a number waits for other texts, or for itself.
	settleAfter = 15 * time.Second
	// maxLead is how far a number may be ahead of all others. Clients send the messages of one moment side by side, each
	// those for which it was drawn: 24 players rarely leave 150 numbers out.
	maxLead = 256
	// maxGap is how many numbers may be missing before the last ones, if those have one sender alone.
	maxGap = 16
	// maxNumbers bounds the messages of a game, maxOpen those that are not settled, maxClaimed the numbers of which a
	// text is known, maxTexts the texts of one, and maxUnchecked the messages of a sender whose checksum is still to come.
	maxNumbers, maxOpen, maxClaimed, maxTexts, maxUnchecked = 32 << 10, 4096, 8192, 3, 32
	// maxAtOnce bounds the messages that are settled for one action.
	maxAtOnce = 256
)

// sequence puts the messages of a game in their order, and decides between different texts of one number.
//
// A text counts when its sender has sent the checksum behind it. A text without one does not count, but speaks against
// others of its number: the library of other clients takes it for the message, and then they do not repeat the true one.
type sequence struct {
	next    uint32             // the number that is settled next
	top     uint32             // one more than the highest number with a text that counts
	open    map[uint32]*votes  // by number, from next on
	claimed map[uint32]*claims // by number, from next on, however far ahead
	done    []verdict          // by number, up to next

	unchecked  map[uint8][]unchecked // by sender
	highest    map[uint8]uint32      // number of a sender
	incomplete bool                  // a number is missing
	disputed   bool                  // a number has different texts, and none outvotes the others
}

// unchecked is a message without its checksum yet.
type unchecked struct {
	number, sum uint32
	text        string
}

// votes are the texts of one number that count.
type votes struct {
	first time.Duration // when the first one came
	texts []candidate
}

// candidate is a text with the clients that have sent it.
type candidate struct {
	text    string
	senders w3gs.PIDs
	sender  uint8  // the first
	turn    uint32 // in which it came
}

// claims are all texts of one number, with or without a checksum.
type claims struct {
	texts []claim
	more  w3gs.PIDs // senders of further texts
}

// claim is the hash of a text with the clients that have sent it.
type claim struct {
	text    uint64
	senders w3gs.PIDs
}

// verdict is a number that is settled.
type verdict struct {
	claim
	others  w3gs.PIDs // senders of other texts
	skipped bool
}

func newSequence() sequence {
	return sequence{open: map[uint32]*votes{}, claimed: map[uint32]*claims{}, unchecked: map[uint8][]unchecked{}, highest: map[uint8]uint32{}}
}

// note takes the text of a number. It counts when the same client sends the checksum, too.
func (s *sequence) note(sender uint8, u unchecked) {
	s.claim(u.number, claim{hash(u.text), w3gs.Only(sender)})
	list := s.unchecked[sender]
	if len(list) >= maxUnchecked {
		list = append(list[:0], list[1:]...)
	}
	s.unchecked[sender] = append(list, u)
}

// claim notes a text of a number, which is settled already or not.
func (s *sequence) claim(number uint32, c claim) {
	if number < s.next {
		v := &s.done[number]
		switch {
		case v.skipped: // it is too late
			return
		case v.text == c.text:
			v.senders |= c.senders
		default:
			v.others |= c.senders
		}
		s.disputed = s.disputed || !outvotes(v.senders, v.others)
		return
	}
	known := s.claimed[number]
	if known == nil {
		if len(s.claimed) >= maxClaimed {
			s.incomplete = true
			return
		}
		known = new(claims)
		s.claimed[number] = known
	}
	known.add(c)
}

func (l *claims) add(c claim) {
	for i := range l.texts {
		if l.texts[i].text == c.text {
			l.texts[i].senders |= c.senders
			return
		}
	}
	if len(l.texts) >= maxTexts {
		l.more |= c.senders
		return
	}
	l.texts = append(l.texts, c)
}

// against are the senders of texts other than this one.
func (l *claims) against(text uint64) w3gs.PIDs {
	others := l.more
	for _, c := range l.texts {
		if c.text != text {
			others |= c.senders
		}
	}
	return others
}

// check takes the checksum of a number. It returns the text that it belongs to, if the sender has sent that.
func (s *sequence) check(sender uint8, number, sum uint32) (text string, ok bool) {
	list := s.unchecked[sender]
	for i := len(list) - 1; i >= 0; i-- {
		if u := list[i]; u.number == number && u.sum == sum {
			s.unchecked[sender] = append(list[:i], list[i+1:]...)
			return u.text, true
		}
	}
	return "", false
}

// vote counts a sender's text for a number.
func (s *sequence) vote(number uint32, at time.Duration, c candidate) {
	switch {
	case number < s.next: // claim has compared it
	case number >= s.top+maxLead: // nobody has come so far
	case number >= maxNumbers || len(s.open) >= maxOpen && s.open[number] == nil || s.claimed[number] == nil:
		s.incomplete = true
	default:
		v := s.open[number]
		if v == nil {
			v = &votes{first: at}
			s.open[number] = v
		}
		v.add(c)
		s.top, s.highest[c.sender] = max(s.top, number+1), max(s.highest[c.sender], number)
	}
}

func (v *votes) add(c candidate) {
	for i := range v.texts {
		if v.texts[i].text == c.text {
			v.texts[i].senders |= c.senders
			return
		}
	}
	if len(v.texts) < maxTexts { // claims know of the others
		v.texts = append(v.texts, c)
	}
}

// outvotes reports whether senders of one text outvote those of others: nobody says otherwise, or one client alone
// against two or more. A client that has sent several texts is for none of them.
func outvotes(senders, others w3gs.PIDs) bool {
	return others == 0 || others.Len() == 1 && (senders&^others).Len() >= 2
}

// settle decides the numbers whose time has come, in order, and calls apply with the text of each, or contest with
// all texts of one that has no winner. At the end all are decided. in are the players who are still in the game.
func (s *sequence) settle(now time.Duration, end bool, in w3gs.PIDs, apply, contest func(*candidate)) {
	for n := 0; (end || n < maxAtOnce) && len(s.open) > 0; n++ {
		v := s.open[s.next]
		switch {
		case v == nil && !s.skip(now, end, in):
			return
		case v == nil:
		case !end && now-v.first < settleAfter:
			return
		default:
			s.decide(v, apply, contest)
		}
	}
}

// decide settles the next number, which has these votes.
func (s *sequence) decide(v *votes, apply, contest func(*candidate)) {
	all := s.claimed[s.next]
	best, others := &v.texts[0], all.against(hash(v.texts[0].text))
	for i := range v.texts[1:] {
		c := &v.texts[i+1]
		if against := all.against(hash(c.text)); (c.senders &^ against).Len() > (best.senders &^ others).Len() {
			best, others = c, against
		}
	}
	s.done = append(s.done, verdict{claim: claim{hash(best.text), best.senders}, others: others})
	delete(s.open, s.next)
	delete(s.claimed, s.next)
	s.next++
	if outvotes(best.senders, others) {
		apply(best)
		return
	}
	s.disputed = true
	for i := range v.texts {
		contest(&v.texts[i])
	}
}

// skip leaves the missing numbers out up to the next one that is there. It needs the word of two clients, or of the
// only player: else whoever makes up a number that is ahead would have the true ones left out. At the end a short gap
// is enough.
func (s *sequence) skip(now time.Duration, end bool, in w3gs.PIDs) bool {
	following := s.next
	for s.open[following] == nil {
		following++
	}
	ahead := 0
	for _, highest := range s.highest {
		if highest >= following {
			ahead++
		}
	}
	agreed := ahead >= 2 || in.Len() <= 1 || end && following-s.next <= maxGap
	if !agreed || !end && now-s.open[following].first < settleAfter {
		return false
	}
	s.incomplete = true
	for ; s.next < following; s.next++ {
		delete(s.claimed, s.next)
		s.done = append(s.done, verdict{skipped: true})
	}
	return true
}

// hash is FNV-1a.
func hash(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}
