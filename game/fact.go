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

// Fact is something that has happened in the game: a pointer to one of the types
// below. Facts are self-contained: no observer reads the machine. A fact is valid
// until the next Step; an observer must copy the parts it keeps, above all the bytes of
// Acted and Turned.
type Fact interface{ Fact() }

// Player is the player that a fact is about.
type Player struct {
	PID      uint8
	Name     string         // by which people call them, unlike that of any other player in the game
	Nameless bool           // the name belongs to nobody, so that nothing may be recorded for it
	Realm    string         // that has confirmed the name; empty: none
	Addr     netip.AddrPort // zero for fake players
}

// OwnName returns the player's name, empty where it belongs to nobody.
func (p *Player) OwnName() string {
	if p.Nameless {
		return ""
	}
	return p.Name
}

// playerResult is how a game has ended for a player.
type playerResult struct {
	Player
	Result Result
}

type (
	// Opened is the first fact: the lobby is up.
	Opened struct {
		Config *Config
		Owner  string
		Counts lobby.Counts
	}
	// Joined: a player has a seat.
	Joined struct {
		Player
		Slot int
	}
	// Vouched: the realm of a player's name has confirmed it.
	Vouched struct{ Player }
	// JoinRefused: a join was answered with 0x05.
	JoinRefused struct {
		Name   string
		Addr   netip.AddrPort
		Reason w3gs.RejectReason
		Why    string
	}
	// LacksMap: a player has only Have bytes of the map.
	LacksMap struct {
		Player
		Have uint32
	}
	// LeftLobby: a player has left before the start, or was removed (Kicked).
	LeftLobby struct {
		Player
		Reason w3gs.LeaveReason
		Why    string
		By     string // who kicked
		Kicked bool
		RTT    time.Duration
	}
	// LinkLost: a player's connection broke. It can be resumed for Wait; 0: it cannot.
	LinkLost struct {
		Player
		Why  string
		Wait time.Duration
	}
	// LinkResumed: a seat has a new link, after Away without one; 0: the old one
	// seemed alive.
	LinkResumed struct {
		Player
		Away time.Duration
	}
	// Said: a player has said a line to the players in To.
	Said struct {
		lobby.Said
		Receiver string // of a private line
	}
	// HostSaid: the host has said Text to all, since By wanted it.
	HostSaid struct{ By, Text string }
	// Muted: a player sent too many lines.
	Muted struct {
		Player
		For time.Duration
	}
	// Counted: the lobby's numbers have changed.
	Counted = lobby.CountsChanged
	// Listed: the lobby is to be announced under this name, or not at all.
	Listed struct {
		Name   string
		Public bool
		Counts lobby.Counts
	}
	// Counting: the countdown has begun.
	Counting = lobby.CountdownStarted
	// CountStopped: the countdown was stopped.
	CountStopped = lobby.CountdownAborted
	// Started: the lobby has become a game; the players load.
	Started struct {
		Table   w3gs.SlotTable
		Players []lobby.Player // humans in slot order
		Fakes   []lobby.Player
		Addrs   map[uint8]netip.AddrPort
		HCL     string
		Extras  []*w3gs.PlayerExtra // profiles and skins, from 1.32 on
		// Watchers is the pid of the seat for viewers, 0 for none; Unwatched the reason why a game that is to be
		// shown cannot be.
		Watchers  uint8
		Unwatched string
	}
	// Loaded: a player has loaded, After the start.
	Loaded struct {
		Player
		After time.Duration
	}
	// AllLoaded: the first turn is one period away.
	AllLoaded = gamesync.Started
	// Acted: a player's action has arrived; it waits for the next turn.
	Acted struct {
		PID  uint8
		Data []byte
	}
	// GameSaved: a player has saved the game, and so have the clients of all others.
	GameSaved struct {
		Player
		File   string
		Played time.Duration
	}
	// Emptied: every client gets empty 0x0C of no duration here.
	Emptied = gamesync.Empty
	// Turned: a turn has gone out.
	Turned = gamesync.Turn
	// Settled: all have acknowledged a turn, and its hash is known.
	Settled = gamesync.Settled
	// PeriodChanged: turns have another period.
	PeriodChanged = gamesync.PeriodChanged
	// ScreenUp: the lag screen is up.
	ScreenUp = gamesync.ScreenUp
	// Lagged: the game goes on after a lag.
	Lagged = gamesync.Lag
	// Desynced: the players no longer have the same game state.
	Desynced = gamesync.Desync
	// Dropped: a player is removed from the game; LeftGame follows.
	Dropped struct {
		Player
		Why string
		By  string // who kicked; empty when the game itself did
	}
	// LeftGame: a player is gone, and the others have their 0x07.
	LeftGame struct {
		Player
		Reason w3gs.LeaveReason
		Why    string
		Kicked bool
		RTT    time.Duration
		Own    bool // by the player's own word, over a connection that was alive
		// Actions is how many actions the player took, as replays count them.
		Actions uint32
	}
	// DownloadBegun: the map is being sent to a player.
	DownloadBegun struct {
		Player
		Size uint32
	}
	// DownloadEnded: a player has the map, or will not get it (Why).
	DownloadEnded struct {
		Player
		Complete bool
		Bytes    uint32
		Resent   uint64
		Took     time.Duration
		Why      string
	}
	// MapPacketIgnored: a map packet made no sense.
	MapPacketIgnored struct {
		Player
		Why mapxfer.Why
	}
	// Commanded: a command that not everybody may use was given.
	Commanded struct {
		Caller  command.Caller
		Line    string
		Name    string // of the command
		Target  string // the player or thing it was about
		Detail  string // its arguments
		Refused string // why it was not done
	}
	// Decided: the players have ended the game with a result.
	Decided struct {
		Why     string
		Players []playerResult
	}
	// Over is the last fact of a game that started.
	Over struct {
		gamesync.Over
		Stopped bool // the host was stopped
		Decided bool // the players have ended it with a result
		Remade  bool // the players want to play it again
	}
	// Closed is the last fact of a lobby that did not start.
	Closed struct{ Why string }
)

func (*Player) Fact()      {} // and so whatever embeds a Player
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

// Speed is that of a download in bytes per second.
func (f *DownloadEnded) Speed() float64 {
	if f.Took <= 0 {
		return 0
	}
	return float64(f.Bytes) / f.Took.Seconds()
}
