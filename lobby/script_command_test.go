package lobby

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"w3host/texts"
	"w3host/w3gs"
)

// run carries out one command: its name, arguments, key=value options, and text
// after ": ".
func (r *runner) run(line string) ([]string, error) {
	head, text, _ := strings.Cut(line, ": ")
	c := &command{options: map[string]string{}, text: text}
	for i, word := range strings.Fields(head) {
		key, value, isOption := strings.Cut(word, "=")
		switch {
		case i == 0:
			c.name = word
		case isOption:
			c.options[key] = value
		default:
			c.args = append(c.args, word)
		}
	}
	r.command = c.name
	out, err := r.dispatch(c)
	if c.err != nil {
		err = c.err
	}
	return out, err
}

func (r *runner) dispatch(c *command) ([]string, error) {
	switch c.name {
	case "new": // new melee|forces|fixed|ladder PLAYERS [obs=N] [vhost=NAME|-] [pids=N] [again] … : see config; again keeps the places of the last start
		cfg := c.config()
		if c.has("again") {
			cfg.Places = r.places
		}
		r.l, r.now, r.conn = New(cfg), 0, 0
		return nil, nil
	case "hex": // bytes instead of words, to the end of the block
		r.hex = true
		return nil, nil
	case "wait":
		d, err := time.ParseDuration(c.arg(0))
		if err != nil {
			return nil, err
		}
		return r.wait(d)
	case "next":
		at, ok := r.l.Next()
		return []string{fmt.Sprintf("next %v %v", at, ok)}, nil
	case "sender": // the pid that sends the map to PID
		return []string{fmt.Sprintf("sender %d", r.l.MapSender(c.pid(0)))}, nil
	case "slots":
		return showTable(r.l.slots), nil
	case "counts":
		return []string{fmt.Sprintf("%+v", r.l.Counts())}, nil
	case "player":
		p, ok := r.l.Player(c.pid(0))
		if !ok {
			return []string{"nobody"}, nil
		}
		return []string{fmt.Sprintf("%s slot=%d handicap=%d pings=%d rtt=%v muted=%v reserved=%v", p.Name, p.Slot, p.Handicap, p.Pings, p.RTT, p.Muted, p.Reserved)}, nil
	case "standin":
		return []string{fmt.Sprintf("the stand-in is pid %d", r.l.StandIn())}, nil
	case "find":
		var names []string
		for _, p := range r.l.Find(c.arg(0)) {
			names = append(names, p.Name)
		}
		return []string{strings.Join(names, ", ")}, nil
	}
	ev := c.event(r)
	if ev == nil {
		return nil, fmt.Errorf("no command %q", c.name)
	}
	return r.handle(ev), nil
}

// event makes the events and operations. Slots, teams and colours are as on the
// wire, but slots count from 1.
func (c *command) event(r *runner) Event {
	switch c.name {
	case "join": // join NAME [shared] [banned=WHY] [ip=LAST BYTE] [realm=NAME [vouched]]
		r.conn++
		return Join{
			Conn: r.conn, Shared: c.has("shared"), Banned: c.options["banned"], Realm: c.options["realm"], Vouched: c.has("vouched"),
			External: w3gs.SockAddr{Port: 6200, IP: [4]byte{192, 168, 0, byte(c.number(c.option("ip", "5")))}},
			Req: w3gs.ReqJoin{
				Name: c.joinName(), ListenPort: 6112, JoinCounter: 7,
				Internal: w3gs.SockAddr{Port: 6112, IP: [4]byte{10, 0, 0, 5}},
			},
		}
	case "leave": // leave PID [lost]
		return Leave{PID: c.pid(0), Reason: w3gs.LeaveLobby, Lost: c.has("lost")}
	case "chat", "gamechat": // chat PID TO… [from=PID] [scope=N] [command=free|counted|urgent]: TEXT
		line := w3gs.Chat{From: c.pid(0), Flag: w3gs.ChatLobby, To: c.pids(1), Text: c.text}
		if from, ok := c.options["from"]; ok {
			line.From = uint8(c.number(from))
		}
		if c.name == "gamechat" {
			line.Flag, line.Scope = w3gs.ChatGame, w3gs.ChatScope(c.number(c.option("scope", "0")))
		}
		_, command := c.options["command"]
		return Chat{PID: c.pid(0), Line: line, Command: command, Trusted: c.options["command"] != "counted", Urgent: c.options["command"] == "urgent"}
	case "extra": // extra PID BYTES
		return Extra{PID: c.pid(0), Packet: &w3gs.Raw{ID: w3gs.OpPlayerExtra, Body: make([]byte, c.int(1))}}
	case "request": // request PID team|colour|race|handicap VALUE
		flags := map[string]w3gs.ChatFlag{"team": 0x11, "colour": 0x12, "race": 0x13, "handicap": 0x14}
		return Chat{PID: c.pid(0), Line: w3gs.Chat{From: c.pid(0), Flag: flags[c.arg(1)], Value: uint8(c.int(2))}}
	case "map": // map PID FLAG SIZE
		return MapReport{PID: c.pid(0), Report: w3gs.MapSize{Flag: w3gs.MapFlag(c.int(1)), Size: uint32(c.int(2))}}
	case "progress":
		return Progress{PID: c.pid(0), Percent: uint8(c.int(1))}
	case "back": // back PID AWAY
		away, err := time.ParseDuration(c.args[1])
		if err != nil {
			c.fail(err)
		}
		return Back{PID: c.pid(0), Away: away}
	case "pong":
		waited, err := time.ParseDuration(c.option("waited", "0s"))
		if err != nil {
			c.fail(err)
		}
		return Pong{PID: c.pid(0), Tick: uint32(c.int(1)), Waited: waited}
	}
	if op := c.operation(); op != nil {
		return op
	}
	return nil
}

func (c *command) operation() Event {
	switch c.name {
	case "open":
		return SetSlots{Slots: c.slots()}
	case "close":
		return SetSlots{Slots: c.slots(), Closed: true}
	case "openall":
		return SetSlots{}
	case "closeall":
		return SetSlots{Closed: true}
	case "swap":
		return Swap{A: c.int(0) - 1, B: c.int(1) - 1}
	case "shuffle":
		return Shuffle{}
	case "comp":
		return Computer{Slot: c.int(0) - 1, AI: w3gs.AI(c.int(1))}
	case "team":
		return Set{Slot: c.int(0) - 1, What: w3gs.ChatTeam, Value: uint8(c.int(1))}
	case "colour":
		return Set{Slot: c.int(0) - 1, What: w3gs.ChatColour, Value: uint8(c.int(1))}
	case "race":
		return Set{Slot: c.int(0) - 1, What: w3gs.ChatRace, Value: uint8(c.int(1))}
	case "handicap":
		return Set{Slot: c.int(0) - 1, What: w3gs.ChatHandicap, Value: uint8(c.int(1))}
	case "obs":
		return Observe{PID: c.pid(0)}
	case "kick", "closekick":
		return Kick{PID: c.pid(0), Why: texts.Plain(c.text), By: c.options["by"], CloseSlot: c.name == "closekick", KeepOut: c.has("keepout")}
	case "hold":
		return Hold{Names: c.args}
	case "unhold":
		return Hold{Names: c.args, Off: true}
	case "fakeplayer":
		return FakePlayer{Count: c.int(0)}
	case "deletefp":
		return DeleteFake{PID: c.pid(0)}
	case "hcl":
		return HCL{Text: c.text}
	case "clearhcl":
		return HCL{}
	case "owner":
		return SetOwner{Player: cmp.Or(c.text, c.arg(0))}
	case "start":
		return Start{Force: c.has("force"), Now: c.has("now")}
	case "abort":
		return Abort{}
	case "autostart":
		hold, err := time.ParseDuration(c.option("hold", "0s"))
		c.fail(err)
		return AutoStart{Players: c.int(0), Full: c.has("full"), Hold: hold}
	case "ready", "unready": // ready PID
		return Ready{PID: uint8(c.int(0)), Off: c.name == "unready"}
	case "judge": // judge [: WHY NOT], of the teams as they are
		return Judge{Why: texts.Plain(c.text)}
	case "say":
		return Say{To: w3gs.Only(c.pids(0)...), Text: texts.Plain(strings.ReplaceAll(c.text, `\n`, "\n"))}
	case "mute", "unmute":
		return Mute{PID: c.pid(0), Off: c.name == "unmute"}
	case "muteall", "unmuteall":
		return MuteAll{Off: c.name == "unmuteall"}
	case "shutdown":
		return Shutdown{Why: texts.Plain(c.text)}
	}
	return nil
}

type command struct {
	name    string
	args    []string
	options map[string]string
	text    string
	err     error
}

func (c *command) fail(err error) {
	if c.err == nil && err != nil {
		c.err = err
	}
}

func (c *command) arg(i int) string {
	if i < len(c.args) {
		return c.args[i]
	}
	return ""
}

// number reads 12 or 0x0C; nothing is 0.
func (c *command) number(s string) int {
	if s == "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 0, 64)
	c.fail(err)
	return int(n)
}

func (c *command) int(i int) int { return c.number(c.arg(i)) }

func (c *command) pid(i int) uint8 { return uint8(c.int(i)) }

func (c *command) pids(from int) (pids []uint8) {
	for i := from; i < len(c.args); i++ {
		pids = append(pids, c.pid(i))
	}
	return pids
}

func (c *command) slots() (slots []int) {
	for i := range c.args {
		slots = append(slots, c.int(i)-1)
	}
	return slots
}

func (c *command) has(word string) bool {
	for _, arg := range c.args {
		if arg == word {
			return true
		}
	}
	return false
}

func (c *command) option(key, otherwise string) string {
	if value, ok := c.options[key]; ok {
		return value
	}
	return otherwise
}

// joinName is the first argument, or the text for names with spaces or escapes.
func (c *command) joinName() string {
	if c.text == "" {
		return c.arg(0)
	}
	name, err := strconv.Unquote(c.text)
	c.fail(err)
	return name
}
