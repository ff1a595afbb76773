package replay

import (
	"io"
	"time"
)

// Repaired is the result of a repair.
type Repaired struct {
	Faults []string      // what was wrong; none: the file is whole and nothing was written
	Kept   time.Duration // game time in the new file
	Lost   time.Duration // of the length in the old header; 0 if there was none
}

// Repair writes the readable part of a damaged or unfinished replay as a whole
// one: up to the last whole record of the last whole block. It makes up no
// leaves. A file whose start cannot be read is an error.
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
		w.time = d // less than the turns take: pauses do not count
	}
	return rep, w.Close()
}
