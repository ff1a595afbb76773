//go:build linux

package host

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/netip"
	"strings"
	"time"

	"w3host/internal/simnet"
	"w3host/internal/testkit"
	gproxy "w3host/protocol/gproxy/client"
	"w3host/protocol/w3gs"
	"w3host/storage"
)

// simGame is what must be the same for all players of a game.
type simGame struct {
	id, key uint32
	logged  storage.GameKey   // in the game log
	seen    []uint64          // the turns that a player has seen, as a replay has them
	turns   []uint64          // sums of the turns in which time passes, with what came before them
	acted   map[string]uint32 // the last action of each player that was in a turn
	players []*simClient
	started bool
	lagging bool      // the lag screen is up, for somebody
	excused time.Time // no lateness counts before: somebody was waited for, or the host was away
	begun   time.Time
}

// simClient is a player, who acts by chance. All of it is on the goroutine of the network.
type simClient struct {
	w    *simWorld
	r    *rand.Rand
	name string
	addr netip.Addr
	line simnet.Line
	game *simGame

	conn   *simnet.Conn
	proxy  *gproxy.Proxy // nil: none
	begun  time.Time
	in     []byte
	out    []byte // not written yet
	owner  bool
	hasMap bool
	got    int // bytes of the map
	pid    byte

	joined, playing, left, over bool
	healthy                     bool // never disturbs anybody
	why                         string
	stalled, hostile, kicked    bool
	stalledAt                   time.Time
	turns                       int // with time
	sum                         uint64
	batches                     [][]byte  // of the turn to come
	heard                       time.Time // the last turn
	serial                      uint32    // of actions
	hash                        uint32
	dialAt                      time.Time
	lostAt                      time.Time     // zero: the connection stands
	lostFor                     time.Duration // all broken connections together
	screen                      simScreen
}

func (c *simClient) tell(format string, args ...any) { c.w.tell(c.name+" "+format, args...) }

func (c *simClient) fault(format string, args ...any) {
	c.w.fault("%s: %s", c.name, fmt.Sprintf(format, args...))
}

// after does something later, unless the client is over by then.
func (c *simClient) after(d time.Duration, f func()) {
	c.w.n.After(d, func() {
		if !c.over && !c.w.ended {
			f()
		}
	})
}

// connect opens a connection and sends the first packet.
func (c *simClient) connect() {
	c.begun = time.Now()
	if c.proxy != nil && c.proxy.State == gproxy.Lost {
		c.tell("dials again, through its proxy")
		conn := c.w.n.Open(c.addr, c.w.addr, c.line, c.line)
		c.conn = conn
		conn.Handle(func() { c.news(conn) })
		return
	}
	c.tell("joins lobby %d%s", c.game.id, c.kind())
	c.conn = c.w.n.Open(c.addr, c.w.addr, c.line, c.line)
	conn := c.conn
	c.send(joinPacket(c.game.id, c.game.key, c.name))
	conn.Handle(func() { c.news(conn) })
	c.after(90*time.Second, func() {
		if !c.joined {
			c.leave("was never let in")
		}
	})
}

// kind describes the client for the story.
func (c *simClient) kind() (kind string) {
	if c.healthy {
		kind += ", and will disturb nobody"
	}
	if c.proxy != nil {
		kind += fmt.Sprintf(", behind a GProxy of version %d", c.proxy.Version)
	}
	if !c.hasMap {
		kind += ", without the map"
	}
	return kind
}

func (c *simClient) now() time.Duration { return time.Since(c.w.began) }

// news takes what has come.
func (c *simClient) news(conn *simnet.Conn) {
	if c.over || conn != c.conn {
		_ = conn.Close()
		return
	}
	if conn.Opening() {
		return
	}
	if c.proxy != nil && c.proxy.State == gproxy.Lost {
		c.proxy.Connected(c.now())
	}
	c.flush()
	var buf [16 << 10]byte
	for !c.over && conn == c.conn && !c.stalled {
		n, more, err := conn.TryRead(buf[:])
		if n > 0 {
			c.bytes(buf[:n])
		}
		if err != nil {
			c.ended(err)
			return
		}
		if !more {
			return
		}
	}
}

func (c *simClient) bytes(b []byte) {
	if c.proxy != nil {
		if err := c.proxy.FromHost(c.now(), b); err != nil && !c.hostile {
			c.fault("the host has sent its proxy something wrong: %v", err)
		}
		b = c.proxy.ToClient
		c.proxy.ToClient = nil
	}
	c.take(b)
}

// take handles bytes behind the proxy.
func (c *simClient) take(b []byte) {
	c.in = append(c.in, b...)
	for len(c.in) >= 4 && !c.over {
		n := int(binary.LittleEndian.Uint16(c.in[2:]))
		if n < 4 || c.in[0] != 0xF7 {
			c.fault("no packet: % X", c.in[:4])
			c.leave("fault")
			return
		}
		if len(c.in) < n {
			break
		}
		c.packet(c.in[:n:n])
		if c.over {
			return
		}
		c.in = c.in[n:]
	}
	if len(c.in) == 0 {
		c.in = nil
	}
	c.flush()
}

// ended is the end of the connection.
func (c *simClient) ended(err error) {
	_ = c.conn.Close()
	c.out = nil
	if c.proxy != nil {
		c.proxy.Broken()
		if c.proxy.State == gproxy.Lost {
			c.comeBack()
			return
		}
	}
	if c.healthy && c.playing && !c.w.ending && !c.left && !c.w.blames() && c.othersPlay() {
		c.fault("the host has ended the connection of a player who did nothing wrong: %v", err)
	}
	c.leave(fmt.Sprint("the connection has ended: ", err))
}

// othersPlay reports whether the client's game goes on without it.
func (c *simClient) othersPlay() bool {
	for _, o := range c.game.players {
		if o != c && o.playing && !o.over && !o.left {
			return true
		}
	}
	return false
}

// mayBeLost is how long the connections of one player may be broken in all: the host waits for three minutes.
const mayBeLost = 150 * time.Second

// comeBack dials until there is a connection.
func (c *simClient) comeBack() {
	wait := time.Duration(200+c.r.IntN(2000)) * time.Millisecond
	c.after(max(wait, time.Until(c.dialAt)), func() {
		if c.proxy.State == gproxy.Lost {
			c.connect()
		}
	})
}

// leave ends the client.
func (c *simClient) leave(why string) {
	if c.over {
		return
	}
	c.tell("is gone: %s", why)
	c.over, c.why = true, why
	if c.conn != nil {
		_ = c.conn.Close()
	}
	c.w.left++
}

func (c *simClient) send(packets ...[]byte) {
	for _, p := range packets {
		if c.proxy != nil {
			if err := c.proxy.FromClient(p); err != nil {
				c.fault("%v", err)
			}
		} else {
			c.out = append(c.out, p...)
		}
	}
	c.flush()
}

func (c *simClient) flush() {
	if c.conn == nil || c.conn.Opening() {
		return
	}
	if c.proxy != nil && c.proxy.State != gproxy.Lost {
		c.out = append(c.out, c.proxy.ToHost...)
		c.proxy.ToHost = nil
	}
	if len(c.out) > 0 {
		n, err := c.conn.TryWrite(c.out)
		if err != nil {
			return // reading finds it
		}
		if c.out = c.out[n:]; len(c.out) == 0 {
			c.out = nil
		}
	}
}

// packet takes one packet of the host.
func (c *simClient) packet(b []byte) {
	g := c.game
	switch b[1] {
	case 0x01:
		c.send(packet(0x46, b[4:8]))
	case 0x04:
		table := int(b[4]) | int(b[5])<<8
		c.pid, c.joined = b[6+table], true
		c.w.joined++
		c.tell("has got player number %d", c.pid)
		if c.owner || c.r.IntN(2) == 0 { // who came first owns the lobby
			c.after(time.Duration(5+c.r.IntN(20))*time.Second, c.start)
		}
	case 0x05:
		c.leave("refused")
	case 0x3D:
		path := strings.IndexByte(string(b[8:]), 0)
		size := binary.LittleEndian.Uint32(b[8+path+1:])
		if c.hasMap {
			c.send(packet(0x42, uint32(1), byte(1), size))
		} else {
			c.send(packet(0x42, uint32(1), byte(1), uint32(0)))
			if c.healthy {
				c.after(downloadWithin, c.downloads)
			}
		}
	case 0x43:
		var q w3gs.MapPart
		if err := q.Decode(b[4:]); err != nil || int(q.Offset) != c.got || !q.Intact() {
			c.fault("a part of the map at %d and not %d: %v", q.Offset, c.got, err)
			return
		}
		c.got += len(q.Data)
		c.send((&w3gs.MapPartOK{To: q.From, From: c.pid, Size: uint32(c.got)}).AppendTo(nil))
		if c.got == c.w.mapSize {
			c.tell("has downloaded the map")
			c.w.downloads++
		}
	case 0x0B:
		c.tell("is told to load")
		c.playing, g.started = true, true
		if c.healthy { // leaves when the game has been won
			c.after(time.Duration(2+c.r.IntN(12))*time.Minute, func() {
				c.tell("leaves, since the game is won")
				c.left = true
				c.send(packet(0x21, uint32(7)))
				c.after(2*time.Second, func() { c.leave("left") })
			})
		}
		c.after(time.Duration(1+c.r.IntN(8))*time.Second, func() { c.send(packet(0x23)) })
	case 0x07:
		if c.playing && b[4] == c.pid {
			c.leave("put out")
			return
		}
		if c.playing {
			c.add(b)
		}
	case 0x10:
		g.lagging, g.excused = true, time.Now().Add(3*time.Second)
	case 0x11:
		g.lagging, g.excused = false, time.Now().Add(3*time.Second)
	case 0x48:
		c.add(b)
		c.batches = append(c.batches, b)
	case 0x0C:
		c.turn(b)
	}
	c.show(b)
}

// downloadWithin is how long a download takes at most on a sound line.
const downloadWithin = 12 * time.Second

// downloads checks that the download has ended in time, not counting the time in which no process hosted.
func (c *simClient) downloads() {
	switch {
	case c.playing || c.got == c.w.mapSize:
	case time.Since(c.w.excused) < downloadWithin:
		c.after(downloadWithin, c.downloads)
	default:
		c.fault("has got %d bytes of the map in %v", c.got, downloadWithin)
	}
}

// add counts a packet to the next turn.
func (c *simClient) add(b []byte) {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, c.sum)
	_, _ = h.Write(b)
	c.sum = h.Sum64()
}

// actions must come once, and in order.
func (c *simClient) actions(b []byte) {
	if len(b) < 8 {
		return
	}
	for _, data := range w3gs.Actions(b[8:]) {
		text, ok := strings.CutPrefix(string(data), "\xA0act ")
		if !ok {
			continue
		}
		name, number, _ := strings.Cut(text, ":")
		var n uint32
		_, _ = fmt.Sscan(number, &n)
		if last := c.game.acted[name]; n != last+1 {
			c.fault("turn %d has action %d of %s behind %d", c.turns, n, name, last)
		}
		c.game.acted[name] = n
		c.w.acted++
	}
}

// turn is compared with what the others see.
func (c *simClient) turn(b []byte) {
	g := c.game
	if b[4] == 0 && b[5] == 0 && len(b) == 6 { // for proxies
		return
	}
	c.add(b)
	c.batches = append(c.batches, b)
	if c.turns < len(g.turns) {
		if g.turns[c.turns] != c.sum {
			c.fault("turn %d is another than others see: % X", c.turns, b[:min(len(b), 40)])
			c.leave("fault")
			return
		}
	} else {
		g.turns = append(g.turns, c.sum)
		g.shown(c.batches)
		for _, b := range c.batches {
			c.actions(b)
		}
	}
	c.batches = nil
	c.turns++
	c.w.turns++
	c.paced()
	now := time.Now()
	if gap := now.Sub(c.heard); c.healthy && c.turns > 1 && !g.lagging && now.After(g.excused) && now.After(c.w.excused) && gap > c.w.late {
		c.fault("turn %d came %v behind the one before", c.turns, gap)
	}
	c.heard = now
	c.hash = c.hash*31 + uint32(len(b))
	c.send(packet(0x27, byte(0), c.hash))
}

// start has the game begin.
func (c *simClient) start() {
	if !c.playing {
		line := []string{"!start now", "!start force"}[c.r.IntN(2)]
		c.tell("says %q", line)
		c.send(packet(0x28, byte(1), []byte{c.pid}, c.pid, byte(0x10), line))
		c.after(10*time.Second, c.start)
	}
}

// live does something by chance, again and again.
func (c *simClient) live() {
	if c.left {
		return
	}
	c.after(time.Duration(100+c.r.IntN(900))*time.Millisecond, c.live)
	if !c.joined || c.stalled {
		return
	}
	if !c.playing {
		if c.r.IntN(40) == 0 {
			c.send(packet(0x28, byte(1), []byte{c.pid}, c.pid, byte(0x10), fmt.Sprintf("hello %d", c.r.IntN(1000))))
		}
		if !c.healthy && c.r.IntN(400) == 0 {
			c.leave("left the lobby")
		}
		return
	}
	if c.turns == 0 {
		return
	}
	switch p := c.r.IntN(2000); {
	case p < 1200:
		c.serial++
		c.send(testkit.ActionPacket([]byte(fmt.Sprintf("\xA0act %s:%d", c.name, c.serial))))
	case p < 1240:
		c.send(packet(0x28, byte(1), []byte{c.pid}, c.pid, byte(0x20), uint32(0), fmt.Sprintf("said %d", c.r.IntN(1000))))
	case c.healthy:
	case p < 1244: // stalls
		c.stalled, c.stalledAt = true, time.Now()
		d := time.Duration(1+c.r.IntN(20)) * time.Second
		c.tell("stalls for %v: it neither reads nor answers", d)
		c.after(d, func() {
			c.stalled = false
			c.news(c.conn)
		})
	case p < 1248: // the line is cut for a while
		d := time.Duration(1+c.r.IntN(15)) * time.Second
		c.tell("has a line that carries nothing for %v", d)
		c.conn.Hold(d)
	case p < 1253 && c.proxy != nil: // the connection breaks
		c.dialAt = time.Now().Add(time.Duration(c.r.IntN(30)) * time.Second)
		c.tell("loses its connection; its proxy dials after %v", time.Until(c.dialAt))
		if c.r.IntN(2) == 0 {
			c.conn.Reset()
		} else {
			c.conn.Sever()
			_ = c.conn.Close()
		}
		c.out = nil
		c.proxy.Broken()
		if c.proxy.State == gproxy.Lost {
			c.w.cuts++
			c.comeBack()
		} else {
			c.leave("cut")
		}
	case p == 1253: // half open
		c.conn.Sever()
		c.leave("vanished, and the connection stays half open")
	case p == 1254: // leaves
		c.tell("leaves")
		c.left = true
		c.send(packet(0x21, uint32(7)))
		c.after(2*time.Second, func() { c.leave("left") })
	case p == 1255: // hostile
		junk := make([]byte, 1+c.r.IntN(2000))
		for i := range junk {
			junk[i] = byte(c.r.Uint32())
		}
		junk[0] = []byte{0xF7, 0xF8, junk[0]}[c.r.IntN(3)]
		c.tell("sends %d bytes of junk", len(junk))
		c.out = append(c.out, junk...)
		c.w.hostile++
		c.hostile = true
		c.flush()
		c.after(time.Second, func() { c.leave("hostile") })
	}
}

// tick is that of a proxy.
func (c *simClient) tick() {
	if c.proxy == nil {
		return
	}
	c.after(500*time.Millisecond, c.tick)
	if c.proxy.Tick(c.now()) {
		_ = c.conn.Close()
		c.out = nil
		c.proxy.Broken()
		if c.proxy.State == gproxy.Lost {
			c.comeBack()
		}
	}
	switch lost := c.proxy.State == gproxy.Lost; {
	case lost && c.lostAt.IsZero():
		c.lostAt = time.Now()
	case !lost && !c.lostAt.IsZero():
		c.lostFor += time.Since(c.lostAt)
		c.lostAt = time.Time{}
	}
	if c.proxy.State == gproxy.Over {
		if strings.HasPrefix(c.proxy.Why, "rejected") && c.lostFor < mayBeLost && !c.left && !c.hostile && !c.kicked && !c.w.ending && c.othersPlay() {
			c.fault("was not let back after being away %v: %s", c.lostFor, c.proxy.Why)
		}
		c.leave("proxy: " + c.proxy.Why)
		return
	}
	c.flush()
	if b := c.proxy.ToClient; len(b) > 0 {
		c.proxy.ToClient = nil
		c.take(b)
	}
}
