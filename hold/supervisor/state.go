package supervisor

import "fmt"

// State is what the supervisor does at the moment.
type State uint8

// The states.
const (
	Waiting     State = iota // no process hosts; the next start is due, at once or after a pause
	Starting                 // a process hosts that has not reported yet that it serves
	Serving                  // the host serves
	Preparing                // the program of an upgrade is being started, or gets ready
	HandingOver              // that program is ready, and the host was told to hand over
	Reverting                // the upgrade failed in HandingOver; the host was killed, and its end is awaited
	Stopping                 // nothing is started any more; the remaining hosts end
	Ended                    // no host is left; everything held is closed
)

// Event is what changes the state.
type Event uint8

// The events.
const (
	Started     Event = iota // a process hosts: a new one, the standby or the new program
	Failed                   // the process could not be started or ended too soon; another start is planned
	Served                   // the host has reported that it serves
	Asked                    // an upgrade was asked for
	Refused                  // the upgrade has failed and was answered
	BecameReady              // the new program is ready
	HandedOver               // the host has reported that it has handed over
	Died                     // the host has ended, and is to be replaced
	Told                     // SIGTERM, or the host has reported that it ends in order
	GaveUp                   // no start is repeated: no host has ever served, or none for a minute
	Emptied                  // the last host has ended
)

// table holds all transitions.
var table = map[State]map[Event]State{
	Waiting:     {Started: Starting, Failed: Waiting, Told: Stopping, GaveUp: Stopping},
	Starting:    {Served: Serving, Died: Waiting, Told: Stopping},
	Serving:     {Asked: Preparing, Died: Waiting, Told: Stopping},
	Preparing:   {Refused: Serving, BecameReady: HandingOver, Died: Waiting, Told: Stopping},
	HandingOver: {Refused: Reverting, HandedOver: Waiting, Died: Waiting, Told: Stopping},
	Reverting:   {HandedOver: Waiting, Died: Waiting, Told: Stopping},
	Stopping:    {Told: Stopping, Emptied: Ended},
}

// Next returns the state after an event; ok is false if the table has no such transition.
func (s State) Next(e Event) (next State, ok bool) {
	next, ok = table[s][e]
	return next, ok
}

// to changes the state by an event. It panics if the table has no such transition.
func (m *Machine) to(e Event) {
	next, ok := m.state.Next(e)
	if !ok {
		panic(fmt.Sprintf("supervisor: no transition from %v by %v", m.state, e))
	}
	m.state = next
}

// String names the state.
func (s State) String() string {
	return [...]string{"Waiting", "Starting", "Serving", "Preparing", "HandingOver", "Reverting", "Stopping", "Ended"}[s]
}

// String names the event.
func (e Event) String() string {
	return [...]string{
		"Started", "Failed", "Served", "Asked", "Refused", "BecameReady", "HandedOver", "Died", "Told", "GaveUp", "Emptied",
	}[e]
}
