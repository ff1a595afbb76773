// Package watch shows recorded and running games to ordinary clients, which join them like a lobby.
// Its server runs on an event loop of its own, so that spectators cannot delay games. The protocol
// towards one spectator is in package spectate.
package watch

import (
	"errors"
	"net"
	"net/netip"
	"time"

	"github.com/rs/zerolog"

	"w3host/host/loop"
	"w3host/internal/network"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/spectate"
	"w3host/texts"
)

const (
	// joinTimeout is the time limit for a new connection to send its join.
	joinTimeout = 10 * time.Second
	// outQueue limits the bytes queued for a client: the greeting, unanswered parts of the
	// recording, and chat lines.
	outQueue = spectate.MostBytes + 64<<10
	// perAddress limits the connections of an IPv4 address or IPv6 network.
	perAddress = 24
	// mostRefused limits the refused clients that are told the reason at the same time. Others are
	// disconnected without a reason.
	mostRefused = 32
	// mostUnjoined limits the connections that have not joined yet, and mostOthers those that do
	// not watch a game.
	mostUnjoined, mostOthers = 256, 512
)

var (
	errNotAJoin = errors.New("the first packet is no join")
	errNoGame   = errors.New("there is no such game to watch")
	errFull     = errors.New("as many watch as may")
	errCrowd    = errors.New("too many connections from this address")
	errShutdown = errors.New("the program stops")
	errUnjoined = errors.New("too many connections that have not joined")
)

// Options holds the settings of a Server.
type Options struct {
	Network  loop.Network // nil: the system's
	Listener net.Listener // nil: clients come by Hand
	Most     int          // viewers
	Past     spectate.Options
	Log      zerolog.Logger
}

// Server serves all spectators. Its fields belong to the goroutine of the loop.
type Server struct {
	*loop.Loop
	opts    Options
	shows   map[uint32]*Show
	viewers map[*viewer]bool
	from    map[netip.Addr]int // connections
	joining int
	refused int           // viewers who only read why
	pulse   *loop.Group   // reads and ticks the viewers; nil: there is none
	beatAt  time.Duration // of the pulse, the next
}

// New returns a server. Run serves until Shutdown.
func New(o Options) (*Server, error) {
	s := &Server{opts: o, shows: map[uint32]*Show{}, viewers: map[*viewer]bool{}, from: map[netip.Addr]int{}}
	var err error
	s.Loop, err = loop.New(o.Network, loop.Handlers{Arrive: s.arrive, CannotAccept: func(err error, pause time.Duration) {
		o.Log.Warn().Err(err).Dur("again_in", pause).Msg("cannot accept a connection")
	}})
	if err != nil {
		return nil, err
	}
	if o.Listener != nil {
		err = s.Listen(o.Listener)
	}
	return s, err
}

// RunGuarded calls Run, and reports whether a panic ended it. All connections are closed then.
func (s *Server) RunGuarded() (fault bool) {
	defer s.rescue("nobody can watch games until the host starts again; the games go on", func() {
		fault = true
		s.Abandon()
		for v := range s.viewers {
			cut(v.Conn)
		}
		for _, state := range []loop.State{loop.Arriving, loop.Closing} {
			for c := range s.Expiring(state) {
				cut(c)
			}
		}
	})
	s.Run()
	return false
}

// cut closes a connection of a loop that has crashed.
func cut(c *loop.Conn) {
	defer func() { _ = recover() }() // whatever the fault has left half done
	c.Cut(loop.ErrCrashed)
}

// Shutdown tells all spectators that the broadcast ends, and then ends Run. Clients that do not
// close their connection are cut after within. Further calls have no effect.
func (s *Server) Shutdown(within time.Duration) {
	s.Call(func() {
		if s.Stopping() {
			return
		}
		s.Stop(errShutdown)
		s.LingerAtMost(within)
		for v := range s.viewers {
			v.stop()
		}
	})
}

func (s *Server) arrive(c *loop.Conn) {
	v := &viewer{Conn: c, server: s}
	c.Handler = v
	s.joining++
	switch {
	case s.crowd(c):
		c.Cut(errCrowd)
	case s.joining > mostUnjoined:
		c.Cut(errUnjoined)
	default:
		c.Await(joinTimeout, outQueue)
	}
}

// crowd counts a connection and reports whether its address has too many.
func (s *Server) crowd(c *loop.Conn) bool {
	from := network.Base(c.Addr.Addr())
	s.from[from]++
	return s.from[from] > perAddress
}

// join processes the first packet of a connection.
func (s *Server) join(v *viewer, f w3gs.Frame) error {
	if f[0] != w3gs.Magic || f.Op() != w3gs.OpReqJoin {
		return errNotAJoin
	}
	join := new(w3gs.ReqJoin)
	if err := join.Decode(f.Body()); err != nil {
		return err
	}
	v.joined()
	v.Admit()
	s.enter(v, join, texts.Text{})
	return nil
}

// Hand takes over a connection from another loop, after a join for a game that is shown. If the
// client may not watch, no is the reason that it is told.
func (s *Server) Hand(from *loop.Loop, c *loop.Conn, join *w3gs.ReqJoin, no texts.Text) {
	from.Move(c, s.Loop, outQueue, func(c *loop.Conn) (h loop.Handler) {
		v := &viewer{Conn: c, server: s, here: true}
		c.Handler, h = v, v
		defer v.rescue()
		switch {
		case s.crowd(c):
			c.Cut(errCrowd)
		case s.Stopping():
			c.Cut(errShutdown)
		default:
			s.enter(v, join, no)
		}
		return v
	})
}

// enter starts the broadcast for a client, or tells it why it may not watch.
func (s *Server) enter(v *viewer, join *w3gs.ReqJoin, no texts.Text) {
	show := s.shows[join.GameID]
	version := w3gs.DefaultVersion
	if show != nil {
		version = show.Version
	}
	code, fault, bad := w3gs.RejectReason(0), error(nil), lobby.CheckName(join.Name, version)
	switch {
	case show == nil || join.EntryKey != show.Key:
		code, fault = w3gs.RejectInvalid, errNoGame
	case !bad.Empty() && (join.Name != "" || !version.SharesNames()):
		code, fault = w3gs.RejectInvalid, bad
	default:
		if n := s.full(show); n > 0 && no.Empty() {
			no = spectate.Full(n)
		}
		if !no.Empty() && s.refused >= mostRefused {
			code, fault = w3gs.RejectFull, errFull
		} else if fault = s.load(show); fault != nil {
			code = w3gs.RejectStarted
		}
	}
	if fault != nil {
		s.opts.Log.Info().Str("address", v.Addr.String()).AnErr("reason", fault).Msg("a client may not watch")
		if s.Connections()-len(s.viewers) > mostOthers {
			v.Cut(fault)
			return
		}
		v.Queue((&w3gs.RejectJoin{Reason: code}).AppendTo(nil))
		v.Finish(fault)
		return
	}
	v.begin(show, join.Name, no)
}

// full returns the maximum number of spectators if it has been reached, or 0.
func (s *Server) full(show *Show) int {
	switch all, here := len(s.viewers)-s.refused, show.Watching(); {
	case show.Most > 0 && here >= show.Most:
		return here
	case all >= s.opts.Most:
		return all
	}
	return 0
}
