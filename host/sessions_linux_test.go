//go:build !portable && (amd64 || arm64)

package host

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"w3host/hold"
	"w3host/host/survive"
)

// ownerEnv tells the test binary to be the process that plays a game of TestSessionsOfTheEnded.
const ownerEnv = "W3HOST_TEST_OWNER"

// TestProcessThatOwns is that process. It says a line once it owns the memory, and ends with its standard input.
func TestProcessThatOwns(t *testing.T) {
	if os.Getenv(ownerEnv) == "" {
		t.Skip("only for TestSessionsOfTheEnded")
	}
	mem, err := hold.Map(3)
	if err != nil || !mem.Own() {
		t.Fatal("it does not own the memory:", err)
	}
	os.Stdout.WriteString("owned\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// TestSessionsOfTheEnded: leases are given back for processes that have ended, each once, and not for one that
// lives and plays its game.
func TestSessionsOfTheEnded(t *testing.T) {
	t.Parallel()
	left := func(session string) (*survivor, *os.File) {
		fd, err := unix.MemfdCreate("game", unix.MFD_CLOEXEC)
		if err != nil {
			t.Fatal(err)
		}
		file := os.NewFile(uintptr(fd), "game")
		t.Cleanup(func() { file.Close() })
		if err := file.Truncate(1 << 16); err != nil {
			t.Fatal(err)
		}
		mem, err := hold.Map(fd)
		if err != nil {
			t.Fatal(err)
		}
		l, _ := survive.Find(mem) // nothing is written there
		return &survivor{Left: l, head: head{Session: session}}, file
	}
	first, _ := left("ended")
	second, _ := left("ended")
	third, played := left("living")
	broken, _ := left("broken")
	broken.fault = errors.New("cannot be read")
	none, _ := left("")
	s := &Survivors{games: []*survivor{first, second, third, broken, none}}

	owner := exec.Command(os.Args[0], "-test.run=^TestProcessThatOwns$")
	owner.Env, owner.ExtraFiles = append(os.Environ(), ownerEnv+"=1"), []*os.File{played}
	out, err1 := owner.StdoutPipe()
	in, err2 := owner.StdinPipe()
	if err := errors.Join(err1, err2, owner.Start()); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	got := s.Sessions()
	in.Close()
	_ = owner.Wait()
	if err != nil || line != "owned\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	if !slices.Equal(got, []string{"ended"}) {
		t.Errorf("while the process of a game lives: %q", got)
	}
	if got := s.Sessions(); !slices.Equal(got, []string{"ended", "living"}) {
		t.Errorf("once it has ended: %q", got)
	}
}
