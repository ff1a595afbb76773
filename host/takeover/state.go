package takeover

import "fmt"

// State is where this process stands with one lobby or game. Another process may be in another state with
// the same game: while this one replays it, its owner has it Running.
type State uint8

// The states.
const (
	Inherited State = iota // its descriptors were received
	Replaying              // a replica re-executes its journal
	CaughtUp               // the replica has verified the journal up to its end
	Requested              // the owner was asked to release it
	Staying                // the owner keeps it to its end, since this program would play it otherwise
	Claimed                // its lock is this process's
	Running                // the host's loop plays it
	Ended                  // it is over
	Abandoned              // it cannot be rebuilt
	Forgotten              // this host stops, and leaves it to its owner or to another process
)

// Event is what changes the state of a game.
type Event uint8

// The events.
const (
	Began    Event = iota // a replica was begun
	Grew                  // the journal has grown since the replica has read it
	Verified              // the replica is at the end of the journal and has made the same bytes
	Differed              // the replica fails, or has made other bytes
	Asked                 // the owner was asked to release the game
	Freed                 // the lock was free, and is this process's now
	Over                  // the game has ended
	Lost                  // the game cannot be rebuilt
	Stopped               // this host stops, and any request was withdrawn
	Adopted               // the loop plays the game
)

// table holds all transitions. Running, Ended, Abandoned and Forgotten are final: from then on the game is the host's, or nobody's here.
var table = map[State]map[Event]State{
	Inherited: {Began: Replaying, Differed: Staying, Freed: Claimed, Over: Ended, Stopped: Forgotten},
	Replaying: {Began: Replaying, Grew: Replaying, Verified: CaughtUp, Differed: Staying, Freed: Claimed, Over: Ended, Stopped: Forgotten},
	CaughtUp:  {Began: Replaying, Grew: Replaying, Verified: CaughtUp, Differed: Staying, Asked: Requested, Freed: Claimed, Over: Ended, Stopped: Forgotten},
	Requested: {Began: Replaying, Grew: Requested, Verified: Requested, Asked: Requested, Differed: Staying, Freed: Claimed, Over: Ended, Stopped: Forgotten},
	Staying:   {Freed: Claimed, Over: Ended, Stopped: Forgotten},
	Claimed:   {Adopted: Running, Over: Ended, Lost: Abandoned},
}

// Next returns the state after an event; ok is false if the table has no such transition.
func (s State) Next(e Event) (next State, ok bool) {
	next, ok = table[s][e]
	return next, ok
}

// To changes the state by an event. It panics if the table has no such transition.
func (s *State) To(e Event) {
	next, ok := s.Next(e)
	if !ok {
		panic(fmt.Sprintf("takeover: no transition from %v by %v", *s, e))
	}
	*s = next
}

// String names the state.
func (s State) String() string {
	return [...]string{
		"Inherited", "Replaying", "CaughtUp", "Requested", "Staying", "Claimed", "Running", "Ended", "Abandoned", "Forgotten",
	}[s]
}

// String names the event.
func (e Event) String() string {
	return [...]string{
		"Began", "Grew", "Verified", "Differed", "Asked", "Freed", "Over", "Lost", "Stopped", "Adopted",
	}[e]
}
