package game

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"net/netip"
	"time"

	"w3host/game/command"
	"w3host/lobby"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
	gamesync "w3host/sync"
)

var operator = &command.Caller{Name: "console", Level: command.Root, Via: command.ViaConsole}

func returnConfig(r *rand.Rand) Config {
	cfg := Config{
		ID: 1, Name: "returns", Version: 26, Program: "w3host", Trigger: '!', Silence: time.Minute,
		Lobby: lobby.Defaults(), Turns: gamesync.Defaults(), Transfer: mapxfer.Defaults(),
	}
	for i := range uint8(8) {
		cfg.Lobby.Slots = append(cfg.Lobby.Slots, w3gs.Slot{Download: w3gs.DownloadUnknown, Team: i, Colour: i, Race: w3gs.RaceRandom, AI: w3gs.AINormal, Handicap: 100})
	}
	cfg.Lobby.PlayerSlots, cfg.Lobby.Countdown.Lines = 8, 0
	cfg.Transfer.Size, cfg.Lobby.MapCheck.Size = 5000, 5000
	cfg.Turns.Period = []time.Duration{50, 100, 250}[r.IntN(3)] * time.Millisecond
	cfg.Turns.SyncLimit = 5 + r.IntN([]int{50, 50, 300}[r.IntN(3)])
	cfg.Turns.LoadInGame = r.IntN(3) == 0
	cfg.Turns.LagReset = time.Duration(2+r.IntN(10)) * time.Second
	cfg.Turns.DropAfter = time.Duration(5+r.IntN(20)) * time.Second
	cfg.Turns.LastPlayer = 5 * time.Second
	if r.IntN(3) == 0 {
		cfg.Reconnect = Reconnect{Wait: time.Minute, Empties: 1 + r.IntN(3), Silence: time.Hour}
	}
	cfg.Return = Return{
		On: true, Sign: time.Duration(2+r.IntN(10)) * time.Second, StandStill: r.IntN(3) == 0, Wait: time.Duration(1+r.IntN(20)) * time.Second,
		CatchUp: time.Minute, Times: 1 + r.IntN(5), Proof: Proof{Address: true},
	}
	return cfg
}

// enter has a player join the lobby.
func (g *returnGame) enter(i int, cfg *Config) {
	r := rand.New(rand.NewPCG(g.r.Uint64(), 1))
	p := &returnPlayer{
		name: fmt.Sprintf("p%d", i), r: r, trip: time.Duration(1+r.IntN(150)) * time.Millisecond, loads: time.Duration(r.IntN(3000)) * time.Millisecond,
		speed: time.Duration(1+r.IntN(12)) * time.Millisecond, proxied: cfg.Reconnect.Wait > 0 && i == 0,
	}
	g.players = append(g.players, p)
	g.after(time.Duration(i)*100*time.Millisecond, func() { g.join(p) })
}

// join has a new client of a player join.
func (g *returnGame) join(p *returnPlayer) {
	g.link++
	c := &returnClient{of: p, link: g.link, again: p.client != nil, odd: p.differs, proxied: p.proxied}
	p.client, p.differs = c, false
	g.clients[c.link] = c
	var i byte
	_, _ = fmt.Sscanf(p.name, "p%d", &i)
	addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, i}), 6112)
	g.step(Input{Kind: Join, Link: c.link, Packet: &w3gs.ReqJoin{Name: p.name}, Addr: addr})
	g.says(c, &w3gs.MapSize{Flag: w3gs.MapHave, Size: 5000})
	if p.proxied && !c.again {
		g.step(Input{Kind: Proxy, Link: c.link})
	}
}

// fate is what a player does, and what becomes of the clients.
func (g *returnGame) fate(p *returnPlayer, end time.Duration) {
	r := p.r
	busy := r.IntN(10) == 0
	within := func(d time.Duration) time.Duration { return time.Duration(r.Int64N(int64(d))) }
	for at := 5 * time.Second; at < end; at += 20*time.Millisecond + within(900*time.Millisecond) {
		data := make([]byte, 1+r.IntN(60))
		many := 1
		if busy || r.IntN(40) == 0 {
			data, many = make([]byte, 900), 3
		}
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		g.after(at, func() {
			if c := p.client; c.seat && c.loaded && !c.dead {
				for range many {
					g.step(Input{Kind: Action, Link: c.link, Data: data})
				}
			}
		})
	}
	for range r.IntN(4) {
		at, gone := 4*time.Second+within(end-4*time.Second), 200*time.Millisecond+within(6*time.Second)
		odd, again := r.IntN(12) == 0, r.IntN(8) > 0
		if r.IntN(4) == 0 { // it goes its own way before
			g.after(at-time.Duration(r.IntN(400))*time.Millisecond, func() {
				if c := p.client; !p.proxied && c.seat {
					c.odd = true
				}
			})
		}
		g.after(at, func() { g.crash(p, gone, odd, again) })
	}
	if r.IntN(6) == 0 {
		g.after(8*time.Second+within(end), func() {
			if c := p.client; c.seat && !c.dead {
				c.dead, p.quits = true, true
				g.step(Input{Kind: Packet, Link: c.link, Packet: &w3gs.LeaveGame{Reason: w3gs.LeaveLost}})
			}
		})
	}
	for range r.IntN(3) {
		line := []string{"!wait", "!nowait", "!wait"}[r.IntN(3)]
		g.after(5*time.Second+within(end), func() {
			if c := p.client; c.seat && !c.dead {
				g.says(c, &w3gs.ChatToHost{Chat: w3gs.Chat{From: g.pid(c), To: []uint8{g.pid(c)}, Flag: w3gs.ChatGame, Text: line}})
			}
		})
	}
	if r.IntN(4) == 0 { // the line hangs
		from := 5*time.Second + within(end)
		g.after(from, func() { p.client.busy = max(p.client.busy, g.now+time.Duration(r.IntN(8000))*time.Millisecond) })
	}
}

// crash ends a player's client; a new one comes a while later.
func (g *returnGame) crash(p *returnPlayer, gone time.Duration, odd, again bool) {
	c := p.client
	if c.dead || p.quits || !g.playing {
		return
	}
	switch {
	case c.again && !c.seat:
		g.seen["crashed while it was shown the game"]++
	case !c.loaded:
		g.seen["crashed while loading"]++
	}
	c.dead, c.crashed = true, true
	p.proxied = false // with a proxy the seat would wait for it
	g.step(Input{Kind: Lost, Link: c.link, Why: "crash"})
	if p.differs = odd; g.nobody || !again {
		return
	}
	g.after(gone, func() {
		if p.client.dead && !p.quits {
			g.join(p)
		}
	})
}

func (g *returnGame) pid(c *returnClient) uint8 {
	for pid, o := range g.seats {
		if o == c {
			return uint8(pid)
		}
	}
	return 0
}

func (g *returnGame) after(d time.Duration, do func()) {
	at := g.now + d.Truncate(clock)
	i := len(g.queue)
	for i > 0 && g.queue[i-1].at > at {
		i--
	}
	g.queue = append(g.queue, later{})
	copy(g.queue[i+1:], g.queue[i:])
	g.queue[i] = later{at: at, do: do}
}

// says has a client send a packet, behind what it has still to compute.
func (g *returnGame) says(c *returnClient, p w3gs.Packet) {
	g.after(max(c.busy-g.now, 0)+c.of.trip, func() {
		if c.dead {
			return
		}
		in := Input{Kind: Packet, Link: c.link, Packet: p}
		if k, ok := p.(*w3gs.Keepalive); ok {
			in = Input{Kind: Keepalive, Link: c.link, Sum: k.Checksum}
		}
		g.step(in)
	})
}

func (g *returnGame) run(end time.Duration) {
	for n := 0; g.err == nil && !g.m.Over(); n++ {
		due, ok := g.m.Next()
		if len(g.queue) > 0 && (!ok || g.queue[0].at <= due) {
			l := g.queue[0]
			g.queue = g.queue[1:]
			g.now = max(g.now, l.at)
			l.do()
			continue
		}
		if !ok || g.now > end+time.Hour || n > 1e6 {
			g.fail("nothing ends the game, at %v", g.now)
			return
		}
		g.now = max(g.now, due.Truncate(clock), due)
		g.step(Input{Kind: Tick})
	}
}

func (g *returnGame) fail(format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf("at %v: "+format, append([]any{g.now}, args...)...)
	}
}

func (g *returnGame) step(in Input) {
	if g.m.Over() {
		return
	}
	g.entries = append(g.entries, JournalItem{At: g.now, Input: in})
	g.out.Reset()
	g.m.Step(g.now, &in, &g.out)
	g.sum = g.out.Sum(g.sum)
	g.carryOut()
	g.check()
}

// check holds the clients against each other: all who have a seat have been sent all.
func (g *returnGame) check() {
	if !g.playing || g.m.Over() || g.m.turns.Loading() {
		return
	}
	if empty := g.m.present() == 0; empty != g.empty {
		if g.empty = empty; empty {
			g.seen["all were gone"]++
		}
	}
	if apart := g.m.turns.Apart() & g.m.turns.Laggers(); apart != 0 && !g.screen {
		g.seen["the game stood still for one"]++
	}
	g.screen = g.m.turns.Laggers() != 0
	for pid, c := range g.seats {
		if c != nil && !c.of.proxied && c.seat && !c.dead && c.loaded && g.m.turns.Live().Has(uint8(pid)) && c.n != len(g.master) {
			g.fail("%s has been sent %d of %d packets of the game", c.of.name, c.n, len(g.master))
		}
	}
}

// carryOut does what the host does.
func (g *returnGame) carryOut() {
	before := len(g.master)
	for i := range g.out.Ops {
		op := &g.out.Ops[i]
		c := g.clients[op.Link]
		switch op.Kind {
		case Seat:
			g.seats[op.PID], c.seat = c, true
			if c.again {
				g.back(c)
			}
		case Unseat: // it is shown the record first
			g.seats[op.PID], c.seat, c.again = nil, false, true
		case Close, Cut:
			if c != nil {
				c.dead, c.seat = true, false
			}
		case Reply:
			if c != nil {
				g.receive(c, op.Frame)
			}
		case Play:
			g.playing = true
			for _, c := range g.seats {
				if c != nil {
					g.load(c)
				}
			}
		case Send, SendLast:
			for pid := range op.To.All() {
				if c := g.seats[pid]; c != nil && c.seat && !c.dead {
					g.receive(c, op.Frame)
				}
			}
		}
	}
	for i := range g.out.Facts {
		switch f := g.out.Facts[i].Fact.(type) {
		case *Dropped:
			if f.Why == "did not come back in time" {
				g.seen["gave up"]++
				g.alike = min(g.alike, before)
			}
		case *LinkLost:
			if f.Why == "the player has come back with a new client" {
				g.seen["came before the old line was given up"]++
				g.alike = min(g.alike, before)
			}
		case *JoinRefused:
			if bytes.Contains([]byte(f.Why), []byte("differently")) {
				g.seen["was put out, having another game"]++
			}
		case *Desynced:
			for _, gr := range f.Groups {
				for pid := range gr.PIDs.All() {
					if c := g.seats[pid]; !gr.GoesOn && (c.crashed && !c.proxied || !g.odd()) {
						g.fail("%s is taken for one with another game", c.of.name)
					} else if !gr.GoesOn {
						g.seen["was put out, having another game"]++
					}
				}
			}
		}
	}
}

// odd reports whether some client has gone its own way.
func (g *returnGame) odd() bool {
	for _, c := range g.clients {
		if c.odd {
			return true
		}
	}
	return false
}

// back notes that a player is back.
func (g *returnGame) back(c *returnClient) {
	g.alike = min(g.alike, len(g.master))
	g.seen["came back"]++
	if c.of.backs++; c.of.backs == 2 {
		g.seen["came back twice"]++
	}
	if g.screen {
		g.seen["came back behind a lag screen"]++
	}
	if len(g.m.returns.coming) > 0 {
		g.seen["two came back at once"]++
	}
	if c.n != len(g.master) {
		g.fail("%s is back after %d of %d packets of the game", c.of.name, c.n, len(g.master))
	}
}

func (g *returnGame) load(c *returnClient) {
	c.busy = g.now + c.of.loads
	g.after(c.of.loads+c.of.trip, func() {
		if !c.dead {
			c.loaded = true
			g.step(Input{Kind: Packet, Link: c.link, Packet: &w3gs.LoadedSelf{}})
		}
	})
}

// receive is a client that gets packets.
func (g *returnGame) receive(c *returnClient, frames []byte) {
	for len(frames) > 0 && frames[0] == w3gs.Magic { // or it is for a proxy
		f, rest, err := w3gs.Next(frames, w3gs.MaxFrame)
		if err != nil || f == nil {
			g.fail("%s gets broken packets: %v, % X", c.of.name, err, frames)
			return
		}
		frames = rest
		switch f.Op() {
		case w3gs.OpCountdownEnd:
			if c.again {
				g.load(c)
			}
		case w3gs.OpIncomingAction, w3gs.OpIncomingAction2, w3gs.OpPlayerLeave:
			if !g.playing { // of the virtual host
				continue
			}
			all := [][]byte{f}
			if c.again && !c.seat {
				g.note(f)
				if g.spoil != nil {
					all = g.spoil(c.n, f)
				}
			}
			for _, f := range all {
				g.take(c, f)
			}
		}
	}
}

// note counts what a new client is shown.
func (g *returnGame) note(f w3gs.Frame) {
	switch {
	case f.Op() == w3gs.OpPlayerLeave:
		g.seen["was shown a leave"]++
	case f.Op() == w3gs.OpIncomingAction2:
		g.seen["was shown a turn of several packets"]++
	case f[4] == 0 && f[5] == 0:
		g.seen["was shown an empty turn"]++
	}
}

// take adds a packet of the game to what a client was sent.
func (g *returnGame) take(c *returnClient, f w3gs.Frame) {
	lasts := f.Op() == w3gs.OpIncomingAction && (f[4] != 0 || f[5] != 0)
	switch empty := f.Op() == w3gs.OpIncomingAction && !lasts; {
	case c.of.proxied && empty: // the proxy has its own
	case c.of.proxied:
	case c.n == len(g.master):
		g.master = append(g.master, bytes.Clone(f))
	case !bytes.Equal(g.master[c.n], f):
		g.fail("packet %d of %s is % X, others got % X", c.n, c.of.name, []byte(f), g.master[c.n])
	}
	if c.n++; f.Op() != w3gs.OpIncomingAction || lasts {
		c.crc = crc32.Update(c.crc, crc32.IEEETable, f)
	}
	if !lasts {
		return
	}
	sum := c.crc
	if c.odd && (c.seat || c.n > 40) {
		sum++
	}
	c.busy = max(c.busy, g.now)
	if c.again && !c.seat {
		c.busy += c.of.speed
	}
	g.says(c, &w3gs.Keepalive{Checksum: sum})
}

// rerun runs the inputs again.
func (g *returnGame) rerun(cfg Config) {
	if g.err != nil {
		return
	}
	var out Out
	m := New(cfg, &out)
	sum := out.Sum(0)
	for i := range g.entries {
		out.Reset()
		m.Step(g.entries[i].At, &g.entries[i].Input, &out)
		sum = out.Sum(sum)
	}
	if sum != g.sum {
		g.fail("the inputs give other orders when they are run again")
	}
}
