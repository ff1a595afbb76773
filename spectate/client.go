package spectate

import (
	"errors"
	"math"
	"time"

	"w3host/internal/allowance"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

const (
	// pingEvery is the interval of pings to a client.
	pingEvery = 5 * time.Second
	// silence is how long a client may leave turns unanswered before it is removed.
	silence = 70 * time.Second
	// loadFor is the time limit for loading the map.
	loadFor = 10 * time.Minute
	// lobbyFor is the time limit for the map check.
	lobbyFor = time.Minute
	// meetFor is how long the host waits for a client's 0x59 after the map check.
	meetFor = 2 * time.Second
	// afterEnd is how long a client may read the last line in the game.
	afterEnd = 10 * time.Second
	// readFor is how long a client may read a refusal in the lobby.
	readFor = 8 * time.Second
	// perSecond and burst limit a client's packets, not counting answers to turns.
	perSecond, burst = 50, 200
	// apart is the number of consecutive differing answers after which a client is removed.
	apart = 50
)

// Reasons for removing a client, for the log.
var (
	errSilent  = errors.New("no answer for too long")
	errDiffers = errors.New("its game came out differently")
	ErrLeft    = errors.New("left")
	errFlood   = errors.New("too many packets a second")
	errRefused = errors.New("may not watch")
	errForged  = errors.New("it acknowledged more turns than it was sent")
)

// Options are settings shared by all clients of a game.
type Options struct {
	Speed    Speed // initial speed
	Language texts.Language
}

// Client is one spectator of a recorded game. Its methods take the time, which must not decrease, and append
// their output to an Out. It is not safe for concurrent use.
type Client struct {
	Name string

	recording *Recording
	state     state
	until     time.Duration // deadline of the current state
	why       error         // reason for state finishing
	met       meeting
	hasWait   bool // the client has been told when the game begins
	inGame    bool // the client has been sent from the lobby into the game
	pingAt    time.Duration
	pace      pace
	lines     allowance.Allowance // rate limit for chat lines
	packets   allowance.Allowance // rate limit for packets except answers to turns
	language  texts.Language
	refusal   texts.Text // shown instead of the game

	sent     int // number of parts sent
	answered int // all turns in the parts before this index are answered
	waiting  int // number of turns sent but not answered
	heardAt  time.Duration
	compared int // number of hashes that matched those of the players
	differ   int // consecutive hashes that did not match
	from     int // index of the part with the first of them
}

type state uint8

const (
	checking state = iota // checking the map
	greeting              // waiting for the client's 0x59 (1.32 and later)
	waiting               // waiting until the beginning of the game may be shown
	counting              // between 0x0A and 0x0B (1.32 and later)
	loading
	watching
	finishing // reading a last line before removal
)

const never = time.Duration(math.MaxInt64)

// Out is the output of a call.
type Out struct {
	Frames []byte // packets to send to the client
	Said   string // chat line for all other spectators
	End    bool   // close the connection after sending Frames
	Why    error  // reason for the log; nil at the end of the recording
}

// New returns a Client whose 0x1E was accepted, and sends it the lobby.
func New(now time.Duration, t *Recording, name string, external w3gs.SockAddr, o Options, out *Out) *Client {
	c := &Client{Name: name, recording: t, until: now + lobbyFor, pingAt: now + pingEvery, language: o.Language}
	c.pace.set(o.Speed)
	out.send(&w3gs.SlotInfoJoin{SlotTable: t.table, PID: t.Seat, External: external})
	if t.Version.Reforged() {
		out.send(&w3gs.SlotInfo{SlotTable: t.table})
	}
	for i := range t.others {
		out.send(&t.others[i])
	}
	for _, e := range t.profiles {
		out.send(e)
	}
	out.send(&t.Check)
	return c
}

// Refuse makes the client read in the lobby why it may not watch, before it is removed.
func (c *Client) Refuse(why texts.Text) { c.refusal, c.why = why, errRefused }

func (o *Out) send(p w3gs.Packet) { o.Frames = p.AppendTo(o.Frames) }

func (c *Client) enter(s state, until time.Duration) { c.state, c.until = s, until }

// Packet processes a packet of the client. Game actions are ignored.
func (c *Client) Packet(now time.Duration, f w3gs.Frame, out *Out) error {
	ours := f[0] == w3gs.Magic
	answers := ours && f.Op() == w3gs.OpKeepalive && c.waiting > 0
	switch {
	case !answers && c.packets.Take(now, time.Second/perSecond, burst*time.Second/perSecond) > 0:
		return errFlood
	case !ours: // from a GProxy++
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
		if c.recording.Version.StrayLeaves() && (c.state == counting || c.state == loading) {
			return nil // ignored: only the end of the connection counts
		}
		out.send(&w3gs.LeaveAck{})
		out.End, out.Why = true, ErrLeft
	case *w3gs.MapSize:
		if c.state == checking {
			c.checked(now, p.Size, out)
		}
	case *w3gs.PlayerExtra:
		c.meet(now, p, out)
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

// checked continues with a client that has answered the map check.
func (c *Client) checked(now time.Duration, size uint32, out *Out) {
	t := c.recording
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
	if t.Version.Reforged() && !c.hasMet() {
		c.enter(greeting, now+meetFor)
		return
	}
	c.welcome(now, out)
}

// welcome greets a client that has the map and knows all players, and starts the game if possible.
func (c *Client) welcome(now time.Duration, out *Out) {
	t := c.recording
	out.send(&w3gs.SlotInfo{SlotTable: t.table})
	c.say(texts.Of("You are watching %s. Your actions do not affect the game.", t.Game), out)
	c.enter(waiting, never)
	c.start(now, out)
}

// start starts the game once its beginning may be shown. Until then the client waits in the lobby, because a
// client that has loaded gives up if its first turn is late.
func (c *Client) start(now time.Duration, out *Out) {
	if len(c.recording.parts) == 0 {
		return
	}
	if wait := c.recording.parts[0].from - now; wait > 0 {
		if !c.hasWait {
			c.hasWait = true
			c.say(texts.Of("It begins in %v.", wait.Round(time.Second)), out)
		}
		return
	}
	if delay := c.recording.Version.StartDelay(); delay > 0 {
		out.send(&w3gs.SlotInfo{SlotTable: c.recording.table})
		out.send(&w3gs.CountdownStart{})
		c.enter(counting, now+delay)
		return
	}
	out.send(&w3gs.CountdownStart{})
	c.load(now, out)
}

// load makes the client load the map. Clients of 1.32 and later are told immediately that all others have loaded.
func (c *Client) load(now time.Duration, out *Out) {
	out.send(&w3gs.CountdownEnd{})
	c.inGame = true
	if c.recording.Version.Reforged() {
		c.othersLoaded(out)
	}
	c.enter(loading, now+loadFor)
}

// othersLoaded tells the client that all other players have loaded.
func (c *Client) othersLoaded(out *Out) {
	for i := range c.recording.others {
		out.send(&w3gs.GameLoaded{PID: c.recording.others[i].PID})
	}
}

// Tick performs all due work.
func (c *Client) Tick(now time.Duration, out *Out) {
	if now >= c.pingAt {
		c.pingAt = now + pingEvery
		out.send(&w3gs.PingFromHost{Tick: uint32(now / time.Millisecond)})
	}
	switch {
	case c.state == finishing && now >= c.until:
		c.leave(c.why, out)
	case c.state == greeting && now >= c.until:
		c.welcome(now, out)
	case c.state == waiting:
		c.start(now, out)
	case c.state == counting && now >= c.until:
		c.load(now, out)
	case now >= c.until, c.state == watching && c.waiting > 0 && now >= c.heardAt+silence:
		c.leave(errSilent, out)
	default:
		c.feed(now, out)
	}
}

// Stop ends the client's game or its stay in the lobby.
func (c *Client) Stop(out *Out) { c.leave(c.why, out) }

// leave removes the client.
func (c *Client) leave(why error, out *Out) {
	if c.inGame {
		out.send(&w3gs.GameOver{PID: c.recording.Seat})
	} else {
		out.send(&w3gs.KickPlayer{Reason: w3gs.LeaveLobby})
	}
	out.End, out.Why = true, why
}

// Next returns when Tick is due.
func (c *Client) Next() time.Duration {
	at := min(c.pingAt, c.until)
	switch {
	case c.state == waiting && len(c.recording.parts) > 0:
		return min(at, c.recording.parts[0].from)
	case c.state != watching:
		return at
	}
	if c.waiting > 0 {
		at = min(at, c.heardAt+silence)
	}
	if c.maySend() {
		next := &c.recording.parts[c.sent]
		at = min(at, max(c.pace.next(next.at), next.from))
	}
	return at
}
