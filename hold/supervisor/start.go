package supervisor

import (
	"fmt"
	"time"
)

const (
	// Patience is how long failed starts are repeated while no host serves; until then everything stays held. Clients
	// leave a game 65 s after its last turn.
	Patience = 60 * time.Second
	// againFirst and againMost are the shortest and the longest pause between two starts.
	againFirst, againMost = 100 * time.Millisecond, 2 * time.Second
)

// attempts paces the starts of a process that fails to start or ends too soon: the pauses double, and the attempts end
// after Patience.
type attempts struct {
	since   time.Duration // when the first attempt was made
	pause   time.Duration
	planned bool
	due     time.Duration // when the next attempt is made, if planned
}

func newAttempts(now time.Duration) attempts {
	return attempts{since: now, due: now, pause: againFirst}
}

// retry plans the next attempt and returns the pause before it; ok is false when Patience has passed.
func (a *attempts) retry(now time.Duration) (pause time.Duration, ok bool) {
	left := a.since + Patience - now
	if left <= 0 {
		return 0, false
	}
	pause = min(a.pause, left)
	a.planned, a.due, a.pause = true, now+pause, min(2*a.pause, againMost)
	return pause, true
}

// isDue reports whether an attempt is due, and unplans it.
func (a *attempts) isDue(now time.Duration) bool {
	due := a.planned && now >= a.due
	a.planned = a.planned && !due
	return due
}

// startHost starts a host with everything that is held. A failed start is repeated, unless no host has ever served: then
// nothing can be lost, and the person who gave the command sees the error.
func (m *Machine) startHost() {
	c, err := m.start(m.program.Path, Host)
	switch {
	case err == nil:
		m.goOnWith(c)
	case !m.Served:
		m.giveUp(1, err)
	default:
		m.startAgain(err)
	}
}

// startAgain plans another start after a pause, or gives up.
func (m *Machine) startAgain(why error) {
	pause, ok := m.starts.retry(m.now)
	if !ok {
		m.giveUp(1, fmt.Errorf("no host has started successfully for %v; everything held is closed now; the last attempt: %w", Patience, why))
		return
	}
	m.to(Failed)
	m.system.Log("%v; the next attempt is in %v", why, pause)
}

// goOnWith makes a process the host.
func (m *Machine) goOnWith(c *child) {
	m.to(Started)
	m.host, c.silent = c, 0
	m.system.Hosts(c.Process)
}

// replace starts a host in place of one that has ended.
func (m *Machine) replace(c *child, code int) {
	switch {
	case m.goOnWithStandby(c):
		m.system.Log("the host has ended (exit code %d); the standby goes on", code)
	case !m.Served:
		m.giveUp(code, nil)
	case m.before.Path != "" && !c.serving:
		m.system.Log("the new program has ended before it served (exit code %d): the one before goes on", code)
		m.release(&m.program)
		m.program, m.before = m.before, Program{}
		m.startHost()
	case c.serving && m.now-c.began >= m.Good:
		m.starts = newAttempts(m.now)
		m.system.Log("the host has ended (exit code %d); it is started again with everything that is held for it", code)
		m.startHost()
	default:
		m.startAgain(fmt.Errorf("the host has ended soon after its start (exit code %d)", code))
	}
}
