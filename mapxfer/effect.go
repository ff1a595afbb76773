package mapxfer

import "time"

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
	// Stopped: a download has ended without the whole map, for Why; the other fields are as with Done.
	Stopped
	// Refused: no download, or no more of it; Why is the line that the player reads.
	Refused
	// Waiting: all places are taken; the player is number Place in the queue.
	Waiting
	// Ignored: a packet made no sense and was dropped or corrected; log Why.
	Ignored
	// TooSlow: the player reads Why and is removed.
	TooSlow
	// Cheat: the packets cannot come from an honest client; remove the player.
	Cheat
)

// Why is the reason behind Stopped, Refused, Ignored, TooSlow and Cheat.
type Why uint8

const (
	WhyOff         Why = iota + 1 // Refused: downloads are off
	WhyAsk                        // Refused: an admin must allow this player
	WhyWaited                     // Refused: nobody has allowed it within Config.Wait; remove the player
	WhyDeclined                   // Refused, of a download that has begun: the client does not take the map; remove the player
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
	WhyLeft                       // Stopped: the player has left
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

var reasons = [...]string{
	WhyOff:         "downloads are off",
	WhyAsk:         "an admin must allow the download",
	WhyWaited:      "nobody has allowed the download",
	WhyDeclined:    "the client declined the download",
	WhyTimeout:     "the download took too long",
	WhyStall:       "no part was acknowledged for too long",
	WhyFlag:        "unknown flag in a map size report",
	WhyPastMap:     "claimed more bytes than the map has",
	WhyPastSent:    "acknowledged bytes that were never sent",
	WhyBackwards:   "went back behind acknowledged bytes",
	WhyOtherPlayer: "spoke for another player",
	WhyNotSent:     "answered parts that nobody sent",
	WhyResends:     "asked for the same parts too often",
	WhyRestarts:    "started the download too often",
	WhyLeft:        "the player has left",
}

// String is the reason as a person reads it.
func (w Why) String() string { return reasons[w] }
