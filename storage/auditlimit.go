package storage

import (
	"sync"
	"time"
)

const (
	// auditEach are the lines of audit that one caller may cause within auditWithin.
	auditEach   = 30
	auditWithin = time.Minute
	// mostCallers are counted one by one; further ones share a count.
	mostCallers = 1024
)

// AuditLimit passes records on, but of each caller only so many lines of audit a minute:
// players cause them as fast as they type, and they outlive their games. The first that
// is too much says so. The console and the control socket have no limit.
type AuditLimit struct {
	to interface{ Record(Record) }

	mu    sync.Mutex
	since time.Time
	lines map[caller]int
}

type caller struct{ who, realm string }

// LimitAudit stands before a recorder.
func LimitAudit(to interface{ Record(Record) }) *AuditLimit {
	return &AuditLimit{to: to, lines: make(map[caller]int)}
}

// Record takes a record. It never waits.
func (l *AuditLimit) Record(r Record) {
	n, numbered := r.(Numbered)
	if !numbered {
		n.Record = r
	}
	if n.Record = l.limit(n.Record); n.Record == nil {
		return
	}
	if r = n.Record; numbered {
		r = n
	}
	l.to.Record(r)
}

// limit is the record that is to be passed on; nil: none.
func (l *AuditLimit) limit(r Record) Record {
	if a, ok := r.(AdminAction); ok && a.Via != "console" && a.Via != "control" {
		switch n := l.count(&a); {
		case n > auditEach+1:
			return nil
		case n == auditEach+1:
			a.On, a.Detail, a.Refused = "", "", "more lines of this caller within a minute are not recorded"
			return a
		}
	}
	return r
}

// count is how many lines of its caller there are within the minute, this one included.
func (l *AuditLimit) count(a *AdminAction) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if age := a.At.Sub(l.since); age >= auditWithin || age < -auditWithin {
		l.since = a.At
		clear(l.lines)
	}
	c := caller{a.Who, a.Realm}
	if _, known := l.lines[c]; !known && len(l.lines) >= mostCallers {
		c = caller{}
	}
	l.lines[c]++
	return l.lines[c]
}
