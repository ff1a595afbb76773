package watch

import (
	"errors"
	"runtime/debug"
	"time"

	"w3host/host/loop"
	"w3host/past"
	"w3host/protocol/w3gs"
)

// viewer is one connection.
type viewer struct {
	*loop.Conn
	server *Server
	here   bool // has said whom it watches
	show   *Show
	game   string
	client *past.Client // nil before
	group  *loop.Group
	out    past.Out
}

func (v *viewer) joined() {
	if !v.here {
		v.here = true
		v.server.joining--
	}
}

func (v *viewer) begin(s *Show, name string) {
	v.show, v.game = s, s.tape.Game
	v.server.viewers[v] = true
	s.viewers++
	v.client = past.New(v.server.Now(), s.tape, name, w3gs.SockAddrFrom(v.Addr), v.server.opts.Past, &v.out)
	v.server.last++
	v.group = v.server.Group(v, v.server.last)
	v.server.opts.Log.Info().Str("name", name).Str("address", v.Addr.String()).Str("game", v.game).Msg("a client watches")
	v.flush()
}

// Packet takes a packet of the client.
func (v *viewer) Packet(frame []byte) error {
	f := w3gs.Frame(frame)
	if f[0] != w3gs.Magic {
		return nil // of a proxy
	}
	if v.client == nil {
		return v.server.join(v, f)
	}
	if err := v.client.Packet(v.server.Now(), f, &v.out); err != nil {
		return err
	}
	v.flush()
	return nil
}

// Tick does what is due.
func (v *viewer) Tick() {
	v.client.Tick(v.server.Now(), &v.out)
	v.flush()
}

// Next is when a tick is due.
func (v *viewer) Next() (at time.Duration, ok bool) { return v.client.Next(), true }

// flush carries out what a step has made.
func (v *viewer) flush() {
	if len(v.out.Frames) > 0 {
		v.Queue(v.out.Frames)
	}
	if said := v.out.Said; said != "" {
		for other := range v.server.viewers {
			if other != v && other.show == v.show {
				other.client.Hear(said, &other.out)
				other.flush()
			}
		}
	}
	end, why := v.out.End, v.out.Why
	v.out = past.Out{Frames: v.out.Frames[:0]}
	if v.group.Touch(); end {
		v.leave()
		v.Finish(why)
	}
}

// leave takes the client out, whose connection may go on for its last packets.
func (v *viewer) leave() {
	if s := v.server; s.viewers[v] {
		delete(s.viewers, v)
		s.CloseGroup(v.group)
		s.unload(v.show)
	}
}

// Framed counts nothing: nobody downloads here.
func (v *viewer) Framed(int) {}

// Crashed logs a fault of this program.
func (v *viewer) Crashed(fault any) {
	v.server.opts.Log.Error().Interface("panic", fault).Bytes("stack", debug.Stack()).Msg("who watches a game is cut off; the others go on")
}

// Ended forgets the connection.
func (v *viewer) Ended(bool) {
	s := v.server
	v.joined()
	if s.from[v.Addr.Addr()]--; s.from[v.Addr.Addr()] == 0 {
		delete(s.from, v.Addr.Addr())
	}
	if v.client == nil {
		return
	}
	v.leave()
	e := s.opts.Log.Info().Str("name", v.client.Name).Str("game", v.game).
		Stringer("reached", v.client.At().Truncate(time.Second)).Int("compared", v.client.Compared())
	if cause := v.Cause(); cause != nil && !errors.Is(cause, past.ErrLeft) {
		e.AnErr("reason", cause)
	}
	e.Msg("a client watches no more")
}
