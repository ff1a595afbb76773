package game

import (
	"time"

	"w3host/game/command"
	"w3host/protocol/w3gs"
)

// OpKind is the kind of an Op.
type OpKind uint8

// Kinds of orders, with the fields they use.
const (
	// Send writes Frame to the links of the seats in To.
	Send OpKind = iota + 1
	// SendLast is Send, but drops parts of the map that are still queued, since none may follow this packet.
	SendLast
	// Parts sends the map from offset At to End to seat PID, with the sender pid From, after all other packets.
	Parts
	// Seat assigns the connection Link to the player in seat PID.
	Seat
	// Reply writes Frame to Link without counting or keeping it, because Link has no seat or the packet is for its
	// proxy.
	Reply
	// Close ends Link after everything before is written; Why is for the log.
	Close
	// Cut ends Link at once.
	Cut
	// Play marks the start of turns; the links now belong to a running game.
	Play
	// CheckBans asks to check the players of all links for bans again and to report them with Ban.
	CheckBans
	// KeepJournal asks to keep the journal of this game after its end.
	KeepJournal
	// Answer sends Text to Caller, who is not in the game. Refused means that it is the reason of a refusal.
	Answer
	// Ask sends Query to the database. The answer goes to Caller; nil if none is wanted.
	Ask
	// Offer tells the proxies of the seats in To how to reconnect, and that Empties empty actions precede each 0x0C.
	Offer
	// Ack acknowledges to the proxies of the seats in To the packets received.
	Ack
	// Forget reports that seat PID is empty; what is kept for it can be dropped.
	Forget
	// Outside passes on Text of Caller, which is not a command of a game but may be one of the host.
	Outside
	// Rate asks for the rating of Link's player, to be reported with Rated.
	Rate
	// Again opens a lobby with Config, but a new number and seed, as soon as this game is over.
	Again
	// Recall asks for the language chosen earlier by Link's player, to be reported with Prefer.
	Recall
)

var opText = [...]string{
	Send: "send", SendLast: "send last", Parts: "parts", Seat: "seat", Reply: "reply", Close: "close", Cut: "cut",
	Play: "play", CheckBans: "check bans", KeepJournal: "keep journal", Answer: "answer", Ask: "ask", Outside: "outside",
	Offer: "offer", Ack: "ack", Forget: "forget", Rate: "rate", Again: "again", Recall: "recall",
}

// String returns the kind for traces.
func (k OpKind) String() string { return opText[k] }

// Op is one order to the host. Orders must be carried out in the order of Out.
type Op struct {
	Kind    OpKind
	To      w3gs.PIDs
	PID     uint8
	From    uint8
	Empties uint8
	Link    LinkID
	At, End uint32
	Frame   []byte
	Why     string
	Caller  *command.Caller
	Query   *command.Query
	Config  *Config
	Text    string
	Refused bool
}

// Stamped is a fact with its number in the game, from 1, and its time.
type Stamped struct {
	Seq  uint64
	At   time.Duration // since the lobby opened
	Turn uint32        // number of turns sent before it
	Fact Fact
	// Again marks a fact that observers already received in the previous process; the game is being restored from its
	// journal.
	Again bool
}

// Out collects the outputs of a Step. Its contents are valid until Reset.
type Out struct {
	Ops   []Op
	Facts []Stamped
	bytes []byte
	head  []byte // scratch buffer of Sum
}

// Reset empties o and keeps its memory for the next Step.
func (o *Out) Reset() {
	clear(o.Ops)
	clear(o.Facts)
	o.Ops, o.Facts, o.bytes = o.Ops[:0], o.Facts[:0], o.bytes[:0]
}

// frame encodes a packet into o's buffer.
func (o *Out) frame(p w3gs.Packet) []byte {
	from := len(o.bytes)
	o.bytes = p.AppendTo(o.bytes)
	return o.bytes[from:len(o.bytes):len(o.bytes)]
}

func (o *Out) add(op Op) { o.Ops = append(o.Ops, op) }
