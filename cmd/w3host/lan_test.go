package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"w3host/internal/testkit"
	"w3host/internal/tier"
)

// lanPlace is where a program of a LAN test runs: the name of a
// network namespace, or "" for the one of the test.
type lanPlace string

// at makes a command run in a place.
func (p lanPlace) at(cmd *exec.Cmd) *exec.Cmd {
	if p == "" {
		return cmd
	}
	ip, err := exec.LookPath("ip")
	if err != nil {
		ip = "/sbin/ip"
	}
	cmd.Args = slices.Concat([]string{ip, "netns", "exec", string(p), cmd.Path}, cmd.Args[1:])
	cmd.Path = ip
	return cmd
}

// start runs w3host in a place until the test ends, and returns when it has said
// a text.
func (p lanPlace) start(t *testing.T, said string, args ...string) {
	t.Helper()
	cmd := p.at(processCommand(t, t.TempDir(), args...))
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready, ended := make(chan bool, 1), make(chan struct{})
	go func() { // ends with the process
		defer close(ended)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			t.Logf("%s: %s", args[0], lines.Text())
			if strings.Contains(lines.Text(), said) {
				select {
				case ready <- true:
				default:
				}
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", args[0], err)
		}
	})
	select {
	case <-ready:
	case <-ended:
		t.Fatalf("w3host %q has ended", args)
	case <-time.After(60 * time.Second):
		t.Fatalf("w3host %q never said %q", args, said)
	}
}

// list is what "w3host lan list" shows in a place.
func (p lanPlace) list(t *testing.T, args ...string) []lanGame {
	t.Helper()
	cmd := p.at(processCommand(t, t.TempDir(), slices.Concat([]string{"lan", "list", "--json"}, args)...))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var games []lanGame
	if err == nil {
		err = json.Unmarshal(out, &games)
	}
	if err != nil {
		t.Fatalf("lan list %q: %v\n%s%s", args, err, out, stderr.Bytes())
	}
	return games
}

// find lists until there is one game, at an address.
func (p lanPlace) find(t *testing.T, how, address string, args ...string) lanGame {
	t.Helper()
	var games []lanGame
	for range 8 {
		if games = p.list(t, args...); len(games) == 1 && games[0].Address == address {
			return games[0]
		}
	}
	t.Fatalf("%s: found %+v, want one game at %s", how, games, address)
	return lanGame{}
}

// play joins a game with what the list says of it. The host starts with one
// player, so that the lobby is closed by it.
func (p lanPlace) play(t *testing.T, g lanGame) {
	t.Helper()
	out, err := p.at(processCommand(t, t.TempDir(), "bots", "--addr", net.JoinHostPort(g.Address, fmt.Sprint(g.Port)), "--players", "1",
		"--game", fmt.Sprint(g.GameID), "--entry-key", fmt.Sprint(g.EntryKey), "--minutes", "0.02", "--load-time", "100ms")).CombinedOutput()
	if err != nil {
		t.Errorf("joining %s:%d as the list says: %v\n%s", g.Address, g.Port, err, out)
	}
}

// lanHost writes the configuration of a host for these tests.
func lanHost(t *testing.T, listen, settings string) (file string) {
	t.Helper()
	dir := t.TempDir()
	file = filepath.Join(dir, "config.toml")
	text := fmt.Sprintf("[host]\nlisten = %q\ndata_dir = %q\n[lobby]\nname = \"Abend im Büro\"\nautostart = 1\ncountdown = 0\n[replays]\nenabled = false\n[lan]\n%s",
		listen, dir, settings)
	write(t, file, text)
	return file
}

// In three networks, the middle one of which hears the broadcasts of the host
// and the last one none: a game is found by broadcast, as a target, by asking
// and through a relay, can be joined with what is shown, and goes when it starts.
func TestLANAcrossNetworks(t *testing.T) {
	t.Parallel()
	host, middle, last := threeNetworks(t)
	host.start(t, "lobby open", "serve", "--log-json", "--config", lanHost(t, "0.0.0.0:6112", "targets = [\"10.77.2.2\"]\n"))

	g := middle.find(t, "by broadcast", "10.77.1.1")
	if g.Name != "Abend im Büro" || g.Port != 6112 || g.RTTMillis == nil || g.Players != 1 || g.Version != 26 || g.Product != "W3XP" {
		t.Errorf("got %+v", g)
	}
	middle.play(t, g)
	next := last.find(t, "announced to a target", "10.77.1.1", "--timeout", "7s")
	if next.GameID <= g.GameID {
		t.Errorf("the game that has started is still shown: %+v", next)
	}
	last.play(t, last.find(t, "by asking the host", "10.77.1.1", "--to", "10.77.1.1", "--timeout", "1s"))

	middle.start(t, "showing \\\"", "lan", "relay", "--from", "10.77.1.1", "--to", "10.77.2.2", "--forward")
	relayed := last.find(t, "through the relay", "10.77.2.1", "--to", "10.77.2.1", "--timeout", "1s")
	last.play(t, relayed)
	for range 10 {
		games := last.list(t, "--to", "10.77.2.1", "--timeout", "1s")
		if !slices.ContainsFunc(games, func(g lanGame) bool { return g.GameID == relayed.GameID }) {
			return
		}
	}
	t.Error("the relay still shows a game that has started")
}

// The same on one machine, where everything has an address of 127.0.0.0/8.
func TestLANOnLoopback(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has all of 127.0.0.0/8")
	}
	t.Parallel()
	port, own := fmt.Sprint(testkit.FreePort(t)), fmt.Sprint(testkit.FreePort(t))
	var here lanPlace
	here.start(t, "lobby open", "serve", "--log-json", "--config", lanHost(t, "127.0.0.31:"+port, "port = "+port+"\n"))
	g := here.find(t, "by broadcast on loopback", "127.0.0.31", "--to", "127.255.255.255:"+port, "--timeout", "1s")
	here.play(t, g)
	if next := here.find(t, "by its address", "127.0.0.31", "--to", "127.0.0.31:"+port, "--timeout", "1s"); next.GameID <= g.GameID {
		t.Errorf("the game that has started is still shown: %+v", next)
	}
	here.start(t, "showing \\\"", "lan", "relay", "--from", "127.0.0.31:"+port, "--to", "127.0.0.1:"+port, "--port", own, "--forward")
	relayed := here.find(t, "through the relay", "127.0.0.1", "--to", "127.0.0.1:"+own, "--timeout", "1s")
	if fmt.Sprint(relayed.Port) != own {
		t.Errorf("the relay shows port %d, want its own %s", relayed.Port, own)
	}
	here.play(t, relayed)
}

// threeNetworks makes namespaces: 10.77.1.1 — 10.77.1.2, 10.77.2.1 — 10.77.2.2.
// The last one is a single address without a broadcast, behind a router.
func threeNetworks(t *testing.T) (host, middle, last lanPlace) {
	t.Helper()
	name := func(s string) lanPlace { return lanPlace(fmt.Sprintf("w3lan%d%s", os.Getpid(), s)) }
	host, middle, last = name("a"), name("b"), name("c")
	must := func(command string) {
		t.Helper()
		words := strings.Fields(command)
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			tier.Unable(t, "needs network namespaces: %s: %v %s", command, err, out)
		}
	}
	for _, p := range []lanPlace{host, middle, last} {
		must("ip netns add " + string(p))
		t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", string(p)).Run() })
		must(fmt.Sprintf("ip -n %s link set lo up", p))
	}
	for _, line := range strings.Split(strings.NewReplacer("A", string(host), "B", string(middle), "C", string(last)).Replace(
		`ip -n A link add eth0 type veth peer name eth0 netns B
ip -n B link add eth1 type veth peer name eth0 netns C
ip -n A addr add 10.77.1.1/24 broadcast + dev eth0
ip -n B addr add 10.77.1.2/24 broadcast + dev eth0
ip -n B addr add 10.77.2.1/32 peer 10.77.2.2 dev eth1
ip -n C addr add 10.77.2.2/32 peer 10.77.2.1 dev eth0
ip -n A link set eth0 up
ip -n B link set eth0 up
ip -n B link set eth1 up
ip -n C link set eth0 up
ip -n A route add 10.77.2.0/24 via 10.77.1.2
ip -n C route add 10.77.1.0/24 via 10.77.2.1
ip netns exec B sysctl -qw net.ipv4.ip_forward=1`), "\n") {
		must(line)
	}
	return host, middle, last
}
