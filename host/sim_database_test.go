//go:build linux

package host

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"w3host/storage"
)

// simDatabase is the database of all processes. It keeps of the game log what the invariants need.
type simDatabase struct {
	w *simWorld

	mu        sync.Mutex
	r         *rand.Rand
	fault     simDatabaseFault
	healthy   time.Time // since when it answers again
	positions map[string]uint64
	hosts     map[string]storage.HostRun
	games     map[storage.GameKey]*simLogged
}

type simDatabaseFault string

const (
	databaseAnswers simDatabaseFault = ""
	databaseIsAway  simDatabaseFault = "refuses connections"
	databaseHangs   simDatabaseFault = "does not answer"
	databaseIsSlow  simDatabaseFault = "takes seconds for each request"
	databaseForgets simDatabaseFault = "breaks connections after it has committed"
)

// simLogged is one game in the log.
type simLogged struct {
	id      uint32
	run     string
	created bool
	started int
	ended   []storage.GameEnded
	seen    map[uint64]bool
	crashed bool // closed since its process had died
	file    string
}

// open reports whether the game has no end yet.
func (l *simLogged) open() bool { return len(l.ended) == 0 && !l.crashed }

func newSimDatabase(w *simWorld, seed uint64) *simDatabase {
	return &simDatabase{
		w: w, r: rand.New(rand.NewPCG(seed, 3)), positions: map[string]uint64{}, hosts: map[string]storage.HostRun{}, games: map[storage.GameKey]*simLogged{},
	}
}

// set begins or ends a fault.
func (d *simDatabase) set(f simDatabaseFault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fault = f; f == databaseAnswers {
		d.healthy = time.Now()
	}
}

// isHealthy reports whether the database has answered for a while.
func (d *simDatabase) isHealthy() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fault == databaseAnswers && time.Since(d.healthy) > 10*time.Second
}

// simConnection is what one process has of the database. It implements what storage.NewRecorder needs.
type simConnection struct {
	*simDatabase
	p *simProc
}

var errNoConnection = fmt.Errorf("%w: no connection", storage.ErrUnavailable)

// call carries out a request, or does not, as the database's fault has it. The process may die in it.
func (c *simConnection) call(ctx context.Context, do func() error) error {
	c.mu.Lock()
	fault, wait, lost := c.fault, time.Duration(c.r.IntN(3000))*time.Millisecond, c.r.IntN(2) == 0
	c.mu.Unlock()
	switch fault {
	case databaseIsAway:
		return errNoConnection
	case databaseHangs:
		<-ctx.Done()
		return errors.Join(errNoConnection, ctx.Err())
	case databaseIsSlow:
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return errors.Join(errNoConnection, ctx.Err())
		}
	}
	dies := c.p.step()
	if dies {
		defer c.p.kill()
	}
	if c.p.net.Dead() || dies && lost {
		return errNoConnection
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	err := do()
	if fault == databaseForgets && lost || dies {
		return errNoConnection
	}
	return err
}

func (c *simConnection) Apply(ctx context.Context, b storage.Batch) error {
	return c.call(ctx, func() error {
		for _, r := range b.Records {
			if at := c.positions[b.Run]; r.Seq > at {
				if at > 0 && r.Seq != at+1 {
					c.w.fault("the records of run %s from %d to %d are missing", b.Run, at+1, r.Seq-1)
				}
				c.positions[b.Run] = r.Seq
				c.write(b.Run, r.Record)
			}
		}
		return nil
	})
}

func (d *simDatabase) write(run string, r storage.Record) {
	number := uint64(0)
	if n, ok := r.(storage.KeyedRecord); ok {
		r, number = n.Record, n.Number
	}
	logged := func(k storage.GameKey) *simLogged {
		if d.games[k] == nil {
			d.games[k] = &simLogged{run: run, seen: map[uint64]bool{}}
		}
		return d.games[k]
	}
	switch r := r.(type) {
	case storage.GameCreated:
		l := logged(r.Game)
		l.id = r.GameID
		l.created = true
	case storage.GameStarted:
		if l := logged(r.Game); number == 0 || !l.seen[number] {
			l.seen[number] = true
			l.started++
		}
	case storage.GameEnded:
		l := logged(r.Game)
		if l.crashed && r.How != storage.EndCrashed {
			d.w.fault("game %d has ended as %q, and was closed as crashed before", l.id, r.How)
		}
		if number == 0 || !l.seen[number] {
			l.ended = append(l.ended, r)
		}
		l.seen[number], l.file = true, r.Replay
	}
}

func (c *simConnection) Applied(ctx context.Context, run string) (last uint64, err error) {
	err = c.call(ctx, func() error { last = c.positions[run]; return nil })
	return last, err
}

func (c *simConnection) LastRun(ctx context.Context, id string) (run storage.HostRun, err error) {
	err = c.call(ctx, func() error {
		var known bool
		if run, known = c.hosts[id]; !known {
			return storage.ErrNotFound
		}
		run.Now = time.Now()
		return nil
	})
	return run, err
}

func (c *simConnection) EnterHost(ctx context.Context, h storage.Host) (crashed int, err error) {
	err = c.call(ctx, func() error {
		for _, k := range h.GoOn {
			if l := c.games[k]; l != nil {
				l.run = h.Run
			}
		}
		for _, l := range c.games {
			if l.open() && l.run != h.Run {
				l.crashed = true
				crashed++
			}
		}
		c.hosts[h.ID] = storage.HostRun{Run: h.Run, Heartbeat: time.Now()}
		return nil
	})
	return crashed, err
}

func (c *simConnection) MoveHost(_ context.Context, _ string, h storage.Host) error {
	c.w.fault("run %s takes another host for one with its number", h.Run)
	return nil
}

func (c *simConnection) Beat(ctx context.Context, h storage.Host) error {
	return c.call(ctx, func() error {
		run := c.hosts[h.ID]
		if run.Run != h.Run {
			return storage.ErrConflict
		}
		run.Heartbeat = time.Now()
		c.hosts[h.ID] = run
		return nil
	})
}

func (c *simConnection) LeaveHost(ctx context.Context, h storage.Host) error {
	return c.call(ctx, func() error {
		if run := c.hosts[h.ID]; run.Run == h.Run {
			run.Stopped = true
			c.hosts[h.ID] = run
		}
		return nil
	})
}

func (c *simConnection) OtherHosts(ctx context.Context, _ storage.Host) ([]storage.HostStatus, error) {
	return nil, c.call(ctx, func() error { return nil })
}

func (c *simConnection) CloseGamesOf(ctx context.Context, _ storage.HostStatus) (int, error) {
	return 0, c.call(ctx, func() error { return nil })
}
