package storage

import (
	"sync"
	"time"
)

const (
	// auditEach is the number of audit lines recorded per caller and auditWithin.
	auditEach   = 30
	auditWithin = time.Minute
	// mostCallers is the number of callers counted separately, once for refused and once for accepted lines;
	// further callers share a counter.
	mostCallers = 1024
)

// AuditLimit forwards records but limits the audit lines of each caller per minute, because players cause
// them as fast as they type and they are kept longer than games. The first line over the limit is replaced by
// a note about it. The console and the control socket are not limited. Refused lines are counted separately:
// anybody can cause them under any number of names, and they must not use up the counters of authorised callers.
type AuditLimit struct {
	to interface{ Record(Record) }

	mu       sync.Mutex
	since    time.Time
	accepted map[caller]int // number of lines by caller; refused likewise
	refused  map[caller]int
}

type caller struct{ who, realm string }

// LimitAudit returns an AuditLimit that forwards to a recorder.
func LimitAudit(to interface{ Record(Record) }) *AuditLimit {
	return &AuditLimit{to: to, accepted: make(map[caller]int), refused: make(map[caller]int)}
}

// Record forwards a record if it is within the limit. It does not block.
func (l *AuditLimit) Record(r Record) {
	n, numbered := r.(KeyedRecord)
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

// limit returns the record to forward, or nil to drop it.
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

// count returns the number of the caller's lines within the current minute, including this one.
func (l *AuditLimit) count(a *AdminAction) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if age := a.At.Sub(l.since); age >= auditWithin || age < -auditWithin {
		l.since = a.At
		clear(l.accepted)
		clear(l.refused)
	}
	lines := l.accepted
	if a.Refused != "" {
		lines = l.refused
	}
	c := caller{a.Who, a.Realm}
	if _, known := lines[c]; !known && len(lines) >= mostCallers {
		c = caller{}
	}
	lines[c]++
	return lines[c]
}
