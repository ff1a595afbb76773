package dockertest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"w3host/internal/fleetwatch"
	"w3host/internal/tier"
	"w3host/protocol/w3gs"
)

// What docs/fleet.md says of Swarm is for these hosts. All players have one address, that of the wire: were it
// hidden, the limits of an address would turn them away. With the LAN's list a join must bring the lobby's key.
const swarmConfig = `
[host]
on_stop = "drain"
drain_lobbies = "20s"
[fleet]
enabled = true
[limits]
exempt = ["10.33.0.0/24"]
`

var swarmEntries = []string{"dota", "melee", "tower"}

// swarm is a Swarm of three engines, each in a network of its own on one wire, with deploy/fleet/swarm.yaml on it.
type swarm struct {
	wire    *exec.Cmd
	network *os.File // of the wire, where players are
	nodes   []*dockerd
	program string
	watch   *fleetwatch.Watch
}

const layWire = `
ip link set lo up
ip link add wire type bridge
ip addr add 10.33.0.254/24 dev wire
ip link set wire up
echo up
exec sleep infinity
`

const nodeScript = `
hostname node%[1]d
until ip addr add 10.33.0.%[1]d/24 dev eth0 2>/dev/null; do sleep 0.1; done
ip link set eth0 up
ip route add default via 10.33.0.254
mount -t tmpfs none /srv
mkdir -p /srv/w3host/maps
`

// deploySwarm starts everything, and has a stranger try all lobbies until the test ends.
func deploySwarm(t *testing.T) *swarm {
	t.Helper()
	tier.All(t, "builds the whole program")
	if os.Getenv("W3HOST_TEST_PGBIN") == "" {
		tier.Missing(t, "needs Postgres for its image (scripts/with-postgres.sh)")
	}
	if os.Geteuid() != 0 {
		tier.Unable(t, "needs root to start dockerd")
	}
	s := &swarm{program: filepath.Join(t.TempDir(), "w3host"), watch: fleetwatch.New()}
	s.watch.Dial = s.dial
	s.layWire(t)
	began := time.Now()
	s.startNodes(t)
	engines := time.Since(began)
	s.images(t)
	images := time.Since(began)
	manager := s.nodes[0]
	manager.run(t, "swarm", "init", "--advertise-addr", "10.33.0.1", "--task-history-limit", "100") // with their logs
	token := manager.run(t, "swarm", "join-token", "--quiet", "worker")
	for _, n := range s.nodes[1:] {
		n.run(t, "swarm", "join", "--token", token, "10.33.0.1:2377")
	}
	s.deploy(t)
	t.Logf("engines after %v, images after %v, deployed after %v", engines, images, time.Since(began))
	var watching sync.WaitGroup
	ctx, stop := context.WithCancel(context.Background())
	for i := range s.nodes {
		watching.Go(func() { s.watch.Host(ctx, s.addr(i), s.run(i)) })
	}
	t.Cleanup(func() { stop(); watching.Wait() })
	return s
}

func (s *swarm) layWire(t *testing.T) {
	t.Helper()
	s.wire = exec.Command("unshare", "--net", "sh", "-ec", layWire)
	s.wire.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := s.wire.StdoutPipe()
	if err == nil {
		err = s.wire.Start()
	}
	if err != nil {
		tier.Unable(t, "needs a Swarm: %v", err)
	}
	t.Cleanup(func() { _ = s.wire.Process.Kill(); _ = s.wire.Wait() })
	if _, err := out.Read(make([]byte, 3)); err != nil {
		tier.Unable(t, "needs a network namespace (apt-get install iproute2)")
	}
	if s.network, err = os.Open(fmt.Sprintf("/proc/%d/ns/net", s.wire.Process.Pid)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.network.Close() })
}

// startNodes starts the engines.
func (s *swarm) startNodes(t *testing.T) {
	t.Helper()
	s.nodes = make([]*dockerd, 3)
	errs := make([]error, len(s.nodes))
	var starting sync.WaitGroup
	for i := range s.nodes {
		starting.Go(func() {
			s.nodes[i], errs[i] = newDockerd(fmt.Sprintf(nodeScript, i+1), func(pid string) error {
				end := fmt.Sprintf("node%d", i+1)
				out, err := s.inside("sh", "-ec", "ip link add $0 type veth peer name eth0 netns $1 && ip link set $0 master wire up", end, pid).CombinedOutput()
				if err != nil {
					return fmt.Errorf("%w: %s", err, out)
				}
				return nil
			})
		})
	}
	starting.Wait()
	for _, n := range s.nodes {
		if n != nil {
			t.Cleanup(n.end)
		}
	}
	for _, err := range errs {
		if err != nil {
			tier.Unable(t, "needs a Docker engine: %v", err)
		}
	}
}

// images gives each engine the last stage of the Dockerfile, and the first one Postgres.
func (s *swarm) images(t *testing.T) {
	t.Helper()
	build := exec.Command("go", "build", "-trimpath", "-tags", "timetzdata", "-ldflags", "-s -w -X main.version="+testVersion, "-o", s.program, "./cmd/w3host")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir := t.TempDir()
	program, err := os.ReadFile(s.program)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "image", "w3host"), program)
	if err := os.Chmod(filepath.Join(dir, "image", "w3host"), 0o755); err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs(filepath.Join(root, "deploy", "image.sh"))
	if err != nil {
		t.Fatal(err)
	}
	tool{name: script, in: dir}.run(t)
	_, stage, _ := strings.Cut(readFile(t, "Dockerfile"), "\nFROM scratch\n")
	stage = strings.NewReplacer("--from=build ", "", "/src/", "").Replace("FROM scratch\n" + stage)
	write(t, filepath.Join(dir, "Dockerfile"), []byte(stage))
	for _, n := range s.nodes {
		n.run(t, "build", "--quiet", "--tag", "w3host", "--tag", "w3host:v2", dir)
	}
	s.nodes[0].makeImage(t, "postgres:17-alpine", steppedPostgres)
}

// deploy does what docs/fleet.md says.
func (s *swarm) deploy(t *testing.T) {
	t.Helper()
	manager, dir := s.nodes[0], t.TempDir()
	config := swarmConfig
	for _, entry := range swarmEntries {
		config += fmt.Sprintf("[[autohost]]\nname = %q\nlobbies = 1\nautostart = 3\ncountdown = 0\n", entry)
	}
	write(t, filepath.Join(dir, "config.toml"), []byte(config))
	write(t, filepath.Join(dir, "deploy", "fleet", "swarm.yaml"), []byte(readFile(t, "deploy/fleet/swarm.yaml")))
	write(t, filepath.Join(dir, "password"), []byte("secret"))
	write(t, filepath.Join(dir, "pgpass"), []byte("postgres:5432:w3host:w3host:secret\n"))
	manager.run(t, "secret", "create", "postgres", filepath.Join(dir, "password"))
	manager.run(t, "secret", "create", "pgpass", filepath.Join(dir, "pgpass"))
	manager.run(t, "node", "update", "--label-add", "postgres=true", "node1")
	manager.run(t, "stack", "deploy", "--resolve-image=never", "--compose-file", filepath.Join(dir, "deploy", "fleet", "swarm.yaml"), "w3host")
}

func (s *swarm) addr(node int) string { return fmt.Sprintf("10.33.0.%d:6112", node+1) }

// inside runs a program where players are.
func (s *swarm) inside(program string, args ...string) *exec.Cmd {
	return exec.Command("nsenter", append([]string{fmt.Sprintf("--net=/proc/%d/ns/net", s.wire.Process.Pid), program}, args...)...)
}

// dial connects to a host from where players are.
func (s *swarm) dial(ctx context.Context, _, addr string) (net.Conn, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ours, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return nil, err
	}
	defer func() { _ = ours.Close() }()
	if err := unix.Setns(int(s.network.Fd()), unix.CLONE_NEWNET); err != nil {
		return nil, err
	}
	defer func() {
		if err := unix.Setns(int(ours.Fd()), unix.CLONE_NEWNET); err != nil {
			panic(err)
		}
	}()
	return (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", addr)
}

// task is the container of a service on a node; empty: none runs now.
func (s *swarm) task(t *testing.T, node int, service string) string {
	t.Helper()
	out, _ := s.nodes[node].try(t, "ps", "--quiet", "--no-trunc", "--filter", "name=w3host_"+service+".")
	id, _, _ := strings.Cut(out, "\n")
	return id
}

// aTask waits for one.
func (s *swarm) aTask(t *testing.T, node int, service string) (task string) {
	t.Helper()
	for end := time.Now().Add(2 * patience); task == "" && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		task = s.task(t, node, service)
	}
	return task
}

// sql asks Postgres.
func (s *swarm) sql(t *testing.T, query string) (string, error) {
	t.Helper()
	return s.nodes[0].try(t, "exec", "--env", "PGPASSWORD=secret", s.task(t, 0, "postgres"), "psql", "-h127.0.0.1", "-Uw3host", "-dw3host", "-Atc", query)
}

// lobby finds the lobby of an entry, and its node.
func (s *swarm) lobby(ctx context.Context, entry string) (node int, info w3gs.GameInfo, ok bool) {
	for node := range s.nodes {
		for _, info := range s.watch.Lobbies(ctx, s.addr(node)) {
			if name, _, _ := strings.Cut(info.Name, " "); name == entry {
				return node, info, true
			}
		}
	}
	return 0, info, false
}

// botGame is a game that bots have played, or have not come to play.
type botGame struct {
	entry    string
	node     int
	from, to time.Time
	runs     bool
	Verdict  string
	OK       bool
}

func (g *botGame) String() string {
	return fmt.Sprintf("%s on node %d, %s to %s: %s", g.entry, g.node+1, g.from.Format(time.TimeOnly), g.to.Format(time.TimeOnly), g.Verdict)
}

// run is the name of a node's hosts.
func (s *swarm) run(node int) string { return fmt.Sprintf("node %d", node+1) }

// play has three bots play in the lobby of an entry. It says when the game runs.
func (s *swarm) play(ctx context.Context, entry string, minutes float64, runs func(botGame)) (g botGame) {
	g.entry = entry
	for ctx.Err() == nil {
		node, info, ok := s.lobby(ctx, entry)
		if !ok {
			time.Sleep(200 * time.Millisecond)
			continue
		}
		g.node, g.from = node, time.Now()
		s.watch.Quiet(entry, true)
		defer s.watch.Quiet(entry, false)
		cmd := s.inside(s.program, "bots", "--json", "--addr", s.addr(node), "--game", fmt.Sprint(info.GameID), "--entry-key", fmt.Sprint(info.EntryKey),
			"--players", "3", "--minutes", fmt.Sprint(minutes), "--say-start=false", "--patience", "20s", "--name-prefix", entry+"-")
		progress, w := io.Pipe()
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, w
		read := make(chan struct{})
		go func() { // ends with the bots
			defer close(read)
			for lines := bufio.NewScanner(progress); lines.Scan(); {
				if strings.Contains(lines.Text(), "the game runs") {
					g.runs = true
					s.watch.Played(entry, s.run(node), &info, g.from)
					s.watch.Quiet(entry, false)
					runs(g)
				}
			}
		}()
		err := cmd.Run()
		_ = w.Close()
		<-read
		g.to = time.Now()
		if bad := json.Unmarshal([]byte(out.String()), &g); bad != nil {
			g.Verdict = fmt.Sprintf("%v: %v: %s", err, bad, out.String())
		}
		return g
	}
	return g
}
