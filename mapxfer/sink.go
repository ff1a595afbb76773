package mapxfer

import "time"

// Sink takes what the scheduler decides, in the order in which it decides it. Its
// methods are called while the scheduler works, so they must not call the scheduler:
// a kick that a refusal leads to, for example, has to wait until the call is over.
// Every pid is that of a player who has reported and not left.
type Sink interface {
	// Begin asks for a 0x3F. It comes once per download, before its first Parts.
	Begin(pid uint8)
	// Parts asks for the parts of the map from off up to end, in order, behind the
	// player's earlier parts. Chat, slots and pings may overtake them.
	Parts(pid uint8, off, end uint32)
	// Percent says how much of the map a player holds.
	Percent(pid, percent uint8)
	// Ended says that the download that Begin began is over.
	Ended(pid uint8, d Download)
	// Queued says that all places are taken; the player waits at this place, from 1.
	Queued(pid uint8, place int)
	// Refused says that a player gets no download yet; Allow and SetMode may change it.
	Refused(pid uint8, why Why)
	// Ignored says that a packet made no sense and was dropped or corrected.
	Ignored(pid uint8, why Why)
	// Remove asks for a player to be removed; only Leave is expected of them now.
	Remove(pid uint8, why Why)
}

// Download is one download when it is over.
type Download struct {
	Why    Why           // why it stopped; 0: the player holds the whole map
	Bytes  uint32        // sent and acknowledged
	Resent uint64        // bytes sent again
	Took   time.Duration // since Begin
}

// Why is the reason behind Ended, Refused, Ignored and Remove.
type Why uint8

const (
	WhyOff         Why = iota + 1 // Refused: downloads are off
	WhyAsk                        // Refused: an admin must allow this player
	WhyWaited                     // Remove: nobody has allowed it within Config.Wait
	WhyDeclined                   // Remove: the client does not take the map
	WhyTimeout                    // Remove: longer than Config.Timeout
	WhyStall                      // Remove: nothing acknowledged for Config.Stall
	WhyFlag                       // 0x42 with a flag that no client sends
	WhyPastMap                    // more bytes than the map has
	WhyPastSent                   // more bytes than were sent
	WhyBackwards                  // fewer bytes than acknowledged before
	WhyOtherPlayer                // 0x44 or 0x45 in another player's name
	WhyNotSent                    // 0x44 or 0x45 without a download
	WhyResends                    // Remove: asked for the same parts too often
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
	WhyBackwards:   "went back behind acknowledged bytes",
	WhyOtherPlayer: "spoke for another player",
	WhyNotSent:     "answered parts that nobody sent",
	WhyResends:     "asked for the same parts too often",
	WhyRestarts:    "started the download too often",
	WhyLeft:        "the player has left",
}

// String is the reason as a person reads it.
func (w Why) String() string { return reasons[w] }
