package host

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"w3host/game"
	"w3host/game/command"
	"w3host/host/loop"
	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
	"w3host/storage"
)

// crashRig is a host with a folder for crashes.
func crashRig(t *testing.T, change func(*Options)) (r *rig, crashes func() []string) {
	dir := filepath.Join(t.TempDir(), "crashes")
	r = newRig(t, func(o *Options) {
		o.Crashes = dir
		if change != nil {
			change(o)
		}
	})
	return r, func() (texts []string) {
		r.h.shard.writing.Wait()
		files, _ := filepath.Glob(filepath.Join(dir, "*.txt"))
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Error(err)
			}
			texts = append(texts, filepath.Base(file)+"\n"+string(b))
		}
		return texts
	}
}

// goesOn fails unless players get turns and can talk.
func goesOn(t *testing.T, players []*client) {
	t.Helper()
	for _, c := range players {
		mark := c.Count(0x0C)
		testkit.Eventually(t, "turns of "+c.Name, func() bool { return c.Count(0x0C) > mark+3 })
	}
	players[0].SayInGame("still here", players[1].PID)
	players[1].UntilText("still here")
}

// TestCrashOfAGame: a panic ends the game it happens in. Its players are told,
// the log names a file with the stack and the state, the game log says how it
// ended, and the other game, a lobby and new ones go on.
func TestCrashOfAGame(t *testing.T) { inBubble(t, testCrashOfAGame) }

func testCrashOfAGame(t *testing.T) {
	r, crashes := crashRig(t, nil)
	doomed, losers := r.play(3)
	_, others := r.play(3)
	waiting := r.lobby(2)
	guest := r.join(waiting, "Guest", player)

	doomed.call(func() {
		doomed.facts.Observers = w3gs.Only(2)
		var m *Map
		doomed.m = m // what is told of the game must not need it either
		_ = m.File
	})
	for _, c := range losers {
		line := new(w3gs.ChatFromHost)
		if err := line.Decode(c.UntilChat("crashed")[w3gs.HeaderSize:]); err != nil || line.Text != game.Crashed || c.Name != "P1" && line.From == 2 {
			t.Errorf("%s reads %q of player %d; 2 observes (%v)", c.Name, line.Text, line.From, err)
		}
		wantFIN(t, c)
	}
	line := r.logged("game crashed; all other games go on")
	if !strings.Contains(line["panic"].(string), "nil pointer") || !strings.Contains(line["stack"].(string), "crash_test.go") {
		t.Errorf("logged %v", line)
	}
	texts := crashes()
	if len(texts) != 1 || !strings.Contains(line["file"].(string), strings.SplitN(texts[0], "\n", 2)[0]) {
		t.Fatalf("%d files, the log names %v", len(texts), line["file"])
	}
	for _, part := range []string{"game-1-", "w3host test", "nil pointer", "crash_test.go", "last input: ", "P2", "slots "} {
		if !strings.Contains(texts[0], part) {
			t.Errorf("no %q in the file:\n%s", part, texts[0])
		}
	}
	if end := recorded[storage.GameEnded](r); end.How != storage.EndCrashed || end.Game != doomed.records.Key() || !strings.Contains(end.Detail, "nil pointer") {
		t.Errorf("recorded %+v", end)
	}
	goesOn(t, others)
	host := r.join(waiting, "Owner", player)
	r.begin(guest, host)
	guest.Until(0x0C)
	testkit.Eventually(t, "the end of the crashed game", func() bool { return r.h.Game(doomed.id) == nil })
	r.play(2)
}

// TestCrashesKept: of the files that tell of crashes the newest are kept, and no other file goes.
func TestCrashesKept(t *testing.T) {
	t.Parallel()
	r, crashes := crashRig(t, nil)
	dir := r.h.shard.opts.Crashes
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("notes.md")
	for i := range keptCrashes + 20 {
		write(fmt.Sprintf("game-%d-20260101-000000.%06d.txt", 1000-i, i))
	}
	saved := ""
	r.h.shard.Wait(func() { saved = r.h.shard.saveCrash("game-1", "panic", nil, "") })
	texts := crashes()
	if len(texts) != keptCrashes || !strings.Contains(strings.Join(texts, ""), filepath.Base(saved)) {
		t.Errorf("%d files are kept, want %d with the newest", len(texts), keptCrashes)
	}
	for i, kept := range map[int]bool{0: false, 20: false, 21: true, keptCrashes + 19: true} {
		_, err := os.Stat(filepath.Join(dir, fmt.Sprintf("game-%d-20260101-000000.%06d.txt", 1000-i, i)))
		if (err == nil) != kept {
			t.Errorf("file %d: %v, kept %v", i, err, kept)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "notes.md")); err != nil {
		t.Error(err)
	}
}

// TestCrashTellsTheMachineNothing: what is written to the players of a game that has crashed changes nothing in its
// machine, also where more waits for a proxy than is kept.
func TestCrashTellsTheMachineNothing(t *testing.T) { inBubble(t, testCrashTellsTheMachineNothing) }

func testCrashTellsTheMachineNothing(t *testing.T) {
	r := reconnectRig(t, nil)
	g := r.lobby(2)
	ann := r.join(g, "Ann", player)
	cid, _ := r.proxied(g, "Cid", 1)
	r.begin(ann, cid)
	r.inPlay(ann, cid)
	g.call(func() {
		g.seats[cid.PID].line.Keep(0)
		panic("injected")
	})
	ann.UntilChat("crashed")
	wantFIN(t, ann)
	r.logged("game crashed; all other games go on")
	if drops := recordsOf[storage.DropEvent](r); len(drops) > 0 {
		t.Errorf("recorded %+v", drops)
	}
}

// panickyBans panics about one name, as a fault deep in a lobby would.
type panickyBans struct{}

func (panickyBans) Banned(name string, _ netip.Addr, _ string, _ bool) string {
	if name == "Boom" {
		panic("injected")
	}
	return ""
}

// TestCrashOfALobby: the same before the start, and while it ends joins wait.
func TestCrashOfALobby(t *testing.T) { inBubble(t, testCrashOfALobby) }

func testCrashOfALobby(t *testing.T) {
	r, crashes := crashRig(t, func(o *Options) { o.Bans = panickyBans{} })
	_, others := r.play(2)
	g := r.lobby(3)
	alice := r.join(g, "Alice", player)
	boom := r.knock(g, "Boom", nil)
	if line := alice.UntilText("crashed"); line != game.Crashed {
		t.Errorf("Alice reads %q", line)
	}
	alice.Expect("F7 1C 08 00 0D 00 00 00")
	wantFIN(t, alice)
	boom.Expect("F7 05 08 00 0A 00 00 00")
	wantFIN(t, boom)
	if end := recorded[storage.GameEnded](r); end.How != storage.EndCrashed || end.Detail != "panic: injected" {
		t.Errorf("recorded %+v", end)
	}
	if texts := crashes(); len(texts) != 1 || !strings.Contains(texts[0], "last input: a join") {
		t.Errorf("files: %q", texts)
	}
	goesOn(t, others)
}

// panickyAdmins panics once it is armed.
type panickyAdmins struct{ armed atomic.Bool }

func (a *panickyAdmins) AdminLike(string) string { return "" }

func (a *panickyAdmins) Level(Joiner) command.Level {
	if a.armed.Load() {
		panic("injected")
	}
	return command.Anyone
}

// TestCrashOfAConnection: a panic over the bytes of one client ends that client.
func TestCrashOfAConnection(t *testing.T) { inBubble(t, testCrashOfAConnection) }

func testCrashOfAConnection(t *testing.T) {
	admins := new(panickyAdmins)
	r, crashes := crashRig(t, func(o *Options) { o.Admins = admins })
	_, players := r.play(3)
	admins.armed.Store(true)
	players[2].SayInGame("hello", players[0].PID)
	line := r.logged("connection crashed; all others go on")
	if !strings.Contains(line["stack"].(string), "rights.go") {
		t.Errorf("logged %v", line)
	}
	admins.armed.Store(false)
	if lost := r.logged("connection lost"); lost["reason"] != loop.ErrCrashed.Error() || lost["player"] != players[2].Name {
		t.Errorf("logged %v", lost)
	}
	if texts := crashes(); len(texts) != 1 || !strings.Contains(texts[0], "connection from 127.0.0.1:") {
		t.Errorf("files: %q", texts)
	}
	goesOn(t, players[:2])
}

// panickyObserver panics over an action.
type panickyObserver struct{ facts atomic.Int32 }

func (o *panickyObserver) Observe(s *game.Stamped) {
	if o.facts.Add(1); s.Turn > 0 {
		panic("injected")
	}
}

// TestCrashOfAnObserver: one that panics is told nothing more of that game, which goes on with
// all others who watch.
func TestCrashOfAnObserver(t *testing.T) { inBubble(t, testCrashOfAnObserver) }

func testCrashOfAnObserver(t *testing.T) {
	faulty, sound := new(panickyObserver), new(atomic.Int32)
	r, crashes := crashRig(t, func(o *Options) {
		o.Observers = append(o.Observers,
			func(uint32, string) Observer { return faulty },
			func(uint32, string) Observer { return counter{sound} })
	})
	_, players := r.play(2)
	line := r.logged("an observer of the game has crashed: it gets nothing more of this game, which goes on")
	if line["observer"] != "*host.panickyObserver" || line["panic"] != "injected" {
		t.Errorf("logged %v", line)
	}
	goesOn(t, players)
	facts := faulty.facts.Load()
	mark := sound.Load()
	goesOn(t, players)
	if faulty.facts.Load() != facts || sound.Load() <= mark {
		t.Errorf("the faulty one was told %d facts more, the other one %d", faulty.facts.Load()-facts, sound.Load()-mark)
	}
	if texts := crashes(); len(texts) != 1 || !strings.Contains(texts[0], "panickyObserver") {
		t.Errorf("files: %q", texts)
	}
}

type counter struct{ n *atomic.Int32 }

func (c counter) Observe(*game.Stamped) { c.n.Add(1) }
