package host

import (
	"container/list"
	"errors"
	"net/netip"
	"time"

	"w3host/game"
	"w3host/game/command"
	"w3host/mapxfer"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
)

// lingerTime is how long a client may take to read its last packets and to close
// before it is cut.
const lingerTime = 2 * time.Second

// linkState is how far a connection has come.
type linkState uint8

const (
	unjoined linkState = iota // its first packet is awaited
	joined                    // it belongs to a game
	closing                   // what is queued goes out, then it is closed
	closed
)

// socket is the connection of a link as the operating system has it. No method blocks.
type socket interface {
	// read takes what has come. There may be more if it says so, else the poller
	// tells when there is.
	read(p []byte) (n int, more bool, err error)
	// write takes as many bytes as there is room for; the link hears when there
	// is room again.
	write(p []byte) (int, error)
	// closeWrite ends the sending side.
	closeWrite()
	// close ends the connection with a reset.
	close()
	// play says that the link belongs to a running game, which reads it when a
	// turn is due.
	play(g *Game)
	// figures are what the system knows of the connection; zero: nothing.
	figures() mapxfer.Figures
	// waited is for how long what was last received has been in the kernel;
	// 0 where that is unknown.
	waited() time.Duration
}

// link is one client's TCP connection. It belongs to the goroutine of its
// shard.
type link struct {
	shard *shard
	sock  socket
	addr  netip.AddrPort
	state linkState
	cause error // why the host closed it

	game    *Game // of a joined link
	id      game.LinkID
	pid     uint8  // the seat that it carries; 0: none
	*person        // another link takes them over
	last    uint32 // what a proxy that comes back has received

	in       inbox
	skipped  int           // packets without a meaning for a host
	odd      bool          // a harmless packet was too long; that is logged
	stranger bool          // the gate counts it
	expires  time.Duration // when an unjoined or closing link is cut
	waiting  *list.Element // among the shard's arriving or lingering links

	out             outQueue
	moves           uint64 // changes whenever the socket takes something
	blocked         bool   // until the socket has room again
	dirty           bool   // the step at hand has queued something
	unwritten       bool   // in shard.unwritten
	backlogReported bool   // the game has been told that bytes wait
	// fetching says that the game has been told of bytes on the line, of the map or
	// before it, and wants to know when they have arrived; figures are the last.
	fetching bool
	figures  mapxfer.Figures
	lookedAt time.Duration // when they were read
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

	meter    meter
	lastAddr netip.Addr // of their last link that had the seat

	line  gproxy.Line
	proxy *proxy // nil: the client speaks for itself
}

// packet takes one packet.
func (l *link) packet(frame w3gs.Frame) error {
	if l.state == unjoined {
		l.line.Got()
		return l.shard.host.welcome(l, frame)
	}
	g, s := l.game, l.shard
	if err := l.meter.count(frame.Op(), s.now); err != nil {
		return err
	}
	l.line.Got() // not before it is let in: a proxy never sends again what was counted
	in := game.Input{Link: l.id}
	switch op := frame.Op(); op {
	case w3gs.OpKeepalive:
		if err := s.alive.Decode(frame.Body()); err != nil {
			return err
		}
		in.Kind, in.Sum = game.Keepalive, s.alive.Checksum
	case w3gs.OpOutgoingAction:
		if err := s.action.Decode(frame.Body()); err != nil {
			return err
		}
		in.Kind, in.Data = game.Action, s.action.Data
	default:
		packet := w3gs.New(op, w3gs.FromClient)
		if packet == nil || op == w3gs.OpReqJoin {
			l.skipped++
			return nil // unknown to a host, or a second join
		}
		err := packet.Decode(frame.Body())
		if errors.Is(err, w3gs.ErrTrailing) && harmless(op) {
			l.oversize(err)
		} else if err != nil {
			return err
		}
		in.Kind, in.Packet = game.Packet, packet
		switch op {
		case w3gs.OpChatToHost:
			text := packet.(*w3gs.ChatToHost).Text
			if password, ok := g.machine.Secret(text); ok {
				g.login(l, password)
				return nil
			}
			if g.machine.Slip(text) {
				g.loginDone(l, game.LoginSlip, 0)
				return nil
			}
			in.Level = l.level()
		case w3gs.OpLeaveGame:
			g.noteLeave(l)
		case w3gs.OpPongToHost:
			in.By = l.sock.waited()
		case w3gs.OpMapSize, w3gs.OpMapPartOK, w3gs.OpMapPartNotOK:
			in.Figures, l.fetching = l.look(), true
		}
	}
	g.step(&in)
	return nil
}

// look tells the state of the connection. Nothing is written between the packets
// of one read, so they need but one look at the socket.
func (l *link) look() mapxfer.Figures {
	if l.lookedAt != l.shard.now {
		l.figures, l.lookedAt = l.sock.figures(), l.shard.now
	}
	l.figures.Queued = l.out.pieceBytes + len(l.out.rest)
	return l.figures
}

// level is what the player may do as the host knows. A name that its realm has
// not confirmed is worth nothing, not even as one of the LAN.
func (l *link) level() command.Level {
	if l.realm != "" && !l.vouched {
		return command.Anyone
	}
	return l.shard.host.opts.Admins.Level(Joiner{l.name, l.realm, l.addr.Addr(), l.loggedIn})
}

// banned says why the player may not be here. A ban on a realm is for a name that
// the realm has confirmed.
func (l *link) banned() string {
	realm := ""
	if l.vouched {
		realm = l.realm
	}
	return l.shard.host.opts.Bans.Banned(l.name, l.addr.Addr(), realm)
}

// harmless reports whether bytes behind the end of a packet are ignored: some clients
// append to these.
func harmless(op w3gs.Op) bool {
	return op == w3gs.OpPeerSet || op == w3gs.OpPongToHost || op == w3gs.OpMapSize || op == w3gs.OpLoadedSelf
}

// oversize logs the first packet of a client that has such bytes.
func (l *link) oversize(err error) {
	if !l.odd {
		l.odd = true
		l.log().Info().Err(err).Msg("extra bytes at the end of a packet are ignored; only the first such packet is logged")
	}
}

// queue puts a packet in front of any map part; flush sends it.
func (l *link) queue(frame []byte) {
	if l.state >= closing {
		return
	}
	if !l.line.Send(frame) {
		l.game.forfeit(l.pid)
		return
	}
	l.tell(frame)
}

// tell is queue for what is not counted: packets of proxies, and those for links
// without a seat.
func (l *link) tell(frame []byte) {
	if l.state >= closing {
		return
	}
	if l.out.packets == nil {
		l.out.packets = l.shard.buffer()
	}
	if !l.out.push(frame) {
		l.cut(errOverflow)
		return
	}
	l.soon()
}

// soon has the link flushed at the end of the step.
func (l *link) soon() {
	if !l.dirty {
		l.dirty = true
		l.shard.dirty = append(l.shard.dirty, l)
	}
}

// flush writes what waits, as far as the socket takes it and a pass goes.
func (l *link) flush() {
	l.dirty = false
	for left := passWrite; l.state != closed && !l.blocked; {
		begun := len(l.out.rest) > 0
		buf, parts := l.out.take(l.shard.chunk)
		l.line.Passed(parts)
		l.meter.sent(parts)
		if len(buf) == 0 {
			if l.state == closing {
				l.sock.closeWrite()
			}
			return
		}
		most := min(len(buf), left)
		n, err := l.sock.write(buf[:most])
		if err != nil {
			l.cut(err)
			return
		}
		l.moves++
		l.lookedAt = 0
		l.blocked = n < most
		if n < len(buf) {
			l.out.putBack(buf[n:], parts > 0)
		} else if parts == 0 && !begun {
			l.shard.recycle(buf)
		}
		if left -= n; left == 0 {
			l.shard.writeLater(l)
			return
		}
	}
}

// room says that the socket takes bytes again.
func (l *link) room() {
	if l.blocked {
		l.blocked = false
		l.flush()
	}
}

// finish lets the client have what is queued and closes then. Closing at once
// would reset the connection under the last packet. cause is for the log.
func (l *link) finish(cause error) {
	if l.state >= closing {
		return
	}
	l.state, l.cause = closing, cause
	l.in.rest, l.in.behind = nil, false
	l.sock.play(nil)
	l.out.dropPieces()
	l.shard.arriving.remove(l)
	l.shard.lingering.add(l, l.shard.now+lingerTime)
	l.soon()
}

// cut closes at once. The reset spares the kernel a queue that nobody will read.
func (l *link) cut(cause error) {
	if l.state == closed {
		return
	}
	was := l.state
	l.state = closed
	if l.cause == nil {
		l.cause = cause
	}
	l.sock.close()
	l.in.rest, l.in.behind = nil, false
	l.out = outQueue{limit: l.out.limit}
	l.shard.arriving.remove(l)
	l.shard.lingering.remove(l)
	l.shard.ended(l, was)
}
