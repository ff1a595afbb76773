package mapxfer

import (
	"fmt"
	"time"
)

// Kind says what an Effect asks of the host.
type Kind uint8

// Kinds of effects, with the fields that they use beside PID.
const (
	// Begin: send 0x3F. It comes once per download, before the first Send.
	Begin Kind = iota + 1
	// Send: send the parts from Offset up to End, in order, behind the player's
	// earlier parts. Chat, slots and pings may overtake them.
	Send
	// Percent: the player holds Percent of the map; 0x09 at most once a second.
	Percent
	// Done: the player holds the whole map after Took; Bytes were sent and
	// acknowledged, Resent were sent again. Tell, log and store it.
	Done
	// Refused: no download, or no more of it; Why says what to tell the player.
	Refused
	// Waiting: all places are taken; the player is number Place in the queue.
	Waiting
	// Ignored: a packet made no sense and was dropped or corrected; log Why.
	Ignored
	// TooSlow: tell the player Why and remove him.
	TooSlow
	// Cheat: the packets cannot come from an honest client; remove the player.
	Cheat
)

// Why is the reason behind Refused, Ignored, TooSlow and Cheat.
type Why uint8

// Reasons.
const (
	WhyOff         Why = iota + 1 // Refused: downloads are off
	WhyAsk                        // Refused: an admin must allow this player
	WhyDeclined                   // Refused: the client does not take the map
	WhyTimeout                    // TooSlow: longer than Config.Timeout
	WhyStall                      // TooSlow: nothing acknowledged for Config.Stall
	WhyFlag                       // 0x42 with a flag that no client sends
	WhyPastMap                    // more bytes than the map has
	WhyPastSent                   // more bytes than were sent
	WhyBackwards                  // fewer bytes than acknowledged before
	WhyOtherPlayer                // 0x44 or 0x45 in another player's name
	WhyNotSent                    // 0x44 or 0x45 without a download
	WhyResends                    // Cheat: asked for the same parts too often
	WhyRestarts                   // Cheat: downloaded the whole map too often
)

// Effect is one thing for the host to do. It is a plain struct, not an interface
// like the effects of the other rooms: parts leave by the thousand, and boxing
// each would allocate.
type Effect struct {
	Kind    Kind
	PID     uint8
	Percent uint8
	Why     Why
	Offset  uint32
	End     uint32
	Place   int
	Bytes   uint32
	Resent  uint64
	Took    time.Duration
}

// BytesPerSecond is the speed of a Done download.
func (e Effect) BytesPerSecond() int64 {
	if e.Took <= 0 {
		return 0
	}
	return int64(float64(e.Bytes) / e.Took.Seconds())
}

// String names the kind as scripts and logs do.
func (k Kind) String() string {
	switch k {
	case Begin:
		return "begin"
	case Send:
		return "send"
	case Percent:
		return "percent"
	case Done:
		return "done"
	case Refused:
		return "refused"
	case Waiting:
		return "waiting"
	case Ignored:
		return "ignored"
	case TooSlow:
		return "tooslow"
	case Cheat:
		return "cheat"
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// String is the reason as a person reads it.
func (w Why) String() string {
	switch w {
	case WhyOff:
		return "downloads are off"
	case WhyAsk:
		return "an admin must allow the download"
	case WhyDeclined:
		return "the client declined the download"
	case WhyTimeout:
		return "the download took too long"
	case WhyStall:
		return "no part was acknowledged for too long"
	case WhyFlag:
		return "unknown flag in a map size report"
	case WhyPastMap:
		return "claimed more bytes than the map has"
	case WhyPastSent:
		return "acknowledged bytes that were never sent"
	case WhyBackwards:
		return "went back behind acknowledged bytes"
	case WhyOtherPlayer:
		return "spoke for another player"
	case WhyNotSent:
		return "answered parts that nobody sent"
	case WhyResends:
		return "asked for the same parts too often"
	case WhyRestarts:
		return "started the download too often"
	}
	return fmt.Sprintf("reason %d", uint8(w))
}
