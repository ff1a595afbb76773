package game

import (
	"net/netip"
	"time"

	"w3host/command"
	"w3host/mapxfer"
	"w3host/rating"
	"w3host/texts"
	"w3host/w3gs"
)

// LinkID is the host's number of a connection, from 1, never used twice in a
// game.
type LinkID uint32

// Kind says what an Input is.
type Kind uint8

// Kinds of inputs, with the fields they use.
const (
	// Tick: time alone has passed.
	Tick Kind = iota
	// Join: the 0x1E of a new Link at Addr. The host has checked the game id and
	// the entry key, and looked up whether the player is Banned (why), and whether
	// the address is Shared by many. Realm is whose name it is said to be, empty for
	// the LAN, and Vouched says that the realm has confirmed it.
	Join
	// Packet: any packet of Link without a kind of its own. Level is what the
	// sender may do as the host knows, looked up for chat. Figures are of
	// the connection, for what is said of the map. By is how long a pong has
	// waited in the kernel since it arrived.
	Packet
	// Action: the Data of a 0x26 of Link.
	Action
	// Keepalive: the Sum of a 0x27 of Link.
	Keepalive
	// Lost: Link has ended; Why says how.
	Lost
	// Resume: Link, from Addr, carries seat PID from here on. Whatever checks that
	// it may has done so.
	Resume
	// Backlog: Queued bytes of packets wait for Link's socket; Figures are of the
	// connection; Moves changes whenever it takes some of the packets.
	Backlog
	// HostLate: a turn of some game of this host went out By too late.
	HostLate
	// Beat: turns are to come at By modulo their period.
	Beat
	// Ban: Link's player has been banned since the join; Why says why.
	Ban
	// Command: Caller types Line, by another way than the chat of this game.
	Command
	// Vouch: the realm of Link's player has confirmed the name. Level is what the
	// player may do, now that it counts.
	Vouch
	// Tell: the host says Line to Caller, or to all where Caller is nil.
	Tell
	// Stop: the host stops; Why is told to the players.
	Stop
	// Proxy: Link's player sits behind a proxy and asks for reconnection.
	Proxy
	// Extended: Link's proxy can wait without empty actions.
	Extended
	// Acked: Link's proxy has acknowledged packets.
	Acked
	// Forfeit: seat PID can no longer be resumed; Why says why.
	Forfeit
	// Rated: Skill is how strong Link's player is on this map.
	Rated
	// Prefer: Link's player has chosen Language in an earlier game.
	Prefer
	// Login: Link's player has tried a password. Why says why it is not accepted, By
	// how long they have to wait with the next; Level is what they may do now.
	Login
)

var kindText = [...]string{
	"a tick", "a join", "a packet", "an action", "an acknowledgement", "the end of a link", "a resumed link", "a backlog",
	"lateness of the host", "a place in the period", "a ban", "a command", "a confirmed name", "a line of the host", "the stop of the host",
	"a proxy", "an extended proxy", "an acknowledgement of a proxy", "a seat that cannot be resumed",
	"a rating", "a language", "a login",
}

// String names the kind in crash reports.
func (k Kind) String() string {
	if int(k) >= len(kindText) {
		return "an unknown input"
	}
	return kindText[k]
}

// Input is one thing that happened outside. It is a flat struct, so that
// actions and acknowledgements need no allocation; Step keeps nothing of it.
type Input struct {
	Kind     Kind
	Link     LinkID
	PID      uint8
	Level    command.Level
	Sum      uint32
	Queued   int
	Figures  mapxfer.Figures // but for Addr
	Moves    uint64
	By       time.Duration
	Data     []byte
	Packet   w3gs.Packet
	Addr     netip.AddrPort
	Why      string
	Banned   string
	Shared   bool
	Realm    string
	Vouched  bool
	Caller   *command.Caller
	Line     string
	Skill    rating.Skill
	Language texts.Language
}
