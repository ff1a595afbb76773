package session

import (
	"net/netip"

	"w3host/realm/bncs"
)

// Event is an input of the machine: one of the types below.
type Event any

type (
	// Tick reports that time has passed.
	Tick struct{}
	// Connected reports success of a Dial. Random is the secret for one logon.
	Connected struct{ Random [32]byte }
	// Lost reports that the connection, or the attempt at one, has ended.
	Lost struct{ Why string }
	// Received is one frame from the realm.
	Received struct{ Frame bncs.Frame }
	// List requests to list a game, or to update one.
	List struct{ Game Listing }
	// Unlist reports that a game starts or closes.
	Unlist struct{ ID uint32 }
	// Whisper requests to whisper a text to a person. An answer names the question (Ask) and its command (Kind).
	Whisper struct {
		To, Text string
		Kind     string
		Ask      uint64
		Admin    bool // goes before others
	}
	// Confirm asks the realm whether the player Name is in one of its games.
	Confirm struct {
		Name string
		ID   uint32 // game id
		Seat uint64 // returned with the answer
		From string // address of the player; addresses take turns
	}
	// Forget cancels the question of a seat.
	Forget struct{ Seat uint64 }
	// Allow sets whether the account may be logged on. Initially it may.
	Allow struct{ On bool }
)

// Effect is an output of the machine: one of the types below.
type Effect any

type (
	// Dial requests a connection; Connected or Lost must follow.
	Dial struct{}
	// Send writes bytes to the connection, in order.
	Send struct{ Bytes []byte }
	// HangUp closes the connection; no Lost must follow.
	HangUp struct{}

	// Online reports that the account is logged on.
	Online struct{ Created bool }
	// Offline reports that the connection is gone or was refused. The next attempt follows after Again seconds.
	Offline struct {
		Why   string
		Again int
	}
	// InChannel reports that the account is in a channel.
	InChannel struct{ Channel string }
	// Listed reports that the realm lists the game.
	Listed struct {
		ID   uint32
		Name string
	}
	// ListedAt reports the address to which the realm sends players of the game.
	ListedAt struct {
		ID   uint32
		Name string
		Addr netip.AddrPort
	}
	// NotListed reports that the realm does not list the game.
	NotListed struct {
		ID        uint32
		Name, Why string
	}
	// Heard is a whisper or a line in the channel. The realm has verified the name.
	Heard struct {
		From, Text string
		Whisper    bool
	}
	// Answered is the answer to Confirm. In is also false if the answer is unknown.
	Answered struct {
		Name string
		Seat uint64
		In   bool
	}
	// Unclear reports an answer about a player that is not understood.
	Unclear struct{ Text string }
	// Dropped reports lines that were not sent because too many were waiting.
	Dropped struct{ Lines int }
)
