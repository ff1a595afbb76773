package game

import (
	"time"

	"w3host/game/command"
	"w3host/protocol/w3gs"
)

// OpKind says what an Op asks of the host.
type OpKind uint8

// Kinds of orders, with the fields they use.
const (
	// Send: write Frame to the links of the seats in To.
	Send OpKind = iota + 1
	// SendLast: as Send, but drop the waiting parts of the map: none may come behind
	// this packet.
	SendLast
	// Parts: send the map from At to End to seat PID, as if from From, behind
	// every packet.
	Parts
	// Seat: Link carries seat PID from here on.
	Seat
	// Reply: write Frame to Link, but neither count nor keep it: Link has no seat, or the
	// packet is for its proxy.
	Reply
	// Close: end Link once everything before is written; Why is for the log.
	Close
	// Cut: end Link at once.
	Cut
	// Play: turns begin; links belong to a running game.
	Play
	// CheckBans: look up the players of all links again and report with Ban.
	CheckBans
	// KeepJournal: keep the journal of this game when it is over.
	KeepJournal
	// Answer: Text is for Caller, who is not in the game. Refused: it is the reason why
	// the command was not done.
	Answer
	// Ask: put Query to the database; the answer is for Caller, nil if nobody waits for
	// it.
	Ask
	// Offer: tell the proxies of the seats in To how they come back, and that there
	// are Empties empty actions before each 0x0C.
	Offer
	// Ack: acknowledge to the proxies of the seats in To the packets that have arrived.
	Ack
	// Forget: seat PID is empty; nothing more is kept for it.
	Forget
	// Outside: Caller has typed Text, which is not a command of a game but may be one
	// of the host.
	Outside
	// Rate: look up the rating of Link's player, for Rated.
	Rate
	// Again: open a lobby with Config, but a new number and seed, as soon as this game
	// is over.
	Again
	// Recall: look up the language that Link's player has chosen, for Prefer.
	Recall
)

var opText = [...]string{
	Send: "send", SendLast: "send last", Parts: "parts", Seat: "seat", Reply: "reply", Close: "close", Cut: "cut",
	Play: "play", CheckBans: "check bans", KeepJournal: "keep journal", Answer: "answer", Ask: "ask", Outside: "outside",
	Offer: "offer", Ack: "ack", Forget: "forget", Rate: "rate", Again: "again", Recall: "recall",
}

// String names the order in traces.
func (k OpKind) String() string { return opText[k] }

// Op is one order to the host. Orders are carried out in the order of Out.
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
	Turn uint32        // turns sent before it
	Fact Fact
	// Again marks a fact of the process before, which its observers had: the game is restored from its ledger.
	Again bool
}

// Out collects the outputs of a Step. It is valid until Reset.
type Out struct {
	Ops   []Op
	Facts []Stamped
	bytes []byte
	head  []byte // of the Op that Sum is at
}

// Reset empties it for the next Step; its memory is used again.
func (o *Out) Reset() {
	clear(o.Ops)
	clear(o.Facts)
	o.Ops, o.Facts, o.bytes = o.Ops[:0], o.Facts[:0], o.bytes[:0]
}

// frame encodes a packet.
func (o *Out) frame(p w3gs.Packet) []byte {
	from := len(o.bytes)
	o.bytes = p.AppendTo(o.bytes)
	return o.bytes[from:len(o.bytes):len(o.bytes)]
}

func (o *Out) add(op Op) { o.Ops = append(o.Ops, op) }
