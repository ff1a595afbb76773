package host

import (
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"w3host/game"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
)

// beatEvery bounds how long a packet of a running game stays unread in the kernel.
// Actions are read before each turn; chat, pongs and the lag screen can wait this long.
const beatEvery = 25 * time.Millisecond

// shard runs its games and their links on one goroutine: it waits for the next
// deadline or for a lobby's packet, reads what the game that is due has been
// sent, steps it and writes. Nothing in it waits, so no lock is needed and no
// goroutine is woken for a packet.
type shard struct {
	host *Host
	poll *poller
	base time.Time
	now  time.Duration // since base, at the last look

	cycles int // so far

	games     deadlines
	playing   []*Game // whose links are read at the beat
	beatAt    time.Duration
	links     int
	arriving  expiries // unjoined links
	lingering expiries // closing links
	dirty     []*link  // have queued something in the step at hand
	unread    []*link  // have sent more than one pass reads
	unwritten []*link  // have more to write than one pass writes
	spare     struct{ dirty, unread, unwritten []*link }
	due       bool    // turns that are due are being run
	touched   []*Game // have had input since their deadline was looked up
	stopping  bool
	incoming  []byte               // what one read takes
	buffers   [][]byte             // for packets; a link has one only while some wait
	codes     map[string]whispered // by account

	lateness lateness

	chunk  []byte // what map parts are framed in
	action w3gs.OutgoingAction
	alive  w3gs.Keepalive

	mu    sync.Mutex
	calls []func()
	over  bool // the poller is closed
	done  chan struct{}
}

func newShard(h *Host) (*shard, error) {
	s := &shard{
		host: h, base: time.Now(), done: make(chan struct{}), lateness: newLateness(), codes: map[string]whispered{},
		chunk:    make([]byte, 0, chunkLen+mapxfer.HeaderLen+mapxfer.PartLen),
		incoming: make([]byte, passRead),
	}
	var err error
	if s.poll, err = newPoller(s); err != nil {
		return nil, fmt.Errorf("cannot watch sockets: %w", err)
	}
	return s, nil
}

// call runs f on the shard's goroutine. After the end of the shard it does
// nothing.
func (s *shard) call(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	s.calls = append(s.calls, f)
	if len(s.calls) == 1 {
		s.poll.wake()
	}
}

// wait runs f on the shard's goroutine, and returns when it has; false: the shard
// has ended before. It must not be called on the shard.
func (s *shard) wait(f func()) bool {
	done := make(chan struct{})
	s.call(func() {
		defer close(done)
		f()
	})
	select {
	case <-done:
		return true
	case <-s.done:
		return false
	}
}

// run ends when the host stops and the last link is closed.
func (s *shard) run() {
	s.poll.run(s.cycle)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true // before the poller's descriptors are those of other files
	s.poll.close()
	close(s.done)
}

// cycle does what is due, and returns for how long there is nothing to do.
func (s *shard) cycle() (idle time.Duration, over bool) {
	s.cycles++
	s.runDue()
	s.beat()
	s.passExpired(&s.arriving, errJoinTimeout)
	s.passExpired(&s.lingering, nil)
	s.passUnread()
	s.passUnwritten()
	s.settle()
	return s.timeout(), s.stopping && s.links == 0 && len(s.games) == 0
}

// look reads the clock.
func (s *shard) look() { s.now = time.Since(s.base).Truncate(time.Microsecond) }

// timeout is how long there is nothing to do; negative: until something comes.
func (s *shard) timeout() time.Duration {
	if len(s.unread)+len(s.unwritten) > 0 {
		return 0
	}
	s.beatAt = never
	for _, g := range s.playing {
		s.beatAt = min(s.beatAt, g.readAt+beatEvery)
	}
	at := min(s.beatAt, s.games.next(), s.arriving.next(), s.lingering.next(), s.poll.again)
	if at == never {
		return -1
	}
	return max(at-time.Since(s.base), 0)
}

func (s *shard) runCalls() {
	s.mu.Lock()
	calls := s.calls
	s.calls = nil
	s.mu.Unlock()
	for _, f := range calls {
		f()
		s.punctual()
	}
	s.settle()
}

// punctual runs the turns that have become due during other work, such as many
// joins or downloads at once.
func (s *shard) punctual() {
	if s.due {
		return // runDue is under way
	}
	s.look()
	s.runDue()
}

// runDue ticks the games whose time has come. What others have queued meanwhile is
// written later, by settle.
func (s *shard) runDue() {
	s.due = true
	defer func() { s.due = false }()
	for len(s.games) > 0 && s.games[0].due <= s.now {
		g := s.games[0]
		s.poll.read(g)
		g.tick()
		g.flush()
		s.schedule()
		s.look()
	}
}

// beat reads the links of running games that have not been read for a while, and
// with the first of them those that follow soon.
func (s *shard) beat() {
	if s.now < s.beatAt {
		return
	}
	for i := 0; i < len(s.playing); i++ { // a game may end meanwhile
		if g := s.playing[i]; s.now-g.readAt >= beatEvery/2 {
			s.poll.read(g)
			s.punctual()
		}
	}
	s.settle()
}

// settle writes what has been queued, and looks up when the games that have had
// input want a tick.
func (s *shard) settle() {
	for len(s.touched) > 0 || len(s.dirty) > 0 { // a link that breaks is an input
		s.schedule()
		dirty := s.dirty
		s.dirty, s.spare.dirty = s.spare.dirty, nil
		for _, l := range dirty {
			if l.dirty { // else its turn has taken it along
				l.flush()
				s.punctual()
			}
		}
		clear(dirty)
		s.spare.dirty = dirty[:0]
	}
}

// schedule looks up when the games that have had input want a tick.
func (s *shard) schedule() {
	for i := 0; i < len(s.touched); i++ {
		s.touched[i].schedule()
	}
	clear(s.touched)
	s.touched = s.touched[:0]
}

// spareBuffers and spareBytes bound what is kept for the next packets.
const spareBuffers, spareBytes = 256, 4 << 10

func (s *shard) buffer() (b []byte) {
	if n := len(s.buffers) - 1; n >= 0 {
		b, s.buffers = s.buffers[n], s.buffers[:n]
	}
	return b
}

func (s *shard) recycle(b []byte) {
	if len(s.buffers) < spareBuffers && cap(b) <= spareBytes {
		s.buffers = append(s.buffers, b[:0])
	}
}

// turnedAway is what a connection reads that the gate does not let in.
var turnedAway = (&w3gs.RejectJoin{Reason: w3gs.RejectFull}).AppendTo(nil)

// arrive takes a new connection.
func (s *shard) arrive(sock socket, addr netip.AddrPort) *link {
	addr = netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port())
	l := &link{shard: s, sock: sock, addr: addr, person: new(person), out: outQueue{limit: s.host.opts.Limits.OutQueue}}
	s.links++
	if err := s.admit(addr.Addr()); err != nil {
		l.state = closing // the gate knows nothing of it
		l.refusal(zerolog.WarnLevel).AnErr("reason", err).Msg("connection refused")
		if err == errUnjoinedIP { // players who share an address are to know that it is not the line
			_, _ = l.sock.write(turnedAway)
		}
		l.cut(err)
		return l
	}
	l.stranger = true
	if s.stopping {
		l.cut(errHostStops)
		return l
	}
	s.arriving.add(l, s.now+s.host.opts.Limits.JoinTimeout)
	return l
}

// admit has the gate count a stranger. When the room for strangers is full, the one
// who has been silent for longest goes, or else the one whose last packets have been
// on their way for longest.
func (s *shard) admit(addr netip.Addr) error {
	err := s.host.gate.enter(addr)
	if err != errUnjoinedTotal {
		return err
	}
	if l := s.arriving.first(); l != nil {
		l.cut(errMadeRoom)
	} else if l := s.lingering.first(); l != nil {
		l.cut(nil)
	}
	return s.host.gate.enter(addr)
}

// known ends that the gate counts a link: it has a seat, or is closed.
func (l *link) known() {
	if l.stranger {
		l.stranger = false
		l.shard.host.gate.leave(l.addr.Addr())
	}
}

// ended does what remains of a link that was cut.
func (s *shard) ended(l *link, was linkState) {
	s.links--
	l.known()
	if was == unjoined {
		l.logUnjoined()
		return
	}
	if l.game != nil {
		l.game.lost(l)
	}
}

// stop ends everything in order: no new connections, no unjoined ones, then the
// games, which flush their last packets.
func (s *shard) stop() {
	s.stopping = true
	s.poll.stopListening()
	for l := s.arriving.first(); l != nil; l = s.arriving.first() {
		l.cut(errHostStops)
	}
	for _, g := range slices.Clone(s.games) {
		g.step(&game.Input{Kind: game.Stop, Why: game.HostStops.String()})
	}
}

// abandon ends what is left after Limits.Shutdown.
func (s *shard) abandon() {
	for _, g := range slices.Clone(s.games) {
		g.end()
	}
	for l := s.lingering.first(); l != nil; l = s.lingering.first() {
		l.cut(errHostStops)
	}
}

// drop forgets a game.
func (s *shard) drop(g *Game) {
	s.games.remove(g)
	s.playing = slices.DeleteFunc(s.playing, func(p *Game) bool { return p == g })
	s.poll.forget(g)
}
