package mapstats

import "strconv"

// Limits for the results of one game, which bound the memory that a map or a dishonest player can take.
const (
	maxResults = 4096
	maxValue   = 200 // bytes of a name or a value
)

// Result is a value reported by a map.
type Result struct {
	Source      Source
	Sender      uint8  // pid of the reporting client; for W3MMD the last of several
	PID         uint8  // player it is about; 0 for the whole game
	About       string // the map's name for a player without known pid
	Name        string
	Value       string
	Turn        uint32
	Contradicts bool // another sender reported a different value
}

// subject identifies what a result is about.
type subject struct {
	source Source
	pid    uint8
	about  string
	name   string
}

func (r *Result) subject() subject { return subject{r.Source, r.PID, r.About, r.Name} }

// sheet holds the results of a game.
type sheet struct {
	results []Result
	index   map[subject][]int // indexes into results by subject
	events  int
}

// setOf sets a value as reported by one sender. It replaces an earlier value of the same sender.
func (s *sheet) setOf(r Result) {
	r.Name, r.Value = cut(r.Name), cut(r.Value)
	known := s.index[r.subject()]
	for _, i := range known {
		if old := &s.results[i]; old.Sender == r.Sender {
			old.Value, old.Turn = r.Value, r.Turn
			s.compare(known)
			return
		}
	}
	if s.add(r) {
		s.compare(s.index[r.subject()])
	}
}

// set sets a value of the game. It replaces an earlier value of any sender.
func (s *sheet) set(r Result) {
	r.Name, r.Value = cut(r.Name), cut(r.Value)
	if known := s.index[r.subject()]; len(known) > 0 {
		old := &s.results[known[0]]
		old.Value, old.Turn, old.Sender = r.Value, r.Turn, r.Sender
		return
	}
	s.add(r)
}

// contest adds a disputed value beside the accepted one.
func (s *sheet) contest(r Result) {
	r.Name, r.Value, r.Contradicts = cut(r.Name), cut(r.Value), true
	if known := s.index[r.subject()]; len(known) < maxTexts {
		s.add(r)
	}
}

// add appends a result. It returns false if the limit is reached.
func (s *sheet) add(r Result) bool {
	if len(s.results) >= maxResults {
		return false
	}
	s.results = append(s.results, r)
	key := r.subject()
	s.index[key] = append(s.index[key], len(s.results)-1)
	return true
}

// compare marks results on which senders disagree. Repetitions by further senders are kept as well, because
// the record shows how many agree.
func (s *sheet) compare(same []int) {
	differ := false
	for _, i := range same {
		differ = differ || s.results[i].Value != s.results[same[0]].Value
	}
	for _, i := range same {
		s.results[i].Contradicts = differ
	}
}

// value returns the value of a subject, or "".
func (s *sheet) value(key subject) string {
	for _, i := range s.index[key] {
		return s.results[i].Value
	}
	return ""
}

// event adds an event of the game, which is not a value that can change.
func (s *sheet) event(r Result) {
	if len(s.results) >= maxResults {
		return
	}
	s.events++
	r.Name = "event " + strconv.Itoa(s.events)
	r.Value = cut(r.Value)
	s.results = append(s.results, r)
}

func cut(s string) string { return s[:min(len(s), maxValue)] }
