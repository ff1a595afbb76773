package game

import (
	"net/netip"
	"time"

	"w3host/game/command"
	"w3host/lobby"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
	"w3host/rating"
	"w3host/texts"
)

// LinkID is the host's number of a connection, from 1, never used twice in a
// game.
type LinkID uint32

// Kind says what an Input is.
type Kind uint8

// Kinds of inputs, with the fields they use.
const (
	// Tick: only time has passed.
	Tick Kind = iota
	// Join: the 0x1E of a new Link at Addr. The host has checked the game id and
	// the entry key, and looked up whether the player is Banned (why), and whether
	// the address is Shared by many. Realm is whose name it is said to be, empty for
	// the LAN, and Vouched says that the realm has confirmed it. Version is the player's,
	// where the host knows it. Like is an admin whose name the player's is taken for, Country
	// the code of the country of Addr, where the host knows it.
	Join
	// Packet: any packet of Link without a kind of its own. Level is the sender's, as
	// the host knows, looked up for chat. Figures describe the connection, for packets
	// about the map. By is how long a pong has waited in the kernel since it arrived.
	Packet
	// Action: the Data of a 0x26 of Link.
	Action
	// Keepalive: the Sum of a 0x27 of Link.
	Keepalive
	// Lost: Link has ended; Why says how.
	Lost
	// Resume: Link, from Addr, carries seat PID from here on, whose proxy has received
	// Last packets. The host has checked that it may.
	Resume
	// Backlog: Queued bytes of packets wait for Link's socket; Figures are of the
	// connection; Moves changes whenever it takes some of the packets.
	Backlog
	// HostLate: a turn of some game of this host went out By too late.
	HostLate
	// Beat: turns are due at By modulo their period.
	Beat
	// Ban: Link's player has been banned since the join; Why says why.
	Ban
	// Command: Caller types Line, but not in the chat of this game.
	Command
	// Vouch: the realm of Link's player has confirmed the name. Level is the player's
	// level under that name.
	Vouch
	// HostLine: the host says Line to Caller. Why, if it is set, is the Notice that Line is the reason of.
	HostLine
	// Stop: the host stops; the players read Why. With Line, the person of that name has closed the lobby.
	Stop
	// Proxy: Link's player is behind a proxy, which asks for reconnection.
	Proxy
	// Extended: Link's proxy can wait without empty actions.
	Extended
	// Acked: Link's proxy has acknowledged packets.
	Acked
	// Forfeit: seat PID can no longer be resumed; Why says why.
	Forfeit
	// Rated: Skill is the rating of Link's player on this map, from so many Games.
	Rated
	// Prefer: Link's player has chosen Language in an earlier game.
	Prefer
	// Ignored: Link's player has chosen in earlier games not to read the players of the
	// names in Line, one a line.
	Ignored
	// Login: Link's player has tried a password. Why is the reason why it was refused,
	// By how long they must wait before the next; Level is their level now.
	Login
	// Survived: the process of the host has ended and another one goes on with the game, By
	// after the last input. Nothing that the host has said of sockets holds any more.
	Survived
	// SayAll: the host says Line to all, since Caller wants it.
	SayAll
)

// kinds says of each kind what it is, for crash reports, and what takes it: the
// game, or the seat that Link carries.
var kinds = [...]struct {
	text   string
	do     func(*Machine, *Input)
	bySeat func(*Machine, *seat, *Input)
}{
	Tick:      {text: "a tick", do: (*Machine).tick},
	Join:      {text: "a join", do: (*Machine).join},
	Packet:    {text: "a packet", bySeat: (*Machine).packet},
	Action:    {text: "an action", bySeat: (*Machine).turnPacket},
	Keepalive: {text: "an acknowledgement", bySeat: (*Machine).turnPacket},
	Lost:      {text: "the end of a link", bySeat: (*Machine).lost},
	Resume:    {text: "a resumed link", do: (*Machine).resume},
	Backlog:   {text: "a backlog", bySeat: (*Machine).backlog},
	HostLate:  {text: "lateness of the host", do: func(m *Machine, in *Input) { m.xfer.Late(m.now, in.By) }},
	Beat: {text: "a place in the period", do: func(m *Machine, in *Input) {
		if m.turns != nil {
			m.turns.Align(m.playTime(), in.By-m.startedAt)
		}
	}},
	Ban: {text: "a ban", bySeat: func(m *Machine, s *seat, in *Input) {
		m.try(lobby.Kick{PID: s.PID, Why: banned(in.Why)})
	}},
	Command:  {text: "a command", do: (*Machine).command},
	Vouch:    {text: "a confirmed name", bySeat: (*Machine).vouch},
	HostLine: {text: "a line of the host", do: (*Machine).sayHostLine},
	Stop:     {text: "the stop of the host", do: (*Machine).stop},
	Proxy:    {text: "a proxy", bySeat: (*Machine).meetProxy},
	Extended: {text: "an extended proxy", bySeat: (*Machine).meetProxy},
	Acked:    {text: "an acknowledgement of a proxy", bySeat: (*Machine).acknowledged},
	Forfeit:  {text: "a seat that cannot be resumed", do: (*Machine).forfeit},
	Rated:    {text: "a rating", bySeat: (*Machine).rated},
	Prefer:   {text: "a language", bySeat: (*Machine).prefer},
	Ignored:  {text: "a list of ignored players", bySeat: (*Machine).ignored},
	Login:    {text: "a login", bySeat: (*Machine).login},
	Survived: {text: "a new process of the host", do: (*Machine).survived},
	SayAll:   {text: "a line to all", do: func(m *Machine, in *Input) { m.sayFor(in.Caller.Name, in.Line) }},
}

// String names the kind in crash reports.
func (k Kind) String() string {
	if int(k) >= len(kinds) {
		return "an unknown input"
	}
	return kinds[k].text
}

// Input is one thing that happened outside. It is a flat struct, so that
// actions and acknowledgements need no allocation; Step keeps nothing of it.
type Input struct {
	Kind     Kind
	Link     LinkID
	Bytes    int // of the link's stream that are done with this input
	PID      uint8
	Level    command.Level
	Sum      uint32
	Queued   int
	Figures  mapxfer.Figures // without Addr
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
	Version  w3gs.Version
	Like     string
	Country  string
	Games    int
	Last     uint32
}
