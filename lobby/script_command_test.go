package lobby

import (
	"cmp"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// run carries out one command: its name, arguments, key=value options, and text
// after ": ".
func (r *runner) run(line string) error {
	c := &command{testkit.ParseLine(line)}
	err := r.dispatch(c)
	return cmp.Or(c.Err, err)
}

func (r *runner) dispatch(c *command) error {
	switch c.Name {
	case "new": // new melee|forces|fixed|ladder PLAYERS [obs=N] [vhost=NAME|-] [pids=N] [again|restored] … : see config; again keeps the places of the last start, restored takes them for a saved game
		cfg := c.config()
		if c.Has("again") {
			cfg.Places = r.places
		}
		if c.Has("restored") {
			restore(&cfg, r.places)
		}
		r.l, r.now, r.conn = New(cfg, r), 0, 0
		return nil
	case "wait":
		d, err := time.ParseDuration(c.Arg(0))
		if err != nil {
			return err
		}
		return r.wait(d)
	case "next":
		at, ok := r.l.Next()
		r.tell("next %v %v", at, ok)
		return nil
	case "sender": // the pid that sends the map to PID
		r.tell("sender %d", r.l.MapSender(c.pid(0)))
		return nil
	case "slots":
		r.lines = showTable(r.l.slots)
		return nil
	case "counts":
		r.tell("%+v", r.l.Counts())
		return nil
	case "player":
		p, ok := r.l.Player(c.pid(0))
		if !ok {
			r.tell("nobody")
			return nil
		}
		r.tell("%s slot=%d handicap=%d pings=%d rtt=%v muted=%v reserved=%v", p.Name, p.Slot, p.Handicap, p.Pings, p.RTT, p.Muted, p.Reserved)
		return nil
	case "standin":
		r.tell("the stand-in is pid %d", r.l.StandIn())
		return nil
	case "find":
		var names []string
		for _, p := range r.l.Find(c.Arg(0), false) {
			names = append(names, p.Name)
		}
		r.tell("%s", cmp.Or(strings.Join(names, ", "), "nobody"))
		return nil
	}
	if op := c.operation(); op != nil {
		if no := r.l.Do(r.now, op); no != nil {
			r.tell("Refused %s: %v", c.Name, no)
		}
		return nil
	}
	return r.call(c)
}

// call calls the methods that are not operations. Slots, teams and colours are as on the
// wire, but slots count from 1.
func (r *runner) call(c *command) error {
	switch c.Name {
	case "join": // join NAME [shared] [banned=WHY] [ip=LAST BYTE] [realm=NAME [vouched]] [like=ADMIN] [exempt]
		r.conn++
		ip := [4]byte{192, 168, 0, byte(c.Number(c.Option("ip", "5")))}
		r.l.Join(r.now, Join{
			Conn: r.conn, Source: netip.AddrFrom4(ip), Shared: c.Has("shared"), Banned: c.Options["banned"], Realm: c.Options["realm"], Vouched: c.Has("vouched"), Like: c.Options["like"], Exempt: c.Has("exempt"),
			External: w3gs.SockAddr{Port: 6200, IP: ip},
			Req: w3gs.ReqJoin{
				Name: c.joinName(), ListenPort: 6112, JoinCounter: 7,
				Internal: w3gs.SockAddr{Port: 6112, IP: [4]byte{10, 0, 0, 5}},
			},
		})
	case "leave": // leave PID [lost]
		r.l.Leave(r.now, c.pid(0), w3gs.LeaveLobby, c.Has("lost"))
	case "chat", "gamechat": // chat PID TO… [from=PID] [scope=N] [command=free|counted|urgent|private]: TEXT
		line := w3gs.Chat{From: c.pid(0), Flag: w3gs.ChatLobby, To: c.pids(1), Text: c.Text}
		if from, ok := c.Options["from"]; ok {
			line.From = uint8(c.Number(from))
		}
		if c.Name == "gamechat" {
			line.Flag, line.Scope = w3gs.ChatGame, w3gs.ChatScope(c.Number(c.Option("scope", "0")))
		}
		_, command := c.Options["command"]
		r.l.Chat(r.now, Chat{PID: c.pid(0), Line: line, Command: command, Trusted: c.Options["command"] != "counted", Urgent: c.Options["command"] == "urgent", Private: c.Options["command"] == "private"})
	case "extra": // extra PID profile|skins|pair|units [of=PID] [bytes=OF A FIELD MORE]
		r.l.Extra(r.now, c.pid(0), c.extra())
	case "request": // request PID team|colour|race|handicap VALUE
		flags := map[string]w3gs.ChatFlag{"team": 0x11, "colour": 0x12, "race": 0x13, "handicap": 0x14}
		r.l.Chat(r.now, Chat{PID: c.pid(0), Line: w3gs.Chat{From: c.pid(0), Flag: flags[c.Arg(1)], Value: uint8(c.Int(2))}})
	case "map": // map PID FLAG SIZE
		r.l.MapReport(r.now, c.pid(0), w3gs.MapSize{Flag: w3gs.MapFlag(c.Int(1)), Size: uint32(c.Int(2))})
	case "progress":
		r.l.Progress(r.now, c.pid(0), uint8(c.Int(1)))
	case "back": // back PID AWAY
		away, err := time.ParseDuration(c.Args[1])
		if err != nil {
			c.Fail(err)
		}
		r.l.Back(r.now, c.pid(0), away)
	case "pong":
		waited, err := time.ParseDuration(c.Option("waited", "0s"))
		if err != nil {
			c.Fail(err)
		}
		r.l.Pong(r.now, c.pid(0), uint32(c.Int(1)), waited)
	case "enter": // the time between 0x0A and 0x0B is over
		r.l.Enter(r.now)
	case "judge": // judge [: WHY NOT], of the teams as they are
		r.l.BalanceResult(r.now, texts.Plain(c.Text))
	default:
		return fmt.Errorf("no command %q", c.Name)
	}
	return nil
}

func (c *command) operation() Operation {
	switch c.Name {
	case "listen": // listen PID all|allies|nobody
		return SetChatFilter{PID: c.pid(0), From: map[string]ChatFilter{"allies": ChatFromAllies, "nobody": ChatFromNobody}[c.Arg(1)]}
	case "ignore", "unignore": // ignore PID: NAME
		return Ignore{PID: c.pid(0), Names: []string{c.Text}, Off: c.Name == "unignore"}
	case "open":
		return SetSlots{Slots: c.slots()}
	case "close":
		return SetSlots{Slots: c.slots(), Closed: true}
	case "openall":
		return SetSlots{}
	case "closeall":
		return SetSlots{Closed: true}
	case "swap":
		return Swap{A: c.Int(0) - 1, B: c.Int(1) - 1}
	case "shuffle":
		return Shuffle{}
	case "comp":
		return Computer{Slot: c.Int(0) - 1, AI: w3gs.AI(c.Int(1))}
	case "compall":
		return Computers{AI: w3gs.AI(c.Int(0))}
	case "deletecomp":
		return DeleteComputers{}
	case "teams": // teams RULE [PID]
		op := SetTeams{Rule: TeamRule(c.Int(0))}
		if len(c.Args) > 1 {
			op.PID = c.pid(1)
		}
		return op
	case "team":
		return Set{Slot: c.Int(0) - 1, What: w3gs.ChatTeam, Value: uint8(c.Int(1))}
	case "colour":
		return Set{Slot: c.Int(0) - 1, What: w3gs.ChatColour, Value: uint8(c.Int(1))}
	case "race":
		return Set{Slot: c.Int(0) - 1, What: w3gs.ChatRace, Value: uint8(c.Int(1))}
	case "handicap":
		return Set{Slot: c.Int(0) - 1, What: w3gs.ChatHandicap, Value: uint8(c.Int(1))}
	case "obs":
		return Observe{PID: c.pid(0)}
	case "kick", "closekick":
		return Kick{PID: c.pid(0), Why: texts.Plain(c.Text), By: c.Options["by"], CloseSlot: c.Name == "closekick", KeepOut: c.Has("keepout")}
	case "hold":
		return Hold{Names: c.Args}
	case "unhold":
		return Hold{Names: c.Args, Off: true}
	case "fakeplayer":
		return FakePlayer{Count: c.Int(0)}
	case "deletefp":
		return DeleteFake{PID: c.pid(0)}
	case "hcl":
		return HCL{Text: c.Text}
	case "clearhcl":
		return HCL{}
	case "owner":
		return SetOwner{Player: cmp.Or(c.Text, c.Arg(0))}
	case "start":
		return Start{Force: c.Has("force"), Now: c.Has("now")}
	case "abort":
		return Abort{}
	case "autostart":
		hold, err := time.ParseDuration(c.Option("hold", "0s"))
		c.Fail(err)
		return AutoStart{Players: c.Int(0), Full: c.Has("full"), Hold: hold}
	case "ready", "unready": // ready PID
		return Ready{PID: uint8(c.Int(0)), Off: c.Name == "unready"}
	case "say":
		return Say{To: w3gs.Only(c.pids(0)...), Text: texts.Plain(strings.ReplaceAll(c.Text, `\n`, "\n"))}
	case "mute", "unmute":
		return Mute{PID: c.pid(0), Off: c.Name == "unmute"}
	case "muteall", "unmuteall":
		return MuteAll{Off: c.Name == "unmuteall"}
	case "shutdown":
		return Shutdown{Why: texts.Plain(c.Text)}
	}
	return nil
}

// command is a line of a script.
type command struct{ *testkit.ScriptLine }

func (c *command) pid(i int) uint8 { return uint8(c.Int(i)) }

func (c *command) pids(from int) (pids []uint8) {
	for i := from; i < len(c.Args); i++ {
		pids = append(pids, c.pid(i))
	}
	return pids
}

func (c *command) slots() (slots []int) {
	for i := range c.Args {
		slots = append(slots, c.Int(i)-1)
	}
	return slots
}

// joinName is the first argument, or the text for names with spaces or escapes.
func (c *command) joinName() string {
	if c.Text == "" {
		return c.Arg(0)
	}
	name, err := strconv.Unquote(c.Text)
	c.Fail(err)
	return name
}

func (c *command) extra() *w3gs.PlayerExtra {
	of := uint8(c.Number(c.Option("of", c.Arg(0))))
	e := map[string]*w3gs.PlayerExtra{
		"profile": w3gs.NewProfile(of, c.Option("tag", "Tag#1")), "skins": w3gs.NewSkins(of), "pair": w3gs.NewPair(of), "units": w3gs.NewSkins(of),
	}[c.Arg(1)]
	if c.Arg(1) == "units" {
		e.Kind = w3gs.ExtraUnits
	}
	if n := c.Number(c.Option("bytes", "0")); n > 0 {
		e.Data = protowire.AppendBytes(protowire.AppendTag(e.Data, 9, protowire.BytesType), make([]byte, n))
	}
	return e
}
