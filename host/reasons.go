package host

import "errors"

// Why a connection was closed by the host, for the log and for tests.
var (
	errJoinTimeout  = errors.New("no join within the time limit")
	errNotAJoin     = errors.New("first packet is not a join (0x1E)")
	errOverflow     = errors.New("out queue overflow: far more waits for the client than its line takes")
	errFlood        = errors.New("flood: too many packets a second")
	errCrashed      = errors.New("a fault of the host; see the log and the file that it names")
	errHostStops    = errors.New("the host is stopping")
	errGameOver     = errors.New("the game is over")
	errClientClosed = errors.New("closed by the client")
)
