package host

import "errors"

// Why a connection was closed by the host, for the log and for tests.
var (
	errMadeRoom     = errors.New("silent for longest when the room for connections that have not joined was full")
	errNotAJoin     = errors.New("first packet is neither a join (0x1E), nor a return (0xF8 2), nor the question for lobbies (0xF8 60)")
	errLedger       = errors.New("flood: so many bytes that the journal of the game would be full")
	errKnocks       = errors.New("so many have tried to join that the journal of the lobby would be full; some may join again in a moment")
	errListed       = errors.New("it has asked for the open lobbies")
	errBadCount     = errors.New("a count of the proxy that cannot be")
	errNoSuchSeat   = errors.New("no player with this id and key can come back")
	errComing       = errors.New("the game of a player who comes back may not be here yet")
	errWrongKeys    = errors.New("too many wrong keys from this address")
	errGuesses      = errors.New("too many wrong keys from everywhere, and the player was not at this address before")
	errReturnRate   = errors.New("this player has come back too often in a short time")
	errClosed       = errors.New("the lobby takes nobody: the host drains, or has lost its lease")
	errDisabled     = errors.New("no new lobbies are opened: enable allows them again")
	errHostStops    = errors.New("the host is stopping")
	errGameOver     = errors.New("the game is over")
	errNoGame       = errors.New("no game has this id")
	errStarted      = errors.New("the game has started")
	errNotShown     = errors.New("this game cannot be watched, or not yet")
	errForeignRealm = errors.New("the game id is of a realm that is not ours")
	errEntryKey     = errors.New("wrong entry key: not from this lobby's LAN announcement")
)
