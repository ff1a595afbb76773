package bots

import (
	"errors"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"w3host/w3gs"
)

// fakeHost is a small host written from the protocol's description, for the
// bots to be tested against. It plays one game after the other, each with a
// fixed number of players, and does what its hooks say.
type fakeHost struct {
	t          *testing.T
	ln         net.Listener
	udp        net.PacketConn
	addr       string
	players    int
	period     time.Duration
	joinWithin time.Duration // for 0x1E; 0 is a minute
	mapData    []byte
	noLAN      bool
	refuses    string            // the name of a bot for whom the lobby is full
	noStart    bool              // wait for "!start"
	owner      string            // whose "!start" counts; "first" for who joined first, "" for anybody
	beforeJoin func(name string) // delays a join
	floor      bool              // do as little as possible in the game
	lobbies    int               // open at the same time; 0 is one

	// lobbyFull runs when all are in, before the start; turn before each turn.
	lobbyFull func(g *fakeGame)
	turn      func(g *fakeGame, n int)
	onFrame   func(g *fakeGame, c *fakeConn, f w3gs.Frame) (taken bool)
	onRead    func()                 // before each read of any connection
	enough    func(g *fakeGame) bool // before each turn: the test has seen what it wants

	over    chan struct{} // closed when enough says so
	endOnce sync.Once

	mu    sync.Mutex
	games []*fakeGame // game i+1, the last ones are open lobbies
	wg    sync.WaitGroup
}

const (
	fakeKey     = 0xFEED
	fakeVirtual = 12 // pid of the virtual host
)

type fakeGame struct {
	h       *fakeHost
	id      uint32
	mu      sync.Mutex
	conns   []*fakeConn
	started bool
	turns   int
	pending []byte // actions of the next turn
	said    []string
	votes   int
	quiet   bool // no turns: the lag screen is up
}

type fakeConn struct {
	net.Conn
	pid    uint8
	name   string
	loaded bool
	mapOK  bool
	gone   bool
	hashes []uint32
	frames []w3gs.Frame // everything but pongs, actions and keepalives
	joined time.Time
}

func startFakeHost(t *testing.T, h *fakeHost) *fakeHost {
	t.Helper()
	h.t = t
	if err := h.listen(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.stop)
	return h
}

// stop ends everything; what the host has seen may be read from then on.
func (h *fakeHost) stop() {
	h.ln.Close()
	if h.udp != nil {
		h.udp.Close()
	}
	h.mu.Lock()
	for _, g := range h.games {
		g.mu.Lock()
		for _, c := range g.conns {
			c.Close()
		}
		g.mu.Unlock()
	}
	h.mu.Unlock()
	h.wg.Wait()
}

func (h *fakeHost) listen() (err error) {
	h.over = make(chan struct{})
	setDefault(&h.joinWithin, time.Minute)
	if h.ln, err = net.Listen("tcp4", "127.0.0.1:0"); err != nil {
		return err
	}
	h.addr = h.ln.Addr().String()
	if h.period == 0 {
		h.period = 50 * time.Millisecond
	}
	if h.mapData == nil {
		h.mapData = make([]byte, 5000)
	}
	for i := range max(h.lobbies, 1) {
		h.games = append(h.games, &fakeGame{h: h, id: uint32(i + 1)})
	}
	if !h.noLAN {
		if h.udp, err = net.ListenPacket("udp4", h.addr); err != nil {
			return err
		}
		h.wg.Go(h.answer)
	}
	h.wg.Go(h.accept)
	return nil
}

// game stops the host and returns one of its games, from 0.
func (h *fakeHost) game(i int) *fakeGame {
	h.stop()
	return h.games[i]
}

func (h *fakeHost) answer() {
	buf := make([]byte, 512)
	for {
		n, from, err := h.udp.ReadFrom(buf)
		if err != nil {
			return
		}
		f, err := w3gs.ParseDatagram(buf[:n])
		if err != nil || f.Op() != w3gs.OpSearchGame {
			continue
		}
		h.mu.Lock()
		games := slices.Clone(h.games)
		h.mu.Unlock()
		for _, g := range games {
			if info, open := g.info(); open {
				h.udp.WriteTo(info.AppendTo(nil), from)
			}
		}
	}
}

// info is what a search is told; open is false once the game has started.
func (g *fakeGame) info() (_ w3gs.GameInfo, open bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	h := g.h
	return w3gs.GameInfo{
		Product: w3gs.ProductTFT, Version: 26, GameID: g.id, EntryKey: fakeKey, Name: "fake",
		Stat:  w3gs.StatString{MapPath: `Maps\Download\fake.w3x`, HostName: "fake", HasSHA1: true},
		Slots: uint32(h.players), Type: w3gs.GameTypeCustom, Unknown: 1, SlotsOpen: uint32(h.players - len(g.conns)),
		Port: uint16(h.ln.Addr().(*net.TCPAddr).Port),
	}, !g.started
}

func (h *fakeHost) accept() {
	for {
		c, err := h.ln.Accept()
		if err != nil {
			return
		}
		h.wg.Go(func() { h.serve(&fakeConn{Conn: c, joined: time.Now()}) })
	}
}

func (h *fakeHost) serve(c *fakeConn) {
	defer c.Close()
	stream := w3gs.NewStream(w3gs.MaxFrame)
	var g *fakeGame
	c.SetReadDeadline(time.Now().Add(h.joinWithin))
	for {
		if h.onRead != nil {
			h.onRead()
		}
		n, err := c.Read(stream.Free())
		stream.Commit(n)
		for {
			f, ferr := stream.Next()
			if ferr != nil {
				err = ferr
			}
			if f == nil || ferr != nil {
				break
			}
			if g == nil {
				c.SetReadDeadline(time.Time{})
				if g = h.join(c, f); g == nil {
					return
				}
				continue
			}
			g.handle(c, f)
		}
		if err != nil {
			if g != nil {
				g.leave(c, w3gs.LeaveDisconnect, errors.Is(err, io.EOF))
			}
			return
		}
	}
}

func (h *fakeHost) join(c *fakeConn, f w3gs.Frame) *fakeGame {
	var q w3gs.ReqJoin
	if f.Op() != w3gs.OpReqJoin || q.Decode(f.Body()) != nil {
		return nil
	}
	if h.beforeJoin != nil {
		h.beforeJoin(q.Name)
	}
	h.mu.Lock()
	id := min(max(int(q.GameID), 1), len(h.games))
	g := h.games[id-1]
	h.mu.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	reason := w3gs.RejectReason(0)
	switch {
	case q.GameID != g.id:
		reason = w3gs.RejectInvalid
	case q.EntryKey != fakeKey && !h.noLAN:
		reason = w3gs.RejectWrongKey
	case g.started:
		reason = w3gs.RejectStarted
	case len(g.conns) == h.players, q.Name == h.refuses:
		reason = w3gs.RejectFull
	}
	if reason != 0 {
		c.Write((&w3gs.RejectJoin{Reason: reason}).AppendTo(nil))
		return nil
	}
	// A bot's player id is that of its seat, whoever comes first.
	number, err := strconv.Atoi(strings.TrimPrefix(q.Name, DefaultPrefix))
	if err != nil {
		h.t.Errorf("name %q", q.Name)
	}
	c.pid, c.name = uint8((number-1)%h.players+1), q.Name
	g.conns = append(g.conns, c)
	b := (&w3gs.SlotInfoJoin{SlotTable: g.table(), PID: c.pid}).AppendTo(nil)
	b = appendInfo(b, fakeVirtual, "host")
	for _, other := range g.conns {
		if other != c && !other.gone {
			b = appendInfo(b, other.pid, other.name)
			other.Write(appendInfo(nil, c.pid, c.name))
		}
	}
	check := w3gs.MapCheck{Path: `Maps\Download\fake.w3x`, Size: uint32(len(h.mapData)), CRC32: crcOf(h.mapData), HasSHA1: true}
	c.Write(check.AppendTo(b))
	g.all((&w3gs.SlotInfo{SlotTable: g.table()}).AppendTo(nil))
	c.Write((&w3gs.PingFromHost{Tick: 77}).AppendTo(nil))
	return g
}

func appendInfo(b []byte, pid uint8, name string) []byte {
	return (&w3gs.PlayerInfo{JoinCounter: 2, PID: pid, Name: name, Extra: []byte{0}}).AppendTo(b)
}

// table holds as many slots as players.
func (g *fakeGame) table() w3gs.SlotTable {
	t := w3gs.SlotTable{RandomSeed: 99, PlayerSlots: uint8(g.h.players)}
	for i := range g.h.players {
		s := w3gs.Slot{Download: w3gs.DownloadUnknown, Team: uint8(i), Colour: uint8(i), Race: w3gs.RaceRandom, AI: w3gs.AINormal, Handicap: 100}
		if i < len(g.conns) && !g.conns[i].gone {
			s.PID, s.Status = g.conns[i].pid, w3gs.SlotOccupied
		}
		t.Slots = append(t.Slots, s)
	}
	return t
}

func (g *fakeGame) owns(c *fakeConn) bool {
	switch g.h.owner {
	case "":
		return true
	case "first":
		return c == g.conns[0]
	}
	return c.name == g.h.owner
}

// all sends bytes to everybody; the lock is held.
func (g *fakeGame) all(b []byte) {
	for _, c := range g.conns {
		if !c.gone {
			c.Write(b)
		}
	}
}

func (g *fakeGame) send(packets ...w3gs.Packet) {
	var b []byte
	for _, p := range packets {
		b = p.AppendTo(b)
	}
	g.all(b)
}

func (g *fakeGame) handle(c *fakeConn, f w3gs.Frame) {
	if g.h.floor && (f.Op() == w3gs.OpOutgoingAction || f.Op() == w3gs.OpKeepalive) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.gone {
		return
	}
	if g.h.onFrame != nil && g.h.onFrame(g, c, f) {
		return
	}
	switch f.Op() {
	case w3gs.OpPongToHost, w3gs.OpOutgoingAction, w3gs.OpKeepalive:
	default:
		c.frames = append(c.frames, append(w3gs.Frame(nil), f...))
	}
	p, err := w3gs.Decode(f, w3gs.FromClient)
	if err != nil {
		g.h.t.Errorf("%s sent %v: %v", c.name, f.Op(), err)
		return
	}
	switch q := p.(type) {
	case *w3gs.MapSize:
		c.mapOK = q.Flag == w3gs.MapHave && int(q.Size) == len(g.h.mapData)
		if !g.started && !g.h.noStart && g.every(func(c *fakeConn) bool { return c.mapOK }) {
			g.start()
		}
	case *w3gs.ChatToHost:
		g.said = append(g.said, q.Text)
		for _, other := range g.conns {
			for _, pid := range q.To {
				if pid == other.pid && !other.gone {
					other.Write((&w3gs.ChatFromHost{Chat: q.Chat}).AppendTo(nil))
				}
			}
		}
		if strings.HasPrefix(q.Text, "!start") && !g.started && g.owns(c) {
			g.start()
		}
	case *w3gs.LoadedSelf:
		c.loaded = true
		g.send(&w3gs.GameLoaded{PID: c.pid})
		if g.every(func(c *fakeConn) bool { return c.loaded }) {
			g.h.wg.Go(g.loop)
		}
	case *w3gs.OutgoingAction:
		g.pending = w3gs.AppendAction(g.pending, c.pid, q.Data)
	case *w3gs.Keepalive:
		if c.hashes = append(c.hashes, q.Checksum); len(c.hashes) > g.turns {
			g.h.t.Errorf("%s answered %d turns of %d", c.name, len(c.hashes), g.turns)
		}
	case *w3gs.DropReq:
		g.votes++
	case *w3gs.LeaveGame:
		g.depart(c, q.Reason)
		c.Write((&w3gs.LeaveAck{}).AppendTo(nil))
		c.Close()
	}
}

func (g *fakeGame) every(ok func(c *fakeConn) bool) bool {
	here := 0
	for _, c := range g.conns {
		if !c.gone {
			if here++; !ok(c) {
				return false
			}
		}
	}
	return here == g.h.players || g.started
}

func (g *fakeGame) start() {
	if g.h.lobbyFull != nil {
		g.h.lobbyFull(g)
	}
	g.started = true
	g.send(&w3gs.CountdownStart{}, &w3gs.PlayerLeave{PID: fakeVirtual, Reason: w3gs.LeaveLobby}, &w3gs.CountdownEnd{})
	g.h.mu.Lock()
	g.h.games = append(g.h.games, &fakeGame{h: g.h, id: uint32(len(g.h.games) + 1)})
	g.h.mu.Unlock()
}

func (g *fakeGame) leave(c *fakeConn, reason w3gs.LeaveReason, _ bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.depart(c, reason)
}

func (g *fakeGame) depart(c *fakeConn, reason w3gs.LeaveReason) {
	if c.gone {
		return
	}
	c.gone = true
	if len(g.pending) > 0 {
		g.flush() // what the player did comes before that it left
	}
	g.send(&w3gs.PlayerLeave{PID: c.pid, Reason: reason})
}

// loop sends turns until all have left.
func (g *fakeGame) loop() {
	tick := time.NewTicker(g.h.period)
	defer tick.Stop()
	for range tick.C {
		g.mu.Lock()
		over := true
		for _, c := range g.conns {
			over = over && c.gone
		}
		if over {
			g.mu.Unlock()
			return
		}
		if g.h.enough != nil && g.h.enough(g) {
			g.h.endOnce.Do(func() { close(g.h.over) })
		}
		if g.h.turn != nil {
			g.h.turn(g, g.turns+1)
		}
		if !g.quiet {
			g.flush()
		}
		g.mu.Unlock()
	}
}

// flush sends one turn, cut into packets.
func (g *fakeGame) flush() {
	if !g.started {
		return
	}
	var b, part []byte
	for pid, data := range w3gs.Actions(g.pending) {
		if len(part)+w3gs.ActionPrefix+len(data) > w3gs.MaxBatchLen {
			b = (&w3gs.IncomingAction2{Actions: part}).AppendTo(b)
			part = nil
		}
		part = w3gs.AppendAction(part, pid, data)
	}
	g.pending = nil
	g.turns++
	g.all((&w3gs.IncomingAction{IncrementMillis: uint16(g.h.period.Milliseconds()), Actions: part}).AppendTo(b))
}

// kick ends a connection; the lock is held.
func (g *fakeGame) kick(c *fakeConn, reason w3gs.LeaveReason) {
	g.depart(c, reason)
	c.Close()
}

func (g *fakeGame) conn(pid uint8) *fakeConn {
	i := slices.IndexFunc(g.conns, func(c *fakeConn) bool { return c.pid == pid })
	return g.conns[i]
}

// answered reports whether these players have answered n turns.
func (g *fakeGame) answered(n int, pids ...uint8) bool {
	for _, pid := range pids {
		if len(g.conn(pid).hashes) < n {
			return false
		}
	}
	return true
}
