//go:build !portable && (amd64 || arm64)

package host

import (
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/game"
	"w3host/hold"
	"w3host/host/takeover"
	"w3host/internal/testkit"
)

// exitEnv tells the test binary to be the host of TestExitInAStep: the file for its address.
const exitEnv = "W3HOST_TEST_EXIT"

// exiting is an observer that ends the process at an action, within the step.
type exiting struct{}

func (exiting) Observe(f *game.Stamped) {
	if a, acted := f.Fact.(*game.Acted); acted && string(a.Data) == "exit" {
		os.Exit(7)
	}
}

// TestHostThatExits is that process.
func TestHostThatExits(t *testing.T) {
	file := os.Getenv(exitEnv)
	if file == "" {
		t.Skip("only for TestExitInAStep")
	}
	supervisor, err := hold.Open()
	if err != nil || supervisor == nil {
		t.Fatal(supervisor, err)
	}
	left := Inherit(supervisor, zerolog.Nop())
	left.Claim()
	ports, err := takeover.Listen(supervisor, "127.0.0.1:0", "")
	if err != nil {
		t.Fatal(err)
	}
	first := !left.HasPlayers()
	r := newRig(t, func(o *Options) {
		o.Inherited, o.Listeners = left, ports
		o.Observers = []func(uint32, string) Observer{func(uint32, string) Observer { return exiting{} }}
	})
	if first {
		g := r.lobby(3)
		if err := os.WriteFile(file+".new", fmt.Append(nil, r.h.Addr(), " ", g.ID(), " ", g.EntryKey()), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
	}
	<-r.done
}

// TestExitInAStep: an observer that ends the process at an action, and the next one when it is shown the action again, gets nothing
// more of the game in the third. Nobody loses the connection, and the action was taken.
func TestExitInAStep(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "address")
	var started atomic.Int32
	signals, ended := make(chan os.Signal, 1), make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = hold.Serve(hold.Options{
			Program: self, Signals: signals, Log: t.Logf,
			Started: func(int) error { started.Add(1); return nil },
			Command: func(program string) *exec.Cmd {
				cmd := exec.Command(program, "-test.run=^TestHostThatExits$", "-test.timeout=1m")
				cmd.Env = append(os.Environ(), exitEnv+"="+file)
				return cmd
			},
		})
	}()
	defer func() {
		signals <- syscall.SIGTERM
		<-ended
	}()
	testkit.Eventually(t, "the host", func() bool { _, err := os.Stat(file); return err == nil })
	text, _ := os.ReadFile(file)
	var addr string
	var id, key uint32
	if _, err := fmt.Sscan(string(text), &addr, &id, &key); err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t}
	var players []*client
	for i := range 3 {
		c := dial(t, netip.MustParseAddrPort(addr))
		c.Name, c.Conduct = fmt.Sprintf("P%d", i+1), player
		go c.Listen()
		c.Send(joinPacket(id, key, c.Name))
		players = append(players, r.letIn(c))
	}
	r.begin(players...)
	goesOn(t, players)
	time.Sleep(2 * goodAfter) // as after a start of which nobody has to think
	players[1].Send(action([]byte("exit")))
	testkit.Eventually(t, "the third process", func() bool { return started.Load() == 3 })
	goesOn(t, players)
	if !seen(players[0], "exit") {
		t.Error("the action was not taken")
	}
	time.Sleep(2 * goodAfter)
	if n := started.Load(); n != 3 {
		t.Errorf("%d processes", n)
	}
}
