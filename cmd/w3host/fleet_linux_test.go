package main

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"w3host/internal/fleetwatch"
	"w3host/internal/tier"
	"w3host/storage/storagetest"
)

var fleetBans = flag.Int("fleet-bans", 25, "bans of TestFleetCommands, each set and lifted")

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
		write(t, filepath.Join(dir, "config.toml"), fmt.Appendf(nil, fleetConfig+strings.Join(more, ""), f.db.URL, name))
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
