package supervisor

import (
	"fmt"
	"time"
)

// Limits of the watch, in checks; there is one check a second.
const (
	// A host's loop reports many times a second. One that has been silent this long is stuck: the loop never waits for a
	// disk or a database, and a busy machine delays it much less. Players leave after 65 s.
	mostSilent = 10
	// A stuck host writes Go's stack traces within this time after SIGQUIT.
	lastWords = 2
	// Restoring a hundred games of an hour takes 5 s. A start that hangs leaves time for two others until players leave.
	mostStarting = 25
	// A new program may have to change the database first, while its games go on in the previous host.
	mostUpgraded = 60
	// Closing lobbies, pages and files takes a second or two.
	mostHanding = 30
)

// watch counts how long processes have been silent, and kills those that are stuck. Processes stopped by a signal or a
// debugger do not count, nor does time in which the supervisor was stopped too.
func (m *Machine) watch() {
	gap := m.now - m.checkedAt
	m.checkedAt = m.now
	for _, c := range m.processes() {
		if c.silent++; gap > 2*m.Beat+m.Beat/2 || c.Stopped() {
			c.silent = 0
		}
	}
	if c := m.next; c != nil && c.silent >= mostSilent {
		m.refuse(fmt.Sprintf("the new program hangs: it has said nothing for %v", mostSilent*m.Beat))
	}
	if c := m.standby.child; c != nil && c.silent >= mostSilent {
		m.standby.end() // another one is started on request
	}
	for _, c := range m.leaving {
		if c.watched {
			m.endSilent(c, mostSilent, "stands still")
		}
	}
	switch c := m.host; {
	case c == nil:
	case m.state == HandingOver:
		m.endSilent(c, mostHanding, "has not handed over")
	case c.watched:
		m.endSilent(c, mostSilent, "stands still")
	case !c.serving && m.before.Path != "":
		m.endSilent(c, mostUpgraded, "has not come to serve")
	case !c.serving && m.Served:
		m.endSilent(c, mostStarting, "has not come to serve")
	}
}

// endSilent kills a host that has been silent for most checks.
func (m *Machine) endSilent(c *child, most int, what string) {
	switch c.silent {
	case most:
		m.system.Log("the host %s for %v: it is killed", what, time.Duration(most)*m.Beat)
		c.Signal(Trace)
	case most + lastWords:
		c.Signal(Kill)
	}
}
