package control

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	stdmaps "maps"
	"net/netip"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/control/people"
	"w3host/formats/w3map"
	"w3host/formats/w3map/builtin"
	"w3host/game"
	"w3host/game/autohost"
	"w3host/game/command"
	"w3host/host"
	"w3host/host/admission"
	"w3host/host/takeover"
	"w3host/internal/testkit"
	"w3host/lan"
	"w3host/lobby"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
	"w3host/storage"
	gamesync "w3host/sync"
	"w3host/texts"
)

// TestScripts plays testdata/*.txt against a host with real sockets. Lines at the
// margin say what happens, the indented lines below are what comes of it:
//
//	entry NAME MAPS [vote]   autohost has one more entry, with maps such as "a.w3x,b.w3x";
//	                         with vote, the first comes unless another is voted for
//	join ID NAME             a player joins a lobby; "Root…" is root, "Admin…" an admin
//	leave NAME
//	NAME: LINE               a player commands, in their game
//	console: LINE            root commands; console in ID: one game
//	admin: LINE | player: LINE  somebody without a seat
//	NAME@REALM: LINE         somebody whispers on a realm, or says it there in a channel
//	                         with "in channel" behind REALM; levels as for players
//	reload fails: WHY        the next reload does
//	reload lets players host: N [MAP]  each N lobbies, with MAP in the file's name, after the next reload
//	the database is away
//	the host is in a container
//	the fleet is full | the fleet is not known   to a command that opens a lobby
//
// Afterwards every command of the host must have been used rightly, by a wrong
// caller and with wrong arguments, and every one that needs no game without one.
func TestScripts(t *testing.T) {
	uses := map[string]map[string]bool{} // by command
	testkit.Scripts(t, "testdata/*.txt", func(t *testing.T) testkit.Play { return newStage(t, uses).event })
	for _, c := range commands {
		want := []string{"done"}
		if c.Level > command.Anyone {
			want = append(want, "wrong caller")
		}
		want = append(want, "wrong arguments") // too many, where there are none
		if c.Name == "help" || c.Name == "maps" || c.Name == "map" || c.Name == "votemap" || c.Name == "pub" || c.Name == "priv" || c.Name == "sc" {
			want[len(want)-1] = "refused" // any text is a pattern or a name
		}
		if c.Name == "at" {
			want[0] = "refused" // there is no other host here: see TestPassedOnOnce
		}
		for _, use := range want {
			if !uses[c.Name][use] {
				t.Errorf("no script has %s with the outcome %q", c.Name, use)
			}
		}
	}
	for _, c := range everything[len(commands):] { // of a game's table
		switch {
		case !c.Phase.Has(command.Outside):
		case !uses[c.Name]["done"]:
			t.Errorf("no script has %s carried out without a game", c.Name)
		case c.Level > command.Anyone && !uses[c.Name]["wrong caller"]:
			t.Errorf("no script has %s denied to somebody without a game", c.Name)
		}
	}
}

// stage is a host under a script.
type stage struct {
	t        *testing.T
	uses     map[string]map[string]bool
	h        *host.Host
	operator *Operator
	opts     host.Options
	db       *flakyPeople
	clients  map[string]*testkit.Client
	in       map[string]uint32 // the game of a client
	marks    int

	mu     sync.Mutex
	told   []string
	broken error // of the next reload

	players PlayerHosting // from the next reload on
}

func newStage(t *testing.T, uses map[string]map[string]bool, change ...func(*host.Options)) *stage {
	t.Helper()
	db, err := storage.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "w3host.db"), storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, uses: uses, db: &flakyPeople{Directory: people.Directory{DB: db, Rule: func() people.Warnings { return people.Warnings{} }}}, clients: map[string]*testkit.Client{}, in: map[string]uint32{}}
	local, err := lan.Listen(lan.Options{
		Product: w3gs.ProductTFT, Version: 26, Bind: netip.MustParseAddr("127.0.0.1"),
		Broadcast: []netip.AddrPort{}, Ports: []uint16{0}, GamePort: 6112,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(local.Shutdown)
	listeners, err := takeover.Listen(nil, "127.0.0.1:0", "")
	if err != nil {
		t.Fatal(err)
	}
	s.opts = host.Options{
		Listeners: listeners, Product: w3gs.ProductTFT, Game: plainGame(),
		Limits: host.Limits{
			Limits: admission.Limits{
				Unjoined: 100, UnjoinedPerIP: 100, JoinsPerMinute: 1000, Exempt: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
			},
			JoinTimeout: time.Minute, PacketRate: 200, OutQueue: 256 << 10, Shutdown: 10 * time.Second,
		},
		Autohost:   host.Autohost{MaxGames: 6, Open: s.Open, Retry: time.Hour},
		Advertiser: local,
		Outside:    func(id uint32, by *command.Caller, line string) { s.operator.FromGame(id, by, line) },
		Admins:     roles{}, People: s.db, Log: zerolog.New(s).Level(zerolog.WarnLevel),
	}
	for _, f := range change {
		f(&s.opts)
	}
	s.h, err = host.New(s.opts)
	if err != nil {
		t.Fatal(err)
	}
	s.operator = New(Options{
		Seen: func(uint32) Seen { return Seen{} },
		Host: s.h, Maps: s, Saves: savedGames{s}, Log: zerolog.Nop(), Trigger: "!", LAN: local, Realms: twoRealms{s},
		Stop: func() { s.tell("the host is shutting down") },
		Upgrade: func(path string, outlive func(), answer func(Upgraded, error)) error {
			if s.tell("the holder is asked for " + cmp.Or(path, "the installed program")); path == "/nowhere" {
				answer(Upgraded{}, errors.New("no such file or directory"))
			} else {
				answer(Upgraded{Moved: outlive != nil}, nil)
			}
			return nil
		},
		Reload: func() ([]string, error) {
			err := s.broken
			s.broken = nil
			s.operator.Use(nil, s.players)
			return []string{"host.listen has changed; restart the host to apply it."}, err
		},
		Audit: func(a storage.AdminAction) {
			s.tell(fmt.Sprintf("audit: %s by %s (%s), on %q, %q, refused %q", a.Action, a.Who, a.Via, a.On, a.Detail, a.Refused))
		},
	})
	s.db.operator = s.operator
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = s.h.Run(ctx) })
	running.Go(func() { s.operator.Run(ctx) })
	t.Cleanup(func() {
		stop()
		running.Wait()
		_ = db.Close()
	})
	return s
}

func plainGame() game.Config {
	l := lobby.Defaults()
	l.Voice.VirtualHost, l.Countdown.Lines, l.Admission.KickCooldown, l.Pace.SlotRequests = "Host", 0, 0, 0
	return game.Config{
		Version: 26, Program: "w3host test", Settings: w3gs.SpeedFast | w3gs.VisibilityDefault, Lobby: l,
		Turns: gamesync.Defaults(), Transfer: mapxfer.Defaults(), Trigger: '!', Silence: time.Minute,
	}
}

// roles go by the names.
type roles struct{}

func (roles) Level(who host.Joiner) command.Level {
	name := who.Name
	switch {
	case strings.HasPrefix(name, "Root"):
		return command.Root
	case strings.HasPrefix(name, "Admin"):
		return command.Admin
	}
	return command.Anyone
}

func (roles) AdminLike(string) string { return "" }

// flakyPeople may lose the database. It answers after the operator has handled the line that asks.
type flakyPeople struct {
	people.Directory
	operator *Operator
	away     bool
}

func (p *flakyPeople) Ask(ctx context.Context, q command.Query) (string, error) {
	if p.away {
		return "", errors.New("the database does not answer: try again later")
	}
	handled := make(chan struct{})
	next := request{by: &command.Caller{Reply: func(string) {}}, line: "help", done: func() { close(handled) }}
	select { // the operator handles one line after the other
	case p.operator.lines <- next:
		<-handled
	case <-p.operator.done:
	}
	return p.Directory.Ask(ctx, q)
}

// The maps of the host: broken.w3x cannot be hosted.
var mapFiles = []string{"echo isles.w3x", "echo ruins.w3x", "dota.w3x", "broken.w3x"}

func (s *stage) List(pattern string) (found []string, err error) {
	return slices.DeleteFunc(slices.Clone(mapFiles), func(f string) bool { return !strings.Contains(f, pattern) }), nil
}

func (s *stage) Find(pattern string) (string, error) {
	found, _ := s.List(pattern)
	switch len(found) {
	case 0:
		return "", fmt.Errorf("no map matches %q", pattern)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%q may be %s", pattern, strings.Join(found, " or "))
}

func (s *stage) Open(file string, seen []w3gs.Version) (*host.Map, error) {
	if file == "broken.w3x" {
		return nil, errors.New("map broken.w3x: no map file")
	}
	_, data := builtin.Map()
	m, err := w3map.Read(bytes.NewReader(data), int64(len(data)), file, w3map.Options{Version: seen[0]})
	if err != nil {
		return nil, err
	}
	parts, err := mapxfer.NewParts(data)
	return &host.Map{Map: m, Parts: parts}, err
}

// twoRealms are a realm that has listed a lobby and one that is down.
type twoRealms struct{ *stage }

func (twoRealms) Names() []string         { return []string{"Home", "Far"} }
func (twoRealms) Online() map[string]bool { return map[string]bool{"Home": true} }

func (twoRealms) SeenAt(string) netip.AddrPort { return netip.MustParseAddrPort("192.0.2.9:6112") }

func (r twoRealms) Whisper(realm, to, line string) {
	r.tell("the account on " + realm + " whispers to " + to + ": " + line)
}

// Write takes a line of the host's log.
func (s *stage) Write(line []byte) (int, error) {
	s.tell("log: " + strings.TrimSpace(string(line)))
	return len(line), nil
}

func (s *stage) tell(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, line)
}

// volatile is what differs between runs, how long a game runs and dates. The lists of
// commands, which docs/commands.md has, are indented and left out.
var volatile = regexp.MustCompile(`(players?, )(\d+ (?:second|minute|hour|day)s?\b ?)+|((?:since|until|reads) )2\d{3}-\d\d-\d\d( \d\d:\d\d UTC)?|(!sc )\d{6}`)

// event plays a line and returns what has come of it.
func (s *stage) event(line string) ([]string, error) {
	s.told = nil
	if err := s.play(line); err != nil {
		return nil, err
	}
	s.settle()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = slices.DeleteFunc(s.told, func(line string) bool { return strings.Contains(line, " reads   ") })
	for i, line := range s.told {
		s.told[i] = volatile.ReplaceAllString(line, "$1$3$5…")
	}
	// Records and answers come on two goroutines.
	slices.SortStableFunc(s.told, func(a, b string) int { return order(a) - order(b) })
	return s.told, nil
}

func order(told string) int {
	if strings.HasPrefix(told, "audit: ") {
		return 1
	}
	return 0
}

func (s *stage) play(line string) error {
	if who, text, ok := strings.Cut(line, ": "); ok {
		return s.say(who, text)
	}
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "entry":
		name, maps, _ := strings.Cut(rest, " ")
		name = strings.ReplaceAll(name, "_", " ")
		maps, vote := strings.CutSuffix(maps, " vote")
		e := autohost.Entry{Name: name, Lobbies: 1, MaxGames: 2, Setup: plainGame()}
		for file := range strings.SplitSeq(maps, ",") {
			e.Maps = append(e.Maps, autohost.Choice{Map: strings.ReplaceAll(file, "_", " ")})
		}
		if e.Maps[0].Weight = 1; vote {
			e.Rotation = autohost.ByVote
		}
		s.opts.Autohost.Entries = append(s.opts.Autohost.Entries, e)
		// Nothing is opened before everything is closed, so that numbers are the same in
		// each run.
		s.h.Keep(func(k *autohost.Keeper) { k.Disable(true) })
		s.h.Configure(s.opts)
		s.flush()
		s.h.Keep(func(k *autohost.Keeper) { k.Disable(false) })
	case "join":
		id, name, _ := strings.Cut(rest, " ")
		return s.join(id, name)
	case "leave":
		_ = s.clients[rest].Conn.Close()
		_ = s.clients[rest].Ended()
		delete(s.clients, rest)
		testkit.Eventually(s.t, "the player is out", func() bool { return !s.isIn(rest) })
	case "the":
		s.db.away = s.db.away || rest == "database is away"
		s.operator.opts.Contained = rest == "host is in a container"
		switch rest {
		case "fleet is full":
			s.operator.opts.Fleet = neighbour{&neighbours{full: texts.Of("the limit of lobbies and games of all hosts is reached (fleet.max_games)")}, 1}
		case "fleet is not known":
			s.operator.opts.Fleet = neighbour{&neighbours{full: texts.Of("the number of lobbies of all hosts is unknown: the database does not answer")}, 1}
		}
	default:
		return errors.New("no such event")
	}
	return nil
}

func (s *stage) say(who, line string) error {
	who, in, _ := strings.Cut(who, " in ")
	id := uint32(0)
	_, _ = fmt.Sscan(in, &id)
	if c := s.clients[who]; c != nil {
		s.note(commands, line, roles{}.Level(host.Joiner{Name: who, Realm: ""}), "")
		return s.h.Game(s.in[who]).Command(&command.Caller{PID: c.PID}, line)
	}
	by := &command.Caller{
		Name: who, Via: command.ViaWhisper,
		Reply: func(text string) { s.tell(who + " reads " + text) },
	}
	switch who {
	case "reload fails":
		s.broken = errors.New(line)
		return nil
	case "reload lets players host":
		n, maps, _ := strings.Cut(line, " ")
		s.players.PerPerson, s.players.Maps = int(n[0]-'0'), strings.Fields(maps)
		s.players.Enabled = s.players.PerPerson > 0
		return nil
	case "console":
		by.Level, by.Via = command.Root, command.ViaConsole
	case "admin":
		by.Level = command.Admin
	case "player":
	default:
		name, realm, ok := strings.Cut(who, "@")
		if !ok {
			return fmt.Errorf("%s is not there", who)
		}
		by.Name, by.Realm, by.Level = name, realm, roles{}.Level(host.Joiner{Name: name, Realm: realm})
		by.Language, _, _ = s.db.Language(s.t.Context(), name)
		if in == "channel" {
			by.Via = command.ViaChannel
		}
	}
	refused := ""
	by.Refuse = func(why string) {
		refused = why
		s.tell(who + " is refused: " + why)
	}
	if err := s.operator.do(s.t.Context(), by, id, line); err != nil {
		return err
	}
	if id == 0 {
		s.note(everything, line, by.Level, refused)
	} else {
		s.note(commands, line, by.Level, refused)
	}
	return nil
}

// note keeps what was shown of a command.
func (s *stage) note(table command.Table[*target], line string, level command.Level, refused string) {
	word, _, _ := strings.Cut(line, " ")
	spec := table.Find(word).Spec
	if spec == nil {
		return
	}
	use := "refused"
	switch {
	case level < spec.Level:
		use = "wrong caller"
	case refused == "":
		use = "done"
	case strings.Contains(refused, ". Usage: "+spec.Name):
		use = "wrong arguments"
	}
	if s.uses[spec.Name] == nil {
		s.uses[spec.Name] = map[string]bool{}
	}
	s.uses[spec.Name][use] = true
}

func (s *stage) join(id, name string) error {
	number := uint32(0)
	_, _ = fmt.Sscan(id, &number)
	g := s.h.Game(number)
	if g == nil {
		return fmt.Errorf("there is no game %s", id)
	}
	c := testkit.Dial(s.t, s.h.Addr())
	c.Name, c.Conduct = name, testkit.Player
	go c.Listen() // ends with the connection
	c.Send(testkit.JoinPacket(number, g.EntryKey(), name))
	b := c.Until(0x04)
	c.PID = b[6+(int(b[4])|int(b[5])<<8)]
	s.clients[name], s.in[name] = c, number
	testkit.Eventually(s.t, "the player is in", func() bool { return s.isIn(name) })
	return nil
}

func (s *stage) isIn(name string) bool {
	return slices.ContainsFunc(s.h.Info(s.in[name]).Players, func(p game.Player) bool { return p.Name == name })
}

// settle waits until every lobby that is wanted is open, and tells what the
// clients have read.
func (s *stage) settle() {
	s.flush()
	testkit.Eventually(s.t, "the lobbies", func() bool {
		missing, unwanted := false, []uint32(nil)
		s.h.Keep(func(k *autohost.Keeper) {
			_, missing = k.Next(time.Now())
			unwanted = k.Unwanted(time.Now())
		})
		return !missing && !slices.ContainsFunc(unwanted, func(id uint32) bool { i := s.h.Info(id); return i.ID != 0 && len(i.Players) == 0 })
	})
	s.flush()
	for _, name := range slices.Sorted(stdmaps.Keys(s.clients)) {
		c := s.clients[name]
		g := s.h.Game(s.in[name])
		if g == nil || !s.isIn(name) {
			_ = c.Ended()
			s.tell(name + " is out")
			delete(s.clients, name)
			continue
		}
		s.marks++
		mark := fmt.Sprintf("mark %d", s.marks)
		g.Say(&command.Caller{PID: c.PID, Name: name}, mark)
		for {
			text := testkit.ChatText(c.Until(0x0F))
			if strings.HasSuffix(text, mark) {
				break
			}
			s.tell(name + " reads " + text)
		}
	}
}

// flush waits for what is queued: lines of players, then what they order of games.
func (s *stage) flush() {
	nobody := &command.Caller{Via: command.ViaConsole}
	_ = s.operator.do(s.t.Context(), nobody, 0, "help")
	for _, g := range s.h.Games() {
		_ = g.Command(nobody, "version")
	}
}
