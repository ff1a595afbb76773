package game

import (
	"net/netip"
	"time"

	"w3host/game/command"
	"w3host/lobby"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
	gamesync "w3host/sync"
)

// Fact is an event of the game: a pointer to one of the types below. Facts are self-contained, so that observers need
// not read the Machine. A fact is valid until the next Step; observers must copy what they keep, in particular the bytes
// of Acted and Turned.
type Fact interface{ Fact() }

// Player identifies the player that a fact is about.
type Player struct {
	PID      uint8
	Name     string         // unique in the game
	Nameless bool           // the name is made up, so that nothing may be recorded under it
	Realm    string         // realm that confirmed the name, or empty
	Addr     netip.AddrPort // zero for fake players
}

// OwnName returns the player's name, or "" if it is made up.
func (p *Player) OwnName() string {
	if p.Nameless {
		return ""
	}
	return p.Name
}

// playerResult is the result of the game for one player.
type playerResult struct {
	Player
	Result Result
}

type (
	// Opened is the first fact: the lobby is open.
	Opened struct {
		Config *Config
		Owner  string
		Counts lobby.Counts
	}
	// Joined reports that a player got a seat.
	Joined struct {
		Player
		Slot int
	}
	// Vouched reports that the realm of a player's name has confirmed it.
	Vouched struct{ Player }
	// JoinRefused reports that a join was answered with 0x05.
	JoinRefused struct {
		Name   string
		Addr   netip.AddrPort
		Reason w3gs.RejectReason
		Why    string
	}
	// LacksMap reports that a player has only Have bytes of the map.
	LacksMap struct {
		Player
		Have uint32
	}
	// LeftLobby reports that a player left before the start or was removed (Kicked).
	LeftLobby struct {
		Player
		Reason w3gs.LeaveReason
		Why    string
		By     string // person who kicked the player
		Kicked bool
		RTT    time.Duration
	}
	// LinkLost reports that a player's connection broke. It can be resumed within Wait; 0 means it cannot.
	LinkLost struct {
		Player
		Why  string
		Wait time.Duration
	}
	// LinkResumed reports that a seat has a new connection after Away without one. Away is 0 if the old connection still
	// seemed alive.
	LinkResumed struct {
		Player
		Away time.Duration
	}
	// Said reports a chat line to the players in To.
	Said struct {
		lobby.Said
		Receiver string // receiver of a private line
	}
	// HostSaid reports that the host said Text to all on behalf of By.
	HostSaid struct{ By, Text string }
	// Muted reports that a player sent too many lines.
	Muted struct {
		Player
		For time.Duration
	}
	// Counted reports new slot counts of the lobby.
	Counted = lobby.CountsChanged
	// Listed reports that the lobby is to be announced under this name or, unless Public, no longer.
	Listed struct {
		Name   string
		Public bool
		Counts lobby.Counts
	}
	// Counting reports that the countdown has begun.
	Counting = lobby.CountdownStarted
	// CountStopped reports that the countdown was stopped.
	CountStopped = lobby.CountdownAborted
	// Started reports that the lobby has become a game and the players load it.
	Started struct {
		Table   w3gs.SlotTable
		Players []lobby.Player // humans in slot order
		Fakes   []lobby.Player
		Addrs   map[uint8]netip.AddrPort
		HCL     string
		Extras  []*w3gs.PlayerExtra // profiles and skins, from 1.32 on
		// Watchers is the pid of the seat for viewers, or 0; Unwatched is the reason why a game that should have such a
		// seat has none.
		Watchers  uint8
		Unwatched string
	}
	// Loaded reports that a player has loaded the game, After the start.
	Loaded struct {
		Player
		After time.Duration
	}
	// AllLoaded reports that all players have loaded; the first turn follows one period later.
	AllLoaded = gamesync.Started
	// Acted reports an action of a player, which goes out with the next turn.
	Acted struct {
		PID  uint8
		Data []byte
	}
	// GameSaved reports that a player saved the game; the clients of all others saved it too.
	GameSaved struct {
		Player
		File   string
		Played time.Duration
	}
	// Emptied reports that every client gets empty 0x0C without duration at this point.
	Emptied = gamesync.Empty
	// Turned reports that a turn was sent.
	Turned = gamesync.Turn
	// Settled reports that all players have acknowledged a turn, with its hash.
	Settled = gamesync.Settled
	// PeriodChanged reports a new turn period.
	PeriodChanged = gamesync.PeriodChanged
	// ScreenUp reports that the lag screen is shown.
	ScreenUp = gamesync.ScreenUp
	// Lagged reports that the game continues after a lag.
	Lagged = gamesync.Lag
	// Desynced reports that the players no longer have the same game state.
	Desynced = gamesync.Desync
	// Dropped reports that a player is being removed from the game; LeftGame follows.
	Dropped struct {
		Player
		Why string
		By  string // person who kicked; empty if the game removed the player
	}
	// LeftGame reports that a player is gone and the others have received 0x07.
	LeftGame struct {
		Player
		Reason w3gs.LeaveReason
		Why    string
		Kicked bool
		RTT    time.Duration
		Own    bool // the player left deliberately, over a working connection
		// Actions is the number of the player's actions, counted as in replays.
		Actions uint32
	}
	// DownloadBegun reports that the map is being sent to a player.
	DownloadBegun struct {
		Player
		Size uint32
	}
	// DownloadEnded reports that a player has the map, or will not get it (Why).
	DownloadEnded struct {
		Player
		Complete bool
		Bytes    uint32
		Resent   uint64
		Took     time.Duration
		Why      string
	}
	// MapPacketIgnored reports an invalid packet about the map.
	MapPacketIgnored struct {
		Player
		Why mapxfer.Why
	}
	// Commanded reports the use of a command that not everybody may use.
	Commanded struct {
		Caller  command.Caller
		Line    string
		Name    string // name of the command
		Target  string // player or thing it was about
		Detail  string // its arguments
		Refused string // why it was refused, or empty
	}
	// Decided reports that the players ended the game with a result.
	Decided struct {
		Why     string
		Players []playerResult
	}
	// Over is the last fact of a game that started.
	Over struct {
		gamesync.Over
		Stopped bool // the host was stopped
		Decided bool // the players ended it with a result
		Remade  bool // the players voted to play again
	}
	// Closed is the last fact of a lobby that did not start.
	Closed struct{ Why string }
)

func (*Player) Fact()      {} // also for all types that embed Player
func (*Opened) Fact()      {}
func (*JoinRefused) Fact() {}
func (*Said) Fact()        {}
func (*HostSaid) Fact()    {}
func (*Listed) Fact()      {}
func (*Started) Fact()     {}
func (*Acted) Fact()       {}
func (*Commanded) Fact()   {}
func (*Decided) Fact()     {}
func (*Over) Fact()        {}
func (*Closed) Fact()      {}

// Speed returns the speed of a download in bytes per second.
func (f *DownloadEnded) Speed() float64 {
	if f.Took <= 0 {
		return 0
	}
	return float64(f.Bytes) / f.Took.Seconds()
}
