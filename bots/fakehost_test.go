package bots

import (
	"cmp"
	"hash/crc32"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// fakeHost is a small host for clients to be tested against, written from the
// description of the protocol, apart from package host, so that both sides of a
// test do not err alike. It plays one game after the other, each with a fixed
// number of players, and its hooks change what it does.
type fakeHost struct {
	t          *testing.T
	Listener   net.Listener
	udp        net.PacketConn
	Addr       string
	Players    int
	Period     time.Duration
	JoinWithin time.Duration // for 0x1E; 0 is a minute
	MapData    []byte
	NoLAN      bool
	Refuses    string            // the name of a player for whom the lobby is full
	NoStart    bool              // wait for "!start"
	Owner      string            // whose "!start" counts; "first" for who joined first, "" for anybody
	BeforeJoin func(name string) // delays a join
	Floor      bool              // do as little as possible in the game
	Lobbies    int               // open at the same time; 0 is one

	// LobbyFull runs when all are in, before the start; Turn before each turn.
	LobbyFull func(g *fakeGame)
	Turn      func(g *fakeGame, n int)
	OnFrame   func(g *fakeGame, c *fakeConn, f w3gs.Frame) (taken bool)
	OnRead    func()                 // before each read of any connection
	Enough    func(g *fakeGame) bool // before each turn: the test has seen what it wants

	Over    chan struct{} // closed when Enough says so
	endOnce sync.Once

	Mu    sync.Mutex
	Games []*fakeGame // game i+1, the last ones are open lobbies
	wg    sync.WaitGroup
}

const (
	// fakeKey is the entry key of the host's games.
	fakeKey = 0xFEED
	// virtualPID is the pid of the virtual host.
	virtualPID = 12
)

// fakeGame is a lobby of fakeHost, or the game that it becomes. Hooks hold its lock.
type fakeGame struct {
	h       *fakeHost
	id      uint32
	Mu      sync.Mutex
	Conns   []*fakeConn
	Started bool
	Turns   int
	Pending []byte // actions of the next turn
	Said    []string
	Votes   int
	Quiet   bool // no turns: the lag screen is up
}

// fakeConn is a player of a fakeGame.
type fakeConn struct {
	net.Conn
	PID    uint8
	Name   string
	Loaded bool
	MapOK  bool
	Gone   bool
	Hashes []uint32
	Frames []w3gs.Frame // everything but pongs, actions and keepalives
	Joined time.Time
}

// startFakeHost starts a host, which the end of the test stops.
func startFakeHost(t *testing.T, h *fakeHost) *fakeHost {
	t.Helper()
	h.t = t
	if err := h.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	return h
}

// Stop ends everything; what the host has seen may be read from then on.
func (h *fakeHost) Stop() {
	h.Listener.Close()
	if h.udp != nil {
		h.udp.Close()
	}
	h.Mu.Lock()
	for _, g := range h.Games {
		g.Mu.Lock()
		for _, c := range g.Conns {
			c.Close()
		}
		g.Mu.Unlock()
	}
	h.Mu.Unlock()
	h.wg.Wait()
}

// Open starts to listen; startFakeHost does it for a test.
func (h *fakeHost) Open() error {
	h.Over = make(chan struct{})
	h.JoinWithin = cmp.Or(h.JoinWithin, time.Minute)
	if err := h.bind(); err != nil {
		return err
	}
	h.Period = cmp.Or(h.Period, 50*time.Millisecond)
	if h.MapData == nil {
		h.MapData = make([]byte, 5000)
	}
	for i := range max(h.Lobbies, 1) {
		h.Games = append(h.Games, &fakeGame{h: h, id: uint32(i + 1)})
	}
	if !h.NoLAN {
		h.wg.Go(h.answer)
	}
	h.wg.Go(h.accept)
	return nil
}

// bind finds a port that is free for both TCP and UDP.
func (h *fakeHost) bind() (err error) {
	for range 20 {
		if h.Listener, err = net.Listen("tcp4", "127.0.0.1:0"); err != nil {
			return err
		}
		h.Addr = h.Listener.Addr().String()
		if h.NoLAN {
			return nil
		}
		if h.udp, err = net.ListenPacket("udp4", h.Addr); err == nil {
			return nil
		}
		h.Listener.Close()
	}
	return err
}

// Game stops the host and returns one of its games, from 0.
func (h *fakeHost) Game(i int) *fakeGame {
	h.Stop()
	return h.Games[i]
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
		h.Mu.Lock()
		games := slices.Clone(h.Games)
		h.Mu.Unlock()
		for _, g := range games {
			if info, open := g.info(); open {
				h.udp.WriteTo(info.AppendTo(nil), from)
			}
		}
	}
}

// info is what a search is told; open is false once the game has started.
func (g *fakeGame) info() (_ w3gs.GameInfo, open bool) {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	h := g.h
	return w3gs.GameInfo{
		Product: w3gs.ProductTFT, Version: 26, GameID: g.id, EntryKey: fakeKey, Name: "fake",
		Stat:  w3gs.StatString{MapPath: `Maps\Download\fake.w3x`, HostName: "fake", HasSHA1: true},
		Slots: uint32(h.Players), Type: w3gs.GameTypeCustom, Unknown: 1, SlotsOpen: uint32(h.Players - len(g.Conns)),
		Port: uint16(h.Listener.Addr().(*net.TCPAddr).Port),
	}, !g.Started
}

func (h *fakeHost) accept() {
	for {
		c, err := h.Listener.Accept()
		if err != nil {
			return
		}
		h.wg.Go(func() { h.serve(&fakeConn{Conn: c, Joined: time.Now()}) })
	}
}

func (h *fakeHost) serve(c *fakeConn) {
	defer c.Close()
	stream := w3gs.NewStream(w3gs.MaxFrame)
	var g *fakeGame
	c.SetReadDeadline(time.Now().Add(h.JoinWithin))
	for {
		if h.OnRead != nil {
			h.OnRead()
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
				g.leave(c, w3gs.LeaveDisconnect)
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
	if h.BeforeJoin != nil {
		h.BeforeJoin(q.Name)
	}
	h.Mu.Lock()
	id := min(max(int(q.GameID), 1), len(h.Games))
	g := h.Games[id-1]
	h.Mu.Unlock()
	g.Mu.Lock()
	defer g.Mu.Unlock()
	reason := w3gs.RejectReason(0)
	switch {
	case q.GameID != g.id:
		reason = w3gs.RejectInvalid
	case q.EntryKey != fakeKey && !h.NoLAN:
		reason = w3gs.RejectWrongKey
	case g.Started:
		reason = w3gs.RejectStarted
	case len(g.Conns) == h.Players, q.Name == h.Refuses:
		reason = w3gs.RejectFull
	}
	if reason != 0 {
		c.Write((&w3gs.RejectJoin{Reason: reason}).AppendTo(nil))
		return nil
	}
	// A player's id is the number in the name, whoever comes first.
	number, err := strconv.Atoi(strings.TrimLeft(q.Name, "abcdefghijklmnopqrstuvwxyz-"))
	if err != nil {
		h.t.Errorf("name %q", q.Name)
	}
	c.PID, c.Name = uint8((number-1)%h.Players+1), q.Name
	g.Conns = append(g.Conns, c)
	b := (&w3gs.SlotInfoJoin{SlotTable: g.table(), PID: c.PID}).AppendTo(nil)
	b = appendInfo(b, virtualPID, "host")
	for _, other := range g.Conns {
		if other != c && !other.Gone {
			b = appendInfo(b, other.PID, other.Name)
			other.Write(appendInfo(nil, c.PID, c.Name))
		}
	}
	check := w3gs.MapCheck{Path: `Maps\Download\fake.w3x`, Size: uint32(len(h.MapData)), CRC32: crc32.ChecksumIEEE(h.MapData), HasSHA1: true}
	c.Write(check.AppendTo(b))
	g.All((&w3gs.SlotInfo{SlotTable: g.table()}).AppendTo(nil))
	c.Write((&w3gs.PingFromHost{Tick: 77}).AppendTo(nil))
	return g
}

func appendInfo(b []byte, pid uint8, name string) []byte {
	return (&w3gs.PlayerInfo{JoinCounter: 2, PID: pid, Name: name, Extra: []byte{0}}).AppendTo(b)
}

// table holds as many slots as players.
func (g *fakeGame) table() w3gs.SlotTable {
	t := w3gs.SlotTable{RandomSeed: 99, PlayerSlots: uint8(g.h.Players)}
	for i := range g.h.Players {
		s := w3gs.Slot{Download: w3gs.DownloadUnknown, Team: uint8(i), Colour: uint8(i), Race: w3gs.RaceRandom, AI: w3gs.AINormal, Handicap: 100}
		if i < len(g.Conns) && !g.Conns[i].Gone {
			s.PID, s.Status = g.Conns[i].PID, w3gs.SlotOccupied
		}
		t.Slots = append(t.Slots, s)
	}
	return t
}

func (g *fakeGame) owns(c *fakeConn) bool {
	switch g.h.Owner {
	case "":
		return true
	case "first":
		return c == g.Conns[0]
	}
	return c.Name == g.h.Owner
}

// All sends bytes to everybody; the lock is held.
func (g *fakeGame) All(b []byte) {
	for _, c := range g.Conns {
		if !c.Gone {
			c.Write(b)
		}
	}
}

// Send sends packets to everybody; the lock is held.
func (g *fakeGame) Send(packets ...w3gs.Packet) {
	var b []byte
	for _, p := range packets {
		b = p.AppendTo(b)
	}
	g.All(b)
}

func (g *fakeGame) handle(c *fakeConn, f w3gs.Frame) {
	if g.h.Floor && (f.Op() == w3gs.OpOutgoingAction || f.Op() == w3gs.OpKeepalive) {
		return
	}
	g.Mu.Lock()
	defer g.Mu.Unlock()
	if c.Gone {
		return
	}
	if g.h.OnFrame != nil && g.h.OnFrame(g, c, f) {
		return
	}
	switch f.Op() {
	case w3gs.OpPongToHost, w3gs.OpOutgoingAction, w3gs.OpKeepalive:
	default:
		c.Frames = append(c.Frames, append(w3gs.Frame(nil), f...))
	}
	p, err := w3gs.Decode(f, w3gs.FromClient)
	if err != nil {
		g.h.t.Errorf("%s sent %v: %v", c.Name, f.Op(), err)
		return
	}
	switch q := p.(type) {
	case *w3gs.MapSize:
		c.MapOK = q.Flag == w3gs.MapHave && int(q.Size) == len(g.h.MapData)
		if !g.Started && !g.h.NoStart && g.Every(func(c *fakeConn) bool { return c.MapOK }) {
			g.Start()
		}
	case *w3gs.ChatToHost:
		g.chat(c, q)
	case *w3gs.LoadedSelf:
		c.Loaded = true
		g.Send(&w3gs.GameLoaded{PID: c.PID})
		if g.Every(func(c *fakeConn) bool { return c.Loaded }) {
			g.h.wg.Go(g.loop)
		}
	case *w3gs.OutgoingAction:
		g.Pending = w3gs.AppendAction(g.Pending, c.PID, q.Data)
	case *w3gs.Keepalive:
		if c.Hashes = append(c.Hashes, q.Checksum); len(c.Hashes) > g.Turns {
			g.h.t.Errorf("%s answered %d turns of %d", c.Name, len(c.Hashes), g.Turns)
		}
	case *w3gs.DropReq:
		g.Votes++
	case *w3gs.LeaveGame:
		g.Depart(c, q.Reason)
		c.Write((&w3gs.LeaveAck{}).AppendTo(nil))
		c.Close()
	}
}

func (g *fakeGame) chat(c *fakeConn, q *w3gs.ChatToHost) {
	g.Said = append(g.Said, q.Text)
	for _, other := range g.Conns {
		if slices.Contains(q.To, other.PID) && !other.Gone {
			other.Write((&w3gs.ChatFromHost{Chat: q.Chat}).AppendTo(nil))
		}
	}
	if strings.HasPrefix(q.Text, "!start") && !g.Started && g.owns(c) {
		g.Start()
	}
}

// Every reports whether all have come, and ok of each; the lock is held.
func (g *fakeGame) Every(ok func(c *fakeConn) bool) bool {
	here := 0
	for _, c := range g.Conns {
		if !c.Gone {
			if here++; !ok(c) {
				return false
			}
		}
	}
	return here == g.h.Players || g.Started
}

// Start begins the game; the lock is held.
func (g *fakeGame) Start() {
	if g.h.LobbyFull != nil {
		g.h.LobbyFull(g)
	}
	g.Started = true
	g.Send(&w3gs.CountdownStart{}, &w3gs.PlayerLeave{PID: virtualPID, Reason: w3gs.LeaveLobby}, &w3gs.CountdownEnd{})
	g.h.Mu.Lock()
	g.h.Games = append(g.h.Games, &fakeGame{h: g.h, id: uint32(len(g.h.Games) + 1)})
	g.h.Mu.Unlock()
}

func (g *fakeGame) leave(c *fakeConn, reason w3gs.LeaveReason) {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	g.Depart(c, reason)
}

// Depart tells the others that a player has gone; the lock is held.
func (g *fakeGame) Depart(c *fakeConn, reason w3gs.LeaveReason) {
	if c.Gone {
		return
	}
	c.Gone = true
	if len(g.Pending) > 0 {
		g.Flush() // what the player did comes before that it left
	}
	g.Send(&w3gs.PlayerLeave{PID: c.PID, Reason: reason})
}

// loop sends turns until all have left.
func (g *fakeGame) loop() {
	tick := time.NewTicker(g.h.Period)
	defer tick.Stop()
	for range tick.C {
		g.Mu.Lock()
		over := true
		for _, c := range g.Conns {
			over = over && c.Gone
		}
		if over {
			g.Mu.Unlock()
			return
		}
		if g.h.Enough != nil && g.h.Enough(g) {
			g.h.endOnce.Do(func() { close(g.h.Over) })
		}
		if g.h.Turn != nil {
			g.h.Turn(g, g.Turns+1)
		}
		if !g.Quiet {
			g.Flush()
		}
		g.Mu.Unlock()
	}
}

// Flush sends one turn, cut into packets.
func (g *fakeGame) Flush() {
	if !g.Started {
		return
	}
	var b, part []byte
	for pid, data := range w3gs.Actions(g.Pending) {
		if len(part)+w3gs.ActionPrefix+len(data) > w3gs.MaxBatchLen {
			b = (&w3gs.IncomingAction2{Actions: part}).AppendTo(b)
			part = nil
		}
		part = w3gs.AppendAction(part, pid, data)
	}
	g.Pending = nil
	g.Turns++
	g.All((&w3gs.IncomingAction{IncrementMillis: uint16(g.h.Period.Milliseconds()), Actions: part}).AppendTo(b))
}

// Kick ends a connection; the lock is held.
func (g *fakeGame) Kick(c *fakeConn, reason w3gs.LeaveReason) {
	g.Depart(c, reason)
	c.Close()
}

// Conn finds a player by pid.
func (g *fakeGame) Conn(pid uint8) *fakeConn {
	i := slices.IndexFunc(g.Conns, func(c *fakeConn) bool { return c.PID == pid })
	return g.Conns[i]
}

// Answered reports whether these players have answered n turns.
func (g *fakeGame) Answered(n int, pids ...uint8) bool {
	for _, pid := range pids {
		if len(g.Conn(pid).Hashes) < n {
			return false
		}
	}
	return true
}
