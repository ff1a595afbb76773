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
	shelf, err := hold.Open()
	if err != nil || shelf == nil {
		t.Fatal(shelf, err)
	}
	left := FindSurvivors(shelf, zerolog.Nop())
	left.Settle()
	ports, err := left.Listen("127.0.0.1:0", "")
	if err != nil {
		t.Fatal(err)
	}
	first := !left.Any()
	r := newRig(t, func(o *Options) {
		o.Survivors, o.Listeners = left, ports
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

// TestExitInAStep: an action that ends the process, and ends the next one when it is run again, is
// left out by the third. It costs its sender the connection, and the others play on.
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
	if err := players[1].Ended(); err == nil {
		t.Error("the sender's connection has not ended")
	}
	goesOn(t, []*client{players[0], players[2]})
	if n := started.Load(); n != 3 || seen(players[0], "exit") {
		t.Errorf("%d processes; the action was taken: %v", n, seen(players[0], "exit"))
	}
}
