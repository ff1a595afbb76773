package game

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// Rerun is what came of running a journal again.
type Rerun struct {
	Config  Config
	Inputs  int
	Lasted  time.Duration
	Sum     uint32 // CRC-32 of all orders to the host
	Checked bool   // the journal holds sums, and all of them agree
	Cut     bool   // the journal ends in the middle of an entry
	Over    bool   // the game ended
}

// RunJournal runs a game again. watch, if not nil, sees each input and what
// came of it; the first call has no input: it is what New brings about.
func RunJournal(r io.Reader, watch func(e *Entry, out *Out)) (Rerun, error) {
	var result Rerun
	entries, cfg, err := readJournal(r)
	if err != nil {
		return result, err
	}
	result.Config = cfg
	out := new(Out)
	m := New(cfg, out)
	for {
		result.Sum = out.Sum(result.Sum)
		if watch != nil && result.Inputs == 0 {
			watch(nil, out)
		}
		e, err := entries.next()
		switch {
		case errors.Is(err, io.EOF):
			result.Over = m.Over()
			return result, nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			result.Cut = true
			return result, nil
		case err != nil:
			return result, fmt.Errorf("journal entry %d: %w", result.Inputs+1, err)
		}
		out.Reset()
		if e.Check {
			if e.Sum != result.Sum {
				return result, fmt.Errorf("after input %d, at %v, other bytes came out than in the recorded game: sum %08x, not %08x; was it recorded by another version of w3host?", result.Inputs, e.At, result.Sum, e.Sum)
			}
			result.Checked = true
			continue
		}
		m.Step(e.At, &e.Input, out)
		result.Inputs++
		result.Lasted = e.At
		if watch != nil {
			watch(&e, out)
		}
	}
}
