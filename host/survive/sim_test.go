package survive

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"w3host/game"
	"w3host/game/command"
	"w3host/hold"
	"w3host/lobby"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
	gamesync "w3host/sync"
)

var seeds = flag.Int("seeds", 60, "games that are simulated with crashes")

// A simulation plays a game of three over a kernel that is simulated, too, and kills the
// process at a chosen place: before or after any read, store, step and write, also while
// the game is made again. The next goes on with what a real one would have: the shared
// memory, the sockets and their counts. Each client must have been sent the same bytes as
// in the run that nobody disturbed.

// fault switches off a part of what is shown: the controls that must fail.
type fault int

const (
	noFault      fault = iota
	noFlight           // the read under way is forgotten
	noRest             // the beginnings of packets are forgotten
	noUnsent           // what the kernel has and has not sent yet is not counted
	noNewSockets       // the machine goes by what the process before has said of sockets
)

// socket is a connection as the kernel has it.
type socket struct {
	in, out       []byte // on their way to the host, and to the client
	read, written uint64
	room          int    // of out
	client        []byte // what the client has received
	acked         int    // of that, bytes whose turns were answered
}

// world is what outlives a process.
type world struct {
	random  *rand.Rand
	fault   fault
	now     time.Duration
	sockets []*socket
	mem     *hold.Memory
	flights []*Flight // the last first
	held    bool
	left    int // steps until the process is killed
	deaths  int
	poison  func(game.Fact) bool // ends the process
	skipped []game.LinkID
	follow  *rand.Rand // not nil: another process runs the game along, and takes it over at times
	along   *Rerun
	taken   int // games that were handed over
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
	if w.left--; w.left == 0 && w.held {
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
	flight  *Flight
	sum     uint32
	links   []*wire // by socket
	seats   [w3gs.MaxPID + 1]*wire
	playing bool
}

// wire is a link of the process.
type wire struct {
	id       game.LinkID
	pid      uint8
	at       Streams
	stream   *Stream
	moves    uint64
	reported bool
	closing  bool
	joined   bool
}

func config() game.Config {
	cfg := game.Config{
		ID: 1, Name: "sim", Version: 26, Trigger: '!', Silence: time.Minute,
		Lobby: lobby.Defaults(), Turns: gamesync.Defaults(), Transfer: mapxfer.Defaults(),
	}
	cfg.Transfer.Size, cfg.Lobby.MapCheck.Size = 5000, 5000
	for i := range uint8(3) {
		cfg.Lobby.Slots = append(cfg.Lobby.Slots, w3gs.Slot{Download: w3gs.DownloadUnknown, Team: i, Colour: i, Race: w3gs.RaceRandom | w3gs.RaceSelectable, Handicap: 100})
	}
	cfg.Lobby.PlayerSlots = 3
	return cfg
}

func (w *world) newFlight() *Flight {
	mem := hold.Of(make([]byte, 4096+flightLen))
	mem.Stored = w.point
	f := &Flight{mem}
	w.flights = slices.Insert(w.flights, 0, f)
	return f
}

// begin opens the lobby.
func (w *world) begin() *process {
	p := &process{world: w, flight: w.newFlight(), links: make([]*wire, len(w.sockets))}
	w.mem = hold.Of(make([]byte, 4096+1<<20))
	w.mem.Stored = w.point
	p.ledger = BeginIn(w.mem)
	cfg := config()
	b, err := p.enc.Begin(nil, &cfg)
	if err != nil {
		panic(err)
	}
	p.ledger.Write(b)
	p.m = game.New(cfg, &p.out)
	p.sum = p.out.Sum(0)
	p.out.Reset()
	for i := range p.links {
		p.links[i] = &wire{id: game.LinkID(i + 1)}
	}
	return p
}

// revive goes on with the game of a process that was killed.
func (w *world) revive() *process {
	before := slices.Clone(w.flights)
	p := &process{world: w, flight: w.newFlight(), links: make([]*wire, len(w.sockets)), playing: true}
	along := w.along
	w.along = nil
	if w.poison == nil {
		(&Ledger{mem: w.mem}).Good() // these deaths are nobody's fault
	}
	left, err := Find(w.mem)
	if err == nil {
		err = left.Blame()
	}
	if err != nil {
		panic(err)
	}
	written := w.written()
	if along == nil {
		if along, err = left.Follow(written, &p.out, w.told); err != nil {
			panic(err)
		}
	}
	v, err := along.Finish(written)
	if err != nil {
		panic(err)
	}
	p.m, p.ledger, p.enc, p.sum = v.Machine, v.Ledger, v.Writer, v.Sum
	missing := map[*wire][]byte{}
	for _, l := range v.Open() {
		c := &wire{id: l.ID, pid: l.PID, at: l.Streams, stream: v.Follow(l), closing: l.Closing, reported: true, joined: true}
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
	for _, l := range p.links {
		if data, ok := missing[l]; ok {
			p.handle(l, data)
		}
	}
	p.flush()
	w.flights = w.flights[:1]
	p.ledger.Good()
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
				w.along, err = left.Follow(w.written(), new(game.Out), w.told)
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
	switch op.Kind {
	case game.Send, game.SendLast:
		for pid := range op.To.All() {
			if l := p.seats[pid]; l != nil && !l.closing {
				l.at.Queue = append(l.at.Queue, op.Frame...)
			}
		}
	case game.Reply:
		l := p.links[op.Link-1]
		l.at.Queue = append(l.at.Queue, op.Frame...)
	case game.Seat:
		l := p.links[op.Link-1]
		l.pid, p.seats[op.PID] = op.PID, l
	case game.Close:
		l := p.links[op.Link-1]
		l.closing = true
		p.seats[l.pid], l.pid = nil, 0
	case game.Play:
		p.playing = true
	}
}

// receive reads once from a socket.
func (p *process) receive(i int) {
	l, s := p.links[i], p.sockets[i]
	if l == nil || l.closing || len(s.in) == 0 {
		return
	}
	if l.stream != nil {
		p.flight.Reading(hold.LinkName(1, uint32(l.id)), l.stream.Noted())
	}
	p.point()
	n := copy(p.flight.Buffer(), s.in[:1+p.random.IntN(len(s.in))])
	s.in, s.read = s.in[n:], s.read+uint64(n)
	p.point()
	p.handle(l, bytes.Clone(p.flight.Buffer()[:n]))
}

// handle takes packets of a client apart.
func (p *process) handle(l *wire, data []byte) {
	l.at.Rest = append(l.at.Rest, data...)
	for !l.closing {
		frame, rest, err := w3gs.Next(l.at.Rest, w3gs.MaxFrame)
		if err != nil {
			panic(err)
		}
		if frame == nil {
			break
		}
		l.at.Rest = rest
		l.at.Taken += uint64(len(frame))
		p.packet(l, frame)
	}
	if l.stream != nil && !l.closing {
		l.stream.Kept(l.at.Taken, l.at.Rest)
	}
}

func (p *process) packet(l *wire, frame w3gs.Frame) {
	in := game.Input{Link: l.id, Bytes: len(frame)}
	switch op := frame.Op(); op {
	case w3gs.OpKeepalive:
		in.Kind, in.Sum = game.Keepalive, binary.LittleEndian.Uint32(frame.Body()[1:])
	case w3gs.OpOutgoingAction:
		in.Kind, in.Data = game.Action, frame.Body()[4:]
	default:
		packet := w3gs.New(op, w3gs.FromClient)
		if packet == nil {
			return
		}
		if err := packet.Decode(frame.Body()); err != nil {
			panic(err)
		}
		if in.Kind, in.Packet = game.Packet, packet; !l.joined {
			l.joined, in.Kind, in.Bytes = true, game.Join, 0
			in.Addr = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(l.id)}), 6112)
		}
	}
	if l.stream != nil {
		in.Bytes = l.stream.Count(l.at.Taken)
	}
	p.step(&in)
}

// flush writes what the sockets take.
func (p *process) flush() {
	for i, l := range p.links {
		if l == nil {
			continue
		}
		s := p.sockets[i]
		for n := min(len(l.at.Queue), s.room-len(s.out)); n > 0; n = 0 {
			p.point()
			s.out, s.written = append(s.out, l.at.Queue[:n]...), s.written+uint64(n)
			l.at.Queue = l.at.Queue[n:]
			l.moves++
			p.point()
		}
	}
}

// hold is as that of the host: before the first tick of the game.
func (p *process) hold() {
	for i, l := range p.links {
		s := p.sockets[i]
		at := l.at
		at.Written = s.written
		l.stream = p.ledger.Follow(l.id, at)
	}
	p.ledger.Head([]byte("{}"))
	p.held = true
}

// turn does what a host does in a pass.
func (p *process) turn() {
	for i := range p.sockets {
		for len(p.sockets[i].in) > 0 && p.links[i] != nil && !p.links[i].closing {
			p.receive(i)
		}
	}
	p.flush()
	if at, ok := p.m.Next(); ok && at <= p.now {
		if p.playing && !p.held {
			p.hold()
		}
		for _, l := range p.links {
			if l != nil && !l.closing && l.joined && (len(l.at.Queue) > 0 || l.reported) {
				l.reported = len(l.at.Queue) > 0
				p.step(&game.Input{Kind: game.Backlog, Link: l.id, Queued: len(l.at.Queue), Moves: l.moves})
			}
		}
		p.step(&game.Input{Kind: game.Tick})
	}
	p.flush()
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
			if do(*p); w.follow != nil && w.held {
				w.runAlong(p)
			}
		}()
		if *p != nil {
			return
		}
	}
}

// started is a game that runs and is held.
func started(seed uint64, fault fault, next func() int) (*world, *process, *rand.Rand) {
	w := &world{random: rand.New(rand.NewPCG(seed, 1)), fault: fault, left: next()}
	script := rand.New(rand.NewPCG(seed, 2))
	for range 3 {
		w.sockets = append(w.sockets, &socket{room: 1 << 20})
	}
	p := w.begin()
	join := func(i int, packets ...w3gs.Packet) {
		for _, packet := range packets {
			w.sockets[i].in = packet.AppendTo(w.sockets[i].in)
		}
		p.turn()
	}
	for i := range w.sockets {
		join(i, &w3gs.ReqJoin{Name: fmt.Sprintf("Player%d", i)}, &w3gs.MapSize{Flag: w3gs.MapHave, Size: 5000})
	}
	p.step(&game.Input{Kind: game.Command, Line: "start now", Caller: &command.Caller{Name: "console", Level: command.Root, Via: command.ViaConsole}})
	for !p.playing {
		w.now += 100 * time.Millisecond
		p.turn()
	}
	for i, s := range w.sockets {
		s.out, s.client = nil, s.out
		s.acked = len(s.client)
		s.room = 60 + script.IntN(400)
		join(i, &w3gs.LoadedSelf{})
	}
	return w, p, script
}

// play plays a game and returns what each client was sent. next says after how many steps
// the next process is killed.
func play(seed uint64, fault fault, next func() int) (streams [3][]byte, deaths int) {
	streams, w := playWith(seed, fault, next, nil)
	return streams, w.deaths
}

func playWith(seed uint64, fault fault, next func() int, follow *rand.Rand) (streams [3][]byte, w *world) {
	w, p, script := started(seed, fault, next)
	w.follow = follow
	var sending [3][]byte
	for n := range 40 {
		w.now += 50 * time.Millisecond
		for i, s := range w.sockets {
			sending[i] = append(sending[i], s.answer(script, n)...)
			cut := script.IntN(len(sending[i]) + 1)
			if n == 39 {
				cut = len(sending[i])
			}
			s.in, sending[i] = append(s.in, sending[i][:cut]...), sending[i][cut:]
		}
		w.run(&p, next, (*process).turn)
	}
	for range 100 { // what still waits
		for _, s := range w.sockets {
			s.drain(s.room)
		}
		w.run(&p, next, (*process).flush)
	}
	for i, s := range w.sockets {
		streams[i] = s.client
	}
	return streams, w
}

func (s *socket) drain(n int) {
	n = min(n, len(s.out))
	s.client, s.out = append(s.client, s.out[:n]...), s.out[n:]
}

// answer is what a client sends: acknowledgements of the turns that have come, actions, a
// line, and a packet that no host knows.
func (s *socket) answer(r *rand.Rand, n int) (b []byte) {
	s.drain(20 + r.IntN(200))
	for s.acked < len(s.client) {
		frame, rest, err := w3gs.Next(s.client[s.acked:], w3gs.MaxFrame)
		if err != nil {
			panic(err)
		}
		if frame == nil {
			break
		}
		s.acked = len(s.client) - len(rest)
		if turn := frame.Op() == w3gs.OpIncomingAction && binary.LittleEndian.Uint16(frame.Body()) > 0; turn {
			b = (&w3gs.Keepalive{Checksum: 7}).AppendTo(b)
		}
	}
	if r.IntN(3) > 0 && n > 2 {
		data := make([]byte, 1+r.IntN(60))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		b = (&w3gs.OutgoingAction{Data: data}).AppendTo(b)
	}
	switch r.IntN(20) {
	case 0:
		b = append(b, 0xF7, 0xFE, 6, 0, 1, 2)
	case 1:
		b = (&w3gs.PongToHost{Tick: uint32(n)}).AppendTo(b)
	}
	return b
}

// never kills nobody.
func never() int { return -1 }

// crash plays a game with and without deaths, and returns what differs.
func crash(seed uint64, fault fault, next func() int) (deaths int, err error) {
	deaths, _, err = crashWith(seed, fault, next, nil)
	return deaths, err
}

func crashWith(seed uint64, fault fault, next func() int, follow *rand.Rand) (deaths, taken int, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("seed %d: %v", seed, caught)
		}
	}()
	want, _ := play(seed, noFault, never)
	got, w := playWith(seed, fault, next, follow)
	for i := range want {
		if !bytes.Equal(want[i], got[i]) {
			at := 0
			for at < min(len(want[i]), len(got[i])) && want[i][at] == got[i][at] {
				at++
			}
			return w.deaths, w.taken, fmt.Errorf("seed %d: client %d got %d bytes and not %d; they differ from byte %d on", seed, i, len(got[i]), len(want[i]), at)
		}
	}
	return w.deaths, w.taken, nil
}

// random kills after a random number of steps, often soon after the last death.
func random(seed uint64) func() int {
	r := rand.New(rand.NewPCG(seed, 3))
	return func() int { return 1 + r.IntN(1<<(2+r.IntN(8))) }
}

func TestCrashes(t *testing.T) {
	deaths := 0
	for seed := range uint64(*seeds) {
		n, err := crash(seed, noFault, random(seed))
		if err != nil {
			t.Fatal(err)
		}
		deaths += n
	}
	if deaths < *seeds*5 {
		t.Errorf("only %d deaths in %d games", deaths, *seeds)
	}
	t.Logf("%d deaths in %d games", deaths, *seeds)
}

// A game that is run along and taken over, again and again, by processes that are also
// killed meanwhile.
func TestHandOver(t *testing.T) {
	deaths, taken := 0, 0
	for seed := range uint64(*seeds) {
		next := never
		if seed%2 == 0 {
			next = random(seed)
		}
		n, m, err := crashWith(seed, noFault, next, rand.New(rand.NewPCG(seed, 4)))
		if err != nil {
			t.Fatal(err)
		}
		deaths, taken = deaths+n, taken+m
	}
	if deaths < *seeds*2 || taken < *seeds*4 {
		t.Errorf("only %d deaths and %d games taken over", deaths, taken)
	}
	t.Logf("%d deaths, %d games taken over in %d games", deaths, taken, *seeds)
}

// One death at each step of one game, and nowhere else.
func TestCrashAtEveryStep(t *testing.T) {
	for step, deaths := 1, 1; deaths > 0 || step < 400; step += 1 + step/40 {
		first := true
		var err error
		if deaths, err = crash(1, noFault, func() int {
			if first {
				first = false
				return step
			}
			return -1
		}); err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
	}
}

// What the controls leave out is needed.
func TestControls(t *testing.T) {
	for name, fault := range map[string]fault{"flight": noFlight, "rest": noRest, "unsent": noUnsent, "new sockets": noNewSockets} {
		found := false
		for seed := uint64(0); seed < 400 && !found; seed++ {
			_, err := crash(seed, fault, random(seed))
			found = err != nil
		}
		if !found {
			t.Errorf("nothing differs without the %s", name)
		}
	}
}

// An action that ends the process is taken twice, once by the process that got it and once
// by the next; then it is left out, and the others play on.
func TestPoison(t *testing.T) {
	w, p, _ := started(1, noFault, never)
	next := func() int { return -1 }
	turn := func() {
		w.now += 100 * time.Millisecond
		w.run(&p, next, (*process).turn)
	}
	turn()
	w.poison = func(f game.Fact) bool {
		a, acted := f.(*game.Acted)
		return acted && bytes.Equal(a.Data, []byte("poison"))
	}
	w.sockets[1].in = (&w3gs.OutgoingAction{Data: []byte("poison")}).AppendTo(nil)
	turn()
	if w.deaths != 2 || !slices.Equal(w.skipped, []game.LinkID{2}) {
		t.Fatalf("%d deaths, left out of links %v", w.deaths, w.skipped)
	}
	for range 5 {
		turn()
	}
	p = nil // one more death, of something else: the action stays left out
	turn()
	if w.deaths != 2 || p.m.Over() || !slices.Equal(w.skipped, []game.LinkID{2, 2}) {
		t.Errorf("%d deaths, left out %v, over %v", w.deaths, w.skipped, p.m.Over())
	}
}

// A game in which the process dies by itself, again and again, is given up.
func TestPoisonedTick(t *testing.T) {
	w, p, _ := started(1, noFault, never)
	w.now += 100 * time.Millisecond
	w.run(&p, never, (*process).turn)
	w.poison = func(f game.Fact) bool { _, turned := f.(*game.Turned); return turned }
	defer func() {
		if fault := fmt.Sprint(recover()); fault != "the host has died in it 3 times in a row" || w.deaths != mostTries {
			t.Errorf("after %d deaths: %v", w.deaths, fault)
		}
	}()
	for range 10 {
		w.now += 100 * time.Millisecond
		w.run(&p, never, (*process).turn)
	}
}

// Whatever a note says, reading it ends.
func FuzzNote(f *testing.F) {
	f.Add(noteBase, []byte{1, 5, 5, 2, 'a', 'b', 'c'})
	f.Add(noteRest, []byte{1, 'a'})
	f.Add(noteDone, []byte{1, 3})
	f.Fuzz(func(_ *testing.T, number byte, text []byte) {
		v := &Rerun{Revived: &Revived{Links: map[game.LinkID]*Link{1: {ID: 1, Held: true}}}, written: map[game.LinkID]uint64{1: 100}}
		for range 2 {
			if v.note(number, text) != nil {
				return
			}
		}
	})
}
