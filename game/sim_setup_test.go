package game

import (
	"fmt"
	"math/rand/v2"
	"time"

	"w3host/game/command"
	"w3host/lobby"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
	"w3host/rating"
	gamesync "w3host/sync"
)

func simConfig(r *rand.Rand) Config {
	cfg := Config{
		ID: 1 + r.Uint32N(1000), Name: "sim", Version: 26, Program: "w3host", Trigger: '!',
		Silence: time.Minute,
		Lobby:   lobby.Defaults(), Turns: gamesync.Defaults(),
		Transfer: mapxfer.Defaults(),
	}
	cfg.Transfer.Size, cfg.Transfer.MaxDownloaders = 4000+r.Uint32N(40000), r.IntN(3)
	cfg.Lobby.Owner.First = r.IntN(4) > 0
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
	cfg.Lobby.Countdown.Lines = r.IntN(3)
	if r.IntN(3) == 0 {
		cfg.Lobby.Voice.Welcome = []string{"welcome"}
	}
	switch r.IntN(4) {
	case 0:
		cfg.Lobby.Start.Full = true
	case 1:
		cfg.Lobby.Start.Humans = 1 + r.IntN(slots)
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
	cfg.Turns.Adaptive.On = r.IntN(5) == 0
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
	if c.end = 15*time.Second + c.upTo(20*time.Second); c.chance(10) {
		c.end += c.upTo(90 * time.Second)
	}
	if c.chance(2) {
		c.jitter = c.upTo(80 * time.Millisecond)
	}
	joins := 1 + r.IntN(len(cfg.Lobby.Slots)+2)
	for range joins {
		c.join(cfg)
	}
	c.desync()
	c.operate(cfg)
	return c
}

// operate is what the operator types, and how the game ends.
func (c *crowd) operate(cfg *Config) {
	r := c.r
	if r.IntN(3) == 0 {
		c.console(500*time.Millisecond, "fakeplayer")
		c.console(4*time.Second, "pause")
		c.console(6*time.Second, "resume")
	}
	for range r.IntN(6) {
		c.console(time.Duration(r.IntN(20000))*time.Millisecond, c.line())
	}
	c.console(time.Duration(r.IntN(3000))*time.Millisecond+2*time.Second, "start force")
	if cfg.Lobby.Observers && c.chance(2) {
		for _, id := range c.order {
			if a := c.players[id]; c.chance(3) {
				c.console(1600*time.Millisecond+c.upTo(time.Second), "obs "+a.name)
				if c.chance(4) {
					a.delay, a.salt, a.saltFrom = time.Second+c.upTo(3*time.Second), 3, 30+c.r.Uint32N(100)
				}
			}
		}
	}
	for _, line := range []string{"latency 20", "latency 333", "synclimit 2", "synclimit 30", "drop", "drop"} {
		if c.chance(6) {
			c.console(c.upTo(c.end), line)
		}
	}
	if c.chance(4) {
		within := c.upTo(5 * time.Second)
		for _, id := range c.order {
			a := c.players[id]
			c.later(c.end+c.upTo(within), func() { c.say(a, &w3gs.LeaveGame{Reason: w3gs.LeaveWon}) })
		}
	}
	c.after(c.end+time.Duration(r.IntN(2))*10*time.Second, Input{Kind: Stop, Why: "the end"})
}

// desync lets players go their own way from some turn on, alone or together.
func (c *crowd) desync() {
	for _, id := range c.order {
		if a := c.players[id]; (a.stalls != nil || a.frozen != nil) && c.chance(8) {
			a.salt, a.saltFrom = 3, 1+c.r.Uint32N(250)
		}
	}
	for c.chance(6) {
		salt, from := 1+c.r.Uint32N(2), 1+c.r.Uint32N(250)
		for _, id := range c.order {
			if a := c.players[id]; a.salt == 0 && c.chance(3) {
				a.salt, a.saltFrom = salt, from
			}
		}
	}
}

// trouble is what goes wrong with a client, its computer and its line.
func (c *crowd) trouble(a *actor, cfg *Config) {
	if a.loads = c.upTo(3 * time.Second); c.chance(2) {
		a.loads = 0
	} else if c.chance(10) {
		a.loads = c.upTo(3 * cfg.Turns.LoadTimeout)
	}
	for c.chance(6) {
		from := c.upTo(c.end)
		w := window{from, from + c.upTo(2*cfg.Turns.DropAfter)}
		switch c.r.IntN(5) {
		case 0, 1:
			a.frozen = append(a.frozen, w)
		case 2, 3:
			a.stalls = append(a.stalls, w)
		case 4: // its line is cut, which may be noticed
			w.to = never
			a.stalls = append(a.stalls, w)
			if a.wire == nil && c.chance(2) {
				c.after(from+c.upTo(2*cfg.Turns.DropAfter), Input{Kind: Lost, Link: a.link, Why: "timeout"})
			}
		}
	}
	if c.chance(60) {
		a.extraAck = 1 + c.r.Uint32N(100)
	}
	if a.wire == nil && c.chance(60) { // package host refuses such a packet of a proxy
		size := 1
		if c.chance(2) {
			size = w3gs.MaxActionLen + 1
		}
		c.later(2*time.Second+c.upTo(c.end/2), func() {
			if c.playing {
				c.say(a, &w3gs.OutgoingAction{Data: make([]byte, size)})
			}
		})
	}
}

func (c *crowd) join(cfg *Config) {
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
	c.trouble(a, cfg)
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
