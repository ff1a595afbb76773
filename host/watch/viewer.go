package watch

import (
	"cmp"
	"errors"
	"runtime/debug"
	"time"

	"w3host/host/loop"
	"w3host/internal/network"
	"w3host/protocol/w3gs"
	"w3host/spectate"
	"w3host/texts"
)

// viewer is the connection of a spectator.
type viewer struct {
	*loop.Conn
	server *Server
	here   bool // has said whom it watches
	show   *Show
	game   string
	client *spectate.Client // nil before
	calm   bool             // it is read in time, and does not wake the loop
	out    spectate.Out
	no     bool // it only reads why it may not watch
}

func (v *viewer) joined() {
	if !v.here {
		v.here = true
		v.server.joining--
	}
}

// begin starts the broadcast for the client, or tells it why it may not watch. It updates all
// counters first, so that they match those of leave even if a later step panics.
func (v *viewer) begin(s *Show, name string, no texts.Text) {
	v.show, v.game, v.no = s, s.tape.Game, !no.Empty()
	v.server.viewers[v] = true
	s.viewers++
	if v.no {
		v.server.refused++
	} else {
		s.watching.Add(1)
	}
	v.client = spectate.New(v.server.Now(), s.tape, cmp.Or(name, "Viewer"), w3gs.SockAddrFrom(v.Addr), v.server.opts.Past, &v.out)
	v.server.startBeat()
	line := v.server.opts.Log.Info().Str("name", name).Str("address", v.Addr.String()).Str("game", v.game)
	if v.no {
		v.client.Refuse(no)
		line.Stringer("reason", no).Msg("a client may not watch")
	} else {
		line.Msg("a client watches")
	}
	v.flush()
}

// Packet processes a packet of the client.
func (v *viewer) Packet(frame []byte) error {
	f := w3gs.Frame(frame)
	if v.client == nil {
		return v.server.join(v, f)
	}
	if err := v.client.Packet(v.server.Now(), f, &v.out); err != nil {
		return err
	}
	v.flush()
	return nil
}

// Tick does the work that is due.
func (v *viewer) Tick() {
	defer v.rescue()
	v.client.Tick(v.server.Now(), &v.out)
	v.flush()
}

// flush carries out the output of a step.
func (v *viewer) flush() {
	if len(v.out.Frames) > 0 {
		v.Queue(v.out.Frames)
	}
	if said := v.out.Said; said != "" {
		for other := range v.server.viewers {
			if other != v && other.show == v.show {
				other.hear(said)
			}
		}
	}
	end, why := v.out.End, v.out.Why
	v.out = spectate.Out{Frames: v.out.Frames[:0]}
	if end {
		v.Finish(why)
		v.leave()
	}
}

// hear shows a chat line of another spectator.
func (v *viewer) hear(line string) {
	defer v.rescue()
	v.client.Hear(line, &v.out)
	v.flush()
}

// stop ends the game of the client, if it is in one, because the program ends.
func (v *viewer) stop() {
	defer v.rescue()
	v.client.Stop(&v.out)
	v.Queue(v.out.Frames)
	v.Finish(errShutdown)
}

// rescue closes the connection if its handler panics. Other connections are not affected.
func (v *viewer) rescue() {
	if fault := recover(); fault != nil {
		v.Crashed(fault)
		v.Cut(loop.ErrCrashed)
	}
}

// leave removes the client. Its connection stays open until the last packets have been sent.
func (v *viewer) leave() {
	if s := v.server; s.viewers[v] {
		delete(s.viewers, v)
		if v.no {
			s.refused--
		} else {
			v.show.watching.Add(-1)
		}
		s.unload(v.show)
		s.stopBeat()
	}
}

// Framed does nothing, because spectators never download a map from here.
func (v *viewer) Framed(int) {}

// Crashed logs a panic.
func (v *viewer) Crashed(fault any) {
	v.server.crashed("who watches a game is cut off; the others go on", fault)
}

// rescue logs a panic and then calls then.
func (s *Server) rescue(what string, then func()) {
	if fault := recover(); fault != nil {
		s.crashed(what, fault)
		then()
	}
}

func (s *Server) crashed(what string, fault any) {
	s.opts.Log.Error().Interface("panic", fault).Bytes("stack", debug.Stack()).Msg(what)
}

// Ended removes the connection.
func (v *viewer) Ended(bool) {
	s := v.server
	v.joined()
	from := network.Base(v.Addr.Addr())
	if s.from[from]--; s.from[from] == 0 {
		delete(s.from, from)
	}
	v.leave()
	if v.client == nil {
		return
	}
	e := s.opts.Log.Info().Str("name", v.client.Name).Str("game", v.game).
		Stringer("reached", v.client.At().Truncate(time.Second)).Int("compared", v.client.Compared())
	if cause := v.Cause(); cause != nil && !errors.Is(cause, spectate.ErrLeft) {
		e.AnErr("reason", cause)
	}
	e.Msg("a client watches no more")
}
