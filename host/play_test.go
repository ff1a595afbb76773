package host

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/bots"
	"w3host/internal/testkit"
	"w3host/internal/tier"
	"w3host/lan"
	"w3host/lan/play"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// playing is w3host lan play beside the games of this machine.
type playing struct {
	list string // UDP address where its list is asked for

	mu   sync.Mutex
	said []string
}

var wantGame = w3gs.SearchGame{Product: w3gs.ProductTFT, Version: 26}

// startPlaying runs w3host lan play until the test ends.
func startPlaying(t *testing.T, host netip.AddrPort) *playing {
	t.Helper()
	free, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.LocalAddr().(*net.UDPAddr).AddrPort()
	_ = free.Close()
	p := &playing{list: at.String()}
	ctx, stop := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		err := play.Run(ctx, play.Options{
			Host: host.String(), OnlyHere: true, Log: zerolog.Nop(), Say: p.say,
			Show: func(o *lan.Options) { o.Ports, o.Broadcast, o.Targets = []uint16{at.Port()}, []netip.AddrPort{}, nil },
		})
		if err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		stop()
		done.Wait()
		if t.Failed() {
			t.Logf("w3host lan play said:\n%s", p.text())
		}
	})
	return p
}

func (p *playing) say(s texts.Text) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.said = append(p.said, s.String())
}

func (p *playing) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.said, "\n")
}

func (p *playing) count(part string) int { return strings.Count(p.text(), part) }

// TestPlay: ten players behind one address find the lobby of a host elsewhere in their
// own list, and play a whole game. The host knows their address, which is not exempt from
// anything.
func TestPlay(t *testing.T) {
	tier.All(t, "plays in real time")
	t.Parallel()
	r := reconnectRig(t, func(o *Options) {
		o.Listing, o.RequireEntryKey = true, true
		o.Limits.UnjoinedPerIP, o.Limits.JoinsPerMinute, o.Limits.SeatsPerIP, o.Limits.GamesPerIP = 48, 60, 48, 8
		o.Limits.Exempt = nil
		o.Game.Turns.Period = 100 * time.Millisecond
	})
	r.lobby(10)
	p := startPlaying(t, r.h.Addr())
	testkit.Eventually(t, "the lobby in the list", func() bool { return p.count(`"test" is in the list of your game (version 1.26`) == 1 })
	report, err := bots.Run(t.Context(), bots.Options{Addr: p.list, Players: 10, Play: 3 * time.Second, Log: zerolog.Nop()})
	if err != nil || report.Joined != 10 || !report.OK {
		t.Errorf("%v, %v", report.Verdict(), err)
	}
	if n := p.count(`You are in "test".`); n != 10 {
		t.Errorf("%d players read that they are in", n)
	}
	testkit.Eventually(t, "the end of the list's entry", func() bool { return p.count(`"test" has started or is closed.`) == 1 })
}

// TestPlayRefused: who is not let in reads why, and who knows no lobby's key reaches
// nothing.
func TestPlayRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Listing, o.RequireEntryKey = true, true })
	g := r.lobby(1)
	p := startPlaying(t, r.h.Addr())
	testkit.Eventually(t, "the lobby in the list", func() bool { return p.count(`"test" is in the list`) == 1 })
	at := netip.MustParseAddrPort(p.list)
	found, err := lan.Search(t.Context(), at, wantGame)
	if err != nil || len(found) != 1 || found[0].Info.EntryKey != g.EntryKey() {
		t.Fatal(found, err)
	}
	door := found[0].JoinAddr()
	r.join(g, "Ann", player)
	bob := r.knockOn(dial(t, door), g, "Bob", nil)
	if b := bob.Next(); b == nil || b[1] != 0x05 {
		t.Errorf("Bob was answered % X", b)
	}
	testkit.Eventually(t, "the reason in words", func() bool { return p.count(`"test" has not let you in: it is full`) == 1 })
	cut := dial(t, door)
	go cut.Listen()
	cut.Send(joinPacket(g.ID(), g.EntryKey()+1, "Cid"))
	if b := cut.Next(); b != nil {
		t.Errorf("a join with a wrong key was answered % X", b)
	}
}

// TestPlayOff: a host that lists nothing is not an error, and is said once.
func TestPlayOff(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	p := startPlaying(t, r.h.Addr())
	testkit.Eventually(t, "what is wrong", func() bool { return p.count("its operator has switched that off") == 1 })
}

// TestPlayCuts: a player's line is cut again and again, and their game goes on. Each side
// is told.
func TestPlayCuts(t *testing.T) {
	t.Parallel()
	r := reconnectRig(t, func(o *Options) {
		o.Listing = true
		o.Game.Turns.Period = 100 * time.Millisecond
	})
	g := r.lobby(2)
	line := testkit.NewRelay(t, r.h.Addr().String(), testkit.Line{Delay: 5 * time.Millisecond}, testkit.Line{})
	p := startPlaying(t, netip.MustParseAddrPort(line.Addr()))
	testkit.Eventually(t, "the lobby in the list", func() bool { return p.count(`"test" is in the list`) == 1 })
	found, err := lan.Search(t.Context(), netip.MustParseAddrPort(p.list), wantGame)
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	ann := r.join(g, "Ann", player)
	bob := r.letIn(r.knockOn(dial(t, found[0].JoinAddr()), g, "Bob", player))
	testkit.Eventually(t, "the offer to come back", func() bool { return ask(t, g, func(g *Game) bool { return g.proxies[bob.PID] != nil }) })
	r.begin(ann, bob)
	r.inPlay(ann, bob)
	for i := range 3 {
		line.Break()
		bob.Send(action([]byte("said while away")))
		testkit.Eventually(t, "the way back", func() bool { return p.count("You are back in") == i+1 && p.count("The connection to") == i+1 })
		sameHistory(t, ann, bob)
	}
	if n := slices.IndexFunc(ann.All(), func(h testkit.Heard) bool { return h.B[1] == 0x07 && h.B[4] == bob.PID }); n >= 0 {
		t.Error("Bob has left for Ann")
	}
}

// TestPlayReforged: players of 1.36 find the lobby of a host elsewhere by multicast DNS, and
// play through w3host lan play.
func TestPlayReforged(t *testing.T) {
	tier.All(t, "plays in real time")
	t.Parallel()
	r := reconnectRig(t, func(o *Options) {
		o.Listing, o.RequireEntryKey, o.Game.Version, o.Game.Turns.Period = true, true, 36, 100*time.Millisecond
	})
	g, err := r.h.OpenLobby("far away", versionMap(t, 36))
	if err != nil {
		t.Fatal(err)
	}
	p := startPlaying(t, r.h.Addr())
	testkit.Eventually(t, "the lobby in the list", func() bool { return p.count(`"far away" is in the list of your game (version 1.36`) == 1 })
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	ask := lan.BrowseOptions{Ask: []w3gs.SearchGame{{Product: w3gs.ProductTFT, Version: 36}}, Every: 300 * time.Millisecond}
	shown := false
	err = lan.Browse(ctx, ask, func(found []lan.Found) {
		for _, f := range found {
			if f.Info.EntryKey == g.EntryKey() && f.JoinAddr() != r.h.Addr() {
				shown = true
				stop()
			}
		}
	})
	if err != nil || !shown {
		t.Fatalf("by multicast nothing is shown: %v", err)
	}
	report, err := bots.Run(t.Context(), bots.Options{
		Addr: p.list, Version: 36, NamePrefix: "bot#", Players: 3, Play: 2 * time.Second, Log: zerolog.Nop(),
	})
	if err != nil || report.Joined != 3 || !report.OK {
		t.Errorf("%v, %v: %+v", report.Verdict(), err, report.Faults)
	}
	if n := p.count(`You are in "far away".`); n != 3 {
		t.Errorf("%d players read that they are in", n)
	}
}

// TestPlayHostileClients: what a program on the player's side sends to w3host lan play costs
// that program its connection, and nobody else anything.
func TestPlayHostileClients(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Listing, o.RequireEntryKey = true, true })
	g := r.lobby(2)
	p := startPlaying(t, r.h.Addr())
	testkit.Eventually(t, "the lobby in the list", func() bool { return p.count(`"test" is in the list`) == 1 })
	found, err := lan.Search(t.Context(), netip.MustParseAddrPort(p.list), wantGame)
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	door := found[0].JoinAddr()
	join := joinPacket(g.ID(), g.EntryKey(), "Mallory")
	for name, bytes := range map[string][]byte{
		"another protocol":        []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
		"no join":                 slices.Repeat(packet(0x21, uint32(7)), 2), // as long as the head of a join
		"a question for lobbies":  slices.Repeat(gproxy.List{Format: gproxy.ListFormat}.AppendTo(nil), 2),
		"a lobby that is not":     joinPacket(g.ID()+1, g.EntryKey(), "Mallory"),
		"another key":             joinPacket(g.ID(), g.EntryKey()+1, "Mallory"),
		"a length of nothing":     slices.Concat(join, []byte{0xF7, 0x28, 0, 0}),
		"a length below a header": slices.Concat(join, []byte{0xF7, 0x28, 3, 0}),
		"another first byte":      slices.Concat(join, []byte{0x00, 0x28, 4, 0}),
		"megabytes of junk":       slices.Concat(join, make([]byte, 8<<20)),
		"a broken join":           slices.Concat([]byte{0xF7, 0x1E, 13, 0}, join[4:13]),
	} {
		c := dial(t, door)
		go c.Listen()
		c.Send(bytes)
		testkit.Eventually(t, "the end of "+name, func() bool { return c.Ending() != nil })
	}
	if p.count("cannot be reached") > 0 {
		t.Error("a lobby that is not shown was looked for")
	}
	half := dial(t, door) // stays open
	half.Send(join[:20])
	ann := r.letIn(r.knockOn(dial(t, door), g, "Ann", player))
	bob := r.join(g, "Bob", player)
	r.begin(ann, bob)
	r.inPlay(ann, bob)
	sameHistory(t, ann, bob)
}
