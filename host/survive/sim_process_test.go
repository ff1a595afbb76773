package survive

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"w3host/game"
	"w3host/hold"
	"w3host/lobby"
	"w3host/mapxfer"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
	gamesync "w3host/sync"
)

// socket is a connection as the kernel has it.
type socket struct {
	in, out       []byte // on their way to the host, and to the client
	read, written uint64
	room          int    // of out
	client        []byte // what the client has received
	over          bool   // it was reset
}

func (s *socket) drain(n int) {
	n = min(n, len(s.out))
	s.client, s.out = append(s.client, s.out[:n]...), s.out[n:]
}

// world is what outlives a process.
type world struct {
	random  *rand.Rand
	fault   fault
	now     time.Duration
	sockets []*socket
	mem     *hold.Memory
	flights []*ReadBuffer // the last first
	spared  bool          // a connection is not held yet
	swift   bool          // nobody is killed while the game is made again, but soon after
	whole   bool          // it is made again, and swiftly
	left    int           // steps until the process is killed
	deaths  int
	poison  func(game.Fact) bool // ends the process
	skipped []game.LinkID
	follow  *rand.Rand // not nil: another process runs the game along, and takes it over at times
	along   *Rerun
	taken   int // games that were handed over
	parts   *mapxfer.Parts
	played  int // turns that clients have seen
	loaded  int // bytes of the map
}

// poisoned ends the process if it must not see a fact.
func (w *world) poisoned(f *game.Stamped) {
	if w.poison != nil && w.poison(f.Fact) {
		panic(death{})
	}
}

type death struct{}

// point is a place where the process may be killed.
func (w *world) point() {
	if w.whole {
		return
	}
	if w.left--; w.left <= 0 && !w.spared {
		panic(death{})
	}
}

// process is as much of a host as a game needs.
type process struct {
	*world
	m       *game.Machine
	out     game.Out
	enc     game.Journal
	ledger  *Ledger
	flight  *ReadBuffer
	sum     uint32
	links   []*wire // by socket
	seats   [w3gs.MaxPID + 1]*wire
	proxies [w3gs.MaxPID + 1]*Person
	cfg     game.Config
}

// wire is a link of the process.
type wire struct {
	*Person
	id       game.LinkID
	pid      uint8
	at       Streams
	pieces   []game.Op
	stream   Stream
	held     bool
	moves    uint64
	reported bool
	closing  bool
	over     bool
	joined   bool
	last     uint32
}

const mapSize = 20_000

func config() game.Config {
	cfg := game.Config{
		ID: 1, Name: "sim", Version: 26, Trigger: '!', Silence: time.Minute,
		Lobby: lobby.Defaults(), Turns: gamesync.Defaults(), Transfer: mapxfer.Defaults(),
		Reconnect: game.Reconnect{Wait: 3 * time.Minute, Empties: 2, ExtendedWait: 5 * time.Minute},
	}
	cfg.Transfer.Size, cfg.Lobby.MapCheck.Size = mapSize, mapSize
	for i := range uint8(3) {
		cfg.Lobby.Slots = append(cfg.Lobby.Slots, w3gs.Slot{Download: w3gs.DownloadUnknown, Team: i, Colour: i, Race: w3gs.RaceRandom | w3gs.RaceSelectable, Handicap: 100})
	}
	cfg.Lobby.PlayerSlots = 3
	cfg.Lobby.Start.Full, cfg.Lobby.Start.Pings, cfg.Lobby.Pace.PingEvery = true, 0, 400*time.Millisecond
	cfg.Lobby.Countdown.Lines, cfg.Lobby.Countdown.Step = 3, 150*time.Millisecond
	return cfg
}

func (w *world) newFlight() *ReadBuffer {
	mem := hold.Of(make([]byte, 4096+bufferLen))
	mem.Stored = w.point
	f := &ReadBuffer{mem}
	w.flights = slices.Insert(w.flights, 0, f)
	return f
}

// begin opens the lobby.
func (w *world) begin() *process {
	w.spared = true
	defer func() { w.spared = false }()
	p := &process{world: w, cfg: config(), flight: w.newFlight()}
	w.mem = hold.Of(make([]byte, 4096+1<<20))
	w.mem.Stored = w.point
	p.ledger = BeginIn(w.mem)
	b, err := p.enc.Begin(nil, &p.cfg)
	if err != nil {
		panic(err)
	}
	p.ledger.Write(b)
	p.m = game.New(p.cfg, &p.out)
	p.sum = p.out.Sum(0)
	p.out.Reset()
	p.ledger.Sum(p.sum)
	p.ledger.Head([]byte("{}"))
	return p
}

// mapParts cuts the map.
func (w *world) mapParts(*game.Config) (*mapxfer.Parts, error) { return w.parts, nil }

// revive goes on with the game of a process that was killed.
func (w *world) revive() *process {
	w.whole = w.swift
	defer func() { w.whole = false }()
	before := slices.Clone(w.flights)
	p := &process{world: w, cfg: config(), flight: w.newFlight(), links: make([]*wire, len(w.sockets))}
	along := w.along
	w.along = nil
	if w.poison == nil {
		(&Ledger{mem: w.mem}).ClearCrashes() // these deaths are nobody's fault
	}
	left, err := Find(w.mem)
	if err == nil {
		err = left.RecordCrash()
	}
	if err != nil {
		panic(err)
	}
	written := w.written()
	if along == nil {
		if along, err = left.Follow(written, w.mapParts, &p.out, w.told); err != nil {
			panic(err)
		}
	}
	v, err := along.Finish(written)
	if err != nil {
		panic(err)
	}
	p.m, p.ledger, p.enc, p.sum, p.proxies = v.Machine, v.Ledger, v.Writer, v.Sum, v.Proxies
	missing := map[*wire][]byte{}
	for _, l := range v.Open() {
		c := &wire{
			Person: l.Person, id: l.ID, pid: l.PID, at: l.Streams, pieces: l.Pieces, stream: v.Follow(l), held: true,
			closing: l.Closing, reported: true, joined: true,
		}
		p.links[l.ID-1] = c
		if c.closing {
			continue
		}
		p.seats[l.PID] = c
		if w.fault == noRest {
			c.at.Rest = nil
		}
		missing[c], err = l.Missing(w.sockets[l.ID-1].read, hold.LinkName(1, uint32(l.ID)), before)
		if w.fault == noFlight {
			missing[c], err = nil, nil
		}
		if err != nil || l.Skip > 0 {
			panic(fmt.Errorf("link %d: %w, %d bytes too many were written", l.ID, err, l.Skip))
		}
	}
	w.skipped = append(w.skipped, v.Skipped...)
	if w.fault != noNewSockets {
		p.step(&game.Input{Kind: game.Survived})
	}
	for _, l := range v.Gone() {
		p.step(&game.Input{Kind: game.Lost, Link: l.ID, Why: "reset"})
	}
	for _, l := range p.links {
		if data, ok := missing[l]; ok {
			p.handle(l, data)
		}
	}
	p.flush(false)
	w.flights = w.flights[:1]
	p.ledger.ClearCrashes()
	return p
}

func (w *world) told(f *game.Stamped) {
	if !f.Again {
		panic(fmt.Sprintf("%T is told as if it were new", f.Fact))
	}
	w.poisoned(f)
}

// written is what the kernel has taken of each stream.
func (w *world) written() map[game.LinkID]uint64 {
	written := map[game.LinkID]uint64{}
	for i, s := range w.sockets {
		if s.over {
			continue
		}
		if written[game.LinkID(i+1)] = s.written; w.fault == noUnsent {
			written[game.LinkID(i+1)] -= uint64(len(s.out))
		}
	}
	return written
}

// runAlong lets the process that stands by take note of what has come, or take over.
func (w *world) runAlong(p **process) {
	switch w.follow.IntN(8) {
	case 0, 1, 2:
		if w.along == nil {
			left, err := Find(w.mem)
			if err == nil {
				w.along, err = left.Follow(w.written(), w.mapParts, new(game.Out), w.told)
			}
			if err != nil {
				panic(err)
			}
		}
		written := w.written()
		if w.follow.IntN(2) == 0 {
			written = nil
		}
		if err := w.along.Run(written); err != nil {
			panic(err)
		}
		if known, err := w.along.Same(); !known || err != nil {
			panic(fmt.Sprint("the same: ", known, err))
		}
	case 3:
		if w.along != nil {
			w.taken++
			*p = w.revive()
		}
	}
}

func (p *process) step(in *game.Input) {
	p.ledger.Input(p.enc.Append(nil, p.now, in))
	p.m.Step(p.now, in, &p.out)
	for i := range p.out.Facts {
		p.poisoned(&p.out.Facts[i])
	}
	p.sum = p.out.Sum(p.sum)
	p.ledger.Sum(p.sum)
	for i := range p.out.Ops {
		p.order(&p.out.Ops[i])
	}
	p.out.Reset()
	p.ledger.Settled()
}

func (p *process) order(op *game.Op) {
	var l *wire
	if op.Link > 0 {
		l = p.links[op.Link-1]
	}
	switch op.Kind {
	case game.Send, game.SendLast:
		for pid := range op.To.All() {
			l := p.seats[pid]
			if l != nil && op.Kind == game.SendLast {
				l.pieces = nil
			}
			if l == nil && p.proxies[pid] != nil {
				p.proxies[pid].Line.Send(op.Frame)
			} else if l != nil && !l.closing && l.Line.Send(op.Frame) {
				l.queue(op.Frame)
			}
		}
	case game.Parts:
		if l := p.seats[op.PID]; l != nil && !l.closing {
			l.pieces = append(l.pieces, *op)
		}
	case game.Reply:
		l.queue(op.Frame)
	case game.Seat:
		l.pid, p.seats[op.PID] = op.PID, l
		l.stream = p.ledger.Follow(l.id, l.at.Taken)
		if l.Proxy == nil {
			return
		}
		missing, err := l.Line.Resume(l.last)
		if err != nil {
			panic(err)
		}
		l.stream.Proxy(l.Proxy, &l.Line)
		l.queue(gproxy.Count{ID: gproxy.OpReconnect, Last: l.Line.Received()}.AppendTo(nil))
		l.queue(missing)
	case game.Close:
		if l != nil {
			l.closing, l.pieces = true, nil
			if p.seats[l.pid] == l {
				p.seats[l.pid] = nil
			}
			l.pid = 0
		}
	case game.Play:
		for _, l := range p.seats {
			if l != nil {
				l.pieces = nil
			}
		}
		for _, who := range p.proxies {
			if who != nil {
				who.Line.Keep(who.Proxy.Most)
			}
		}
	case game.Offer:
		for pid := range op.To.All() {
			if l := p.seats[pid]; l != nil && l.Proxy != nil {
				p.proxies[pid] = l.Person
				l.queue(l.Proxy.Offer(op, pid, 1, p.cfg.Reconnect.ExtendedWait))
			}
		}
	case game.Ack:
		for pid := range op.To.All() {
			if l := p.seats[pid]; l != nil && l.Proxy != nil {
				l.queue(gproxy.Count{ID: gproxy.OpAck, Last: l.Line.Received()}.AppendTo(nil))
			}
		}
	case game.Forget:
		p.proxies[op.PID] = nil
	}
}

func (l *wire) queue(frame []byte) {
	if !l.closing && !l.over {
		l.at.Queue = append(l.at.Queue, frame...)
	}
}

// receive reads once from a socket.
func (p *process) receive(i int) {
	l, s := p.links[i], p.sockets[i]
	if s.over {
		p.lost(l)
		return
	}
	if len(s.in) == 0 || l.closing || l.over {
		return
	}
	if p.spared = !l.held; l.held {
		p.flight.Reading(hold.LinkName(1, uint32(l.id)), l.stream.Noted())
	}
	p.point()
	n := copy(p.flight.Buffer(), s.in[:1+p.random.IntN(len(s.in))])
	s.in, s.read = s.in[n:], s.read+uint64(n)
	p.point()
	p.handle(l, bytes.Clone(p.flight.Buffer()[:n]))
	p.spared = !l.held && !l.closing && !l.over
}

// lost tells the machine of the end of a link.
func (p *process) lost(l *wire) {
	if l.over || l.closing {
		return
	}
	l.over = true
	if p.seats[l.pid] == l {
		p.seats[l.pid] = nil
	}
	p.step(&game.Input{Kind: game.Lost, Link: l.id, Why: "reset"})
}

// handle takes packets of a client apart, and holds its socket if that is not done yet.
func (p *process) handle(l *wire, data []byte) {
	l.at.Rest = append(l.at.Rest, data...)
	for !l.closing {
		frame, rest, err := gproxy.Next(l.at.Rest, w3gs.MaxFrame)
		if err != nil {
			panic(err)
		}
		if frame == nil {
			break
		}
		l.at.Rest = rest
		l.at.Taken += uint64(len(frame))
		got := l.Line.Received()
		if p.packet(l, frame); l.Proxy != nil && l.stream.Begun() && p.fault != noSkips {
			l.stream.Done(l.at.Taken, l.Line.Received()-got)
		}
	}
	switch {
	case !l.stream.Begun() || l.closing:
	case l.held:
		l.stream.Kept(l.at.Taken, l.at.Rest)
	default:
		at := l.at
		at.Written = p.sockets[l.id-1].written
		l.stream.Base(at)
		l.held, p.along = true, nil // who runs along has not got the socket
	}
}

func (p *process) packet(l *wire, frame []byte) {
	if frame[0] == gproxy.Magic {
		p.extension(l, frame)
		return
	}
	l.Line.Got()
	f := w3gs.Frame(frame)
	in := game.Input{Link: l.id, Bytes: len(frame)}
	switch op := f.Op(); op {
	case w3gs.OpKeepalive:
		in.Kind, in.Sum = game.Keepalive, binary.LittleEndian.Uint32(f.Body()[1:])
	case w3gs.OpOutgoingAction:
		in.Kind, in.Data = game.Action, f.Body()[4:]
	default:
		packet := w3gs.New(op, w3gs.FromClient)
		if packet == nil {
			return
		}
		if err := packet.Decode(f.Body()); err != nil {
			panic(err)
		}
		if in.Kind, in.Packet, in.Figures = game.Packet, packet, l.figures(); !l.joined {
			l.joined, in.Kind, in.Bytes, in.Figures = true, game.Join, 0, mapxfer.Figures{}
			in.Addr = addr(l.id)
		}
	}
	if l.stream.Begun() {
		in.Bytes = l.stream.Count(l.at.Taken)
	}
	p.step(&in)
}

func addr(id game.LinkID) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(id)}), 6112)
}

// figures are the same whenever within a turn they are looked at.
func (l *wire) figures() mapxfer.Figures {
	f := mapxfer.Figures{RTT: 40 * time.Millisecond, MinRTT: 40 * time.Millisecond}
	for i := range l.pieces {
		f.Queued += int(l.pieces[i].End - l.pieces[i].At)
	}
	return f
}

func (p *process) extension(l *wire, frame []byte) {
	packet, err := gproxy.Decode(frame)
	if back, is := packet.(gproxy.Reconnect); is {
		who := p.proxies[back.PID]
		if who == nil || who.Proxy.Key != back.Key {
			panic(fmt.Sprintf("nobody has pid %d and key %x", back.PID, back.Key))
		}
		l.Person, l.joined, l.last = who, true, back.Last
		p.step(&game.Input{Kind: game.Resume, Link: l.id, PID: back.PID, Addr: addr(l.id), Last: back.Last})
		return
	}
	init, is := packet.(gproxy.Init)
	switch {
	case err != nil || !is && l.Proxy == nil:
		return
	case is:
		if l.Proxy == nil {
			l.Proxy = &Proxy{Version: init.Version, Key: 0xABCD0001, Port: 6112, Most: 1 << 20}
		}
		l.stream.Proxy(l.Proxy, &l.Line)
		p.step(&game.Input{Kind: game.Proxy, Link: l.id, Bytes: l.stream.Count(l.at.Taken)})
		return
	}
	_, changes := packet.(gproxy.ChangeKey)
	if p.fault != noExtensions {
		l.stream.Extension(l.at.Taken, frame, !changes)
	}
	answer, err := l.Proxy.Take(packet, &l.Line)
	if err != nil {
		panic(err)
	}
	l.queue(answer)
	switch packet.(type) {
	case gproxy.Count:
		p.step(&game.Input{Kind: game.Acked, Link: l.id, Bytes: l.stream.Count(l.at.Taken)})
	case gproxy.Extended:
		if l.Proxy.Version >= FirstExtended {
			p.step(&game.Input{Kind: game.Extended, Link: l.id, Bytes: l.stream.Count(l.at.Taken)})
		}
	}
}

// flush writes what the sockets take; of the map, too, if parts are framed.
func (p *process) flush(parts bool) {
	for i, l := range p.links {
		if l == nil || l.over || p.sockets[i].over {
			continue
		}
		for s := p.sockets[i]; ; {
			if parts && len(l.at.Queue) == 0 && len(s.out) < s.room {
				p.frame(l)
			}
			n := min(len(l.at.Queue), s.room-len(s.out))
			if n <= 0 {
				break
			}
			p.point()
			s.out, s.written = append(s.out, l.at.Queue[:n]...), s.written+uint64(n)
			l.at.Queue = l.at.Queue[n:]
			l.moves++
			p.point()
		}
	}
}

// frame has the next parts of the map on the wire, two at a time.
func (p *process) frame(l *wire) {
	var b []byte
	n := 0
	for ; n < 2 && len(l.pieces) > 0; n++ {
		at := &l.pieces[0]
		b = p.parts.AppendFrame(b, at.At, at.PID, at.From)
		if at.At = p.parts.End(at.At); at.At >= at.End {
			l.pieces = l.pieces[1:]
		}
	}
	if n == 0 {
		return
	}
	if p.fault != noParts {
		l.stream.Parts(n)
	}
	l.Line.Passed(n)
	l.at.Queue = b
}

// turn does what a host does in a pass.
func (p *process) turn() {
	for i := range p.sockets {
		if i == len(p.links) {
			p.links = append(p.links, nil)
		}
		if p.links[i] == nil {
			over := p.sockets[i].read > 0 // before this process began
			p.links[i] = &wire{Person: new(Person), id: game.LinkID(i + 1), over: over}
		}
		for {
			left := len(p.sockets[i].in)
			if p.receive(i); len(p.sockets[i].in) == 0 || len(p.sockets[i].in) == left {
				break
			}
		}
	}
	p.flush(false)
	if at, ok := p.m.Next(); ok && at <= p.now {
		for _, l := range p.links {
			if l != nil && !l.closing && !l.over && l.joined && (len(l.at.Queue)+len(l.pieces) > 0 || l.reported) {
				l.reported = len(l.at.Queue) > 0
				in := game.Input{Kind: game.Backlog, Link: l.id, Queued: len(l.at.Queue), Moves: l.moves}
				if p.m.Downloading() {
					in.Figures = l.figures()
				}
				p.step(&in)
			}
		}
		p.step(&game.Input{Kind: game.Tick})
	}
	p.flush(true)
}

// run lets the process do one thing, and starts others until one has done it.
func (w *world) run(p **process, next func() int, do func(*process)) {
	for {
		func() {
			defer func() {
				if fault := recover(); fault != nil {
					if _, killed := fault.(death); !killed {
						panic(fault)
					}
					w.deaths++
					w.left, *p = next(), nil
				}
			}()
			if *p == nil {
				*p = w.revive()
			}
			if do(*p); w.follow != nil {
				w.runAlong(p)
			}
		}()
		if *p != nil {
			return
		}
	}
}
