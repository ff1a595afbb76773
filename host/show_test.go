package host

import (
	"bytes"
	"crypto/rand"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/internal/testkit"
	"w3host/lan"
	"w3host/protocol/w3gs"
	"w3host/record/recording"
	"w3host/spectate"
	"w3host/storage"
)

// shownRig is a host whose games can be watched, and what it announces.
func shownRig(t *testing.T, change func(*Options)) (*rig, adverts) {
	t.Helper()
	archive, err := recording.Open(recording.Options{Dir: t.TempDir(), Name: "game {id}"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = archive.Close(time.Minute) })
	shown := make(adverts, 20)
	r := newRig(t, func(o *Options) {
		o.Advertiser, o.Replays = shown, archive
		o.Watch = Watch{On: true, Delay: time.Second, Most: 20, All: 40, Past: spectate.Options{Speed: spectate.Max}}
		o.Game.Settings, o.Game.Lobby.WatchersSeat = o.Game.Settings|w3gs.ObserversOn, true
		o.Limits.Exempt = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		if change != nil {
			change(o)
		}
	})
	return r, shown
}

// noise has a player do so much that some of the record is written.
func noise(c *client) {
	for range 16 {
		data := make([]byte, 900)
		_, _ = rand.Read(data)
		c.Send(action(data))
	}
}

// watchEntry waits until the game is listed for those who watch.
func watchEntry(t *testing.T, shown adverts) lan.Advert {
	t.Helper()
	for {
		if ad := shown.next(t); ad.Watched {
			return ad
		}
	}
}

// watchAs joins the entry.
func watchAs(r *rig, ad lan.Advert, name string) *client {
	c := r.dial()
	c.Name, c.Conduct = name, player
	go c.Listen()
	c.Send(joinPacket(ad.GameID, ad.EntryKey, name))
	return c
}

// packetsOfGame are the 0x07, 0x0C and 0x48 that a client has been sent since its game began.
func packetsOfGame(c *client) (all [][]byte) {
	began := false
	for _, h := range c.All() {
		switch h.B[1] {
		case 0x0B:
			began = true
		case 0x07, 0x0C, 0x48:
			if began {
				all = append(all, h.B)
			}
		}
	}
	return all
}

// sameGame compares what two clients have been sent of their game.
func sameGame(t *testing.T, a, b *client) {
	t.Helper()
	one, other := packetsOfGame(a), packetsOfGame(b)
	n := min(len(one), len(other))
	if n == 0 || !slices.EqualFunc(one[:n], other[:n], bytes.Equal) {
		t.Errorf("%s and %s were sent different packets of the game", a.Name, b.Name)
	}
}

// crash ends a client as its process does.
func crash(t *testing.T, c *client) {
	t.Helper()
	if err := c.Conn.SetLinger(0); err != nil {
		t.Error(err)
	}
	_ = c.Conn.Close()
}

// TestWatchedGame: a running game is listed for those who watch, at the port of the host. They
// are sent what its players are sent, byte for byte, and compute what these have computed.
func TestWatchedGame(t *testing.T) { inBubble(t, testWatchedGame) }

func testWatchedGame(t *testing.T) {
	r, shown := shownRig(t, nil)
	g, players := r.play(3)
	noise(players[0])
	ad := watchEntry(t, shown)
	if ad.Name != "[watch] test" || ad.Port != r.h.Addr().Port() || ad.GameID == g.ID() || ad.Private || ad.Count.Open == 0 {
		t.Errorf("listed %+v", ad)
	}
	viewer := watchAs(r, ad, "Onlooker")
	viewer.Until(0x0C)
	viewers := []*client{viewer, watchAs(r, ad, "Onlooker2"), watchAs(r, ad, "Onlooker3"), watchAs(r, ad, "Onlooker4")}
	testkit.Eventually(t, "four watch", func() bool {
		i := r.h.Info(g.ID())
		return i.Watching() == 4
	})
	noise(players[1])
	viewer.Say("!where", viewer.PID) // a command, and a line: neither reaches the players
	crash(t, players[2])
	players[0].Until(0x07)
	for _, c := range players[:2] {
		_ = c.Conn.Close()
	}
	for _, v := range viewers {
		v.UntilChat("The record of this game ends here")
		sameGame(t, players[0], v)
		if n := len(packetsOfGame(v)); n < 20 {
			t.Errorf("%s was sent %d packets of the game", v.Name, n)
		}
	}
	// Names of eight letters: three letters turn up by chance in the noise.
	for _, c := range players {
		for _, h := range c.All() {
			if bytes.Contains(h.B, []byte("Onlooker")) || bytes.Contains(h.B, []byte("!where")) {
				t.Errorf("%s is sent % x of who watches", c.Name, h.B)
			}
		}
	}
}

// TestWhoMayWatch: a banned player, a wrong key and a game that is over are turned away; who
// plays at the same address, and who comes when the room is full, reads it.
func TestWhoMayWatch(t *testing.T) { inBubble(t, testWhoMayWatch) }

func testWhoMayWatch(t *testing.T) {
	r, shown := shownRig(t, func(o *Options) {
		o.Watch.Most, o.Limits.Exempt, o.Bans = 1, nil, bannedName("Villain")
	})
	g, players := r.play(2)
	noise(players[0])
	ad := watchEntry(t, shown)
	reject := []byte{0xF7, 0x05, 8, 0}
	wrong := ad
	wrong.EntryKey++
	foreign := ad
	foreign.GameID |= 1 << 28
	for name, ad := range map[string]lan.Advert{"Villain": ad, "Guesser": wrong, "Foreign": foreign, "|cffff0000Red": ad, "Two\nLines": ad} {
		if got := watchAs(r, ad, name).Until(0x05); !bytes.HasPrefix(got, reject) {
			t.Errorf("%s: % x", name, got)
		}
	}
	watchAs(r, ad, "Twin").UntilChat("A player at your address is in this game")
	r.h.shard.Wait(func() {
		limits := r.h.shard.opts.Limits.Limits
		limits.Exempt = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		r.h.shard.admission.Configure(limits)
	})
	fan := watchAs(r, ad, "Fan")
	fan.UntilChat("You are watching test")
	watchAs(r, ad, "Late").UntilChat("This game already has its maximum of 1 spectator.")
	for _, c := range players {
		_ = c.Conn.Close()
	}
	testkit.Eventually(t, "the game is over", func() bool { return r.h.Game(g.ID()) == nil })
	if got := watchAs(r, ad, "Tardy").Until(0x05); !bytes.HasPrefix(got, reject) {
		t.Errorf("a game that is over: % x", got)
	}
}

// TestNotWatched: private games are not listed, nor has anything begun that would list them.
func TestNotWatched(t *testing.T) { inBubble(t, testNotWatched) }

func testNotWatched(t *testing.T) {
	r, shown := shownRig(t, nil)
	g, err := r.h.OpenFor(LobbyRequest{Name: "private", Map: testMap(2), Private: true})
	if err != nil {
		t.Fatal(err)
	}
	ann := r.join(g, "Ann", player)
	r.begin(ann)
	ann.Until(0x0C)
	if ask(t, g, func(g *Game) bool { return g.onShow.show != nil }) {
		t.Error("a private game is shown")
	}
	for len(shown) > 0 {
		if ad := shown.next(t); ad.Watched {
			t.Errorf("listed %+v", ad)
		}
	}
}

// TestWatchersSeeNoHiddenNames: where names are hidden, they are for who watches, too.
func TestWatchersSeeNoHiddenNames(t *testing.T) { inBubble(t, testWatchersSeeNoHiddenNames) }

func testWatchersSeeNoHiddenNames(t *testing.T) {
	r, shown := shownRig(t, func(o *Options) { o.Game.Lobby.Admission.Anonymous, o.Game.Lobby.Admission.AnyMap = true, true })
	g := r.lobby(3)
	ann, bob := r.join(g, "Annabelle", player), r.join(g, "Bobbington", player)
	r.begin(ann, bob)
	bob.Until(0x0C)
	noise(ann)
	viewer := watchAs(r, watchEntry(t, shown), "Fan")
	viewer.Until(0x0C)
	var about []string
	for _, h := range viewer.All() {
		if bytes.Contains(h.B, []byte("Annabelle")) || bytes.Contains(h.B, []byte("Bobbington")) {
			t.Errorf("who watches gets % x", h.B)
		}
		if h.B[1] == 0x06 {
			about = append(about, strings.TrimRight(string(h.B[9:17]), "\x00"))
		}
	}
	if !slices.Equal(about, []string{"Player 2", "Player 3"}) {
		t.Errorf("introduced %q", about)
	}
}

// TestHostileWatchers: who floods, never reads, answers what was not sent or opens more
// connections than may be costs the others nothing: who watches well sees the game on, and the
// players get their turns.
func TestHostileWatchers(t *testing.T) { inBubble(t, testHostileWatchers) }

func testHostileWatchers(t *testing.T) {
	r, shown := shownRig(t, func(o *Options) {
		o.Limits.Unjoined, o.Limits.UnjoinedPerIP, o.Limits.JoinsPerMinute = 1000, 1000, 100000
	})
	g, players := r.play(2)
	noise(players[0])
	ad := watchEntry(t, shown)
	fan := watchAs(r, ad, "Fan")
	fan.Until(0x0C)
	forger := watchAs(r, ad, "Forger")
	forger.Until(0x0C)
	flood := bytes.Repeat(packet(0x27, byte(0), uint32(1)), 1000)
	forger.Send(flood)
	forger.Ended()
	talker := watchAs(r, ad, "Talker")
	talker.Until(0x0C)
	for range 1000 {
		talker.SayInGame("spam", talker.PID)
	}
	talker.Ended()
	var crowd []*client
	for range 60 { // of 24 for an address
		c := r.dial()
		c.Name = "Deaf"
		c.Send(joinPacket(ad.GameID, ad.EntryKey, "Deaf")) // and reads nothing
		crowd = append(crowd, c)
	}
	mark, seenBefore := players[1].Count(0x0C), fan.Count(0x0C)
	testkit.Eventually(t, "turns", func() bool { return players[1].Count(0x0C) > mark+20 && fan.Count(0x0C) > seenBefore+20 })
	if n := ask(t, g, func(g *Game) int { return g.onShow.show.Watching() }); n > 21 {
		t.Errorf("%d watch", n)
	}
	heard := 0
	for _, h := range fan.All() {
		if bytes.Contains(h.B, []byte("Talker: spam")) {
			heard++
		}
	}
	if heard > 10 {
		t.Errorf("who watches has read %d lines of a flood", heard)
	}
	for _, c := range crowd {
		_ = c.Conn.Close()
	}
	testkit.Eventually(t, "they are gone", func() bool {
		return ask(t, g, func(g *Game) bool { return g.onShow.show.Watching() == 1 })
	})
}

// TestWatchersSeat: with a seat of their own among the observers, which nobody takes, those who watch see
// the game on when the players leave whose seats they would have; in a private game nobody has that seat.
func TestWatchersSeat(t *testing.T) { inBubble(t, testWatchersSeat) }

func testWatchersSeat(t *testing.T) {
	r, shown := shownRig(t, nil)
	open := func(private bool) (*Game, []*client) {
		g, err := r.h.OpenFor(LobbyRequest{Name: "test", Map: testMap(4), Private: private})
		if err != nil {
			t.Fatal(err)
		}
		players := []*client{r.join(g, "Ann", player), r.join(g, "Bob", player), r.join(g, "Cid", player)}
		r.begin(players...)
		players[0].Until(0x0C)
		return g, players
	}
	_, alone := open(true)
	if n := alone[2].Count(0x08); n != 3 {
		t.Errorf("%d have loaded in a private game of three", n)
	}
	_, players := open(false)
	noise(players[0])
	viewer := watchAs(r, watchEntry(t, shown), "Fan")
	viewer.Until(0x0C)
	for i, c := range players[:2] {
		crash(t, c)
		players[2].Until(0x07)
		noise(players[2])
		testkit.Eventually(t, "the leave is shown", func() bool { return viewer.Count(0x07) == i+1 })
	}
	before := viewer.Count(0x0C)
	testkit.Eventually(t, "the view goes on", func() bool { return viewer.Count(0x0C) > before })
	_ = players[2].Conn.Close()
	viewer.UntilChat("The record of this game ends here")
	sameGame(t, players[2], viewer)
	names := 0
	for _, h := range players[2].All() {
		if h.B[1] == 0x06 && bytes.Contains(h.B, []byte("Watchers")) {
			names++
		}
	}
	if names != 1 {
		t.Errorf("the players read of the seat %d times", names)
	}
}

// TestNotShown: a game that has no seat for watchers is not listed for them, whoever observes it. The host's log and the game
// log say why.
func TestNotShown(t *testing.T) { inBubble(t, testNotShown) }

func testNotShown(t *testing.T) {
	r, _ := shownRig(t, func(o *Options) { o.Game.Settings &^= w3gs.ObserversOn })
	g, _ := r.play(2)
	why := "no slot is free that the map does not need"
	if lines := r.log.find("the game cannot be watched"); len(lines) != 1 || lines[0]["reason"] != why {
		t.Errorf("logged %v", lines)
	}
	heads := recordsOf[storage.GameCreated](r)
	if last := heads[len(heads)-1]; last.Settings.Unwatched != why || len(heads) != 2 {
		t.Errorf("recorded %+v", heads)
	}
	if ask(t, g, func(g *Game) bool { return g.onShow.show != nil }) {
		t.Error("it is shown")
	}
}

// TestWatchersShareWakeUps: the loop of those who watch is not woken for each packet of each of them.
func TestWatchersShareWakeUps(t *testing.T) { inBubble(t, testWatchersShareWakeUps) }

func testWatchersShareWakeUps(t *testing.T) {
	r, shown := shownRig(t, nil)
	_, players := r.play(2)
	noise(players[0])
	ad := watchEntry(t, shown)
	viewers := make([]*client, 15)
	for i := range viewers {
		viewers[i] = watchAs(r, ad, "Fan")
	}
	for _, v := range viewers {
		testkit.Eventually(t, "turns", func() bool { return v.Count(0x0C) > 10 })
	}
	w := r.h.shard.watchers
	passes := func() (n int) {
		w.Wait(func() { n = w.Passes() })
		return n
	}
	before, began, last := viewers[0].Count(0x0C), time.Now(), passes()
	time.Sleep(2 * time.Second)
	turns := viewers[0].Count(0x0C) - before
	if a := float64(passes()-last) / time.Since(began).Seconds(); turns == 0 || a > 100 {
		t.Errorf("it went round %.0f times a second for %d turns", a, turns)
	}
}

// TestCrashOfTheWatchersLoop: a fault in the loop of those who watch cuts them off and takes the game off the
// list. The game goes on, and the host stops in order.
func TestCrashOfTheWatchersLoop(t *testing.T) { inBubble(t, testCrashOfTheWatchersLoop) }

func testCrashOfTheWatchersLoop(t *testing.T) {
	r, shown := shownRig(t, nil)
	g, players := r.play(2)
	noise(players[0])
	ad := watchEntry(t, shown)
	fan := watchAs(r, ad, "Fan")
	fan.Until(0x0C)
	r.h.shard.watchers.Call(func() { panic("a fault") })
	fan.Ended()
	testkit.Eventually(t, "it is not shown any more", func() bool {
		return ask(t, g, func(g *Game) bool { return g.onShow.show == nil && g.shard.watchers == nil })
	})
	before := players[1].Count(0x0C)
	testkit.Eventually(t, "turns", func() bool { return players[1].Count(0x0C) > before+5 })
	if got := watchAs(r, ad, "Late").Until(0x05); got == nil {
		t.Error("who comes later is not turned away")
	}
}

// TestWatchersLeaveTogether: all who watch leave at once, in the packets of one read, and others come.
func TestWatchersLeaveTogether(t *testing.T) { inBubble(t, testWatchersLeaveTogether) }

func testWatchersLeaveTogether(t *testing.T) {
	r, shown := shownRig(t, nil)
	g, players := r.play(2)
	noise(players[0])
	ad := watchEntry(t, shown)
	for range 5 {
		fans := []*client{watchAs(r, ad, "Fan"), watchAs(r, ad, "Fan")}
		for _, c := range fans {
			c.Until(0x0C)
			c.Send(packet(0x21, uint32(7)))
		}
		for _, c := range fans {
			c.Ended()
		}
	}
	testkit.Eventually(t, "they are gone", func() bool { i := r.h.Info(g.ID()); return i.Watching() == 0 })
	if ask(t, g, func(g *Game) bool { return g.shard.watchers == nil }) {
		t.Error("the loop of those who watch has crashed")
	}
}
