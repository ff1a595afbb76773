package host

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/netip"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/formats/w3map"
	"w3host/game"
	"w3host/game/command"
	"w3host/host/admission"
	"w3host/host/loop"
	"w3host/host/takeover"
	"w3host/internal/simnet"
	"w3host/internal/testkit"
	"w3host/lobby"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
	"w3host/storage"
	gamesync "w3host/sync"
)

// period is the length of a turn in these tests: short, and long enough for a
// busy machine under the race detector.
const period = 50 * time.Millisecond

// rig is a host that runs, with what it logs and records.
type rig struct {
	t       testing.TB
	h       *Host
	records *tape
	log     *logTape
	net     *simnet.Net // nil: that of the system
	line    simnet.Line // of clients in a bubble, each way

	stop func()
	done chan error
}

// newRig starts a host. When the test ends the host must stop in good order and
// leave no goroutine behind.
func newRig(t testing.TB, change func(*Options)) *rig {
	t.Helper()
	r := &rig{t: t, records: &tape{}, log: &logTape{}, done: make(chan error, 1), line: line}
	opts := Options{
		Product: w3gs.ProductTFT, Game: plainGame(),
		Limits: Limits{
			Limits: admission.Limits{
				Unjoined: 2000, UnjoinedPerIP: 8, JoinsPerMinute: 30, Exempt: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
			},
			JoinTimeout: time.Minute, PacketRate: 200, OutQueue: 256 << 10, Shutdown: 10 * time.Second,
		},
		Recorder: r.records,
		Outside:  unknown,
		Log:      zerolog.New(r.log).Level(zerolog.DebugLevel),
	}
	opts.Game.Turns.Period = period
	if testkit.Virtual() {
		n := simnet.New(1)
		t.Cleanup(n.Close) // after the host has stopped
		opts.Network = loop.NewMemory(n)
	}
	if change != nil {
		change(&opts)
	}
	if m, ok := opts.Network.(*loop.Memory); ok {
		r.net = m.Net
	}
	if opts.Listeners.Main == nil {
		opts.Listeners = listenOn(t, &opts, "127.0.0.1:0", "")
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.stop = cancel
	// The host's goroutines inherit the label, so that they can be told from others'.
	label := fmt.Sprintf("%s-%p", strings.ReplaceAll(t.Name(), "/", "-"), r)
	pprof.Do(ctx, pprof.Labels("rig", label), func(ctx context.Context) {
		h, err := New(opts)
		if err != nil {
			t.Fatal(err)
		}
		r.h = h
		go func() { r.done <- h.Run(ctx) }()
	})
	t.Cleanup(func() {
		r.shutDown()
		for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			left := goroutinesOf(label)
			if left == "" {
				break
			}
			if time.Now().After(deadline) {
				t.Errorf("goroutines were left behind:\n%s", left)
				break
			}
		}
		if t.Failed() {
			t.Logf("log of the host:\n%s", r.log.String())
		}
	})
	return r
}

// listenOn opens the ports of a host on its network; "" opens none.
func listenOn(t testing.TB, o *Options, addr, returns string) takeover.Listeners {
	t.Helper()
	if m, ok := o.Network.(*loop.Memory); ok {
		open := func(addr string) net.Listener {
			if addr == "" {
				return nil
			}
			l, err := m.Listen(netip.MustParseAddrPort(addr))
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		return takeover.Listeners{Main: open(addr), Returns: open(returns)}
	}
	l, err := takeover.Listen(nil, addr, returns)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// plainGame is a game without the limits of players' habits, which the first who
// joins owns.
func plainGame() game.Config {
	l := lobby.Defaults()
	l.Voice.VirtualHost, l.Owner.First, l.Countdown.Lines, l.Admission.KickCooldown, l.Pace.SlotRequests = "Host", true, 0, 0, 0
	return game.Config{
		Version: 26, Program: "w3host test", Settings: w3gs.SpeedFast | w3gs.VisibilityDefault, Lobby: l,
		Turns: gamesync.Defaults(), Transfer: mapxfer.Defaults(), Trigger: '!', Silence: time.Minute,
	}
}

// goroutinesOf lists the goroutines with a label.
func goroutinesOf(label string) string {
	var b bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&b, 1)
	var found []string
	for part := range strings.SplitSeq(b.String(), "\n\n") {
		if strings.Contains(part, `"`+label+`"`) {
			found = append(found, part)
		}
	}
	return strings.Join(found, "\n\n")
}

// shutDown stops the host, once, and reports how long that took.
func (r *rig) shutDown() time.Duration {
	r.t.Helper()
	begin := time.Now()
	r.stop()
	select {
	case err := <-r.done:
		if err != nil {
			r.t.Errorf("Run: %v", err)
		}
		r.done <- nil // for the next caller
	case <-time.After(patience):
		r.t.Fatal("Run does not return")
	}
	return time.Since(begin)
}

// unjoined counts the connections that have not joined.
func (r *rig) unjoined() int {
	n := 0
	if !r.h.shard.Wait(func() { n = r.h.shard.admission.Unjoined() }) {
		n = r.h.shard.admission.Unjoined()
	}
	return n
}

// lobby opens a lobby whose map has n slots.
func (r *rig) lobby(n int) *Game {
	r.t.Helper()
	g, err := r.h.OpenLobby("test", testMap(n))
	if err != nil {
		r.t.Fatal(err)
	}
	return g
}

// join connects a client, sends its 0x1E and waits for its pid.
func (r *rig) join(g *Game, name string, conduct func(*client, []byte)) *client {
	r.t.Helper()
	return r.letIn(r.knock(g, name, conduct))
}

// letIn waits for a client's pid.
func (r *rig) letIn(c *client) *client {
	r.t.Helper()
	name := c.Name
	b := c.Next()
	if b == nil || b[1] != 0x04 {
		r.t.Fatalf("%s was not let in: % X, %v", name, b, c.Ending())
	}
	table := int(b[4]) | int(b[5])<<8
	c.PID = b[6+table]
	return c
}

// knock connects a client and sends its 0x1E.
func (r *rig) knock(g *Game, name string, conduct func(*client, []byte)) *client {
	r.t.Helper()
	return r.knockOn(r.dial(), g, name, conduct)
}

// knockOn is knock over a connection that stands.
func (r *rig) knockOn(c *client, g *Game, name string, conduct func(*client, []byte)) *client {
	c.Name, c.Conduct = name, conduct
	go c.Listen()
	c.Send(joinPacket(g.ID(), g.EntryKey(), name))
	return c
}

// begin starts a game without a countdown.
func (r *rig) begin(clients ...*client) {
	r.t.Helper()
	clients[0].Say("!start now", clients[0].PID)
	for _, c := range clients {
		c.Until(0x0B)
	}
}

// play opens a lobby and plays with n players until the first turn.
func (r *rig) play(n int) (*Game, []*client) {
	r.t.Helper()
	g := r.lobby(n)
	clients := make([]*client, n)
	for i := range clients {
		clients[i] = r.join(g, fmt.Sprintf("P%d", i+1), player)
	}
	r.begin(clients...)
	for _, c := range clients {
		c.Until(0x0C)
	}
	return g, clients
}

// ask runs f on the game's goroutine.
func ask[T any](t testing.TB, g *Game, f func(*Game) T) T {
	t.Helper()
	answer := make(chan T, 1)
	g.call(func() { answer <- f(g) })
	select {
	case v := <-answer:
		return v
	case <-time.After(patience):
		t.Fatal("the game does not answer")
		panic("unreachable")
	}
}

// order runs a command of the operator on the game and returns the answer.
func order(t testing.TB, g *Game, line string) string {
	t.Helper()
	return ask(t, g, func(g *Game) (answer string) {
		g.step(&game.Input{Kind: game.Command, Line: line, Caller: &command.Caller{
			Name: "operator", Level: command.Root, Via: command.ViaConsole, Reply: func(text string) { answer += text },
		}})
		return answer
	})
}

// OpenLobby opens one public lobby that no entry asks for.
func (h *Host) OpenLobby(name string, m *Map) (*Game, error) {
	return h.OpenFor(LobbyRequest{Name: name, Map: m})
}

// unknown answers in the place of control. Players begin lines with all sorts of
// signs, so that they read nothing.
func unknown(_ uint32, by *command.Caller, line string) {
	word, _, _ := strings.Cut(line, " ")
	if by.Level < command.Owner || strings.EqualFold(word, "help") {
		return
	}
	by.Deny(command.Table[any](nil).Unknown(line, "", by.Level).Error())
}

// testMap is a map of custom forces with n slots in two teams.
func testMap(n int) *Map {
	data := bytes.Repeat([]byte("map!"), 1000)
	m := &w3map.Map{
		File: "t.w3x", Path: `Maps\Download\t.w3x`, Info: w3map.Info{Name: "Test", Width: 64, Height: 64},
		Identifiers: w3map.Identifiers{
			Size: uint32(len(data)), CRC32: 0x11223344, Checksum: 0x55667788,
			SHA1:        [20]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20},
			HasChecksum: true, HasSHA1: true,
		},
		CustomForces: true, Layout: w3gs.LayoutCustomForces, PlayerSlots: uint8(n),
		Version: 26, Settings: w3map.DefaultSettings,
	}
	for i := range n {
		m.Slots = append(m.Slots, w3gs.Slot{
			Download: w3gs.DownloadUnknown, Team: uint8(i % 2), Colour: uint8(i),
			Race: w3gs.RaceRandom | w3gs.RaceSelectable, AI: w3gs.AINormal, Handicap: 100,
		})
	}
	parts, err := mapxfer.NewParts(data)
	if err != nil {
		panic(err)
	}
	return &Map{Map: m, Parts: parts}
}

// tape is a Recorder that keeps everything.
type tape struct {
	mu   sync.Mutex
	list []storage.Record
}

// Record keeps r.
func (t *tape) Record(r storage.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = append(t.list, r)
}

// recordsOf lists the records of one type so far.
func recordsOf[T storage.Record](r *rig) []T {
	r.records.mu.Lock()
	defer r.records.mu.Unlock()
	var found []T
	for _, record := range r.records.list {
		if record, ok := record.(T); ok {
			found = append(found, record)
		}
	}
	return found
}

// recorded waits for a record of one type and returns the latest.
func recorded[T storage.Record](r *rig) T {
	r.t.Helper()
	var last T
	testkit.Eventually(r.t, fmt.Sprintf("a record of %T", last), func() bool {
		list := recordsOf[T](r)
		if len(list) > 0 {
			last = list[len(list)-1]
		}
		return len(list) > 0
	})
	return last
}

// logTape keeps the lines of the log.
type logTape struct {
	mu    sync.Mutex
	lines []string
}

// Write takes one line.
func (l *logTape) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, strings.TrimSpace(string(b)))
	return len(b), nil
}

func (l *logTape) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

// find lists the fields of the lines that have a message, or all for "".
func (l *logTape) find(message string) []map[string]any {
	l.mu.Lock()
	lines := slices.Clone(l.lines)
	l.mu.Unlock()
	var found []map[string]any
	for _, line := range lines {
		fields := map[string]any{}
		if json.Unmarshal([]byte(line), &fields) == nil && (message == "" || fields["message"] == message) {
			found = append(found, fields)
		}
	}
	return found
}

// logged waits for a line with a message.
func (r *rig) logged(message string) map[string]any {
	r.t.Helper()
	var found []map[string]any
	testkit.Eventually(r.t, fmt.Sprintf("the log line %q", message), func() bool {
		found = r.log.find(message)
		return len(found) > 0
	})
	return found[0]
}

// wantFIN fails unless the host has closed the connection properly.
func wantFIN(t testing.TB, c *client) {
	t.Helper()
	if err := c.Ended(); err != io.EOF {
		t.Errorf("%s: connection ended with %v, want a FIN", c.Name, err)
	}
}

func seen(c *client, data string) bool {
	return slices.ContainsFunc(c.All(), func(h testkit.Heard) bool { return bytes.Contains(h.B, []byte(data)) })
}
