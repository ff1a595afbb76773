package supervisor

import "time"

const (
	// againStandby is the pause before a new standby is started, in checks of the watch.
	againStandby = 10
	// quietStandby is for how many checks a standby may be silent and still take over, since a fault that hangs the host
	// may hang the standby too.
	quietStandby = mostSilent - 2
)

// standby is the process that takes over when the host dies.
type standby struct {
	*child          // nil: none
	ready      bool // it has restored everything
	since      time.Duration
	wasStarted bool
}

// end kills the process, if there is one.
func (s *standby) end() {
	if s.child != nil {
		s.Signal(Kill)
		s.child = nil
	}
}

// keepStandby starts a standby, unless there is one, an upgrade is under way or the last start was too recent.
func (m *Machine) keepStandby() {
	s := &m.standby
	tooRecent := s.wasStarted && m.now-s.since < againStandby*m.Beat
	if s.child != nil || tooRecent || m.state != Starting && m.state != Serving {
		return
	}
	c, err := m.start(m.program.Path, Standby)
	if err != nil {
		m.system.Log("cannot start a standby: %v; the next attempt is in %v", err, againStandby*m.Beat)
	}
	*s = standby{child: c, since: m.now, wasStarted: true}
}

// goOnWithStandby makes the standby the host in place of one that has served and died; false: no standby is able to.
func (m *Machine) goOnWithStandby(died *child) bool {
	c, ready := m.standby.child, m.standby.ready
	if c == nil || !ready || c.silent >= quietStandby || !died.serving || m.before.Path != "" {
		m.standby.end()
		return false
	}
	m.standby = standby{}
	m.starts = newAttempts(m.now)
	c.Tell(Go, "")
	m.goOnWith(c)
	return true
}
