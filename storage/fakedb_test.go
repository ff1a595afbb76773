package storage

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// fakeDB produces the faults that a real database shows only rarely: it can be
// down, forget that it committed, and refuse single records.
type fakeDB struct {
	mu        sync.Mutex
	down      bool
	forgetful bool // commit, then say that the connection broke
	refuse    func(Record) bool
	position  map[string]uint64
	entries   []SequencedRecord
	entered   int // how many entries there were when the host entered
	left      bool
	others    []HostStatus
	closed    []string // hosts whose games were closed
}

func newFakeDB() *fakeDB { return &fakeDB{position: map[string]uint64{}, entered: -1} }

func (f *fakeDB) set(change func(*fakeDB)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

func (f *fakeDB) Apply(_ context.Context, b Batch) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down {
		return fmt.Errorf("%w: it is switched off", ErrUnavailable)
	}
	var fresh []SequencedRecord
	at := f.position[b.Run]
	for _, e := range b.Records {
		if e.Seq <= at {
			continue
		}
		if f.refuse != nil && f.refuse(e.Record) {
			return fmt.Errorf("%w: no such thing", ErrRejected)
		}
		fresh, at = append(fresh, e), e.Seq
	}
	f.position[b.Run] = at
	f.entries = append(f.entries, fresh...)
	if f.forgetful {
		f.forgetful = false
		return fmt.Errorf("%w: connection reset", ErrUnavailable)
	}
	return nil
}

func (f *fakeDB) Applied(_ context.Context, run string) (uint64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.position[run], f.answer()
}

func (f *fakeDB) LastRun(context.Context, string) (HostRun, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down {
		return HostRun{}, f.answer()
	}
	return HostRun{}, ErrNotFound
}

func (f *fakeDB) MoveHost(context.Context, string, Host) error { return nil }

func (f *fakeDB) answer() error {
	if f.down {
		return ErrUnavailable
	}
	return nil
}

func (f *fakeDB) EnterHost(context.Context, Host) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.down {
		f.entered = len(f.entries)
	}
	return 0, f.answer()
}

func (f *fakeDB) Beat(context.Context, Host) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.answer()
}

func (f *fakeDB) LeaveHost(context.Context, Host) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = true
	return f.answer()
}

func (f *fakeDB) OtherHosts(context.Context, Host) ([]HostStatus, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.others), f.answer()
}

func (f *fakeDB) CloseGamesOf(_ context.Context, other HostStatus) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = append(f.closed, other.ID)
	return 1, f.answer()
}

// texts gives the chat lines that arrived, in order.
func (f *fakeDB) texts() (out []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.entries {
		if line, ok := e.Record.(ChatLine); ok {
			out = append(out, line.Text)
		}
	}
	return out
}

func (f *fakeDB) hostsClosed() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.closed)
}

func chat(n int) ChatLine {
	return ChatLine{Game: testKey, At: time.Unix(int64(n), 0), PID: 1, Name: "Bob", Scope: ChatAll, Text: fmt.Sprint(n)}
}

func numbered(from, to int) (out []string) {
	for n := from; n <= to; n++ {
		out = append(out, fmt.Sprint(n))
	}
	return out
}
