package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"w3host/internal/flood"
)

// victims is the number of games measured during an attack, with victimPlayers each.
const victims, victimPlayers = 8, 2

// harm is the effect of an attack on other games, and its cost.
type harm struct {
	summary       // lateness of turns in ms
	memory  int64 // peak resident memory in KiB
	disk    int64 // bytes written per second
	fine    bool  // no victim was disconnected or saw a violation
}

// attackAll measures each attack on each host, after a period without attack.
func (b *bench) attackAll(hosts []subject) error {
	var attacks []string
	all := b.attacks == "all"
	for _, a := range flood.Attacks {
		if all || strings.Contains(b.attacks, a.Name) {
			attacks = append(attacks, a.Name)
		}
	}
	if all {
		attacks = append(attacks, "whole map reports+connections+unknown packets of 64 KB")
	}
	fmt.Println("| attack | host | late p99 / worst ms, quiet | attacked | memory MB, quiet | attacked | written KB/s, quiet | attacked | others |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for _, attack := range attacks {
		for _, s := range hosts {
			quiet, err := b.harmBy("", s)
			if err != nil {
				return err
			}
			with, err := b.harmBy(attack, s)
			if err != nil {
				return err
			}
			others := "undisturbed"
			if !with.fine {
				others = "disturbed"
			}
			fmt.Printf("| %s | %s | %.1f / %.1f | %.1f / %.1f | %d | %d | %d | %d | %s |\n", attack, s.name, quiet.P99, quiet.Max, with.P99, with.Max,
				quiet.memory>>10, with.memory>>10, quiet.disk/1000, with.disk/1000, others)
		}
	}
	return nil
}

// harmBy runs a host with the victims' games and, once they have started, an attack; "" means none. The
// attackers use different addresses and a lower priority than the victims, as if they ran on other machines.
func (b *bench) harmBy(attack string, s subject) (h harm, err error) {
	log, err := os.CreateTemp(b.dir, "log")
	if err != nil {
		return h, err
	}
	defer log.Close()
	running, err := b.startHost(func(ports []int, games int) *exec.Cmd {
		host := s.run(ports, games)
		host.Args = append(host.Args, "--autostart", strconv.Itoa(victimPlayers))
		host.Env = append(host.Env, "W3HOST_LIMITS_EXEMPT=127.0.0.1/32", "W3HOST_RECONNECT_ENABLED=true")
		host.Stdout, host.Stderr = log, log
		return host
	}, 1, 1)
	if err != nil {
		return h, err
	}
	defer running.end()
	port := running.ports[0]
	bots, err := b.begin(port, victims, victimPlayers, time.Duration(b.seconds)*time.Second)
	if err != nil {
		return h, err
	}
	before, since := written(running.Dir, log.Name()), time.Now()
	for name := range strings.SplitSeq(attack, "+") {
		if name == "" {
			break
		}
		stop, err := b.attack(name, port)
		if err != nil {
			return h, err
		}
		defer stop()
	}
	report, err := bots.wait()
	h.disk = int64(float64(written(running.Dir, log.Name())-before) / time.Since(since).Seconds())
	h.memory = peakMemory(running.host())
	h.summary, h.fine = report.Late, report.OK
	return h, err
}

// attack starts the attackers with the given name.
func (b *bench) attack(name string, port int) (stop func(), err error) {
	attackers := exec.Command(os.Args[0], "--attacker", name, "--at", local(port))
	attackers.Stderr = os.Stderr
	if err := b.start(attackers); err != nil {
		return nil, err
	}
	nice := "19"
	if b.ahead {
		nice = "0" // with raised priorities for host and bots, a low one would starve the attackers
	}
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/autogroup", attackers.Process.Pid), []byte(nice), 0)
	return func() { _, _ = attackers.Process.Kill(), attackers.Wait() }, nil
}

// summary is a distribution in the bots' report.
type summary struct {
	Count int64   `json:"count"`
	P50   float64 `json:"p50"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
}

// runAttacker attacks until it is killed.
func runAttacker(name, addr string) error {
	a, err := flood.Find(name)
	if err != nil {
		return err
	}
	a.Run(context.Background(), flood.Target{Addr: addr, Game: victims + 1})
	return nil
}

// written returns the total size of files and folders.
func written(paths ...string) (sum int64) {
	for _, path := range paths {
		_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				if info, err := d.Info(); err == nil {
					sum += info.Size()
				}
			}
			return nil // ignore files that have just been removed
		})
	}
	return sum
}
