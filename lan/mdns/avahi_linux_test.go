package mdns

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/internal/tier"
)

// inside is set in the processes that TestAvahi starts in a network of their own.
const inside = "W3HOST_TEST_INSIDE"

// avahi runs an avahi-daemon with a bus of its own, and a command that uses it.
const avahi = `set -e
mount -t tmpfs tmpfs /run
mkdir -p /run/dbus /run/avahi-daemon
dbus-daemon --system --fork
avahi-daemon -D --no-drop-root --no-chroot
trap 'avahi-daemon -k; kill $(cat /run/dbus/pid)' EXIT
`

// TestAvahi: the avahi of the host's own machine, which has port 5353, and then that of
// another machine, when ours is the only socket of the port, list our service by IPv4 and
// IPv6, and the reader finds what avahi publishes.
func TestAvahi(t *testing.T) {
	if os.Getenv(inside) != "" {
		t.Skip("only outside")
	}
	for _, program := range []string{"avahi-daemon", "avahi-browse", "avahi-publish", "dbus-daemon", "ip"} {
		tier.Program(t, program, "avahi-daemon avahi-utils dbus iproute2")
	}
	a, b := fmt.Sprintf("w3mdns%da", os.Getpid()), fmt.Sprintf("w3mdns%db", os.Getpid())
	for _, line := range strings.Split(strings.NewReplacer("A", a, "B", b).Replace(`ip netns add A
ip netns add B
ip -n A link add eth0 type veth peer name eth0 netns B
ip -n A addr add 10.78.1.1/24 dev eth0
ip -n B addr add 10.78.1.2/24 dev eth0
ip -n A addr add fd78::1/64 dev eth0 nodad
ip -n B addr add fd78::2/64 dev eth0 nodad
ip -n A link set lo up
ip -n B link set lo up
ip -n A link set eth0 up
ip -n B link set eth0 up`), "\n") {
		words := strings.Fields(line)
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			tier.Unable(t, "needs network namespaces: %s: %v %s", line, err, out)
		}
		if words[1] == "netns" {
			t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", words[3]).Run() })
		}
	}
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	host := exec.CommandContext(ctx, "ip", "netns", "exec", a, os.Args[0], "-test.run", "TestInsidePublish")
	host.Env = append(os.Environ(), inside+"=1")
	leave, err := host.StdinPipe() // it publishes until this is closed
	if err != nil || host.Start() != nil {
		t.Fatal("the publisher does not start")
	}
	defer func() {
		leave.Close()
		if err := host.Wait(); err != nil {
			t.Errorf("the publisher: %v", err)
		}
	}()
	for _, where := range []string{a, b} { // in A, beside the publisher
		script := avahi + `for i in 1 2 3 4 5 6; do
	avahi-browse -rpt _w3xp2734._sub._blizzard._udp >/run/found || true
	grep -q '^=.*IPv4.*10.78.1.1' /run/found && grep -q '^=.*IPv6.*fd78' /run/found && break
	sleep 1
done
cat /run/found`
		out, err := exec.CommandContext(ctx, "ip", "netns", "exec", where, "sh", "-c", script).CombinedOutput()
		found := 0
		for _, by := range []string{";IPv4;", ";IPv6;"} {
			for line := range strings.Lines(string(out)) {
				if strings.HasPrefix(line, "=;eth0"+by+`Abend\032im`) && strings.Contains(line, ";6112;") {
					found++
					break
				}
			}
		}
		if err != nil || found < 2 {
			t.Errorf("avahi in %s finds %d of 2: %v\n%s", where, found, err, out)
		}
	}
	them := exec.CommandContext(ctx, "ip", "netns", "exec", b, "sh", "-c",
		avahi+"avahi-publish -s --sub=_w3xp2734._sub._blizzard._udp theirs _blizzard._udp 7000 & sleep 1; read x; kill $!")
	gone, err := them.StdinPipe()
	if err != nil || them.Start() != nil {
		t.Fatal("avahi-publish does not start")
	}
	find := exec.CommandContext(ctx, "ip", "netns", "exec", a, os.Args[0], "-test.run", "TestInsideFind", "-test.v")
	find.Env = append(os.Environ(), inside+"=1")
	if out, err := find.CombinedOutput(); err != nil {
		t.Errorf("what avahi publishes is not found: %v\n%s", err, out)
	}
	gone.Close()
	_ = them.Wait()
	if left, _ := filepath.Glob("/run/avahi-daemon/pid"); left != nil {
		t.Log("an avahi-daemon of the machine runs, too")
	}
}

func TestInsidePublish(t *testing.T) {
	if os.Getenv(inside) == "" {
		t.Skip("started by TestAvahi")
	}
	r := Start(Options{
		Bind: netip.IPv6Unspecified(), Log: zerolog.New(os.Stderr),
		Allow: func(time.Time, netip.Addr, uint32) bool { return true }, Local: func(netip.Addr) bool { return true },
	})
	r.Set(1, Service{Name: "Abend im Büro", Subtypes: []string{"_w3xp2734"}, Port: 6112, Data: []byte("data")})
	_, _ = os.Stdin.Read(make([]byte, 1))
	r.Shutdown()
}

func TestInsideFind(t *testing.T) {
	if os.Getenv(inside) == "" {
		t.Skip("started by TestAvahi")
	}
	conn, err := net.ListenUDP("udp4", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	known := map[string]*Instance{}
	for range 20 {
		if err := Ask(conn, Question("_w3xp2734")); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, messageSize)
		_ = conn.SetReadDeadline(time.Now().Add(time.Second))
		for {
			n, _, err := conn.ReadFromUDPAddrPort(buf)
			if err != nil {
				break
			}
			for _, news := range Read(buf[:n]) {
				if known[news.Name] == nil {
					known[news.Name] = &Instance{}
				}
				e := known[news.Name]
				if e.Update(news); strings.HasPrefix(e.Name, "theirs.") && e.Host != "" && e.Addr == netip.MustParseAddr("10.78.1.2") {
					return
				}
				if e.Host == "" {
					_ = Ask(conn, More(*e))
				}
			}
		}
	}
	for _, e := range known {
		t.Errorf("only %+v", *e)
	}
	t.Error("it is not there")
}
