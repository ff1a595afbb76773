package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"w3host/internal/fleetwatch"
	"w3host/internal/tier"
	"w3host/storage/storagetest"
)

// The long run is
//
//	scripts/with-postgres.sh go test ./cmd/w3host -run TestFleetFaults -fleet-faults 60 -timeout 30m -v
var (
	fleetFaults = flag.Int("fleet-faults", 0, "random faults of TestFleetFaults; 0: it is skipped")
	fleetBans   = flag.Int("fleet-bans", 25, "bans of TestFleetCommands, each set and lifted")
	fleetSeed   = flag.Uint64("fleet-seed", 1, "of them")
)

const fleetConfig = `
[host]
listen = "127.0.0.1:0"
on_stop = "drain"
[fleet]
enabled = true
[lan]
enabled = false
[web]
public_listen = "127.0.0.1:0"
[replays]
enabled = false
[log]
json = true
[database]
url = %q
%s
[[autohost]]
name = "dota"
lobbies = 1
[[autohost]]
name = "melee"
lobbies = 1
[[autohost]]
name = "tower"
lobbies = 1
`

// fleetHosts are hosts that share a database, each in a folder of its own.
type fleetHosts struct {
	t     *testing.T
	db    *storagetest.Server
	watch *fleetwatch.Watch
	dirs  []string
	runs  map[string]*process
	n     int
	stops []func() // the watching
}

func newFleetHosts(t *testing.T, hosts int, more ...string) *fleetHosts {
	f := &fleetHosts{t: t, db: storagetest.NewServer(t), watch: fleetwatch.New(), runs: map[string]*process{}}
	for range hosts {
		dir := t.TempDir()
		name := fmt.Sprintf("host_name = %q\n", filepath.Base(dir))
		if err := os.WriteFile(filepath.Join(dir, "config.toml"), fmt.Appendf(nil, fleetConfig+strings.Join(more, ""), f.db.URL, name), 0o600); err != nil {
			t.Fatal(err)
		}
		f.dirs = append(f.dirs, dir)
		f.start(len(f.dirs) - 1)
	}
	return f
}

// start runs a host, and has it watched.
func (f *fleetHosts) start(i int) string {
	f.t.Helper()
	p := startProcess(f.t, f.dirs[i])
	f.n++
	name := fmt.Sprintf("host %d, run %d", i+1, f.n)
	f.runs[name] = p
	ctx, stop := context.WithCancel(context.Background())
	f.stops = append(f.stops, stop)
	done := make(chan struct{})
	go func() {
		f.watch.Host(ctx, p.addr, name)
		close(done)
	}()
	f.t.Cleanup(func() {
		_ = p.cmd.Process.Signal(syscall.SIGCONT)
		_ = p.cmd.Process.Kill()
		stop()
		<-done
	})
	return name
}

// again starts the host anew that a run was of.
func (f *fleetHosts) again(name string) string {
	var i int
	_, _ = fmt.Sscanf(name, "host %d", &i)
	_ = f.runs[name].cmd.Wait()
	delete(f.runs, name)
	return f.start(i - 1)
}

func (f *fleetHosts) signal(name string, s syscall.Signal) {
	f.t.Helper()
	if err := f.runs[name].cmd.Process.Signal(s); err != nil {
		f.t.Fatal(name, err)
	}
}

// verdict fails the test if two lobbies of an entry ever let strangers in at once, or none did
// for too long while the database was there.
func (f *fleetHosts) verdict(most time.Duration) {
	f.t.Helper()
	worst, faults := f.watch.Judge()
	for _, fault := range faults {
		f.t.Error(fault)
	}
	if worst.Long > most {
		f.t.Error(worst)
	}
	f.t.Logf("%d lobbies; none for %v at most", f.watch.Seen(), worst.Long)
}

// Three hosts with three entries: each entry has one lobby that takes strangers. It opens
// elsewhere when its host drains, dies or is frozen, and a frozen one lets nobody in when it wakes. While
// the database is away, nothing is opened twice.
func TestFleet(t *testing.T) {
	tier.All(t, "needs processes")
	t.Parallel()
	f := newFleetHosts(t, 3)
	start := time.Now()
	holder := map[string]string{}
	for _, entry := range []string{"dota", "melee", "tower"} {
		holder[entry] = f.watch.Await(f.t, entry, start, "")
	}
	drained := holder["dota"]
	at := time.Now()
	f.signal(drained, syscall.SIGTERM)
	next := f.watch.Await(f.t, "dota", at, drained)
	took := time.Since(at)
	t.Logf("drained: the lobby is elsewhere after %v", took)
	if took > 5*time.Second { // of a dead one after ten
		t.Errorf("the lobby of a host that drains opens elsewhere after %v", took)
	}
	f.again(drained)

	at = time.Now()
	frozen := next
	f.signal(frozen, syscall.SIGSTOP)
	f.watch.Await(f.t, "dota", at.Add(time.Second), frozen)
	t.Logf("frozen: the lobby is elsewhere after %v", time.Since(at))
	f.signal(frozen, syscall.SIGCONT)

	f.watch.Away(func() { f.db.Stop(); time.Sleep(time.Second); f.db.Start() })
	back := time.Now()
	for _, entry := range []string{"dota", "melee", "tower"} {
		f.watch.Await(f.t, entry, back.Add(time.Second), "")
	}
	f.verdict(15 * time.Second)
}

// fault brings one fault at random and lasts as long.
func (f *fleetHosts) fault(r *rand.Rand) string {
	var names []string
	for name := range f.runs {
		names = append(names, name)
	}
	name := names[r.IntN(len(names))]
	some := func(most float64) time.Duration { return time.Duration(r.Float64() * most * float64(time.Second)) }
	switch r.IntN(6) {
	case 0:
		f.signal(name, syscall.SIGKILL)
		f.again(name)
		return "kill -9 of " + name
	case 1:
		f.signal(name, syscall.SIGTERM)
		f.again(name)
		return "drain of " + name
	case 2, 3:
		d := some(16)
		f.signal(name, syscall.SIGSTOP)
		time.Sleep(d)
		f.signal(name, syscall.SIGCONT)
		return fmt.Sprintf("%s frozen for %v", name, d)
	case 4:
		d := some(12)
		f.watch.Away(func() { f.db.Stop(); time.Sleep(d); f.db.Start() })
		return fmt.Sprintf("Postgres killed, away for %v", d)
	default:
		d := some(12)
		f.watch.Away(func() { f.db.Pause(); time.Sleep(d); f.db.Resume() })
		return fmt.Sprintf("Postgres frozen for %v", d)
	}
}

// Whatever happens at random, no entry ever has two lobbies that take strangers.
func TestFleetFaults(t *testing.T) {
	if *fleetFaults == 0 {
		t.Skip("SKIPPED: it takes minutes; -fleet-faults says how many faults it brings")
	}
	f := newFleetHosts(t, 3)
	r := rand.New(rand.NewPCG(*fleetSeed, 1))
	for n := range *fleetFaults {
		t.Log(n, time.Now().Format(time.TimeOnly), f.fault(r))
		time.Sleep(time.Duration(r.Float64() * float64(5*time.Second)))
	}
	end := time.Now()
	for _, entry := range strings.Fields("dota melee tower") {
		f.watch.Await(f.t, entry, end, "")
	}
	f.verdict(15 * time.Second)
}

// A process that goes on in the place of one that has died gives that one's leases back: nobody waits until it
// counts as dead, which takes ten seconds.
func TestFleetUnderAHolder(t *testing.T) {
	tier.All(t, "needs processes")
	t.Parallel()
	p, pidFile := startHold(t, t.TempDir(), "W3HOST_FLEET_ENABLED=true", "W3HOST_DATABASE_URL="+storagetest.NewServer(t).URL)
	for range 3 {
		before := onlyLobby(t, p.addr, 0)
		time.Sleep(time.Second) // until another process would be started at once
		pid, err := hostOf(pidFile)
		if err == nil {
			err = syscall.Kill(pid, syscall.SIGKILL)
		}
		if err != nil {
			t.Fatal(err)
		}
		killed := time.Now()
		onlyLobby(t, p.addr, before.GameID)
		if took := time.Since(killed); took > 8*time.Second {
			t.Errorf("the next lobby was listed %v after the death of the host", took)
		} else {
			t.Log(took)
		}
	}
	stopHold(t, p)
}
