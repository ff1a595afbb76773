package main

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"
)

// need is what the holder and a host have of the machine.
type need struct {
	holderFiles, hostFiles int // descriptors
	holderKiB, hostKiB     int // of memory of their own
}

// watchNeeds looks at the holder and at each host, from when that has run for most of a second until
// it dies. The function that it returns ends that, and returns what was seen last of each.
func watchNeeds(t *testing.T, holder int, pidFile string) (needs func() []need) {
	t.Helper()
	stop, done := make(chan struct{}), make(chan []need, 1)
	go func() { // ends with stop
		var list []need
		last, age := 0, 0
		for {
			select {
			case <-stop:
				done <- list
				return
			case <-time.After(100 * time.Millisecond):
			}
			host, err := hostOf(pidFile)
			if age++; err != nil || host != last {
				last, age = host, 0
			}
			if age < 8 {
				continue
			}
			n := need{files(holder), files(host), ownKiB(holder), ownKiB(host)}
			switch {
			case n.hostKiB == 0: // it has been killed meanwhile
			case age == 8:
				list = append(list, n)
			case len(list) > 0:
				list[len(list)-1] = n
			}
		}
	}()
	return func() []need {
		close(stop)
		return <-done
	}
}

func files(pid int) int {
	list, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(list)
}

// ownKiB is the memory of a process that is no part of a file.
func ownKiB(pid int) (kib int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if _, rest, ok := bytes.Cut(status, []byte("RssAnon:")); ok {
		_, _ = fmt.Fscan(bytes.NewReader(rest), &kib)
	}
	return kib
}

// aging is what two games need more with each second, in KiB, with room for garbage: the journal of a game is read, and its
// replay written anew, by each host.
const aging = 16

// checkNeeds finds what grows from one host to the next, apart from what games need that have lasted so long.
func checkNeeds(t *testing.T, needs []need, lasted time.Duration) {
	t.Helper()
	if len(needs) < 2 {
		t.Logf("%d hosts have lived long enough to be looked at", len(needs))
		return
	}
	first, last := needs[1], needs[len(needs)-1] // the first host of all has read nothing of another
	t.Logf("of %d hosts: the second %+v, the last %+v", len(needs), first, last)
	if last.holderFiles > first.holderFiles+2 || last.hostFiles > first.hostFiles+4 {
		t.Error("descriptors are kept")
	}
	if last.holderKiB > first.holderKiB+2<<10 || last.hostKiB > 2*first.hostKiB+aging*int(lasted.Seconds()) {
		t.Error("memory grows")
	}
}
