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

// LinkID is the host's number of a connection, from 1. It is never reused in a game.
type LinkID uint32

// Kind is the kind of an Input.
type Kind uint8

// Kinds of inputs, with the fields they use.
const (
	// Tick reports that time has passed.
	Tick Kind = iota
	// Join is the 0x1E of a new Link at Addr. The host has checked the game id and the entry key, whether the player is
	// Banned (with the reason), and whether the address is Shared by many. Realm is the realm that the name claims,
	// empty for the LAN; Vouched means that the realm has confirmed it. Version is the player's game version, if known.
	// Like is an admin whose name looks like the player's. Country is the country code of Addr, if known.
	Join
	// Packet is a packet of Link without a kind of its own. Level is the sender's level, looked up for chat. Figures
	// describe the connection, for packets about the map. By is how long a pong waited in the kernel's buffer.
	Packet
	// Action is the Data of a 0x26 of Link.
	Action
	// Keepalive is the checksum (Sum) of a 0x27 of Link.
	Keepalive
	// Lost reports that Link has ended, with the reason Why.
	Lost
	// Resume reports that Link, from Addr, now carries seat PID, whose proxy has received Last packets. The host has
	// checked that it may.
	Resume
	// Backlog reports that Queued bytes wait for Link's socket. Figures describe the connection; Moves changes whenever
	// the socket accepts some of the bytes.
	Backlog
	// HostLate reports that a turn of some game on this host was sent late by By.
	HostLate
	// Beat sets the phase of turns: they are due at By modulo their period.
	Beat
	// Ban reports that Link's player was banned after the join, with the reason Why.
	Ban
	// Command is a command Line of Caller that was not typed in the chat of this game.
	Command
	// Vouch reports that the realm of Link's player has confirmed the name. Level is the player's level under that name.
	Vouch
	// HostLine is a Line of the host to Caller. If Why is set, it is a Notice and Line its reason.
	HostLine
	// Stop reports that the host stops, with the reason Why for the players. With Line, the person of that name has
	// closed the lobby.
	Stop
	// Proxy reports that Link's player is behind a proxy, which asks for reconnection.
	Proxy
	// Extended reports that Link's proxy can wait without empty actions.
	Extended
	// Acked reports that Link's proxy has acknowledged packets.
	Acked
	// Forfeit reports that seat PID can no longer be resumed, with the reason Why.
	Forfeit
	// Rated is the rating Skill of Link's player on this map, from Games games.
	Rated
	// Prefer restores the language that a player chose in an earlier game. Fields: Link, Language.
	Prefer
	// Ignored lists the names, one per line in Line, of players whose lines Link's player has chosen not to see in
	// earlier games.
	Ignored
	// Login is the result of a password attempt by Link's player. Why is the reason of a refusal, By how long to wait
	// before the next attempt, Level the player's level now.
	Login
	// Survived reports that another process of the host has taken over the game, By after the last input. Everything
	// reported about sockets before is obsolete.
	Survived
	// SayAll makes the host say Line to all on behalf of Caller.
	SayAll
)

// kinds describes each kind for crash reports and has its handler: a method of the Machine, or one for the seat that
// Link carries.
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

// String returns the kind for crash reports.
func (k Kind) String() string {
	if int(k) >= len(kinds) {
		return "an unknown input"
	}
	return kinds[k].text
}

// Input is one external event. It is a flat struct, so that actions and acknowledgements need no allocation. Step does
// not retain it.
type Input struct {
	Kind     Kind
	Link     LinkID
	Bytes    int // bytes of the link's stream consumed by this input
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
