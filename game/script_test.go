package game

import (
	"fmt"
	"maps"
	"net/netip"
	"strings"
	"testing"
	"time"

	"w3host/game/command"
	"w3host/internal/testkit"
	"w3host/lobby"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
	"w3host/rating"
	gamesync "w3host/sync"
	"w3host/texts"
)

// TestScripts plays testdata/*.txt. A script is a game: lines that begin at the
// margin are events, the indented lines below their effects. Packets that other rooms'
// scripts show are left out. Lines are those of scene.event.
func TestScripts(t *testing.T) {
	testkit.Scripts(t, "testdata/*.txt", func(*testing.T) testkit.Play {
		s := newScene()
		return func(line string) ([]string, error) {
			s.told = nil
			err := s.event(line)
			return s.told, err
		}
	})
}

// scene is a game under a script: a map of six slots, and players who have it.
type scene struct {
	m        *Machine
	out      Out
	now      time.Duration
	links    map[string]LinkID
	names    map[uint8]string
	owed     map[string]int // turns that a player has not answered
	told     []string
	pids     map[string]uint8
	after    []Input // what orders lead to
	lastLink LinkID
	level    command.Level // of who speaks
	again    *Config       // of the lobby that is to open
	used     map[string]*uses
	heard    func(*Op) // beside the script; nil: nobody
	ping     uint32    // the tick of the last ping
}

func newScene() *scene {
	cfg := Config{
		ID: 1, Name: "scene", Version: 26, Program: "w3host test", Trigger: '!', Silence: time.Minute,
		Lobby: lobby.Defaults(), Turns: gamesync.Defaults(), Transfer: mapxfer.Defaults(),
	}
	cfg.Transfer.Size = 5000
	for i := range uint8(6) {
		cfg.Lobby.Slots = append(cfg.Lobby.Slots, w3gs.Slot{
			Download: w3gs.DownloadUnknown, Team: i % 2, Colour: i, Race: w3gs.RaceRandom | w3gs.RaceSelectable,
			AI: w3gs.AINormal, Handicap: 100,
		})
	}
	cfg.Reconnect = Reconnect{Wait: 3 * time.Minute, Empties: 2, ExtendedWait: 5 * time.Minute}
	cfg.Lobby.MapCheck.Size = 5000
	cfg.Lobby.PlayerSlots = 6
	cfg.Lobby.Observers, cfg.Lobby.Owner.First = true, true
	cfg.Turns.DropAfter = 0
	cfg.Map = Map{Name: "Ash", Link: "https://example.org/ash", Modes: []string{"ap", "ar-em", "sd"}}
	s := new(scene)
	s.open(cfg)
	return s
}

// open begins with a lobby.
func (s *scene) open(cfg Config) {
	*s = scene{now: s.now, used: s.used, links: map[string]LinkID{}, names: map[uint8]string{}, pids: map[string]uint8{}, owed: map[string]int{}}
	s.m = New(cfg, &s.out)
	if s.used != nil {
		s.watch(s.used)
	}
	s.show()
}

// event plays one line:
//
//	join NAME            a player who has the map joins; "lacking" behind it: who has not; "in DE": from there
//	join NAME@REALM      a player by a realm's list; "vouched" behind it: whom it has confirmed
//	vouch NAME           the realm confirms the name
//	NAME: TEXT           a player says something
//	admin NAME: TEXT     the same, and is an admin for the host; "trusted NAME": is trusted
//	console: LINE        the operator types a command
//	host to NAME: LINE   the host says something to one; "NAME to all" to all, since NAME wants it
//	the list bans NAME: WHY
//	load | ack [NAME]    all but NAME load, or answer all turns
//	strength MIN MAX GAMES  a lobby for players of such ratings
//	rated NAME MU SIGMA [GAMES]  the rating of a player arrives
//	prefers NAME TAG     the language that a player has chosen earlier arrives
//	ignores NAME OTHER   whom a player has ignored in an earlier game arrives
//	proxies only         a lobby for players with GProxy++
//	owned NAME           a lobby whose owner the configuration names
//	login NAME [WAIT]    a player has given the password, or may try again after WAIT
//	pong NAME LATE       a player answers the last ping of the host so late
//	leave NAME | lose NAME | crash NAME   the last: the game behind a proxy ends without a leave
//	acts NAME COUNT      a player in the game does so many things
//	saves NAME FILE      a player in the game saves it by the menu
//	syncsaves NAME FILE  the same in one packet behind sync data, as clients from 2.0.2 on number it
//	proxy NAME | extended NAME | acked NAME   NAME's proxy says so
//	resume NAME | forfeit NAME
//	outage DURATION      another process takes the game over after this time
//	wait DURATION        time passes
//	idle DURATION        time passes, and clients answer pings
//	play DURATION        the same, and they answer turns
//	table                shows the slots
//	again                the lobby opens again as the last game asked
//	rule NAME LEVEL|- ALIAS…   a lobby where a command is for others, or has further names
//	crossplay            a lobby for 1.26, 1.27 and 1.28, each with the map's identifiers of its own
//	anonymous            a lobby where others know players by numbers
//	cooldown             a lobby where players may give 3 commands at once
func (s *scene) event(line string) error {
	if who, text, ok := strings.Cut(line, ": "); ok {
		return s.say(who, text)
	}
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "join":
		name, lacking := strings.CutSuffix(rest, " lacking")
		s.join(name, lacking)
	case "vouch":
		s.step(Input{Kind: Vouch, Link: s.links[rest], Level: command.Admin})
	case "closed": // by somebody of the host
		s.step(Input{Kind: Stop, Line: rest})
	case "rated":
		var name string
		var skill rating.Skill
		games := 0
		if n, err := fmt.Sscan(rest, &name, &skill.Mu, &skill.Sigma, &games); n < 3 {
			return err
		}
		s.step(Input{Kind: Rated, Link: s.links[name], Skill: skill, Games: games})
	case "nomap": // WAIT LINK: a lobby without downloads, in which who lacks the map stays so long
		cfg := s.m.cfg
		var wait string
		if _, err := fmt.Sscan(rest, &wait, &cfg.Map.Link); err != nil {
			return err
		}
		cfg.Transfer.Mode = mapxfer.Off
		cfg.Transfer.Wait, _ = time.ParseDuration(wait)
		s.open(cfg)
	case "strength": // MIN MAX GAMES: a lobby for such players
		cfg := s.m.cfg
		if _, err := fmt.Sscan(rest, &cfg.Entry.MinRating, &cfg.Entry.MaxRating, &cfg.Entry.MinGames); err != nil {
			return err
		}
		s.open(cfg)
	case "owned": // by NAME
		cfg := s.m.cfg
		cfg.Lobby.SetOwner(rest)
		s.open(cfg)
	case "proxies": // only
		cfg := s.m.cfg
		cfg.Entry.Proxied = true
		s.open(cfg)
	case "prefers":
		name, tag, _ := strings.Cut(rest, " ")
		language, err := texts.ParseLanguage(tag)
		if err != nil {
			return err
		}
		s.step(Input{Kind: Prefer, Link: s.links[name], Language: language})
	case "ignores": // NAME OTHER, chosen in an earlier game
		name, other, _ := strings.Cut(rest, " ")
		s.step(Input{Kind: Ignored, Link: s.links[name], Line: other})
	case "saves":
		name, file, _ := strings.Cut(rest, " ")
		s.step(Input{Kind: Action, Link: s.links[name], Data: append(append([]byte{0x61, 0x06}, file...), 0)})
	case "syncsaves": // NAME FILE
		name, file, _ := strings.Cut(rest, " ")
		data := append([]byte("\x77SC_FE\x00\x00\x00\x00\x00\x00\x06"+file), 0, 0, 1)
		s.step(Input{Kind: Action, Link: s.links[name], Data: data})
	case "login": // the level counts with the next line as well
		name, wait, _ := strings.Cut(rest, " ")
		in := Input{Kind: Login, Link: s.links[name], Level: command.Admin}
		if wait != "" {
			in.Level, in.Why = command.Anyone, "too many wrong passwords"
			in.By, _ = time.ParseDuration(wait)
		}
		s.step(in)
	case "pong":
		name, late, _ := strings.Cut(rest, " ")
		d, err := time.ParseDuration(late)
		if err != nil {
			return err
		}
		s.now += d
		s.packet(name, &w3gs.PongToHost{Tick: s.ping})
	case "acts", "orders":
		var name string
		var count int
		if _, err := fmt.Sscan(rest, &name, &count); err != nil {
			return err
		}
		data := []byte{0x16}
		if word == "orders" {
			data = twoOrders
		}
		for range count {
			s.step(Input{Kind: Action, Link: s.links[name], Data: data})
		}
	case "leave":
		s.packet(rest, &w3gs.LeaveGame{Reason: w3gs.LeaveLost})
	case "crash": // NAME, behind a proxy
		s.packet(rest, &w3gs.LeaveGame{Reason: w3gs.LeaveGProxyFailed})
	case "lose":
		s.step(Input{Kind: Lost, Link: s.links[rest], Why: "reset"})
	case "proxy":
		s.step(Input{Kind: Proxy, Link: s.links[rest]})
	case "extended":
		s.step(Input{Kind: Extended, Link: s.links[rest]})
	case "acked":
		s.step(Input{Kind: Acked, Link: s.links[rest]})
	case "resume":
		s.lastLink++
		link := s.lastLink
		s.links[rest] = link
		s.step(Input{Kind: Resume, Link: link, PID: s.pid(rest), Addr: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 1, byte(link)}), 6112)})
	case "forfeit":
		s.step(Input{Kind: Forfeit, PID: s.pid(rest), Why: "too much is kept"})
	case "load":
		for pid := range uint8(25) {
			if name := s.names[pid]; name != "" && name != rest {
				s.packet(name, &w3gs.LoadedSelf{})
			}
		}
	case "ack":
		for pid := range uint8(25) {
			for name := s.names[pid]; name != "" && name != rest && s.owed[name] > 0; s.owed[name]-- {
				s.step(Input{Kind: Keepalive, Link: s.links[name], Sum: 1})
			}
		}
	case "outage":
		d, err := time.ParseDuration(rest)
		if err != nil {
			return err
		}
		s.now += d
		s.step(Input{Kind: Survived, By: d})
	case "wait":
		d, err := time.ParseDuration(rest)
		if err != nil {
			return err
		}
		s.wait(d)
	case "idle":
		d, err := time.ParseDuration(rest)
		if err != nil {
			return err
		}
		s.idle(d)
	case "play":
		d, err := time.ParseDuration(rest)
		if err != nil {
			return err
		}
		for end := s.now + d; s.now < end; {
			s.idle(100 * time.Millisecond)
			if err := s.event("ack"); err != nil {
				return err
			}
		}
	case "rule": // NAME LEVEL|- ALIAS…
		words := strings.Fields(rest)
		cfg := s.m.cfg
		cfg.Commands = maps.Clone(cfg.Commands)
		if cfg.Commands == nil {
			cfg.Commands = command.Rules{}
		}
		cfg.Commands[words[0]] = command.Rule{Level: strings.TrimPrefix(words[1], "-"), Aliases: words[2:]}
		s.open(cfg)
	case "crossplay":
		cfg := s.m.cfg
		cfg.Versions, cfg.Crossplay = []w3gs.Version{27, 28}, true
		s.open(cfg)
	case "version": // of the game
		cfg := s.m.cfg
		v, err := w3gs.ParseVersion(rest)
		if err != nil {
			return err
		}
		cfg.Version, cfg.Lobby.Wire.Version = v, v
		s.open(cfg)
	case "anonymous":
		cfg := s.m.cfg
		cfg.Lobby.Admission.Anonymous = true
		s.open(cfg)
	case "cooldown":
		cfg := s.m.cfg
		cfg.Cooldown = Cooldown{Burst: 3, Every: 2 * time.Second, Query: 5 * time.Second}
		s.open(cfg)
	case "watched": // a lobby of a game that is shown to others
		cfg := s.m.cfg
		cfg.Lobby.WatchersSeat, cfg.Lobby.Observers, cfg.Lobby.Layout = true, false, w3gs.LayoutCustomForces
		s.open(cfg)
	case "again":
		s.open(*s.again)
	case "table":
		s.table()
	default:
		return fmt.Errorf("no such event")
	}
	return nil
}

func (s *scene) say(who, text string) error {
	if who == "console" {
		s.step(Input{Kind: Command, Line: text, Caller: &command.Caller{Name: "console", Level: command.Root, Via: command.ViaConsole}})
		return nil
	}
	if name, isAll := strings.CutSuffix(who, " to all"); isAll {
		s.step(Input{Kind: SayAll, Line: text, Caller: &command.Caller{Name: name}})
		return nil
	}
	if name, ok := strings.CutPrefix(who, "host to "); ok {
		s.step(Input{Kind: HostLine, Line: text, Caller: &command.Caller{PID: s.pids[name], Name: name}})
		return nil
	}
	if name, ok := strings.CutPrefix(who, "the list bans "); ok {
		s.step(Input{Kind: Ban, Link: s.links[name], Why: text})
		return nil
	}
	if name, ok := strings.CutPrefix(who, "admin "); ok {
		s.level, who = command.Admin, name
		defer func() { s.level = command.Anyone }()
	}
	if name, ok := strings.CutPrefix(who, "trusted "); ok {
		s.level, who = command.Trusted, name
		defer func() { s.level = command.Anyone }()
	}
	link := s.links[who]
	if link == 0 {
		return fmt.Errorf("%s is not there", who)
	}
	seat := s.m.seatOf(link)
	if seat == nil {
		return fmt.Errorf("%s has no seat", who)
	}
	p := &w3gs.ChatToHost{Chat: w3gs.Chat{From: seat.PID, To: []uint8{seat.PID}, Flag: w3gs.ChatLobby, Text: text}}
	if s.m.turns != nil {
		p.Flag = w3gs.ChatGame
	}
	s.step(Input{Kind: Packet, Link: link, Packet: p, Level: s.level})
	return nil
}

func (s *scene) join(name string, lacking bool) {
	s.lastLink++
	link := s.lastLink
	name, country, _ := strings.Cut(name, " in ")
	name, vouched := strings.CutSuffix(name, " vouched")
	name, realm, _ := strings.Cut(name, "@")
	s.links[name] = link
	addr := netip.AddrFrom4([4]byte{10, 0, 0, byte(link)})
	if country != "" {
		addr = netip.AddrFrom4([4]byte{203, 0, 113, byte(link)})
	}
	s.step(Input{Kind: Join, Link: link, Country: country, Realm: realm, Vouched: vouched, Packet: &w3gs.ReqJoin{Name: name}, Addr: netip.AddrPortFrom(addr, 6112)})
	size := s.m.cfg.Transfer.Size
	if lacking {
		size = 0
	}
	s.packet(name, &w3gs.MapSize{Flag: w3gs.MapHave, Size: size})
}

func (s *scene) packet(name string, p w3gs.Packet) {
	s.step(Input{Kind: Packet, Link: s.links[name], Packet: p})
}

func (s *scene) wait(d time.Duration) {
	for end := s.now + d; ; {
		at, ok := s.m.Next()
		if !ok || at > end {
			s.now = end
			return
		}
		s.now = max(at, s.now)
		s.step(Input{Kind: Tick})
	}
}

func (s *scene) idle(d time.Duration) {
	for ; d > 0; d -= 10 * time.Second {
		for pid := range uint8(25) {
			if name := s.names[pid]; name != "" {
				s.packet(name, &w3gs.PongToHost{Tick: 1})
			}
		}
		s.wait(min(d, 10*time.Second))
	}
}

func (s *scene) step(in Input) {
	s.out.Reset()
	s.m.Step(s.now, &in, &s.out)
	s.show()
	after := s.after
	s.after = nil
	for _, in := range after {
		s.step(in)
	}
}

// show tells what came out, in the order of a reader: orders, then facts.
func (s *scene) show() {
	for i := range s.out.Ops {
		if s.heard != nil {
			s.heard(&s.out.Ops[i])
		}
		s.op(&s.out.Ops[i])
	}
	for i := range s.out.Facts {
		switch f := s.out.Facts[i].Fact.(type) {
		case *Listed:
			s.tell("listed as %q: %v, %d open", f.Name, f.Public, f.Counts.Open)
		case *Commanded:
			s.tell("audit: %s by %s (%s), on %q, %q, refused %q", f.Name, f.Caller.Name, f.Caller.Via, f.Target, f.Detail, f.Refused)
		case *HostSaid:
			s.tell("said for %s: %q", f.By, f.Text)
		case *Vouched:
			s.tell("%s is vouched for by %s", f.Name, f.Realm)
		case *LeftLobby:
			s.tell("%s left: %s", f.Name, f.Why)
		case *LeftGame:
			s.tell("%s left the game: %s", f.Name, f.Why)
		case *LinkLost:
			s.tell("%s's link is lost: %s", f.Name, f.Why)
		case *LinkResumed:
			s.tell("%s's link is resumed after %v, from %v", f.Name, f.Away, f.Addr)
		case *Dropped:
			s.tell("%s is dropped: %s", f.Name, f.Why)
		case *PeriodChanged:
			s.tell("a turn every %v", f.Period)
		case *Decided:
			for _, p := range f.Players {
				s.tell("decided, %s: %s %s", f.Why, p.Name, []string{Victory: "won", Defeat: "lost", Tie: "drew"}[p.Result])
			}
		case *Closed:
			s.tell("closed: %s", f.Why)
		case *Over:
			s.tell("over: %v, remade %v", f.How, f.Remade)
		}
	}
}

func (s *scene) op(op *Op) {
	switch op.Kind {
	case Seat:
		for name, link := range s.links {
			if link == op.Link {
				s.names[op.PID] = name
				s.pids[name] = op.PID
			}
		}
	case Close:
		s.tell("close link %d: %s", op.Link, op.Why)
		if s.links[s.names[op.PID]] == op.Link {
			delete(s.names, op.PID)
		}
	case Cut:
		s.tell("cut link %d: %s", op.Link, op.Why)
		s.after = append(s.after, Input{Kind: Lost, Link: op.Link, Why: op.Why})
	case Offer:
		s.tell("the proxies of %s are offered to come back, %d empty actions", s.list(op.To), op.Empties)
	case Forget:
		s.tell("nothing is kept for pid %d", op.PID)
	case Reply:
		s.tell("link %d is answered % x", op.Link, op.Frame)
	case Answer:
		s.tell("%s reads %q", op.Caller.Name, op.Text)
	case Ask:
		q := *op.Query
		if q.What == "lang" {
			s.tell("%s has %v remembered", q.By, q.Language)
			return
		}
		if q.From != "" {
			q.Name += " from " + q.From
		}
		s.tell("%s asks for %s of %q, here %v, at %v, for %v, why %q, root %v", q.By, q.What, q.Name, q.Here, q.Addr, q.For, q.Reason, q.Root)
	case Outside:
		s.tell("%s asks the host for %q", op.Caller.Name, op.Text)
	case Parts:
		s.tell("%s is sent the map from %d to %d", s.names[op.PID], op.At, op.End)
	case Play:
		s.tell("the game begins")
	case Again:
		s.tell("a lobby %q is to open again", op.Config.Name)
		for i, p := range op.Config.Lobby.Places {
			s.tell("%d %q", i+1, p.Name)
		}
		s.again = op.Config
	case Send, SendLast:
		s.frames(s.list(op.To), op.Frame)
	}
}

func (s *scene) pid(name string) uint8 { return s.pids[name] }

// list names who has a link.
func (s *scene) list(to w3gs.PIDs) string {
	var names []string
	for pid := range to.All() {
		if s.names[pid] != "" {
			names = append(names, s.names[pid])
		}
	}
	return strings.Join(names, ", ")
}

// frames tells what players see: lines, lag screens, and where they are put out.
func (s *scene) frames(to string, b []byte) {
	for len(b) > 0 {
		frame, rest, err := w3gs.Next(b, w3gs.MaxFrame)
		if err != nil || frame == nil {
			s.tell("broken bytes")
			return
		}
		b = rest
		p, err := w3gs.Decode(frame, w3gs.FromHost)
		if err != nil {
			s.tell("%v", err)
			return
		}
		switch p := p.(type) {
		case *w3gs.ChatFromHost:
			s.tell("%s: %q", to, p.Text)
		case *w3gs.PingFromHost:
			s.ping = p.Tick
		case *w3gs.IncomingAction:
			for pid, data := range w3gs.Actions(p.Actions) {
				s.tell("%s: pid %d acts % x", to, pid, data)
			}
			for name := range strings.SplitSeq(to, ", ") {
				if p.IncrementMillis > 0 {
					s.owed[name]++
				}
			}
		case *w3gs.KickPlayer, *w3gs.StartLag, *w3gs.StopLag, *w3gs.GameOver, *w3gs.StartDownload, *w3gs.CountdownStart:
			s.tell("%s: %v", to, p.Op())
		}
	}
}

func (s *scene) table() {
	for i, slot := range s.m.lobby.SlotTable().Slots {
		who := []string{"open", "closed", "?"}[slot.Status]
		if slot.Computer {
			who = fmt.Sprintf("computer %d", slot.AI)
		} else if slot.PID != 0 {
			p, _ := s.m.lobby.Player(slot.PID)
			who = p.Name
		}
		s.tell("%d %-10s team %d colour %d race %02x handicap %d", i+1, who, slot.Team, slot.Colour, uint8(slot.Race), slot.Handicap)
	}
}

func (s *scene) tell(format string, values ...any) {
	s.told = append(s.told, fmt.Sprintf(format, values...))
}
