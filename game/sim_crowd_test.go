package game

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"w3host/command"
	"w3host/lobby"
	"w3host/mapxfer"
	"w3host/rating"
	gamesync "w3host/sync"
	"w3host/w3gs"
)

// crowd plays one game at random: it is the clients, the host and the operator.
// It answers what comes out of the machine, after a while.
type crowd struct {
	r           *rand.Rand
	now         time.Duration
	lastID      LinkID
	players     map[LinkID]*actor
	order       []LinkID // of players, so that the same seed plays the same game
	bySeat      map[uint8]*actor
	pending     []later // by time
	ready       []Input // at once
	err         error   // what a client or proxy may not see
	conns       map[LinkID]*conn
	forfeited   map[*wire]bool
	history     []uint32 // of the game, as the client saw it who saw most
	resumed     int
	machineOver bool
	reconnect   Reconnect
	mapSize     uint32
	playing     bool
	patient     bool // nobody leaves before the start, so that games do start
}

// actor is one client.
type actor struct {
	link  LinkID
	pid   uint8
	name  string
	has   uint32 // bytes of the map
	delay time.Duration
	turns uint32
	crc   uint32 // its picture of the game
	liar  bool
	gone  bool
	said  time.Duration // nothing is said before what was said then
	wire  *wire         // nil: no proxy
	join  Input
	empty uint32 // empty 0x0C since the last turn
	parts []byte // of 0x48 so far
	plays bool
	seen  []uint32
}

// later is an input that will come.
type later struct {
	at time.Duration
	in Input
	do func() // instead of in
}

func simConfig(r *rand.Rand) Config {
	cfg := Config{
		ID: 1 + r.Uint32N(1000), Name: "sim", Version: 26, Program: "w3host", Trigger: '!',
		Silence: time.Minute,
		Lobby:   lobby.Defaults(), Turns: gamesync.Defaults(),
		Transfer: mapxfer.Defaults(),
	}
	cfg.Transfer.Size, cfg.Transfer.MaxDownloaders = 4000+r.Uint32N(40000), r.IntN(3)
	cfg.Lobby.OwnerFirst = r.IntN(4) > 0
	slots := 2 + r.IntN(11)
	for i := range slots {
		cfg.Lobby.Slots = append(cfg.Lobby.Slots, w3gs.Slot{
			Download: w3gs.DownloadUnknown, Team: uint8(i), Colour: uint8(i),
			Race: w3gs.RaceRandom | w3gs.RaceSelectable, AI: w3gs.AINormal, Handicap: 100,
		})
	}
	cfg.Lobby.PlayerSlots = uint8(slots)
	cfg.Lobby.RandomSeed = r.Uint32()
	cfg.Lobby.Observers = r.IntN(2) == 0
	cfg.Lobby.MapCheck.Size = cfg.Transfer.Size
	cfg.Lobby.Countdown = r.IntN(3)
	if r.IntN(3) == 0 {
		cfg.Lobby.Welcome = []string{"welcome"}
	}
	switch r.IntN(4) {
	case 0:
		cfg.Lobby.AutoStartFull = true
	case 1:
		cfg.Lobby.AutoStart = 1 + r.IntN(slots)
	}
	if r.IntN(4) == 0 {
		cfg.Transfer.Mode = mapxfer.Mode(r.IntN(3))
	}
	cfg.Turns.Period = time.Duration(20+10*r.IntN(20)) * time.Millisecond
	cfg.Turns.SyncLimit = 3 + r.IntN(20)
	cfg.Turns.LoadInGame = r.IntN(4) == 0
	cfg.Turns.LagReset = time.Duration(1+r.IntN(60)) * time.Second
	cfg.Turns.ObserversNeverStop = r.IntN(2) == 0
	cfg.Turns.LastPlayer = time.Duration(1+r.IntN(5)) * time.Second
	cfg.Turns.DropAfter = time.Duration(2+r.IntN(10)) * time.Second
	cfg.Turns.LoadTimeout = time.Duration(5+r.IntN(20)) * time.Second
	cfg.Votes = Votes{Share: 30 + r.IntN(70), Time: time.Duration(2+r.IntN(20)) * time.Second, Cooldown: time.Second}
	if r.IntN(2) == 0 {
		cfg.Cooldown = Cooldown{Burst: 1 + r.IntN(4), Every: time.Duration(1+r.IntN(3)) * time.Second, Query: 5 * time.Second}
	}
	cfg.Unlisted = r.IntN(4) == 0
	if r.IntN(2) == 0 {
		n := r.IntN(4)
		cfg.Reconnect = Reconnect{
			Wait: time.Duration(n+1) * time.Duration(1+r.IntN(3)) * time.Second, Empties: n,
			ExtendedWait: time.Duration(1+r.IntN(8)) * time.Second, Silence: 12 * time.Second,
		}
	}
	return cfg
}

func newCrowd(r *rand.Rand, cfg *Config) *crowd {
	c := &crowd{
		r: r, players: map[LinkID]*actor{}, bySeat: map[uint8]*actor{}, mapSize: cfg.Transfer.Size,
		reconnect: cfg.Reconnect, conns: map[LinkID]*conn{}, forfeited: map[*wire]bool{}, patient: r.IntN(4) > 0,
	}
	joins := 1 + r.IntN(len(cfg.Lobby.Slots)+2)
	for range joins {
		c.join()
	}
	if r.IntN(3) == 0 {
		c.console(500*time.Millisecond, "fakeplayer")
		c.console(4*time.Second, "pause")
		c.console(6*time.Second, "resume")
	}
	for range r.IntN(6) {
		c.console(time.Duration(r.IntN(20000))*time.Millisecond, c.line())
	}
	c.console(time.Duration(r.IntN(3000))*time.Millisecond+2*time.Second, "start force")
	c.after(time.Duration(15+r.IntN(20))*time.Second, Input{Kind: Stop, Why: "the end"})
	return c
}

// console has the operator type a line.
func (c *crowd) console(after time.Duration, line string) {
	c.after(after, Input{Kind: Command, Line: line, Caller: &command.Caller{Name: "console", Level: command.Root, Via: command.ViaConsole}})
}

func (c *crowd) join() {
	c.lastID++
	a := &actor{link: c.lastID, name: fmt.Sprintf("p%d", c.lastID), delay: time.Duration(1+c.r.IntN(120)) * time.Millisecond}
	if c.r.IntN(20) == 0 {
		a.name = "" // refused
	}
	a.has = c.mapSize
	if c.reconnect.Wait > 0 && c.r.IntN(2) == 0 {
		c.newWire(a)
	} else if c.r.IntN(5) == 0 {
		a.has = 0
	}
	a.liar = c.r.IntN(100) == 0
	c.players[a.link] = a
	c.order = append(c.order, a.link)
	in := Input{
		Kind: Join, Link: a.link, Packet: &w3gs.ReqJoin{Name: a.name, ListenPort: 6112, JoinCounter: 1},
		Addr: a.addr(),
	}
	if c.r.IntN(40) == 0 {
		in.Banned = "rude"
	}
	if c.r.IntN(4) == 0 {
		in.Realm, in.Vouched = "Home", c.r.IntN(4) == 0
	}
	a.join = in
	at := time.Duration(c.r.IntN(1500)) * time.Millisecond
	if a.wire != nil {
		c.later(at, func() { a.wire.fromClient(c, in.Packet.AppendTo(nil)) })
		return
	}
	c.after(at, in)
	if c.r.IntN(4) > 0 {
		c.after(time.Duration(c.r.IntN(3000))*time.Millisecond, Input{Kind: Rated, Link: a.link, Skill: rating.Skill{Mu: 50 * c.r.Float64(), Sigma: 1 + c.r.Float64()}})
	}
	if in.Realm != "" {
		c.after(time.Duration(c.r.IntN(9000))*time.Millisecond, Input{Kind: Vouch, Link: a.link, Level: command.Admin})
	}
}

// after puts an input off. Inputs of one link keep their order.
func (c *crowd) after(d time.Duration, in Input) {
	c.put(later{at: c.now + d.Truncate(clock), in: in})
}

func (c *crowd) put(l later) {
	in := &l.in
	i := len(c.pending)
	for i > 0 && c.pending[i-1].at > l.at && (in.Link == 0 || c.pending[i-1].in.Link != in.Link) {
		i--
	}
	if i > 0 && c.pending[i-1].at > l.at {
		l.at = c.pending[i-1].at
	}
	c.pending = append(c.pending, later{})
	copy(c.pending[i+1:], c.pending[i:])
	c.pending[i] = l
}

func (c *crowd) say(a *actor, p w3gs.Packet) {
	if a.wire != nil {
		frame := p.AppendTo(nil)
		at := max(c.now+a.delay.Truncate(clock), a.said)
		a.said = at
		c.put(later{at: at, do: func() { a.wire.fromClient(c, frame) }})
		return
	}
	switch p := p.(type) {
	case *w3gs.OutgoingAction:
		c.after(a.delay, Input{Kind: Action, Link: a.link, Data: p.Data})
	case *w3gs.Keepalive:
		c.after(a.delay, Input{Kind: Keepalive, Link: a.link, Sum: p.Checksum})
	default:
		c.after(a.delay, Input{Kind: Packet, Link: a.link, Packet: p})
	}
}

// watch lets the clients see what came out, and think of answers.
func (c *crowd) watch(out *Out) {
	for i := range out.Ops {
		op := &out.Ops[i]
		c.carryOut(op)
		switch op.Kind {
		case Seat:
			a := c.players[op.Link]
			if a == nil {
				continue // came back
			}
			a.pid = op.PID
			c.bySeat[op.PID] = a
			if !c.playing {
				c.say(a, &w3gs.MapSize{Flag: w3gs.MapHave, Size: a.has})
			}
		case Close, Cut:
			if a := c.players[op.Link]; a != nil {
				a.gone = a.wire == nil || !c.playing
				if op.Kind == Cut && a.wire == nil {
					c.after(a.delay, Input{Kind: Lost, Link: a.link, Why: "cut"})
				}
			}
		case Parts:
			if a := c.bySeat[op.PID]; a != nil && !a.gone && op.At <= a.has {
				a.has = max(a.has, op.End)
				c.say(a, &w3gs.MapPartOK{To: op.From, From: a.pid, Size: a.has})
			}
		case Play:
			c.playing = true
			for _, a := range c.seated() {
				if a.wire != nil && a.wire.offered {
					a.wire.line.Keep(64 << 10)
				}
				if a.wire == nil {
					c.say(a, &w3gs.LoadedSelf{})
				}
			}
		case Send, SendLast:
			for pid := range op.To.All() {
				if a := c.bySeat[pid]; a == nil || a.gone {
				} else if a.wire != nil {
					c.hostSends(a.wire, op.Frame)
				} else {
					c.receive(a, op.Frame)
				}
			}
		}
	}
}

// seated walks the actors that have a seat, in the order of their pids.
func (c *crowd) seated() func(yield func(uint8, *actor) bool) {
	return func(yield func(uint8, *actor) bool) {
		for pid := range uint8(w3gs.MaxPID + 1) {
			if a := c.bySeat[pid]; a != nil && !a.gone && !yield(pid, a) {
				return
			}
		}
	}
}

func (c *crowd) receive(a *actor, frames []byte) {
	for len(frames) > 0 {
		frame, rest, err := w3gs.Next(frames, w3gs.MaxFrame)
		if err != nil || frame == nil {
			return // the referee says so
		}
		frames = rest
		switch frame.Op() {
		case w3gs.OpPingFromHost:
			p := new(w3gs.PingFromHost)
			_ = p.Decode(frame.Body())
			c.say(a, &w3gs.PongToHost{Tick: p.Tick})
		case w3gs.OpIncomingAction:
			p := new(w3gs.IncomingAction)
			_ = p.Decode(frame.Body())
			if p.IncrementMillis == 0 {
				a.empty++
				break
			}
			c.saw(a, crc32.Update(uint32(p.IncrementMillis)<<8+a.empty, crc32.IEEETable, append(a.parts, p.Actions...)))
			a.parts, a.empty = nil, 0
			a.crc = crc32.Update(a.crc, crc32.IEEETable, p.Actions)
			a.turns++
			sum := a.crc
			if a.liar && c.r.IntN(20) == 0 {
				sum++
			}
			c.say(a, &w3gs.Keepalive{Checksum: sum})
		case w3gs.OpIncomingAction2:
			p := new(w3gs.IncomingAction2)
			_ = p.Decode(frame.Body())
			a.crc = crc32.Update(a.crc, crc32.IEEETable, p.Actions)
			a.parts = append(a.parts, p.Actions...)
		case w3gs.OpCountdownEnd:
			if a.plays = true; a.wire != nil {
				c.say(a, &w3gs.LoadedSelf{}) // not before its 0x0B is there
			}
		case w3gs.OpPlayerLeave:
			a.crc = crc32.Update(a.crc, crc32.IEEETable, frame.Body()[:1])
			if a.plays {
				c.saw(a, leaveMark(frame.Body()[0]))
			}
		case w3gs.OpStartLag:
			if c.r.IntN(3) == 0 {
				c.say(a, &w3gs.DropReq{})
			}
		}
	}
}

// stir does something nobody waits for.
func (c *crowd) stir() {
	if len(c.order) == 0 {
		return
	}
	a := c.players[c.order[c.r.IntN(len(c.order))]]
	if a.pid == 0 || a.gone {
		return
	}
	if c.playing {
		c.stirPlay(a)
	} else {
		c.stirLobby(a)
	}
}

func (c *crowd) stirLobby(a *actor) {
	switch n := c.r.IntN(30); {
	case n < 6:
		c.say(a, c.chat(a, w3gs.ChatLobby, "hello"))
	case n < 10:
		c.say(a, c.chat(a, w3gs.ChatLobby, "!"+c.line()))
	case n < 20:
		flags := []w3gs.ChatFlag{w3gs.ChatTeam, w3gs.ChatColour, w3gs.ChatRace, w3gs.ChatHandicap}
		p := c.chat(a, flags[c.r.IntN(4)], "")
		p.Value = []uint8{0, 1, 3, 12, 2, 4, 8, 32, 50, 100, uint8(c.r.IntN(256))}[c.r.IntN(11)]
		c.say(a, p)
	case n == 20 && !c.patient:
		c.say(a, &w3gs.LeaveGame{Reason: w3gs.LeaveLobby})
	case n == 21 && !c.patient:
		c.lose(a)
	case n == 22:
		c.say(a, &w3gs.MapPartNotOK{From: a.pid, To: a.pid})
	case n == 23:
		c.after(0, Input{Kind: Backlog, Link: a.link, Figures: mapxfer.Figures{
			Queued: c.r.IntN(5000), Unacked: c.r.IntN(5000), RTT: time.Duration(c.r.IntN(200)) * time.Millisecond,
			MinRTT: time.Duration(1+c.r.IntN(20)) * time.Millisecond,
		}})
	case n == 24:
		c.after(0, Input{Kind: HostLate, By: time.Duration(c.r.IntN(20)) * time.Millisecond})
	case n == 26:
		c.tell(a)
	case n == 25 && c.r.IntN(4) == 0:
		c.after(0, Input{Kind: Ban, Link: a.link, Why: "late"})
	}
}

func (c *crowd) stirPlay(a *actor) {
	if a.wire != nil && c.r.IntN(12) == 0 {
		c.cutWire(a.wire)
		if c.r.IntN(4) == 0 { // several at once
			for _, other := range c.seated() {
				if other.wire != nil {
					c.cutWire(other.wire)
				}
			}
		}
		return
	}
	switch n := c.r.IntN(100); {
	case n < 80:
		size := 1 + c.r.IntN(30)
		if c.r.IntN(20) == 0 {
			size = 900
		}
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(c.r.Uint32())
		}
		c.say(a, &w3gs.OutgoingAction{Data: data})
	case n < 84:
		p := c.chat(a, w3gs.ChatGame, "gg")
		p.Scope = w3gs.ChatScope(c.r.IntN(3))
		c.say(a, p)
	case n < 88:
		line := c.line()
		if c.r.IntN(2) == 0 {
			line = votes[c.r.IntN(len(votes))]
		}
		c.say(a, c.chat(a, w3gs.ChatGame, "!"+line))
	case n < 90:
		c.say(a, &w3gs.LeaveGame{Reason: w3gs.LeaveLost})
	case n < 93:
		c.lose(a)
	case n < 95:
		a.delay = time.Duration(1+c.r.IntN(4000)) * time.Millisecond // lags
	case n < 97:
		c.after(0, Input{Kind: Backlog, Link: a.link, Queued: c.r.IntN(50000)})
	case n < 98:
		c.after(0, Input{Kind: Beat, By: time.Duration(c.r.IntN(100)) * time.Millisecond})
	case n == 98:
		c.now += time.Duration(c.r.IntN(3000)) * time.Millisecond // the host is suspended
	case n == 99:
		c.tell(a)
	}
}

// lose ends a link. Where there is a proxy it is cut, and comes back.
func (c *crowd) lose(a *actor) {
	if a.wire != nil && c.playing {
		c.cutWire(a.wire)
		return
	}
	if a.wire != nil {
		c.hostLoses(a.wire.own, "reset")
		c.proxyLoses(a.wire.own)
	} else {
		c.after(0, Input{Kind: Lost, Link: a.link, Why: "reset"})
	}
	a.gone = true
}

func (c *crowd) chat(a *actor, flag w3gs.ChatFlag, text string) *w3gs.ChatToHost {
	p := &w3gs.ChatToHost{Chat: w3gs.Chat{From: a.pid, Flag: flag, Text: text}}
	for pid := range c.seated() {
		p.To = append(p.To, pid)
	}
	if p.To == nil {
		p.To = []uint8{a.pid}
	}
	return p
}

// lines are commands, right and wrong; N is a number.
var lines = strings.Split("swap N 1|open N|close N|comp N|kick pN|mute pN|start force|abort|shuffle|owner pN|latency N0|"+
	"synclimit N|fakeplayer|deletefp|help|help kick|ping|openall|closeall|say hi|drop|end|hold pN|unhold pN|autostart N|"+
	"autostart off|autostart 2 balanced|balance|rank|team pN 2|colour pN 3|race pN orc|handicap pN 70|obs pN|hcl ab|clearhcl|download pN|downloads on|"+
	"muteall|unmuteall|version|nonsense|start now|kick|ping 3000|votekick pN|yes|no|ban pN 1h|banlast|stats|check pN|from|ff|draw|ready|unready|autostart ready 1|messages off|lock|unlock|announce 10 x|pin x|priv|pub N|rename N|unban pN|journal|checkme|rules", "|")

// votes are what players decide together, and what the owner does in a game.
var votes = strings.Split("rmk|rmk|yes|yes|yes|no|ff|draw|votekick p2|pause|resume", "|")

// tell has the host say something to a player alone, who may be another by now.
func (c *crowd) tell(a *actor) {
	c.after(time.Duration(c.r.IntN(500))*time.Millisecond, Input{Kind: Tell, Caller: &command.Caller{PID: a.pid, Name: a.name}, Line: fmt.Sprintf("secret of %d", a.pid)})
}

func (c *crowd) line() string {
	return strings.ReplaceAll(lines[c.r.IntN(len(lines))], "N", strconv.Itoa(1+c.r.IntN(13)))
}
