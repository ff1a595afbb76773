package mapstats

import "strconv"

// Bounds of the results of one game: a map, or a player who makes things up,
// costs no more memory than this.
const (
	maxResults = 4096
	maxValue   = 200 // bytes of a name or a value
)

// Result is one value that a map has reported.
type Result struct {
	Source      Source
	Sender      uint8  // pid whose client said so; of W3MMD the last of several
	PID         uint8  // whom it is about; 0 for the whole game
	About       string // the player as the map names them, where no pid is known
	Name        string
	Value       string
	Turn        uint32
	Contradicts bool // another sender says otherwise
}

// subject is what a result is about.
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
	index   map[subject][]int // of results, by their subject
	events  int
}

// setOf notes a value of one sender. The same sender's later word replaces the earlier one.
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

// set notes a value of the game. A later word of whatever sender replaces the earlier one.
func (s *sheet) set(r Result) {
	r.Name, r.Value = cut(r.Name), cut(r.Value)
	if known := s.index[r.subject()]; len(known) > 0 {
		old := &s.results[known[0]]
		old.Value, old.Turn, old.Sender = r.Value, r.Turn, r.Sender
		return
	}
	s.add(r)
}

// contest notes a value that others have denied, beside that which counts.
func (s *sheet) contest(r Result) {
	r.Name, r.Value, r.Contradicts = cut(r.Name), cut(r.Value), true
	if known := s.index[r.subject()]; len(known) < maxTexts {
		s.add(r)
	}
}

// add appends a result, unless there are too many.
func (s *sheet) add(r Result) bool {
	if len(s.results) >= maxResults {
		return false
	}
	s.results = append(s.results, r)
	key := r.subject()
	s.index[key] = append(s.index[key], len(s.results)-1)
	return true
}

// compare marks results that senders do not agree on. A sender that only repeats the first is
// kept too: the record says how many said so.
func (s *sheet) compare(same []int) {
	differ := false
	for _, i := range same {
		differ = differ || s.results[i].Value != s.results[same[0]].Value
	}
	for _, i := range same {
		s.results[i].Contradicts = differ
	}
}

// value returns the value of a subject; empty if there is none.
func (s *sheet) value(key subject) string {
	for _, i := range s.index[key] {
		return s.results[i].Value
	}
	return ""
}

// event notes something that happened and is not a value.
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
