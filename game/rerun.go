package game

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// Rerun is the result of re-executing a journal.
type Rerun struct {
	Config  Config
	Inputs  int
	Lasted  time.Duration
	Sum     uint32 // CRC-32 of all orders to the host
	Checked bool   // the journal contains checksums, and all of them match
	Cut     bool   // the journal is truncated
	Over    bool   // the game ended
}

// RunJournal re-executes a recorded game. It returns an error if the output differs from the recorded checksums. watch,
// if not nil, is called with each input and its outputs; the first call has a nil input and the outputs of New.
func RunJournal(r io.Reader, watch func(e *JournalItem, out *Out)) (Rerun, error) {
	var result Rerun
	journal, err := io.ReadAll(r)
	result.Cut = errors.Is(err, io.ErrUnexpectedEOF) // the entries before can still be complete
	if err != nil && !result.Cut {
		return result, err
	}
	entries, cfg, err := NewReader(journal)
	if err != nil {
		return result, err
	}
	var e JournalItem
	result.Config = cfg
	out := new(Out)
	m := New(cfg, out)
	if watch != nil {
		watch(nil, out)
	}
	for {
		result.Sum = out.Sum(result.Sum)
		switch err := entries.Next(&e); {
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
				return result, fmt.Errorf("after input %d, at %v, the output differs from the recorded game: checksum %08x instead of %08x; was it recorded by another version of w3host?", result.Inputs, e.At, result.Sum, e.Sum)
			}
			result.Checked = true
		}
		if e.Check || e.Note != nil {
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
