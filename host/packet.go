package host

import (
	"errors"

	"github.com/rs/zerolog"

	"w3host/game"
	"w3host/host/loop"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
)

// Packet implements loop.Handler. Before the client has joined, it passes the packet to welcome; afterwards the packet
// becomes an input of the game's machine.
func (l *link) Packet(frame []byte) error {
	g := l.game
	if g == nil {
		return l.welcome(l, frame)
	}
	at, answers, got := g.ledger.Len(), l.packets.Answers(), l.line.Received()
	var err error
	if frame[0] == gproxy.Magic {
		err = l.extension(frame)
	} else {
		err = l.play(frame)
	}
	if l.stream.Begun() && l.proxy != nil {
		l.stream.Done(l.Taken(), l.line.Received()-got)
	}
	if l.packets.Answers() == answers { // otherwise the packet answers a part of the map and is free
		l.brought += g.ledger.Len() - at
	}
	return err
}

// play handles a packet of a player.
func (l *link) play(frame w3gs.Frame) error {
	g, s := l.game, l.shard
	op := frame.Op()
	if !l.packets.Allow(op == w3gs.OpMapPartOK || op == w3gs.OpMapSize, s.Now()) {
		return loop.ErrFlood
	}
	l.line.Got() // only packets within the limit: a proxy does not resend a counted packet
	in := game.Input{Link: l.id, Bytes: len(frame)}
	switch op {
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
			return nil // unknown, or a second join
		}
		err := packet.Decode(frame.Body())
		if errors.Is(err, w3gs.ErrTrailing) && harmless(op) {
			l.oversize(err)
		} else if err != nil {
			return err
		}
		if g.machine.Ignores(s.Now()-g.opened, l.id, packet) {
			return nil
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
			in.By = l.Socket.Waited()
		case w3gs.OpMapSize, w3gs.OpMapPartOK, w3gs.OpMapPartNotOK:
			in.Figures, l.fetching = l.Figures(), true
		}
	}
	if l.stream.Begun() {
		in.Bytes = l.stream.Count(l.Taken())
	}
	g.step(&in)
	return nil
}

// harmless reports whether extra bytes at the end of a packet are ignored, because some clients append them.
func harmless(op w3gs.Op) bool {
	return op == w3gs.OpPeerSet || op == w3gs.OpPongToHost || op == w3gs.OpMapSize || op == w3gs.OpLoadedSelf
}

// oversize logs the first packet of a client with extra bytes.
func (l *link) oversize(err error) {
	if !l.odd {
		l.odd = true
		l.log().Info().Err(err).Msg("extra bytes at the end of a packet are ignored; only the first such packet is logged")
	}
}

// Ended implements loop.Handler: the connection is closed.
func (l *link) Ended(admitted bool) {
	l.uncount()
	switch {
	case l.game != nil:
		l.game.lost(l)
	case !admitted:
		l.logUnjoined()
	}
}

// logUnjoined logs why a connection ended before it joined.
func (l *link) logUnjoined() {
	e := l.log().Debug() // w3host health connects every 30 s
	if !errors.Is(l.Cause(), loop.ErrClientClosed) {
		e = l.refusal(zerolog.InfoLevel)
	}
	e.AnErr("reason", l.Cause()).Msg("connection closed before it joined")
}
