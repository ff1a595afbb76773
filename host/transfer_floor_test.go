package host_test

import (
	"net"
	"sync"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// bareLoop is the floor that transfers are measured against: it lets bots in and
// writes them the frames of the map one after the other, as fast as their sockets
// take them. It knows no window, no share, no chat and no other player.
type bareLoop struct {
	frames   [][]byte // what one write carries
	mapCheck w3gs.MapCheck
	listener net.Listener
	span     timeSpan
	conns    sync.WaitGroup
}

// bare pids: the bot, and who the map comes from.
const bareBot, bareHost = 1, 2

// startBareLoop frames the map ahead, so many frames to a write.
func startBareLoop(t testing.TB, r *transferRig, batch int) *bareLoop {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &bareLoop{listener: l, mapCheck: w3gs.MapCheck{Path: r.m.Path, Size: r.m.Size, CRC32: r.m.CRC32, HasSHA1: true}}
	var frames []byte
	for off, n := uint32(0), 1; off < r.m.Size; off, n = r.m.Parts.End(off), n+1 {
		frames = r.m.Parts.AppendFrame(frames, off, bareBot, bareHost)
		if n%batch == 0 || r.m.Parts.End(off) == r.m.Size {
			s.frames, frames = append(s.frames, frames), nil
		}
	}
	s.conns.Go(func() { // ends with the listener
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.conns.Go(func() { s.serve(c) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		s.conns.Wait()
	})
	return s
}

// serve ends when the bot has left.
func (s *bareLoop) serve(c net.Conn) {
	defer c.Close()
	stream := w3gs.NewStream(w3gs.MaxFrame)
	for {
		n, err := c.Read(stream.Free())
		if err != nil {
			return
		}
		stream.Commit(n)
		for {
			f, err := stream.Next()
			if f == nil || err != nil {
				break
			}
			if f.Op() == w3gs.OpLeaveGame {
				_, _ = c.Write((&w3gs.LeaveAck{}).AppendTo(nil))
				return
			}
			s.answer(c, f)
		}
	}
}

func (s *bareLoop) answer(c net.Conn, f w3gs.Frame) {
	switch f.Op() {
	case w3gs.OpReqJoin:
		table := w3gs.SlotTable{PlayerSlots: 1, Slots: []w3gs.Slot{{
			PID: bareBot, Status: w3gs.SlotOccupied, Race: w3gs.RaceRandom, AI: w3gs.AINormal, Handicap: 100,
		}}}
		b := (&w3gs.SlotInfoJoin{SlotTable: table, PID: bareBot}).AppendTo(nil)
		b = (&w3gs.PlayerInfo{PID: bareHost, Name: "loop", Extra: []byte{0}}).AppendTo(b)
		b = s.mapCheck.AppendTo(b)
		_, _ = c.Write((&w3gs.SlotInfo{SlotTable: table}).AppendTo(b))
	case w3gs.OpMapSize:
		var m w3gs.MapSize
		switch err := m.Decode(f.Body()); {
		case err != nil || m.Flag != w3gs.MapHave:
		case m.Size == s.mapCheck.Size:
			s.span.end(time.Now())
		default:
			s.span.begin(time.Now())
			s.conns.Go(func() { s.pour(c) }) // ends with the map or the connection
		}
	}
}

func (s *bareLoop) pour(c net.Conn) {
	if _, err := c.Write((&w3gs.StartDownload{From: bareHost}).AppendTo(nil)); err != nil {
		return
	}
	for _, f := range s.frames {
		if _, err := c.Write(f); err != nil {
			return
		}
	}
}

// timeSpan is from the first begin to the last end.
type timeSpan struct {
	mu       sync.Mutex
	from, to time.Time
}

func (s *timeSpan) begin(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.from.IsZero() || at.Before(s.from) {
		s.from = at
	}
}

func (s *timeSpan) end(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at.After(s.to) {
		s.to = at
	}
}

func (s *timeSpan) lasted() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to.Sub(s.from)
}
