package bots

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestMain turns the test binary into a host of its own process when
// TestScale asks for it, so that the bots' processor time is theirs alone.
func TestMain(m *testing.M) {
	players, err := strconv.Atoi(os.Getenv("W3HOST_FAKE_HOST"))
	if err != nil {
		testing.Init()
		// The games of the tests mostly wait.
		if err := flag.Set("test.parallel", "16"); err != nil {
			panic(err)
		}
		os.Exit(m.Run())
	}
	if err := needFiles(16000); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	h := &fakeHost{Players: players, Period: 100 * time.Millisecond, Floor: true, Lobbies: 50}
	if err := h.Open(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(h.Addr)
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n') // until the test ends
}

// TestScale measures what bots cost, against a host that does as little as it
// can. It runs when W3HOST_BOTS_SCALE names a number of games:
//
//	W3HOST_BOTS_SCALE=300 go test -run TestScale -v ./bots
//
// W3HOST_BOTS_PORTABLE=1 measures the portable poller.
func TestScale(t *testing.T) {
	games, err := strconv.Atoi(os.Getenv("W3HOST_BOTS_SCALE"))
	if err != nil {
		t.Skip("set W3HOST_BOTS_SCALE to a number of games")
	}
	host := exec.Command(os.Args[0])
	host.Env = append(os.Environ(), "W3HOST_FAKE_HOST=10")
	host.Stderr = os.Stderr
	in, err := host.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	defer host.Wait()
	defer in.Close()
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), Options{
		Addr: strings.TrimSpace(addr), Players: 10, Games: games, Actions: 3, Play: 15 * time.Second, LoadTime: 10 * time.Millisecond,
		Portable: os.Getenv("W3HOST_BOTS_PORTABLE") != "",
	})
	if err != nil {
		t.Error(err)
	}
	r.Players = nil
	r.WriteText(os.Stdout)
}
