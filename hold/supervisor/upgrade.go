package supervisor

import "cmp"

// order is an upgrade under way. It ends in takeOver or in cancel.
type order struct {
	path   string
	from   *child   // the host that asked for it and gets the answer; nil: SIGUSR2 asked
	starts attempts // to start the new program
}

// upgrade starts an upgrade to the program at path, unless one is under way.
func (m *Machine) upgrade(path string, from *child) {
	switch m.state {
	case Serving:
		m.to(Asked)
		m.standby.end() // it runs the previous program
		m.order = &order{path: cmp.Or(path, m.Options.Upgrade), from: from, starts: newAttempts(m.now)}
		m.startNext()
	case Preparing, HandingOver:
		m.answer(from, "an upgrade is already under way")
	default:
		m.answer(from, "the host does not serve yet, or not any more")
	}
}

// startNext starts the new program, which waits until the host hands over. A start is repeated if the system lacks a
// resource at the moment; any other error refuses the upgrade at once, since the old host continues anyway.
func (m *Machine) startNext() {
	o := m.order
	c, err := m.start(o.path, Candidate)
	if err == nil {
		m.system.Log("upgrade to %s: started, and getting ready", o.path)
		m.next = c
		return
	}
	if m.system.IsTransient(err) {
		if pause, ok := o.starts.retry(m.now); ok {
			m.system.Log("upgrade to %s: %v; the next attempt is in %v", o.path, err, pause)
			return
		}
	}
	m.refuse(err.Error())
}

// refuse ends the upgrade under way; the host continues. A host that was handing over has closed what two processes
// cannot have open: it is killed and started again.
func (m *Machine) refuse(why string) {
	m.cancel(why)
	if m.to(Refused); m.state == Reverting {
		m.system.Log("the upgrade has failed while the host was handing over; the host is started again")
		m.host.Signal(Kill)
	}
}

// cancel ends the upgrade under way, if there is one, and answers it.
func (m *Machine) cancel(why string) {
	o := m.order
	if o == nil {
		return
	}
	m.order = nil
	if m.next != nil {
		m.next.Signal(Kill)
		m.next = nil
	}
	m.answer(o.from, why)
}

// answer reports why an upgrade was refused, in the log and to the host that asked for it.
func (m *Machine) answer(from *child, why string) {
	m.system.Log("upgrade refused: %s", why)
	if from != nil && from == m.host {
		from.Tell(Refuse, why)
	}
}

// takeOver makes the new program the host. A host that has handed over although the upgrade failed is replaced by the
// program that it runs. In a machine that stops the host finishes its games by itself.
func (m *Machine) takeOver() {
	if m.state != HandingOver && m.state != Reverting {
		return
	}
	m.to(HandedOver)
	m.leaving = append(m.leaving, m.host)
	m.host, m.order, m.starts = nil, nil, newAttempts(m.now)
	if m.next == nil {
		m.startHost()
		return
	}
	m.release(&m.before)
	m.before, m.program = m.program, m.next.Program()
	m.next.Tell(Go, "")
	next := m.next
	m.next = nil
	m.goOnWith(next)
}
