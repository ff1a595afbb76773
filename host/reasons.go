package host

import "errors"

// Why a connection was closed by the host, for the log and for tests.
var (
	errJoinTimeout  = errors.New("no join within the time limit")
	errNotAJoin     = errors.New("first packet is not a join (0x1E)")
	errOverflow     = errors.New("out queue overflow: far more waits for the client than its line takes")
	errFlood        = errors.New("flood: too many packets a second")
	errCrashed      = errors.New("a fault of the host; see the log and the file that it names")
	errSilent       = errors.New("nothing heard for too long")
	errStuck        = errors.New("the client took nothing of what was sent for too long")
	errHostStops    = errors.New("the host is stopping")
	errGameOver     = errors.New("the game is over")
	errInboxFull    = errors.New("more packets than its game can take")
	errClientClosed = errors.New("closed by the client")
	errHandOver     = errors.New("its socket goes to the reactor")
	errEarlyAction  = errors.New("an action or acknowledgement before the game has started")
)
