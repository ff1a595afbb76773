//go:build linux

package host

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"w3host/game"
	"w3host/hold/supervisor"
	"w3host/host/admission"
	"w3host/host/takeover"
	"w3host/internal/simnet"
	"w3host/internal/testkit"
	"w3host/mapxfer"
	gproxy "w3host/protocol/gproxy/client"
	"w3host/protocol/w3gs"
	"w3host/record/journal"
	"w3host/storage"
)

var (
	simSeeds     = flag.Int("sim.seeds", 40, "how many seeds to simulate")
	simListed    = flag.Bool("sim.listed", true, "simulate the seeds of testdata/sim_seeds.txt too")
	simSeed      = flag.Uint64("sim.seed", 0, "the first of their seeds")
	simHours     = flag.Duration("sim.for", 4*time.Minute, "how long one lasts, in its own time")
	simGames     = flag.Int("sim.games", 3, "lobbies and games at once")
	simKills     = flag.Int("sim.kills", 3, "deaths of the host's process")
	simUp        = flag.Int("sim.upgrades", 3, "upgrades")
	simOperators = flag.Bool("sim.operators", true, "operators give commands, close lobbies and reload the configuration")
	simTerm      = flag.Bool("sim.term", true, "end some simulations soon after an upgrade or a death, or early")
	simFaults    = flag.Int("sim.faults", 2, "times in which processes fail to start, hang or end at once")
	simDisks     = flag.Int("sim.disks", 2, "faults of the disk")
	simDatabases = flag.Int("sim.databases", 2, "faults of the database")
	simSlow      = flag.Int("sim.slow", 4, "one of so many places outside the loop takes time; 0: none")
	simLog       = flag.Bool("sim.log", false, "print the story of each simulation: who did what when, and what the host logged")
	simPlayer    = flag.Int("sim.players", 6, "players of a game")
)

// simWorld is a host, its holder and its players, in one bubble.
type simWorld struct {
	t          *testing.T
	r          *rand.Rand
	n          *simnet.Net
	began      time.Time
	holder     *simHolder
	supervisor *simSupervisor
	proc       *simProc   // the last one that hosted
	procs      []*simProc // all that have ever been
	addr       netip.AddrPort
	port       *simnet.Listener
	m          *Map
	mapSize    int
	dir        string
	disk       *simDisk
	database   *simDatabase
	endsMu     sync.Mutex
	ends       map[storage.GameKey][]*simFinished
	keys       map[uint32]storage.GameKey // of the last lobby with each number
	unsafe     bool                       // a process has died while neither the disk nor the database worked
	late       time.Duration
	excused    time.Time
	games      []*simGame
	clients    []*simClient
	ending     bool
	ended      bool
	upgradedAt time.Time
	away       bool // no process hosts
	length     time.Duration
	stopping   bool          // SIGTERM comes soon after a host has handed over
	stopped    chan struct{} // closed when it comes
	standby    int           // Options.Standby of all hosts
	closed     bool          // the holder has closed games, since no process could end them
	faults     []string
	deaths     []time.Time // of processes
	log        *simTape

	turns, acted, replays, joined, left, cuts, hostile, kills, upgrades, downloads, reruns, requests int
}

func (w *simWorld) fault(format string, args ...any) {
	w.tell("FAULT: "+format, args...)
	if len(w.faults) < 20 {
		w.faults = append(w.faults, fmt.Sprintf("after %v: ", time.Since(w.began))+fmt.Sprintf(format, args...))
	}
}

// options are those of a process.
func (w *simWorld) options(p *simProc, left *takeover.Inheritance) Options {
	o := Options{
		Product: w3gs.ProductTFT, Game: plainGame(), Network: p.net, Inherited: left,
		Listeners: takeover.Listeners{Main: w.port},
		Limits: Limits{
			Limits:      admission.Limits{Unjoined: 2000, UnjoinedPerIP: 100, JoinsPerMinute: 1000},
			JoinTimeout: 10 * time.Second, PacketRate: 200, OutQueue: 256 << 10,
			Shutdown: simShutdown,
		},
		Recorder: p.records, Replays: p.records.replays, Heart: &p.records.heart, Outside: unknown, Log: w.logger(p),
		Journal: journal.Options{Dir: simJournals, KeepAll: true, Disk: p.disk},
		Crashes: filepath.Join(w.dir, "crashes"),
	}
	o.Standby = w.standby
	o.Game.Turns.Period = 100 * time.Millisecond
	o.Game.Reconnect = game.Reconnect{Wait: 3 * time.Minute, Empties: 2, ExtendedWait: 5 * time.Minute}
	o.Game.Turns.LastPlayer = time.Minute
	return o
}

// start begins a process. What the process before has left goes on once it hosts.
func (w *simWorld) start(p *simProc) {
	w.tell("%s starts, of the program %q", p.name, p.does)
	w.procs = append(w.procs, p)
	w.attach(p)
	ctx, cancel := context.WithCancel(context.Background())
	p.stop = cancel
	ctx2, cancel2 := context.WithCancel(context.Background())
	p.outlast = cancel2
	if p.supervisor.standsBy && p.does != "hangs at its start" {
		began := time.Now()
		w.n.After(time.Second, func() { w.supervisor.report(p, began) })
	}
	go func() { // ends with the process
		defer func() { // it may have been killed in any call below
			if h := p.h.Load(); h != nil && p.net.Dead() { // what it still has to do it does in the world of the dead
				<-h.shard.Done()
				h.takeover.Wait()
				h.takeover.Await(context.Background())
				h.shard.journals.Close(context.Background())
			}
			if p.records != nil && p.net.Dead() {
				p.records.die()
			}
			select {
			case p.over <- nil:
			default:
			}
			if !p.net.Dead() {
				w.n.After(0, func() { w.supervisor.exit(p, 0) })
			}
		}()
		if err := w.process(ctx, ctx2, p); !p.net.Dead() {
			p.over <- err
		}
	}()
}

// process is what a process does: it stands by, hosts, and ends in order. ctx ends it, ctx2 once it has handed over.
func (w *simWorld) process(ctx, ctx2 context.Context, p *simProc) error {
	if p.misbehaves("") {
		return nil
	}
	left := Inherit(p.supervisor, w.logger(p))
	left.Network, left.OpenMap = p.net, Reopen(func(string, []w3gs.Version) (*Map, error) { p.slow(0, 1); return w.m, nil })
	if p.supervisor.standsBy {
		if err := left.StandBy(ctx, func() { p.supervisor.Ready(true) }); err != nil {
			return nil // told to end before it hosts
		}
	}
	p.goesOn.Store(true)
	if p.misbehaves("host") {
		return nil
	}
	left.Claim()
	p.options.Limits.Shutdown = simShutdown
	if err := w.openRecords(ctx, p, left); err != nil {
		return err
	}
	p.options = w.options(p, left)
	p.building.Store(true) // what New has begun would have no owner that ends it
	h, err := New(p.options)
	p.building.Store(false)
	if err != nil {
		return err
	}
	p.h.Store(h)
	if err = h.Serve(ctx); err != nil || p.net.Dead() {
		return err
	}
	switch {
	case p.handing.Load():
		h.Retire()
		p.records.recordApart()
		defer context.AfterFunc(ctx2, p.records.endSoon)()
		h.HandOver(func() { _ = p.supervisor.Done() })
		if err = h.Outlast(ctx2); ctx2.Err() == nil {
			p.records.endSoon()
		}
	default:
		err = h.Close()
	}
	p.records.end()
	p.inOrder.Store(!p.net.Dead())
	return err
}

// kill has the host, or a process that stands by, die after so many steps.
func (w *simWorld) kill() {
	p := w.proc
	if n := len(w.procs); w.r.IntN(4) == 0 {
		p = w.procs[n-1]
	}
	if w.ending || p.exited || p.net.Dead() {
		return
	}
	steps := 1 + w.r.IntN(1<<w.r.IntN(14))
	w.tell("%s will die after %d steps", p.name, steps)
	p.steps.Store(int64(steps))
}

// died comes after the death of a process in one of its steps.
func (w *simWorld) died(p *simProc) {
	w.tell("%s is dead", p.name)
	w.kills++
	w.die(p)
}

// die ends a process at once.
func (w *simWorld) die(p *simProc) {
	if p.killed {
		return
	}
	p.killed = true
	p.kill() // with several processors the goroutine that dies may not have come so far: a living process would stop in order
	close(p.dies)
	if p.records != nil {
		w.deaths = append(w.deaths, time.Now())
		w.excuse(5 * time.Second)
		w.lose(p)
	}
	p.stop()
	p.outlast()
	w.n.After(time.Duration(p.intN(20))*time.Millisecond, func() { w.supervisor.exit(p, -1) })
}

// blames reports whether so many processes have died lately that a host takes a game for the cause, and closes it.
func (w *simWorld) blames() bool {
	n := len(w.deaths)
	return n >= 3 && time.Since(w.deaths[n-3]) < 15*time.Second
}

// excuse is that nobody may be blamed for lateness for a while.
func (w *simWorld) excuse(d time.Duration) {
	if until := time.Now().Add(d); until.After(w.excused) {
		w.excused = until
	}
}

// upgrade has somebody ask for an upgrade, to a good program or to a bad one.
func (w *simWorld) upgrade() {
	path := programs[w.r.IntN(2)]
	if w.r.IntN(2) == 0 {
		path = programs[2+w.r.IntN(len(programs)-2)]
	}
	w.supervisor.ask(path, w.r.IntN(4) != 0)
}

// lobby opens one, with players who come to it.
func (w *simWorld) lobby() {
	if w.ending {
		return
	}
	w.n.After(2*time.Second, w.lobby)
	p := w.proc
	if w.away || p.net.Dead() || p.h.Load() == nil || p.handing.Load() {
		return
	}
	running := 0
	for _, g := range w.games {
		if p.h.Load().Game(g.id) != nil {
			running++
		}
	}
	if running >= *simGames {
		return
	}
	go func() { // of the process, which may die in it
		if lobby, err := p.h.Load().OpenLobby("test", w.m); err == nil {
			w.n.After(time.Millisecond, func() { w.players(lobby) }) // behind what the host logs of it
		}
	}()
}

// players come to a lobby.
func (w *simWorld) players(lobby *Game) {
	g := &simGame{id: lobby.ID(), key: lobby.EntryKey(), acted: map[string]uint32{}, begun: time.Now()}
	w.endsMu.Lock()
	g.logged = w.keys[g.id]
	w.endsMu.Unlock()
	w.tell("lobby %d opens", g.id)
	w.games = append(w.games, g)
	for i := range *simPlayer {
		c := &simClient{
			w: w, r: rand.New(rand.NewPCG(w.r.Uint64(), 7)), name: fmt.Sprintf("P%d-%d", len(w.games), i+1), game: g,
			addr: netip.AddrFrom4([4]byte{10, 1, byte(len(w.games)), byte(i + 1)}), owner: i == 0, healthy: i < 2, hasMap: w.r.IntN(8) != 0,
			line: simnet.Line{Delay: time.Duration(5+w.r.IntN(80)) * time.Millisecond, Jitter: time.Duration(1+w.r.IntN(10)) * time.Millisecond, Split: 0.3},
		}
		if !c.healthy {
			if w.r.IntN(2) == 0 {
				c.proxy = &gproxy.Proxy{Version: 1 + w.r.Uint32N(2)}
			}
			if w.r.IntN(3) == 0 {
				c.line.Loss = 0.01
			}
			if w.r.IntN(3) == 0 {
				c.line.Rate, c.line.Buffer = int64(20_000+w.r.IntN(200_000)), 16<<10
			}
		}
		if c.hasMap = c.hasMap || i == 0; c.healthy && !c.hasMap {
			c.line.Rate, c.line.Buffer = 100_000, 16<<10
		}
		g.players = append(g.players, c)
		w.clients = append(w.clients, c)
		c.after(time.Duration(i*300+c.r.IntN(2000))*time.Millisecond, func() {
			c.connect()
			c.live()
			c.tick()
		})
	}
}

func TestSimulation(t *testing.T) {
	for _, seed := range simulated(t) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			began := time.Now()
			w := simulate(t, seed, func(w *simWorld) {
				w.n.After(0, w.script)
				select {
				case <-time.After(w.length + 137*time.Nanosecond): // SIGTERM in the same instant as another event would come before it or after
				case <-w.stopped:
					w.length = time.Since(w.began)
				}
			})
			took := time.Since(began)
			events, sent := w.n.Figures()
			t.Logf("%v in %v (%.0f times): %d games, %d players, %d turns seen, %d actions, %d cuts, %d hostile, %d downloads, %d kills, %d upgrades, %d requests of operators, %d journals rerun, %d replays read; %d accesses of the disk; %d events, %d bytes; trace %x",
				w.length.Round(time.Second), took.Round(time.Millisecond), w.length.Seconds()/took.Seconds(), len(w.games), len(w.clients), w.turns, w.acted, w.cuts, w.hostile, w.downloads, w.kills, w.upgrades, w.requests, w.reruns, w.replays, w.disk.Accesses(), events, sent, w.log.sum)
			for _, f := range w.faults {
				t.Error(f)
			}
			if t.Failed() || *simLog {
				t.Logf("story:\n%s", w.log.story())
			}
		})
	}
}

// racedSeeds is how many seeds are simulated at most with the race detector, with which one takes eight times as long.
const racedSeeds = 2

// simulated lists the seeds to simulate: some from the first one on, and those that have found a fault before.
func simulated(t *testing.T) (seeds []uint64) {
	for i := range *simSeeds {
		seeds = append(seeds, *simSeed+uint64(i))
	}
	if testkit.Race {
		return seeds[:min(len(seeds), racedSeeds)]
	}
	if !*simListed {
		return seeds
	}
	text, err := os.ReadFile("testdata/sim_seeds.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if number, _, _ := strings.Cut(strings.TrimSpace(line), " "); number != "" && number != "#" {
			seed, err := strconv.ParseUint(number, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			seeds = append(seeds, seed)
		}
	}
	return seeds
}

// simulate has run play in a world of its own, and looks afterwards at what is left of it.
func simulate(t *testing.T, seed uint64, run func(*simWorld)) (w *simWorld) {
	cryptotest.SetGlobalRandom(t, seed)
	dir := t.TempDir()
	data := bytes.Repeat([]byte("map!"), 75_000)
	parts, err := mapxfer.NewParts(data)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		m := testMap(*simPlayer)
		m.Map.Identifiers.Size = uint32(len(data))
		w = &simWorld{
			t: t, r: rand.New(rand.NewPCG(seed, 1)), n: simnet.New(seed), began: time.Now(), addr: netip.MustParseAddrPort("10.0.0.1:6112"),
			m: &Map{Map: m.Map, Parts: parts}, mapSize: len(data), dir: dir, late: 100*time.Millisecond + 150*time.Millisecond, log: &simTape{all: *simLog, began: time.Now(), dir: dir},
		}
		w.disk, w.database, w.ends = newSimDisk(seed), newSimDatabase(w, seed), map[storage.GameKey][]*simFinished{}
		w.keys = map[uint32]storage.GameKey{}
		defer w.n.Close()
		if w.port, err = w.n.Listen(w.addr); err != nil {
			t.Fatal(err)
		}
		w.holder, w.supervisor = newSimHolder(w), newSimSupervisor(w)
		defer w.holder.free(t)
		if w.r.IntN(3) == 0 {
			w.standby = 2
		}
		w.stopping, w.stopped = *simTerm && w.r.IntN(6) == 0, make(chan struct{})
		if w.length = *simHours; *simTerm && w.r.IntN(4) == 0 { // SIGTERM comes at any moment
			w.length = time.Duration(w.r.Int64N(int64(*simHours)))
		}
		run(w)
		w.end()
	})
	return w
}

// script is what happens beside what the players do.
func (w *simWorld) script() {
	w.supervisor.do(w.supervisor.machine.Tick)
	w.n.After(100*time.Millisecond, w.lobby)
	if *simOperators {
		w.n.After(5*time.Second, w.operate)
	}
	for range w.r.IntN(*simKills + 1) {
		w.n.After(time.Duration(w.r.Int64N(int64(*simHours))), w.kill)
	}
	w.disturb()
	for range w.r.IntN(*simUp + 1) {
		w.n.After(time.Duration(w.r.Int64N(int64(*simHours))), w.upgrade)
	}
	for range w.r.IntN(*simFaults + 1) {
		w.n.After(time.Duration(w.r.Int64N(int64(*simHours))), func() {
			w.supervisor.faults()
			w.n.After(time.Duration(w.r.IntN(5000))*time.Millisecond, []func(){w.kill, w.upgrade}[w.r.IntN(2)])
		})
	}
	if *simTerm && w.r.IntN(2) == 0 { // an upgrade or a death is the last that happens
		last := []func(){w.upgrade, w.upgrade, w.kill}[w.r.IntN(3)]
		w.n.After(max(0, w.length-time.Duration(w.r.IntN(1<<w.r.IntN(11)))*time.Millisecond), last)
	}
}

// boot starts the first host and returns its process.
func (w *simWorld) boot() (p *simProc) {
	w.on(func() {
		w.supervisor.do(w.supervisor.machine.Tick)
		p = w.proc
	})
	return p
}

// upgradeTo has an operator ask for an upgrade, and returns the process of the new program.
func (w *simWorld) upgradeTo(program string) (next *simProc) {
	w.on(func() { w.supervisor.ask(program, true) })
	w.on(func() { next = w.procs[len(w.procs)-1] })
	return next
}

// on runs something on the goroutine of the network, and waits for it.
func (w *simWorld) on(f func()) {
	done := make(chan struct{})
	w.n.After(0, func() { f(); close(done) })
	<-done
}

// end sends SIGTERM to the supervisor, and looks at what is left.
func (w *simWorld) end() {
	w.on(func() {
		w.tell("the supervisor gets SIGTERM")
		w.ending = true
		for _, p := range w.procs {
			p.steps.Store(0)
		}
		w.closed = w.supervisor.machine.State() == supervisor.Waiting
		w.supervisor.do(w.supervisor.machine.Terminate)
	})
	for _, p := range w.procs {
		select {
		case err := <-p.over:
			if err != nil && !p.net.Dead() {
				w.fault("%s has ended with: %v", p.name, err)
			}
		case <-time.After(90 * time.Second): // one that hangs at its start is killed within that time
			w.fault("%s does not end", p.name)
			w.on(func() { w.ended = true })
			return
		}
	}
	var all []*simProc
	w.on(func() {
		for _, p := range w.procs {
			if !p.killed && p.records != nil {
				all = append(all, p)
			}
		}
		w.closed = w.closed || !w.proc.inOrder.Load()
		w.supervisor.answered()
	})
	time.Sleep(10 * time.Second) // for the last bytes
	synctest.Wait()
	for _, p := range all {
		if n := p.disk.Open(); n > 0 && !p.records.unclean && !p.net.Dead() {
			w.fault("%s has left %d files open", p.name, n)
		}
		if n := p.net.Open(); n > 0 && p == w.proc && !w.closed && time.Since(w.upgradedAt) > time.Minute { // others end with copies that are nobody's any more
			w.fault("%s has left %d connections open", p.name, n)
		}
		p.kill() // its end
	}
	for _, name := range slices.Sorted(maps.Keys(w.holder.held)) {
		fd := w.holder.held[name]
		if (name < takeover.FirstReadBuffer || name>>32 != 0) && !w.closed && time.Since(w.upgradedAt) > time.Minute {
			w.fault("the holder still has %v", name)
		}
		w.holder.close(fd)
	}
	time.Sleep(time.Second)
	w.on(func() {
		w.ended = true
		if state := w.supervisor.machine.State(); state != supervisor.Ended {
			w.fault("all processes have ended, and the supervisor is in %v", state)
		}
	})
	w.nextStart()
	w.rerunJournals()
	w.checkLog()
	w.checkReplays()
	if files, _ := os.ReadDir(filepath.Join(w.dir, "crashes")); len(files) > 0 {
		text, _ := os.ReadFile(filepath.Join(w.dir, "crashes", files[0].Name()))
		w.fault("%d crashes; the first:\n%s", len(files), text)
	}
	for _, c := range w.clients {
		if c.healthy && c.joined && !c.over {
			w.fault("%s has never heard of the end", c.name)
		}
		_ = c.conn
	}
}
