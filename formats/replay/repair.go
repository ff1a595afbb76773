package replay

import (
	"io"
	"time"
)

// Repaired is the result of Repair.
type Repaired struct {
	Faults []string      // defects of the source; empty if it was intact
	Kept   time.Duration // game time in the new file
	Lost   time.Duration // game time lost compared to the old header; 0 if that was unfinished
}

// Repair writes the readable part of a damaged or unfinished replay to dst, up to the last complete record of
// the last complete block. It does not invent missing leave records. It returns an error if the start of the
// game cannot be read.
func Repair(src io.Reader, dst io.WriterAt) (*Repaired, error) {
	r, err := NewReader(src)
	if err != nil {
		return nil, err
	}
	w, err := newCopy(dst, r.Program, &r.Start)
	if err != nil {
		return nil, err
	}
	for rec, err := range r.Records() {
		if err != nil {
			break
		}
		if err := w.copy(rec); err != nil {
			return nil, err
		}
	}
	rep := &Repaired{Kept: r.time, Lost: max(0, r.Duration-r.time)}
	for _, f := range r.Findings {
		if f.Fault {
			rep.Faults = append(rep.Faults, f.Text)
		}
	}
	if d := r.Duration; d > 0 && d < w.time {
		w.time = d // shorter than the sum of turns, because pauses do not count
	}
	return rep, w.Close()
}
