// Command floor is the least that a game host can do, for comparison: one
// thread, one epoll, every packet read and thrown away, and one prebuilt turn
// written to every socket when it is due. It lets simulated players in and
// starts their games, and knows no rule. What a real host costs beyond this is
// what its rules cost.
//
//	go run ./internal/floor --listen 127.0.0.1:7113 --players 10
//	go run ./cmd/w3host bots --addr 127.0.0.1:7113 --players 10 --games 100
package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"w3host/w3gs"
)

// conn is a socket and what has come of its first packets; a running game's
// bytes are not looked at.
type conn struct {
	fd    int
	in    []byte
	game  *game
	pid   uint8
	plays bool
}

type game struct {
	conns  []*conn
	ready  int // players who have answered the map check
	loaded int
	due    time.Time
}

type floor struct {
	epoll, listener, players int
	period                   time.Duration
	turn                     []byte
	conns                    map[int]*conn
	games                    map[uint32]*game
	running                  []*game // in the order of their turns
	buf                      [16 << 10]byte
}

func main() {
	listen := flag.String("listen", "127.0.0.1:7113", "TCP address")
	players := flag.Int("players", 10, "players in each game")
	latency := flag.Duration("latency", 100*time.Millisecond, "time between turns")
	flag.Parse()
	addr, err := netip.ParseAddrPort(*listen)
	if err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(2)
	}
	f := &floor{players: *players, period: *latency, conns: map[int]*conn{}, games: map[uint32]*game{}}
	f.turn = (&w3gs.IncomingAction{IncrementMillis: uint16(latency.Milliseconds())}).AppendTo(nil)
	if err := f.run(addr); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

func (f *floor) run(addr netip.AddrPort) (err error) {
	if f.listener, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0); err != nil {
		return err
	}
	_ = unix.SetsockoptInt(f.listener, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
	if err := unix.Bind(f.listener, &unix.SockaddrInet4{Port: int(addr.Port()), Addr: addr.Addr().As4()}); err != nil {
		return fmt.Errorf("bind %v: %w", addr, err)
	}
	if err := unix.Listen(f.listener, 4096); err != nil {
		return err
	}
	if f.epoll, err = unix.EpollCreate1(0); err != nil {
		return err
	}
	f.watch(f.listener)
	events := make([]unix.EpollEvent, 256)
	for {
		n, err := unix.EpollWait(f.epoll, events, f.patience())
		if err != nil && err != unix.EINTR {
			return err
		}
		for i := range max(n, 0) {
			if fd := int(events[i].Fd); fd == f.listener {
				f.accept()
			} else if c := f.conns[fd]; c != nil {
				f.read(c)
			}
		}
		f.turns()
	}
}

// patience is how many milliseconds there are until the next turn.
func (f *floor) patience() int {
	if len(f.running) == 0 {
		return -1
	}
	return int(max(time.Until(f.running[0].due)+time.Millisecond-1, 0) / time.Millisecond)
}

// turns writes the turns that are due. All games have the same period, so the
// list stays in order when a game goes to its end.
func (f *floor) turns() {
	for len(f.running) > 0 && time.Until(f.running[0].due) <= 0 {
		g := f.running[0]
		f.running = append(f.running[1:], g)
		g.due = g.due.Add(f.period)
		alive := false
		for _, c := range g.conns {
			if c.fd >= 0 {
				alive = true
				_, _ = unix.Write(c.fd, f.turn)
			}
		}
		if !alive {
			f.running = f.running[:len(f.running)-1]
		}
	}
}

func (f *floor) watch(fd int) {
	_ = unix.EpollCtl(f.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)})
}

func (f *floor) accept() {
	for {
		fd, _, err := unix.Accept4(f.listener, unix.SOCK_NONBLOCK)
		if err != nil {
			return
		}
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
		f.conns[fd] = &conn{fd: fd}
		f.watch(fd)
	}
}

func (f *floor) read(c *conn) {
	n, err := unix.Read(c.fd, f.buf[:])
	if err == unix.EAGAIN {
		return
	}
	if n <= 0 {
		delete(f.conns, c.fd)
		_ = unix.Close(c.fd)
		c.fd = -1
		return
	}
	if c.plays {
		return
	}
	c.in = append(c.in, f.buf[:n]...)
	for {
		frame, rest, err := w3gs.Next(c.in, w3gs.MaxFrame)
		if frame == nil || err != nil {
			return
		}
		c.in = rest
		f.lobby(c, frame)
	}
}

// lobby brings players as far as the game.
func (f *floor) lobby(c *conn, frame w3gs.Frame) {
	switch frame.Op() {
	case w3gs.OpReqJoin:
		id := binary.LittleEndian.Uint32(frame.Body())
		g := f.games[id]
		if g == nil {
			g = &game{}
			f.games[id] = g
		}
		if len(g.conns) == f.players {
			write(c, (&w3gs.RejectJoin{Reason: w3gs.RejectStarted}).AppendTo(nil))
			return
		}
		g.conns = append(g.conns, c)
		c.game, c.pid = g, uint8(len(g.conns))
		f.welcome(c)
	case w3gs.OpMapSize:
		if c.game.ready++; c.game.ready == f.players {
			f.all(c.game, append((&w3gs.CountdownStart{}).AppendTo(nil), (&w3gs.CountdownEnd{}).AppendTo(nil)...))
		}
	case w3gs.OpLoadedSelf:
		g := c.game
		f.all(g, (&w3gs.GameLoaded{PID: c.pid}).AppendTo(nil))
		if g.loaded++; g.loaded == f.players {
			for _, c := range g.conns {
				c.plays, c.in = true, nil
			}
			g.due = time.Now().Add(f.period)
			f.running = append(f.running, g)
			slices.SortFunc(f.running, func(a, b *game) int { return a.due.Compare(b.due) })
		}
	}
}

// welcome sends a joiner the lobby, and everybody the joiner.
func (f *floor) welcome(c *conn) {
	table := w3gs.SlotTable{PlayerSlots: uint8(f.players)}
	for i := range f.players {
		s := w3gs.Slot{Download: 100, Team: uint8(i), Colour: uint8(i), Race: w3gs.RaceRandom, AI: w3gs.AINormal, Handicap: 100}
		if i < len(c.game.conns) {
			s.PID, s.Status = uint8(i+1), w3gs.SlotOccupied
		}
		table.Slots = append(table.Slots, s)
	}
	out := (&w3gs.SlotInfoJoin{SlotTable: table, PID: c.pid}).AppendTo(nil)
	info := w3gs.PlayerInfo{JoinCounter: 2, Extra: []byte{0}}
	for _, other := range c.game.conns {
		if other != c {
			info.PID, info.Name = other.pid, fmt.Sprintf("player %d", other.pid)
			out = info.AppendTo(out)
			info.PID, info.Name = c.pid, fmt.Sprintf("player %d", c.pid)
			write(other, info.AppendTo(nil))
		}
	}
	write(c, (&w3gs.MapCheck{Path: `Maps\floor.w3x`, Size: 1, HasSHA1: true}).AppendTo(out))
	f.all(c.game, (&w3gs.SlotInfo{SlotTable: table}).AppendTo(nil))
}

func (f *floor) all(g *game, b []byte) {
	for _, c := range g.conns {
		write(c, b)
	}
}

func write(c *conn, b []byte) {
	if c.fd >= 0 {
		_, _ = unix.Write(c.fd, b)
	}
}
