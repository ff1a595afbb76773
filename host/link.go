package host

import (
	"net/netip"
	"time"

	"github.com/rs/zerolog"

	"w3host/game"
	"w3host/host/admission"
	"w3host/host/loop"
	"w3host/host/survive"
	"w3host/internal/allowance"
	"w3host/internal/network"
	"w3host/protocol/gproxy"
)

// link is one client's TCP connection. It is for the loop's goroutine only.
type link struct {
	// The fields that each packet needs stand together, because they have left the CPU cache since the last packet.
	*loop.Conn
	shard   *shard
	game    *Game // nil: it has not joined
	id      game.LinkID
	pid     uint8          // its seat; 0: none
	held    bool           // the supervisor has its socket
	*person                // moves to the next link on a reconnect
	stream  survive.Stream // not begun: the link ends with the process
	brought int            // bytes added to the ledger that stored does not contain yet

	welcome func(*link, []byte) error // handles its packets until it has joined
	last    uint32                    // count of packets that a reconnecting proxy has received

	skipped  int  // packets that a host does not use
	odd      bool // a harmless packet was too long, and that was logged
	unjoined bool // counted as a connection without a seat

	// The machine is told once more when no bytes wait any longer.
	backlogReported bool // packets waited at the last report
	fetching        bool // parts of the map, or bytes before them, may wait
}

// person is the player behind a link. It outlives the link if the player reconnects.
type person struct {
	name     string
	realm    string // the realm whose list the join came from; "": the LAN
	vouched  bool   // the realm has confirmed the name
	loggedIn bool   // has typed the password of an admin of that name
	checking bool   // a password is being checked
	disputed bool   // another address has joined under the name, so the realm cannot tell who is meant
	forget   func() // withdraws the question to the realm; nil: none is pending
	code     string // verification code that was shown, for the account to whisper; "": none
	tries    int    // wrong codes typed at the seat

	packets  admission.PacketLimiter
	stored   allowance.Allowance // use of the ledger
	lastAddr netip.Addr          // of the last link with the seat

	line  gproxy.Line
	proxy *proxy // nil: the client has no reconnect proxy
}

// proxy is the state of a player's reconnect proxy across its connections.
type proxy struct {
	survive.Proxy
	returned allowance.Allowance
}

// send queues a packet that a proxy counts. Packets that a proxy does not count (its own, and those for links without a
// seat) go through Queue.
func (l *link) send(frame []byte) {
	if l.State() >= loop.Closing {
		return
	}
	if !l.line.Send(frame) {
		l.game.forfeit(l.pid)
		return
	}
	l.Queue(frame)
}

// Framed implements loop.Handler: it counts parts of the map that are about to be sent.
func (l *link) Framed(parts int) {
	if l.stream.Begun() {
		l.stream.Parts(parts)
	}
	l.line.Passed(parts)
	l.packets.PartsSent(parts)
}

// uncount ends the count of a link as a connection without a seat: it has a seat, or is closed.
func (l *link) uncount() {
	if l.unjoined {
		l.unjoined = false
		l.shard.admission.Release(l.Addr.Addr())
	}
}

// log returns the host's log with the link's address.
func (l *link) log() *zerolog.Logger {
	log := l.shard.log.With().Stringer("addr", l.Addr).Logger()
	return &log
}

// refusal begins a log line about a refused connection. Repeated ones of an address get level debug.
func (l *link) refusal(level zerolog.Level) *zerolog.Event {
	s := l.shard
	line, begins := s.refused.Add(network.Base(l.Addr.Addr()))
	if begins {
		time.AfterFunc(s.refused.Every, func() {
			s.Call(func() { s.refused.SumUp(&s.log) })
		})
	}
	if !line {
		level = zerolog.DebugLevel
	}
	if s.log.GetLevel() > level {
		return nil // which the methods of an Event accept
	}
	return l.log().WithLevel(level)
}
