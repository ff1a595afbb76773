package session

import (
	"net/netip"

	"w3host/realm/bncs"
)

// Event is something that happened outside: one of the types below.
type Event any

type (
	// Tick: time alone has passed.
	Tick struct{}
	// Connected answers Dial. Random is the secret of one log-on.
	Connected struct{ Random [32]byte }
	// Lost: the connection, or the attempt at one, has ended.
	Lost struct{ Why string }
	// Received is one frame of the realm.
	Received struct{ Frame bncs.Frame }
	// List wants a game listed, or changes one that is.
	List struct{ Game Listing }
	// Unlist: the game starts, or is closed.
	Unlist struct{ ID uint32 }
	// Whisper wants a text said to one person. An answer says which question of the
	// person it belongs to, and of what kind that is: the command.
	Whisper struct {
		To, Text string
		Kind     string
		Ask      uint64
		Admin    bool // goes before others
	}
	// Confirm asks the realm whether a name is in one of its games.
	Confirm struct {
		Name string
		ID   uint32 // the game
		Seat uint64 // comes back with the answer
		From string // the player's address: each has its turn
	}
	// Forget ends the question of a seat.
	Forget struct{ Seat uint64 }
	// Allow says whether the account may be logged on; it may from the beginning.
	Allow struct{ On bool }
)

// Effect is an order or a report of the machine: one of the types below.
type Effect any

type (
	// Dial wants a connection: Connected or Lost follows.
	Dial struct{}
	// Send writes bytes, whole and in this order.
	Send struct{ Bytes []byte }
	// HangUp closes the connection; no Lost is wanted for it.
	HangUp struct{}

	// Online: logged on.
	Online struct{ Created bool }
	// Offline: the connection is gone, or was refused; the next attempt is after
	// Again seconds.
	Offline struct {
		Why   string
		Again int
	}
	// InChannel: the account is in a channel now.
	InChannel struct{ Channel string }
	// Listed: the realm shows the game.
	Listed struct {
		ID   uint32
		Name string
	}
	// ListedAt: players who choose the game join there.
	ListedAt struct {
		ID   uint32
		Name string
		Addr netip.AddrPort
	}
	// NotListed: it does not.
	NotListed struct {
		ID        uint32
		Name, Why string
	}
	// Heard: somebody whispered, or spoke in the channel. The realm vouches for
	// the name.
	Heard struct {
		From, Text string
		Whisper    bool
	}
	// Answered: whether the realm has the name in the game. No also means that it is not
	// known.
	Answered struct {
		Name string
		Seat uint64
		In   bool
	}
	// Unclear: the realm has answered where somebody is in words that are not known.
	Unclear struct{ Text string }
	// Dropped: a line was not said, because too many waited.
	Dropped struct{ Lines int }
)
