package host

import (
	"net/netip"
	"time"

	"github.com/rs/zerolog"

	"w3host/game"
	"w3host/game/command"
	"w3host/host/admission"
	"w3host/host/loop"
	"w3host/host/survive"
	"w3host/internal/allowance"
	"w3host/internal/network"
	"w3host/protocol/gproxy"
)

// link is one client's TCP connection. It belongs to the goroutine of its shard.
type link struct {
	// The fields that each packet needs, side by side: they have left the processor's cache since the last one.
	*loop.Conn
	shard   *shard
	game    *Game // nil: it has not joined one
	id      game.LinkID
	pid     uint8          // the seat that it carries; 0: none
	held    bool           // the holder has its socket
	*person                // another link takes them over
	stream  survive.Stream // not begun: the link ends with the process
	brought int            // bytes of the ledger that were not taken from stored yet

	welcome func(*link, []byte) error // takes its packets until it is of a game
	last    uint32                    // what a proxy that comes back has received

	skipped  int  // packets without a meaning for a host
	odd      bool // a harmless packet was too long; that is logged
	unjoined bool // counted as a connection without a seat

	// The machine learns of bytes that wait once more after the last of them has left.
	backlogReported bool // of packets
	fetching        bool // of the map, or before it on the line
}

// person is the player behind a link, whichever connection carries them.
type person struct {
	name     string
	realm    string // whose list the join came from; empty: the LAN
	vouched  bool   // the realm has confirmed the name
	loggedIn bool   // with the password of an admin of that name
	checking bool   // a password of theirs is checked
	disputed bool   // somebody else has come under the name: the realm's word does not say who is meant
	forget   func() // ends the question to the realm; nil: none is on its way
	code     string // that proves the name if the account whispers it; empty: none was shown
	tries    int    // wrong codes that were typed

	packets  admission.PacketLimiter
	stored   allowance.Allowance // of the ledger
	lastAddr netip.Addr          // of their last link that had the seat

	line  gproxy.Line
	proxy *proxy // nil: the client speaks for itself
}

// proxy is the state of a player's proxy across its connections.
type proxy struct {
	survive.Proxy
	returned allowance.Allowance
}

// send queues a packet that a proxy counts; Queue is for those that it does not: packets
// of proxies, and those for links without a seat.
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

// Framed counts parts of the map that are about to be sent.
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

// level returns the player's level by the lists of the host. A name that its realm has
// not confirmed is worth nothing, not even as one of the LAN.
func (l *link) level() command.Level {
	if l.realm != "" && !l.vouched {
		return command.Anyone
	}
	return l.shard.opts.Admins.Level(Joiner{l.name, l.realm, l.Addr.Addr(), l.loggedIn})
}

// banned says why the player may not be here. A ban on a realm is for a name that
// the realm has confirmed.
func (l *link) banned() string {
	realm := ""
	if l.vouched {
		realm = l.realm
	}
	return l.shard.opts.Bans.Banned(l.name, l.Addr.Addr(), realm, l.game != nil && l.game.playing)
}

// log is the host's log with the link's address.
func (l *link) log() *zerolog.Logger {
	log := l.shard.log.With().Stringer("addr", l.Addr).Logger()
	return &log
}

// refusal begins a log line about a connection that is refused.
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
		return nil // spares the line's context; Msg and the others take nil
	}
	return l.log().WithLevel(level)
}
