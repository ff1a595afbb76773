//go:build linux

package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"w3host/formats/replay"
	"w3host/internal/simdisk"
	"w3host/record/journal"
	"w3host/storage"
)

// simDisk is the disk of all processes, and what is wrong with it.
type simDisk struct {
	*simdisk.Disk

	mu      sync.Mutex
	r       *rand.Rand
	fault   string
	healthy time.Time // since when it works again
	lossy   time.Time // when its last fault began or ended
	said    map[string]time.Time
}

func newSimDisk(seed uint64) *simDisk {
	d := &simDisk{Disk: simdisk.New(seed), r: rand.New(rand.NewPCG(seed, 5)), said: map[string]time.Time{}}
	p := d.Process(1)
	for _, dir := range []string{simSpool, simReplays, simJournals} {
		_ = p.MkdirAll(dir, 0o755)
	}
	_ = p.SyncDir("/")
	return d
}

// diskFaults are what can be wrong with the disk; "" is nothing.
var diskFaults = []string{"is full", "is nearly full", "takes seconds for each access", "hangs", "fails to write", "fails to sync"}

// setDisk begins a fault of the disk, or ends it.
func (w *simWorld) setDisk(fault string) {
	d := w.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	var f simdisk.Faults
	fail := func(ops ...string) func(string, string) error {
		return func(op, _ string) error {
			for _, o := range ops {
				if o == op {
					return syscall.EIO
				}
			}
			return nil
		}
	}
	slow := func(most int) func(string) time.Duration {
		return func(op string) time.Duration {
			switch op {
			case "open", "read", "readdir", "lstat", "stat", "lock": // they find all in memory
				return 0
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			return time.Duration(d.r.IntN(most)) * time.Millisecond
		}
	}
	switch fault {
	case "is full":
		f.Capacity = max(1, d.Used())
	case "is nearly full":
		f.Capacity = d.Used() + 2000
	case "takes seconds for each access":
		f.Delay = slow(3000)
	case "hangs":
		f.Delay = slow(60_000)
	case "fails to write":
		f.Fail = fail("write", "truncate", "create", "mkdir", "rename", "remove")
	case "fails to sync":
		f.Fail = fail("sync")
	}
	if d.fault != "" {
		d.healthy = time.Now()
	}
	if f.Capacity > 0 || f.Fail != nil || d.lossyFault() {
		d.lossy = time.Now()
	}
	d.fault = fault
	d.Set(f)
}

// lossyFault reports whether the present fault may cost a part of a replay. A slow disk does at the end of a process, which
// waits 0.3 s for it.
func (d *simDisk) lossyFault() bool { return d.fault != "" }

// diskIsHealthy reports whether the disk has worked for a while.
func (w *simWorld) diskIsHealthy() bool {
	d := w.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fault == "" && time.Since(d.healthy) > 10*time.Second
}

// workedSince reports whether the disk has had no fault since then.
func (d *simDisk) workedSince(at time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lossy.Before(at) && !d.lossyFault()
}

// disturb has faults of the disk and the database come and go.
func (w *simWorld) disturb() {
	for range w.r.IntN(*simDisks + 1) {
		at, lasts := time.Duration(w.r.Int64N(int64(*simHours))), time.Duration(1+w.r.IntN(40))*time.Second
		fault := diskFaults[w.r.IntN(len(diskFaults))]
		w.n.After(at, func() {
			w.tell("the disk %s for %v", fault, lasts)
			w.setDisk(fault)
		})
		w.n.After(at+lasts, func() {
			w.tell("the disk works")
			w.setDisk("")
		})
	}
	for range w.r.IntN(*simDatabases + 1) {
		at, lasts := time.Duration(w.r.Int64N(int64(*simHours))), time.Duration(1+w.r.IntN(60))*time.Second
		fault := []simDatabaseFault{databaseIsAway, databaseHangs, databaseIsSlow, databaseForgets}[w.r.IntN(4)]
		w.n.After(at, func() {
			w.tell("the database %s for %v", fault, lasts)
			w.database.set(fault)
		})
		w.n.After(at+lasts, func() {
			w.tell("the database answers")
			w.database.set(databaseAnswers)
		})
	}
}

// seldom are messages about a fault of the disk or database, and how often a process may repeat each.
var seldom = map[string]time.Duration{
	"cannot write to the spool":                       time.Minute,
	"cannot sync the spool to disk":                   time.Minute,
	"the database does not accept records":            time.Minute,
	"cannot write the replay of a game any further":   time.Hour, // of one game
	"the journal of a game is abandoned":              time.Hour,
	"the disk is too slow: the replay of a game ends": time.Hour,
	"game records are lost":                           0,
	"cannot replay a spool file":                      0,
	"records are missing from the spool":              0,
	"a spool file was damaged while the host ran":     0,
	"the file contains no host id":                    0,
	"this host now has a new id":                      0,
}

// reported checks how often a process logs a fault, and that it logs no loss.
func (w *simWorld) reported(p *simProc, line []byte) {
	for text, every := range seldom {
		if !bytes.Contains(line, []byte(text)) {
			continue
		}
		var fields struct{ File string }
		_ = json.Unmarshal(line, &fields)
		d := w.disk
		d.mu.Lock()
		key := fmt.Sprint(p.name, p.handing.Load(), text, fields.File) // a process that hands over has a second recorder
		last, again := d.said[key]
		d.said[key] = time.Now()
		d.mu.Unlock()
		if every == 0 || again && time.Since(last) < every {
			w.fault("%s logs: %s", p.name, line)
		}
	}
}

// simTurn is the sum of a turn: how long it is, and what players do in it.
func simTurn(increment uint16, actions []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte{byte(increment), byte(increment >> 8)})
	_, _ = h.Write(actions)
	return h.Sum64()
}

// shown adds a turn that a player has seen first, from its packets.
func (g *simGame) shown(packets [][]byte) {
	var actions []byte
	last := packets[len(packets)-1]
	for _, b := range packets {
		actions = append(actions, b[min(8, len(b)):]...)
	}
	g.seen = append(g.seen, simTurn(uint16(last[4])|uint16(last[5])<<8, actions))
}

// checkReplays reads the replay of each game that has ended in order while the disk worked: it holds the turns that the players
// have seen.
func (w *simWorld) checkReplays() {
	p := w.disk.Process(0)
	for key, l := range w.database.games {
		g := w.gameOf(key)
		if g == nil || len(g.seen) == 0 || len(l.ended) != 1 || l.ended[0].How == storage.EndCrashed || !w.disk.workedSince(g.begun) {
			continue
		}
		if l.file == "" {
			w.fault("game %d has no replay", l.id)
			continue
		}
		text, err := p.ReadFile(filepath.Join(simReplays, l.file))
		if err != nil {
			w.fault("the replay of game %d (%v): %v", l.id, key, err)
			continue
		}
		turns, err := replayedTurns(bytes.NewReader(text))
		if err != nil {
			w.fault("the replay of game %d: %v", l.id, err)
		}
		for i, sum := range g.seen {
			if i >= len(turns) || turns[i] != sum {
				w.fault("the replay of game %d has %d turns, the players have seen %d; turn %d is not the same", l.id, len(turns), len(g.seen), i)
				break
			}
		}
		w.replays++
	}
	for _, name := range w.disk.Files() {
		ok := false
		switch dir, base := filepath.Split(name); dir {
		case simReplays + "/":
			ok = strings.HasSuffix(base, ".w3g") || base == ".minor"
		case simJournals + "/":
			ok = strings.HasSuffix(base, ".journal.gz")
		case simSpool + "/":
			ok = base == "lock" || base == "host-id" || base == "status.json"
		}
		if !ok {
			w.fault("the file %s is left", name)
		}
	}
}

// gameOf returns the game with a key. Of games that have the same number, because a process died just after it had opened the
// first, players may have joined the other one: it returns nil.
func (w *simWorld) gameOf(key storage.GameKey) (found *simGame) {
	numbers := map[uint32]int{}
	for _, g := range w.games {
		numbers[g.id]++
		if g.logged == key {
			found = g
		}
	}
	if found == nil || numbers[found.id] > 1 {
		return nil
	}
	return found
}

// replayedTurns reads the turns of a replay. Those in which no time passes are for players behind proxies only.
func replayedTurns(r io.Reader) (turns []uint64, err error) {
	in, err := replay.NewReader(r)
	if err != nil {
		return nil, err
	}
	var actions []byte
	for rec, err := range in.Records() {
		if err != nil {
			return turns, err
		}
		switch rec.Kind {
		case replay.KindTurnPart:
			actions = append(actions, rec.Commands...)
		case replay.KindTurn:
			actions = append(actions, rec.Commands...)
			if rec.Increment > 0 || len(actions) > 0 {
				turns = append(turns, simTurn(uint16(rec.Increment/time.Millisecond), actions))
			}
			actions = actions[:0]
		}
	}
	for _, f := range in.Findings {
		if f.Fault {
			return turns, fmt.Errorf("%s", f.Text)
		}
	}
	return turns, nil
}

// openJournals opens the folder of journals.
func (w *simWorld) openJournals(p *simProc) *journal.Files {
	return journal.Open(journal.Options{Dir: simJournals, KeepAll: true, Disk: p.disk}, p.records.log)
}
