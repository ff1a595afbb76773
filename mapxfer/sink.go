package mapxfer

import "time"

// Sink receives the scheduler's decisions in order. Its methods are called during a call of the scheduler and
// must not call it: for example, a kick after Refused must wait until that call returns. Every pid belongs to
// a player who has reported and not left.
type Sink interface {
	// Begin requests a 0x3F. It is called once per download, before its first Parts.
	Begin(pid uint8)
	// Parts requests the parts of the map from off to end, in order, after the player's earlier parts. Chat,
	// slot updates and pings may overtake them.
	Parts(pid uint8, off, end uint32)
	// Percent reports how much of the map a player has.
	Percent(pid, percent uint8)
	// Ended reports the end of a download that Begin started.
	Ended(pid uint8, d Download)
	// Queued reports that the player waits for a free download at the given position, counted from 1.
	Queued(pid uint8, place int)
	// Refused reports that a player may not download for now; Allow and SetMode can change that.
	Refused(pid uint8, why Why)
	// Ignored reports an invalid packet that was dropped or corrected.
	Ignored(pid uint8, why Why)
	// Remove requests the removal of a player; afterwards only Leave is called for them.
	Remove(pid uint8, why Why)
}

// Download is the summary of a finished download.
type Download struct {
	Why    Why           // why it stopped; 0 if the player has the whole map
	Bytes  uint32        // bytes sent and acknowledged
	Resent uint64        // bytes retransmitted
	Took   time.Duration // time since Begin
}

// Why is the reason given in Ended, Refused, Ignored and Remove.
type Why uint8

const (
	WhyOff         Why = iota + 1 // Refused: downloads are off
	WhyAsk                        // Refused: an admin must allow this player
	WhyWaited                     // Remove: not allowed within Config.Wait
	WhyDeclined                   // Remove: the client declined the map
	WhyTimeout                    // Remove: longer than Config.Timeout
	WhyStall                      // Remove: no acknowledgement for Config.Stall
	WhyFlag                       // 0x42 with a flag that no client sends
	WhyPastMap                    // claimed more bytes than the map has
	WhyPastSent                   // acknowledged more bytes than were sent
	WhyBackwards                  // acknowledged fewer bytes than before
	WhyOtherPlayer                // 0x44 or 0x45 in another player's name
	WhyNotSent                    // 0x44 or 0x45 without a download
	WhyResends                    // Remove: requested the same parts too often
	WhyRestarts                   // Remove: downloaded the whole map too often
	WhyLeft                       // Ended: the player has left
)

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
	WhyBackwards:   "acknowledged fewer bytes than before",
	WhyOtherPlayer: "spoke for another player",
	WhyNotSent:     "acknowledged parts without a download",
	WhyResends:     "asked for the same parts too often",
	WhyRestarts:    "started the download too often",
	WhyLeft:        "the player has left",
}

// String returns the reason as readable text.
func (w Why) String() string { return reasons[w] }
