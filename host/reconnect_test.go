package host

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"w3host/bots"
	"w3host/game"
	"w3host/host/admission"
	"w3host/internal/simnet"
	"w3host/internal/testkit"
	gproxy "w3host/protocol/gproxy/client"
	"w3host/protocol/w3gs"
	"w3host/storage"
)

// reconnectRig is a host whose players may come back for three minutes, five
// with an extended proxy.
func reconnectRig(t *testing.T, change func(*Options)) *rig {
	return newRig(t, func(o *Options) {
		o.Game.Reconnect = game.Reconnect{Wait: 3 * time.Minute, Empties: 2, ExtendedWait: 5 * time.Minute, Silence: time.Minute}
		o.Game.Turns.SyncLimit, o.Game.Turns.LagReset, o.Game.Turns.DropAfter = 10, time.Minute, time.Minute
		if change != nil {
			change(o)
		}
	})
}

// proxied lets a player in a bubble join through a proxy.
func (r *rig) proxied(g *Game, name string, version uint32) (*client, *bots.Proxy) {
	return r.proxiedBy(r.dialPort, g, name, version)
}

// dialPort connects to a port of the host, where 0 is its main one.
func (r *rig) dialPort(port uint16) (net.Conn, error) {
	if port == 0 {
		port = r.h.Addr().Port()
	}
	return r.net.Dial(loopback, netip.AddrPortFrom(loopback, port), r.line, r.line)
}

// proxiedBy is proxied with a dialer, which is asked for port 0 first.
func (r *rig) proxiedBy(dial func(port uint16) (net.Conn, error), g *Game, name string, version uint32) (*client, *bots.Proxy) {
	r.t.Helper()
	host, err := dial(0)
	if err != nil {
		r.t.Fatal(err)
	}
	near, end := r.net.Pair(simnet.Line{}, simnet.Line{})
	p := bots.StartProxy(near, host, dial, gproxy.Proxy{Version: version, EmptyEvery: time.Minute, Silence: time.Minute}, bots.ProxyConduct{})
	r.t.Cleanup(p.Close)
	c := r.letIn(r.knockOn(clientOn(r.t, end), g, name, player))
	testkit.Eventually(r.t, "the offer to the proxy", func() bool { s, _ := p.State(); return s.Offered && s.Extended == (version > 1) })
	return c, p
}

// inPlay waits until the host knows that players have got a turn: only then are they
// waited for. Each acts, behind the proxy's acknowledgement and the answer.
func (r *rig) inPlay(players ...*client) {
	r.t.Helper()
	for _, c := range players {
		c.Until(0x0C)
		word := []byte("here " + c.Name)
		c.Send(action(word))
		testkit.Eventually(r.t, "the first action of "+c.Name, func() bool {
			return slices.ContainsFunc(c.All(), func(p testkit.Heard) bool { return p.B[1] == 0x0C && bytes.Contains(p.B, word) })
		})
	}
}

// history is what a client has seen of the game: turns with the number of empty
// ones before them, 0x48 and leaves. Proxies may feed an empty action before a
// leave that others see first.
func history(c *client) (seen []string) {
	empty := 0
	begun := false
	for _, p := range c.All() {
		switch begun = begun || p.B[1] == 0x0B; {
		case p.B[1] == 0x0C && p.B[4] == 0 && p.B[5] == 0:
			empty++
		case p.B[1] == 0x0C:
			seen = append(seen, fmt.Sprintf("%d empty, %X", empty, p.B))
			empty = 0
		case p.B[1] == 0x48, p.B[1] == 0x07 && begun:
			seen = append(seen, fmt.Sprintf("%X", p.B))
		}
	}
	return seen
}

// sameHistory fails unless all clients get as far as the first is now, and have
// seen the same.
func sameHistory(t *testing.T, clients ...*client) {
	t.Helper()
	want := history(clients[0])
	for _, c := range clients {
		testkit.Eventually(t, fmt.Sprintf("%d turns at %s", len(want), c.Name), func() bool { return len(history(c)) >= len(want) })
		for i, mark := range history(c)[:len(want)] {
			if mark != want[i] {
				t.Fatalf("at place %d %s has seen %s, %s %s", i, c.Name, mark, clients[0].Name, want[i])
			}
		}
	}
}

// TestReconnect cuts two players off at once, for the times that matter, inside
// packets and between them. Everybody sees one and the same game.
func TestReconnect(t *testing.T) {
	for _, away := range []float64{1, 10, 59, 61, 170} {
		bubbled(t, fmt.Sprintf("%v s", away), func(t *testing.T) { reconnect(t, away) })
	}
}

func reconnect(t *testing.T, away float64) {
	r := reconnectRig(t, nil)
	g := r.lobby(4)
	ann, bob := r.join(g, "Ann", player), r.join(g, "Bob", player)
	cid, legacy := r.proxied(g, "Cid", 1)
	dan, extended := r.proxied(g, "Dan", 2)
	all := []*client{ann, bob, cid, dan}
	r.begin(all...)
	r.inPlay(all...)
	lasting := time.Duration(away * float64(time.Second))
	for i := range 3 {
		for _, c := range all {
			c.Send(action(make([]byte, 900)), action([]byte{byte(i)})) // several make 0x48
		}
		legacy.Cut(lasting, i*3)
		extended.Cut(lasting, i*5)
		cid.Send(action([]byte("said while away")))
		for _, p := range []*bots.Proxy{legacy, extended} {
			for deadline := time.Now().Add(lasting + patience); ; time.Sleep(10 * time.Millisecond) {
				s, err := p.State()
				if err != nil {
					t.Fatal(err)
				}
				if s.Resumed > i {
					break
				}
				if time.Now().After(deadline) || s.Why != "" {
					t.Fatalf("did not come back: %+v", s)
				}
			}
		}
		sameHistory(t, all...)
		if away > 60 {
			break
		}
	}
	if s, _ := legacy.State(); s.Empties != 2 {
		t.Errorf("%d empty actions, want 2", s.Empties)
	}
	if lasting > 2*time.Second { // a shorter outage is not worth a line
		ann.UntilText("lost the connection and can reconnect within")
		ann.UntilText("is back.")
	}
	if away > 10 {
		if n := cid.Count(0x0C) - cid.Count(0x27); n < 3 {
			t.Errorf("the client of a proxy was fed %d packets", n)
		}
		recorded[storage.LagEvent](r)
	}
	var lost, resumed int
	for _, e := range recordsOf[storage.LinkEvent](r) {
		if e.Resumed {
			resumed++
		} else {
			lost++
		}
	}
	if lost < 2 || lost > resumed || len(recordsOf[storage.PlayerLeft](r)) > 0 {
		t.Errorf("%d links lost, %d resumed, %v left", lost, resumed, recordsOf[storage.PlayerLeft](r))
	}
	bob.Send(packet(0x21, uint32(7)))
	ann.Until(0x07)
	sameHistory(t, ann, cid, dan)
}

// offered is a raw client whose connection says INIT, and what it was offered.
func (r *rig) offered(g *Game, name string) (c *client, key uint32) {
	r.t.Helper()
	offer := make(chan []byte, 1)
	c = r.dial()
	c.Extension = func(b []byte) {
		if b[1] == 1 {
			select {
			case offer <- b:
			default:
			}
		}
	}
	c = r.letIn(r.knockOn(c, g, name, player))
	c.Send([]byte{0xF8, 1, 8, 0, 1, 0, 0, 0})
	select {
	case b := <-offer:
		if port := binary.LittleEndian.Uint16(b[4:]); port != r.h.Addr().Port() || b[6] != c.PID || len(b) != 12 {
			r.t.Fatalf("offered % X", b)
		}
		return c, binary.LittleEndian.Uint32(b[7:])
	case <-time.After(patience):
		r.t.Fatal("no offer")
		panic("unreachable")
	}
}

// returns opens a connection with a RECONNECT and reads the answer; nil when it
// was closed without one.
func (r *rig) returns(pid byte, key, last uint32) []byte {
	r.t.Helper()
	nc, answer := r.returnsFrom("127.0.0.1", pid, key, last)
	if answer == nil || answer[1] == 4 {
		_ = nc.Close()
	}
	return answer
}

// returnsFrom does that from an address, and leaves the connection open.
func (r *rig) returnsFrom(addr string, pid byte, key, last uint32) (testkit.Stream, []byte) {
	r.t.Helper()
	nc := r.connect(addr)
	r.t.Cleanup(func() { _ = nc.Close() })
	b := []byte{0xF8, 2, 13, 0, pid}
	b = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, key), last)
	if _, err := nc.Write(b); err != nil {
		r.t.Fatal(err)
	}
	_ = nc.SetReadDeadline(time.Now().Add(patience))
	answer := make([]byte, 8)
	if _, err := io.ReadFull(nc, answer); err != nil {
		return nc, nil
	}
	return nc, answer
}

// TestReconnectRefused: nobody takes a place with a wrong key, another's pid, or
// a count that cannot be, and the player's own line goes on.
func TestReconnectRefused(t *testing.T) { inBubble(t, testReconnectRefused) }

func testReconnectRefused(t *testing.T) {
	r := reconnectRig(t, nil)
	g := r.lobby(2)
	ann, key := r.offered(g, "Ann")
	bob, other := r.offered(g, "Bob")
	r.begin(ann, bob)
	r.inPlay(ann, bob)
	if key == other {
		t.Error("two players have one key")
	}
	got := func() uint32 { return uint32(len(ann.All())) }
	before := got()
	ann.Send([]byte{0xF8, 3, 8, 0, byte(before), byte(before >> 8), 0, 0})
	testkit.Eventually(t, "the acknowledgement", func() bool {
		return ask(t, g, func(g *Game) bool { _, err := g.proxies[ann.PID].line.Resume(before - 1); return err != nil })
	})
	notFound, invalid := []byte{0xF8, 4, 8, 0, 2, 0, 0, 0}, []byte{0xF8, 4, 8, 0, 1, 0, 0, 0}
	for what, c := range map[string]struct {
		pid  byte
		key  uint32
		last uint32
		want []byte
	}{
		"a wrong key":             {ann.PID, key + 1, got(), notFound},
		"another's pid":           {bob.PID, key, got(), notFound},
		"a pid of nobody":         {7, key, got(), notFound},
		"a pid that cannot be":    {255, key, got(), notFound},
		"a count from the future": {ann.PID, key, got() + 100_000, invalid},
		"a count from the past":   {ann.PID, key, before - 1, invalid},
		"an old lobby's count":    {ann.PID, key, 1, invalid},
	} {
		if answer := r.returns(c.pid, c.key, c.last); !slices.Equal(answer, c.want) {
			t.Errorf("%s: answered % X, want % X", what, answer, c.want)
		}
	}
	before = got()
	testkit.Eventually(t, "more turns on the old line", func() bool { return got() > before+5 })
	if n := len(recordsOf[storage.LinkEvent](r)); n != 0 {
		t.Errorf("%d links were lost or resumed", n)
	}
	// With key and count right, the new line wins over the one that seems alive.
	if answer := r.returns(ann.PID, key, got()); answer == nil || answer[1] != 2 {
		t.Errorf("the right key: answered % X", answer)
	}
	if err := ann.Ended(); err == nil {
		t.Error("the old line goes on")
	}
}

// TestReconnectGuesses: one address may try only so often, and get only so many keys
// wrong; when all together have got too many wrong, players come back to their seats
// from where they were, and nobody from elsewhere.
func TestReconnectGuesses(t *testing.T) { inBubble(t, testReconnectGuesses) }

func testReconnectGuesses(t *testing.T) {
	r := reconnectRig(t, func(o *Options) { o.Limits.Exempt, o.Limits.JoinsPerMinute = nil, 1000 })
	r.line = simnet.Line{} // all attempts fall into one moment
	count := func(tries int, try func() []byte) (answered int) {
		for range tries {
			if answer := try(); answer != nil {
				answered++
			}
		}
		return answered
	}
	const returns, returnsWithin, wrongKeys = 200, 4 * time.Second, 20 // the limits of package admission
	begin := time.Now()
	n := count(returns+100, func() []byte { return r.returns(1, 7, 0) })
	if most := returns + 1 + int(time.Since(begin)*returns/returnsWithin); n < returns || n > most {
		t.Errorf("%d attempts were answered while there was no game, want %d to %d", n, returns, most)
	}
	g := r.lobby(2)
	ann := r.join(g, "Ann", player)
	cid, p := r.proxied(g, "Cid", 1)
	r.begin(ann, cid)
	r.inPlay(cid)
	key := ask(t, g, func(g *Game) uint32 { return g.proxies[cid.PID].proxy.Key })
	from := func(addr string, key uint32) []byte {
		nc, answer := r.returnsFrom(addr, cid.PID, key, 1<<30)
		_ = nc.Close()
		return answer
	}
	for _, addr := range []string{"127.0.0.2", "127.0.0.3", "127.0.0.4"} {
		if n := count(wrongKeys+10, func() []byte { return from(addr, key+1) }); n != wrongKeys {
			t.Errorf("%d wrong keys from %s were answered, want %d", n, addr, wrongKeys)
		}
	}
	if from("127.0.0.2", key) != nil {
		t.Error("the right key was answered at an address that had got too many wrong")
	}
	if from("127.0.0.5", key) != nil {
		t.Error("the right key was answered at another address when all had got too many wrong")
	}
	time.Sleep(returnsWithin)
	if n := count(wrongKeys+10, func() []byte { return from("127.0.0.1", key+1) }); n != wrongKeys {
		t.Errorf("%d wrong keys were answered where the player was, want %d", n, wrongKeys)
	}
	for _, err := range []error{admission.ErrReconnectRate, errWrongKeys, errGuesses} {
		testkit.Eventually(t, "a line in the log: "+err.Error(), func() bool { // it comes behind the end of the connection
			return slices.ContainsFunc(r.log.find("connection closed before it joined"), func(line map[string]any) bool { return line["reason"] == err.Error() })
		})
	}
	// Where the player was, the right key is answered though a neighbour got many wrong; the count cannot be.
	if answer := from("127.0.0.1", key); answer == nil || answer[4] != 1 {
		t.Errorf("answered % X to the right key where the player was", answer)
	}
	p.Cut(0, 0)
	testkit.Eventually(t, "the return", func() bool { s, _ := p.State(); return s.Resumed == 1 })
}

// TestReconnectTooOften: who comes back again and again is let in seldom. The packets of
// all connections together count against one rate.
func TestReconnectTooOften(t *testing.T) { inBubble(t, testReconnectTooOften) }

func testReconnectTooOften(t *testing.T) {
	r := reconnectRig(t, func(o *Options) { o.Limits.PacketRate = 50 })
	g := r.lobby(2)
	ann := r.join(g, "Ann", player)
	cid, key := r.offered(g, "Cid")
	r.begin(ann, cid)
	r.inPlay(cid)
	last := uint32(len(cid.All()))
	received := func() uint32 {
		return ask(t, g, func(g *Game) uint32 { return g.proxies[cid.PID].line.Received() })
	}
	begin, let, before := time.Now(), 0, received()
	for range 2 * seatReturns {
		nc, answer := r.returnsFrom("127.0.0.1", cid.PID, key, last)
		if answer != nil {
			let++
			_, _ = nc.Write(repeat(packet(0x77), 100))
		}
		_ = nc.CloseWrite()
		_, _ = io.Copy(io.Discard, nc)
	}
	handled := int(received() - before)
	took := time.Since(begin)
	if most := seatReturns + 1 + int(took/seatReturnsEvery); let > most || let < seatReturns {
		t.Errorf("let in %d times in %v, want %d to %d", let, took, seatReturns, most)
	}
	if most := int(50 * (10 + took.Seconds() + 1)); handled > most {
		t.Errorf("%d packets were handled in %v, want %d at most", handled, took, most)
	}
	if n := len(recordsOf[storage.LinkEvent](r)); n > 3*seatReturns {
		t.Errorf("%d records of links", n)
	}
}

// TestReconnectOff: an INIT to a host that offers nothing is ignored, and the
// player goes on.
func TestReconnectOff(t *testing.T) { inBubble(t, testReconnectOff) }

func testReconnectOff(t *testing.T) {
	r := newRig(t, nil)
	g := r.lobby(1)
	ann := r.join(g, "Ann", player)
	ann.Extension = func(b []byte) { t.Errorf("answered % X", b) }
	ann.Send([]byte{0xF8, 1, 8, 0, 1, 0, 0, 0}, []byte{0xF8, 3, 8, 0, 99, 0, 0, 0})
	r.begin(ann)
	ann.Until(0x0C)
	own := g.about.Stat
	if s := r.h.shard.opts.asListed(own); s.Width != g.m.Width || s.Height != g.m.Height {
		t.Errorf("%d × %d is announced, want the true size", s.Width, s.Height)
	}
	on := r.h.shard.opts
	on.Game.Reconnect.Wait = time.Minute
	if s := on.asListed(own); s.Width != 1984 || s.Height != 1984 {
		t.Errorf("%d × %d is announced, want 1984 × 1984", s.Width, s.Height)
	}
	if s := on.recordingOf(g.m, &game.Config{Version: 26}, time.Now()).Stat; s.Width != g.m.Width || s.Height != g.m.Height {
		t.Errorf("%d × %d is recorded, want the true size", s.Width, s.Height)
	}
	if answer := r.returns(1, 0, 0); !slices.Equal(answer, []byte{0xF8, 4, 8, 0, 2, 0, 0, 0}) {
		t.Errorf("a RECONNECT is answered % X", answer)
	}
}

// TestReconnectOwnPort: the offer names it, and both ports know those who come
// back.
func TestReconnectOwnPort(t *testing.T) { inBubble(t, testReconnectOwnPort) }

func testReconnectOwnPort(t *testing.T) {
	r := reconnectRig(t, func(o *Options) { o.Listeners = listenOn(t, o, "127.0.0.1:0", "127.0.0.1:0") })
	g := r.lobby(1)
	dialled := make(chan uint16, 10)
	dial := func(port uint16) (net.Conn, error) {
		dialled <- port
		return r.dialPort(port)
	}
	c, p := r.proxiedBy(dial, g, "Ann", 1)
	r.begin(c)
	r.inPlay(c)
	p.Cut(0, 0)
	testkit.Eventually(t, "the return", func() bool { s, _ := p.State(); return s.Resumed == 1 })
	if port := <-dialled; port != 0 {
		t.Errorf("the proxy dialled %d to join", port)
	}
	if port := <-dialled; port != r.h.shard.returnPort("") || port == r.h.Addr().Port() {
		t.Errorf("dialled %d", port)
	}
}

// TestReconnectAdvertisedPort: players come back to the port where they joined, as a
// router shows it to those of a realm, unless another is set for them.
func TestReconnectAdvertisedPort(t *testing.T) { inBubble(t, testReconnectAdvertisedPort) }

func testReconnectAdvertisedPort(t *testing.T) {
	for _, own := range []string{"", "127.0.0.1:0"} {
		r := reconnectRig(t, func(o *Options) { o.Realms, o.Listeners = &realms{}, listenOn(t, o, "127.0.0.1:0", own) })
		g := r.lobby(2)
		want := map[uint32]uint16{0: r.h.Addr().Port(), homeID: 7777}
		if own != "" {
			port := r.h.shard.opts.Listeners.Returns.Addr().(*net.TCPAddr).AddrPort().Port()
			want = map[uint32]uint16{0: port, homeID: port}
		}
		for list, port := range want {
			c := r.dial()
			offer := make(chan []byte, 9) // the acknowledgements, too
			c.Extension = func(b []byte) { offer <- b }
			c.Name = fmt.Sprintf("P%d", list)
			go c.Listen()
			c.Send(joinPacket(g.ID()|list, g.EntryKey(), c.Name))
			r.letIn(c)
			c.Send([]byte{0xF8, 1, 8, 0, 1, 0, 0, 0})
			select {
			case b := <-offer:
				if got := binary.LittleEndian.Uint16(b[4:]); got != port {
					t.Errorf("return port %q, list %x: offered port %d, want %d", own, list, got, port)
				}
			case <-time.After(patience):
				t.Fatal("no offer")
			}
		}
	}
}

// TestReconnectMemory: what is kept for a player who is away is bounded; beyond
// that the player is put out.
func TestReconnectMemory(t *testing.T) { inBubble(t, testReconnectMemory) }

func testReconnectMemory(t *testing.T) {
	r := reconnectRig(t, func(o *Options) { o.Limits.OutQueue = 32 << 10; o.Game.Turns.SyncLimit = 10_000 })
	g := r.lobby(2)
	ann := r.join(g, "Ann", player)
	cid, p := r.proxied(g, "Cid", 1)
	r.begin(ann, cid)
	r.inPlay(ann, cid)
	p.Cut(time.Hour, 0)
	ann.UntilText("lost the connection")
	for range 30 {
		ann.Send(action(make([]byte, 1000)))
	}
	ann.Until(0x07)
	if kept := ask(t, g, func(g *Game) bool { return g.proxies[cid.PID] != nil }); kept {
		t.Error("something is still kept")
	}
	if d := recorded[storage.DropEvent](r); d.PID != cid.PID {
		t.Errorf("%+v", d)
	}
}

// TestReconnectFlood: what a player types while cut off passes the packet rate when
// the proxy sends it again at once. Beyond what the time away allows the connection
// ends, again and again, and still nothing is lost.
func TestReconnectFlood(t *testing.T) {
	const rate, away = 100, 2 * time.Second
	allowed := rate*10 + int(rate*away/time.Second)
	for name, typed := range map[string]int{"as much as allowed": allowed - rate, "more than allowed": allowed + 3*rate} {
		bubbled(t, name, func(t *testing.T) {
			r := reconnectRig(t, func(o *Options) { o.Limits.PacketRate = rate })
			g := r.lobby(2)
			ann := r.join(g, "Ann", player)
			cid, p := r.proxied(g, "Cid", 1)
			r.begin(ann, cid)
			r.inPlay(cid)
			p.Cut(away, 0)
			for i := range typed {
				cid.Send(action(binary.LittleEndian.AppendUint16(nil, uint16(i))))
			}
			var got []uint16
			seen := 0
			testkit.Eventually(t, "all actions", func() bool {
				all := ann.All()
				for _, p := range all[seen:] {
					if p.B[1] == 0x0C || p.B[1] == 0x48 {
						for _, data := range w3gs.Actions(p.B[min(8, len(p.B)):]) {
							if len(data) != 2 {
								continue // the first
							}
							got = append(got, binary.LittleEndian.Uint16(data))
						}
					}
				}
				seen = len(all)
				return len(got) >= typed
			})
			for i, n := range got {
				if int(n) != i {
					t.Fatalf("action %d came in place %d", n, i)
				}
			}
			if s, err := p.State(); err != nil || (s.Resumed == 1) != (typed < allowed) {
				t.Errorf("%d returns, %v", s.Resumed, err)
			}
		})
	}
}

// TestReconnectDismissed: whom the host lets go is told so on the line they have. The
// proxy lets its client go at once, and does not try to come back.
func TestReconnectDismissed(t *testing.T) {
	for what, end := range map[string]func(*rig, *Game){
		"kicked": func(_ *rig, g *Game) { order(t, g, "kick Cid") },
		"ended": func(_ *rig, g *Game) {
			g.call(func() { g.step(&game.Input{Kind: game.Stop, Why: game.HostStops.String()}) })
		},
		"stopped":   func(r *rig, _ *Game) { r.shutDown() },
		"abandoned": func(r *rig, g *Game) { r.h.shard.Call(func() { g.end() }) },
	} {
		bubbled(t, what, func(t *testing.T) {
			r := reconnectRig(t, nil)
			g := r.lobby(2)
			ann := r.join(g, "Ann", player)
			cid, p := r.proxied(g, "Cid", 1)
			r.begin(ann, cid)
			r.inPlay(cid)
			from := time.Now()
			end(r, g)
			testkit.Eventually(t, "the end of the proxy", func() bool { s, _ := p.State(); return s.State == gproxy.Over })
			if s, err := p.State(); err != nil || s.Why != "rejected by the host: reason 2" || time.Since(from) > time.Minute {
				t.Errorf("after %v: %s, %v", time.Since(from), s.Why, err)
			}
			if len(r.log.find("reconnection rejected")) > 0 {
				t.Error("the proxy has tried to come back")
			}
		})
	}
}
