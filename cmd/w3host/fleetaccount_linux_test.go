package main

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"w3host/internal/realmtest"
	"w3host/internal/tier"
)

// Two hosts with one account of a realm are never logged on with it at once: the realm would throw the
// first out. When the host that has it dies, the other logs on.
func TestFleetAccount(t *testing.T) {
	tier.All(t, "needs processes")
	t.Parallel()
	s := realmtest.Start(t)
	s.Register("hostbot", "secret")
	f := newFleetHosts(t, 2, fmt.Sprintf(`
[[realm]]
name = "Home"
address = %q
account = "hostbot"
password = "secret"
`, s.Addr()))
	f.online(s, true, 20*time.Second)
	time.Sleep(2 * time.Second) // for the other one to do wrong
	if n := s.Thrown(); n != 0 {
		t.Errorf("%d log-ons threw the other host out while both lived", n)
	}
	holder := ""
	for name := range f.runs {
		var i int
		_, _ = fmt.Sscanf(name, "host %d", &i)
		if out := f.ctl(f.dirs[i-1], "realms"); strings.Contains(out, ": logged on") {
			holder = name
		}
	}
	if holder == "" {
		t.Fatal("no host says that it is logged on")
	}
	f.signal(holder, syscall.SIGKILL)
	f.online(s, false, 10*time.Second)
	died := time.Now()
	f.online(s, true, 40*time.Second)
	t.Logf("the account is another host's after %v", time.Since(died))
	if took := time.Since(died); took < 5*time.Second {
		t.Errorf("logged on %v after the death of a host that could have lived", took)
	}
	if n := s.Thrown(); n != 0 {
		t.Errorf("%d log-ons threw the other host out", n)
	}
}

// online waits until the account is logged on, or is not.
func (f *fleetHosts) online(s *realmtest.Server, on bool, most time.Duration) {
	f.t.Helper()
	for end := time.Now().Add(most); s.Online("hostbot") != on; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			f.t.Fatalf("logged on: not %v after %v", on, most)
		}
	}
}
