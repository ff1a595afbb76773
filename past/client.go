package past

import (
	"errors"
	"fmt"
	"math"
	"time"

	"w3host/internal/allowance"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

const (
	// pingEvery is how often a client hears something while nothing else is sent.
	pingEvery = 5 * time.Second
	// silence ends a client that has turns to answer and does not.
	silence = 70 * time.Second
	// loadFor is how long loading may take.
	loadFor = 10 * time.Minute
	// lobbyFor is how long the map check may take.
	lobbyFor = time.Minute
	// afterEnd is how long the last line can be read.
	afterEnd = 10 * time.Second
	// readFor is the same for a refusal in the lobby.
	readFor = 8 * time.Second
	// perSecond packets may come, and burst at once, besides the answers to turns.
	perSecond, burst = 50, 200
	// apart is how many answers in a row may differ from the players'.
	apart = 50
)

// Why a client is put out, for the log.
var (
	errSilent  = errors.New("no answer for too long")
	errDiffers = errors.New("its game came out differently")
	ErrLeft    = errors.New("left")
	errFlood   = errors.New("too many packets a second")
	errRefused = errors.New("may not watch")
	errForged  = errors.New("more answers than turns")
)

// Options are the same for all clients of a tape.
type Options struct {
	Speed    Speed // at the beginning
	Language texts.Language
}

// Client is one newcomer. Its methods take the time, which never goes back, and append what
// is to be sent to Out.
type Client struct {
	Name string

	tape     *Tape
	state    state
	until    time.Duration // the state is over by then
	why      error         // it finishes
	hasWait  bool          // has read how long the beginning is away
	inGame   bool          // behind the lobby
	pingAt   time.Duration
	pace     pace
	lines    allowance.Allowance // what is said
	packets  allowance.Allowance // all but answers to turns
	language texts.Language
	refusal  texts.Text // what it reads instead of the game

	sent     int // parts
	answered int // parts, of which all turns before are answered
	waiting  int // turns that are sent and not answered
	heardAt  time.Duration
	compared int // hashes that were those of the players
	differ   int // hashes in a row that were not
	from     int // the part of the first of them
}

type state uint8

const (
	checking state = iota // the map
	waiting               // until the beginning may be shown
	loading
	watching
	finishing // a line is read, then it is out
)

const never = time.Duration(math.MaxInt64)

// Out is the result of a step.
type Out struct {
	Frames []byte // to be sent
	Said   string // to all others who watch
	End    bool   // the client is out when it has got the packets sent
	Why    error  // for the log; nil: the end of the record
}

// New makes a client whose 0x1E was taken, and greets it.
func New(now time.Duration, t *Tape, name string, external w3gs.SockAddr, o Options, out *Out) *Client {
	c := &Client{Name: name, tape: t, until: now + lobbyFor, pingAt: now + pingEvery, language: o.Language}
	c.pace.set(o.Speed)
	out.send(&w3gs.SlotInfoJoin{SlotTable: t.table, PID: t.Seat, External: external})
	for i := range t.others {
		out.send(&t.others[i])
	}
	out.send(&t.Check)
	return c
}

// Refuse has the client read in the lobby why it may not watch, before it is put out.
func (c *Client) Refuse(why texts.Text) { c.refusal, c.why = why, errRefused }

func (o *Out) send(p w3gs.Packet) { o.Frames = p.AppendTo(o.Frames) }

func (c *Client) enter(s state, until time.Duration) { c.state, c.until = s, until }

// Packet takes a packet of the client. Its actions in the game are thrown away.
func (c *Client) Packet(now time.Duration, f w3gs.Frame, out *Out) error {
	ours := f[0] == w3gs.Magic
	answers := ours && f.Op() == w3gs.OpKeepalive && c.waiting > 0
	switch {
	case !answers && c.packets.Take(now, time.Second/perSecond, burst*time.Second/perSecond) > 0:
		return errFlood
	case !ours: // of a proxy
		return nil
	}
	p, err := w3gs.Decode(f, w3gs.FromClient)
	switch {
	case errors.Is(err, w3gs.ErrUnknownOp):
		return nil
	case err != nil:
		return err
	}
	switch p := p.(type) {
	case *w3gs.LeaveGame:
		out.send(&w3gs.LeaveAck{})
		out.End, out.Why = true, ErrLeft
	case *w3gs.MapSize:
		if c.state == checking {
			c.checked(now, p.Size, out)
		}
	case *w3gs.LoadedSelf:
		if c.state == loading {
			c.loaded(now, out)
		}
	case *w3gs.Keepalive:
		return c.answer(now, p.Checksum, out)
	case *w3gs.ChatToHost:
		if c.state == watching && p.Flag == w3gs.ChatGame {
			c.hear(now, p.Text, out)
		}
	}
	return nil
}

// checked goes on with a client that has the map.
func (c *Client) checked(now time.Duration, size uint32, out *Out) {
	t := c.tape
	if !c.refusal.Empty() {
		c.say(c.refusal, out)
		c.enter(finishing, now+readFor)
		return
	}
	if size != t.Check.Size {
		c.say(texts.Of("You do not have this map: put %s into your Maps folder first.", w3gs.PlainLine(t.Check.Path)), out)
		c.enter(finishing, now+readFor)
		return
	}
	out.send(&w3gs.SlotInfo{SlotTable: t.table})
	c.say(texts.Of("You watch %s. What you do there changes nothing.", t.Game), out)
	c.enter(waiting, never)
	c.start(now, out)
}

// start begins the game when its beginning may be shown. A client that has loaded waits
// for its first turn no longer than for any other, so it waits in the lobby.
func (c *Client) start(now time.Duration, out *Out) {
	if len(c.tape.parts) == 0 {
		return
	}
	if wait := c.tape.parts[0].from - now; wait > 0 {
		if !c.hasWait {
			c.hasWait = true
			c.say(texts.Of("It begins in %v.", wait.Round(time.Second)), out)
		}
		return
	}
	out.send(&w3gs.CountdownStart{})
	out.send(&w3gs.CountdownEnd{})
	c.inGame = true
	c.enter(loading, now+loadFor)
}

// loaded begins the record.
func (c *Client) loaded(now time.Duration, out *Out) {
	out.send(&w3gs.GameLoaded{PID: c.tape.Seat})
	for i := range c.tape.others {
		out.send(&w3gs.GameLoaded{PID: c.tape.others[i].PID})
	}
	c.enter(watching, never)
	c.heardAt = now
	c.pace.begin(now)
	c.feed(now, out)
}

// answer takes the hash of the oldest turn that is not answered yet.
func (c *Client) answer(now time.Duration, hash uint32, out *Out) error {
	if c.waiting == 0 {
		if c.state == finishing {
			return nil
		}
		return errForged
	}
	for !c.tape.parts[c.answered].answered {
		c.answered++
	}
	p := &c.tape.parts[c.answered]
	c.answered++
	c.waiting--
	c.heardAt = now
	c.pace.answered(now)
	switch {
	case !p.hashed:
	case p.hash == hash:
		c.compared, c.differ = c.compared+1, 0
	default:
		if c.differ++; c.differ == 1 {
			c.from = c.answered - 1
		}
		if c.differ == apart && c.state == watching {
			at, turn := c.tape.parts[c.from].at, c.tape.turnOf(c.from)
			c.say(texts.Of("Your game came out differently at %s.", texts.Clock(at)), out)
			c.enter(finishing, now+afterEnd)
			c.why = fmt.Errorf("%w from turn %d on, at %s", errDiffers, turn, texts.Clock(at))
			return nil
		}
	}
	c.feed(now, out)
	return nil
}

// Compared is how many hashes were those of the players.
func (c *Client) Compared() int { return c.compared }

// At is the game time that the client has reached.
func (c *Client) At() time.Duration {
	if c.answered < len(c.tape.parts) {
		return c.tape.parts[c.answered].at
	}
	return c.tape.time
}

// feed sends the packets that the pace and the client's answers allow.
func (c *Client) feed(now time.Duration, out *Out) {
	if c.state != watching {
		return
	}
	c.pace.advance(now)
	t := c.tape
	for c.maySend() && t.parts[c.sent].at <= c.pace.allowed && t.parts[c.sent].from <= now && len(out.Frames) < MostBytes {
		out.Frames = append(out.Frames, t.frame(c.sent)...)
		if t.parts[c.sent].answered {
			c.waiting++
		}
		c.sent++
	}
	if c.sent < len(t.parts) {
		c.pace.hold(t.parts[c.sent].at)
	} else if (t.over || t.ended) && c.waiting == 0 {
		c.say(texts.Of("The record of this game ends here, at %s.", texts.Clock(t.time)), out)
		c.enter(finishing, now+afterEnd)
	}
}

// maySend reports whether there is something more, and the client has answered enough of its turns.
func (c *Client) maySend() bool {
	t := c.tape
	return c.sent < len(t.parts) && c.waiting < c.pace.turns && (c.waiting == 0 || t.begin(c.sent)-t.begin(c.answered) < MostBytes)
}

// Tick does the work that is due.
func (c *Client) Tick(now time.Duration, out *Out) {
	if now >= c.pingAt {
		c.pingAt = now + pingEvery
		out.send(&w3gs.PingFromHost{Tick: uint32(now / time.Millisecond)})
	}
	switch {
	case c.state == finishing && now >= c.until:
		c.leave(c.why, out)
	case c.state == waiting:
		c.start(now, out)
	case now >= c.until, c.state == watching && c.waiting > 0 && now >= c.heardAt+silence:
		c.leave(errSilent, out)
	default:
		c.feed(now, out)
	}
}

// Stop ends the game of a client, or its stay in the lobby.
func (c *Client) Stop(out *Out) { c.leave(c.why, out) }

// leave puts the client out.
func (c *Client) leave(why error, out *Out) {
	if c.inGame {
		out.send(&w3gs.GameOver{PID: c.tape.Seat})
	} else {
		out.send(&w3gs.KickPlayer{Reason: w3gs.LeaveLobby})
	}
	out.End, out.Why = true, why
}

// Next is when the client wants a tick.
func (c *Client) Next() time.Duration {
	at := min(c.pingAt, c.until)
	switch {
	case c.state == waiting && len(c.tape.parts) > 0:
		return min(at, c.tape.parts[0].from)
	case c.state != watching:
		return at
	}
	if c.waiting > 0 {
		at = min(at, c.heardAt+silence)
	}
	if c.maySend() {
		next := &c.tape.parts[c.sent]
		at = min(at, max(c.pace.next(next.at), next.from))
	}
	return at
}
