package mapstats

import (
	"time"

	"w3host/protocol/w3gs"
)

// The W3MMD library numbers messages from 0. A randomly chosen client sends each message; clients that have
// not seen it within 7 to 10 seconds send it too. So every number has exactly one text, unless a client lies,
// and none stays missing for long.
const (
	// settleAfter is the game time to wait for differing texts of a number, or for a missing number.
	settleAfter = 15 * time.Second
	// maxLead is how far a number may be ahead of all others. At one moment each client sends the messages
	// for which it was chosen; 24 players rarely leave gaps of 150 numbers.
	maxLead = 256
	// maxGap is how many numbers may be missing before the last messages, if those come from a single sender.
	maxGap = 16
	// maxNumbers limits the messages of a game, maxOpen the undecided ones, maxClaimed the numbers with a
	// known text, maxTexts the texts per number, and maxUnchecked the messages of a sender that still lack
	// their checksum.
	maxNumbers, maxOpen, maxClaimed, maxTexts, maxUnchecked = 32 << 10, 4096, 8192, 3, 32
	// maxAtOnce limits how many messages are decided after one action.
	maxAtOnce = 256
)

// sequence puts the messages of a game in order and decides between differing texts of a number.
//
// A text counts once its sender has sent the matching checksum. A text without checksum does not count, but
// speaks against other texts of its number, because the library of other clients accepts it as the message
// and then does not repeat the true one.
type sequence struct {
	next    uint32             // next number to decide
	top     uint32             // one more than the highest number with a valid text
	open    map[uint32]*votes  // undecided texts by number, from next on
	claimed map[uint32]*claims // texts and their senders by number, from next on
	done    []verdict          // decisions by number, below next

	unchecked  map[uint8][]unchecked // by sender
	highest    map[uint8]uint32      // highest number by sender
	incomplete bool                  // a number is missing
	disputed   bool                  // a number has differing texts without a clear majority
}

// unchecked is a message whose checksum has not arrived.
type unchecked struct {
	number, sum uint32
	text        string
}

// votes holds the valid texts of one number.
type votes struct {
	first time.Duration // when the first one arrived
	texts []candidate
}

// candidate is a text with the clients that have sent it.
type candidate struct {
	text    string
	senders w3gs.PIDs
	sender  uint8  // first sender
	turn    uint32 // turn in which the first one arrived
}

// claims holds all texts of one number, valid or not.
type claims struct {
	texts []claim
	more  w3gs.PIDs // senders of further texts
}

// claim is the hash of a text with the clients that have sent it.
type claim struct {
	text    uint64
	senders w3gs.PIDs
}

// verdict is the decision about a number.
type verdict struct {
	claim
	others  w3gs.PIDs // senders of other texts
	skipped bool
}

func newSequence() sequence {
	return sequence{open: map[uint32]*votes{}, claimed: map[uint32]*claims{}, unchecked: map[uint8][]unchecked{}, highest: map[uint8]uint32{}}
}

// note stores the text of a number until the same client sends its checksum.
func (s *sequence) note(sender uint8, u unchecked) {
	s.claim(u.number, claim{hash(u.text), w3gs.Only(sender)})
	list := s.unchecked[sender]
	if len(list) >= maxUnchecked {
		list = append(list[:0], list[1:]...)
	}
	s.unchecked[sender] = append(list, u)
}

// claim records which client sent which text for a number, decided or not.
func (s *sequence) claim(number uint32, c claim) {
	if number < s.next {
		v := &s.done[number]
		switch {
		case v.skipped: // too late
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

// against returns the senders of other texts.
func (l *claims) against(text uint64) w3gs.PIDs {
	others := l.more
	for _, c := range l.texts {
		if c.text != text {
			others |= c.senders
		}
	}
	return others
}

// check processes the checksum of a number and returns the sender's text that it confirms.
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

// vote counts the text that a sender has reported under a number.
func (s *sequence) vote(number uint32, at time.Duration, c candidate) {
	switch {
	case number < s.next: // already compared by claim
	case number >= s.top+maxLead: // implausibly far ahead
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
	if len(v.texts) < maxTexts { // claims counts further texts
		v.texts = append(v.texts, c)
	}
}

// outvotes reports whether the senders of a text outvote those of other texts: nobody contradicts, or only
// one client against at least two. Clients that sent several texts count for none.
func outvotes(senders, others w3gs.PIDs) bool {
	return others == 0 || others.Len() == 1 && (senders&^others).Len() >= 2
}

// settle decides, in order, the numbers whose waiting time has passed. It calls apply with the winning text,
// or contest with each text if none wins. If end is set, it decides all numbers. in is the set of players
// still in the game.
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

// decide decides the next number from its votes.
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

// skip gives up the missing numbers before the next one with votes. This needs two clients that are ahead, or
// a single remaining player; otherwise a client could suppress messages by inventing high numbers. At the end
// of the game a gap of at most maxGap suffices.
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

// hash returns the FNV-1a hash of text.
func hash(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}
