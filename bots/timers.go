package bots

import (
	"container/heap"
	"sync"
	"time"
)

// timers is a heap of the players that have an alarm set, by its time.
type timers struct {
	mu    sync.Mutex
	queue alarmQueue
}

// set changes the time of a player's next alarm; 0 removes the player. It reports
// whether the player is now the first of the heap.
func (t *timers) set(p *player, at time.Duration) (first bool) {
	l := &p.link
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case l.due == at:
		return false
	case l.due == 0:
		l.due = at
		heap.Push(&t.queue, p)
	case at == 0:
		heap.Remove(&t.queue, l.place)
		l.due = 0
		return false
	default:
		l.due = at
		heap.Fix(&t.queue, l.place)
	}
	return l.place == 0
}

// pop removes a player whose alarm is due; nil if there is none.
func (t *timers) pop(now time.Duration) (*player, time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.queue) == 0 || t.queue[0].link.due > now {
		return nil, 0
	}
	p := heap.Pop(&t.queue).(*player)
	due := p.link.due
	p.link.due = 0
	return p, due
}

// ring calls tick and the driver's update for every player whose alarm is due.
func (t *timers) ring(r *run, update func(*player)) {
	for {
		now := r.now()
		p, due := t.pop(now)
		if p == nil {
			return
		}
		r.rec.own.add(now - due)
		p.g.mu.Lock()
		p.tick(now)
		update(p)
		p.g.mu.Unlock()
	}
}

// next is the time of the first alarm; 0 if there is none.
func (t *timers) next() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.queue) == 0 {
		return 0
	}
	return t.queue[0].link.due
}

type alarmQueue []*player

func (q alarmQueue) Len() int           { return len(q) }
func (q alarmQueue) Less(i, j int) bool { return q[i].link.due < q[j].link.due }
func (q alarmQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].link.place, q[j].link.place = i, j
}

func (q *alarmQueue) Push(x any) {
	p := x.(*player)
	p.link.place = len(*q)
	*q = append(*q, p)
}

func (q *alarmQueue) Pop() any {
	last := len(*q) - 1
	p := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return p
}
