package dockertest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"w3host/internal/tier"
)

// deployment is a clone of the project that is run by Compose.
type deployment struct {
	*dockerd
	tool // docker compose, in the clone
	dir  string
	bots string // the program
}

// The commands of docs/deployment.md, on a real engine: a game of ten players goes on while
// Postgres and the host are killed, a new image keeps what is stored, and with the fdstore
// running games, too.
func TestDeployed(t *testing.T) {
	tier.All(t, "builds the whole program")
	d := deploy(t)
	d.up(t, "v1.0.0", "compose.yaml")
	d.tool.run(t, "cp", "w3host:/w3host", d.bots)

	game := d.play(t, "0.3")
	d.kill(t, "w3host-postgres-1", false)
	d.kill(t, "w3host-w3host-1", true)
	time.Sleep(time.Second)
	d.kill(t, "w3host-w3host-1", true)
	game(t)
	d.wait(t, "the game is in the log", func() bool { return d.games(t) == 1 })
	d.wait(t, "w3host is healthy", func() bool { return d.inspect(t, "w3host-w3host-1", "{{.State.Health.Status}}") == "healthy" })
	if database, host := d.inspect(t, "w3host-postgres-1", "{{.RestartCount}}"), d.inspect(t, "w3host-w3host-1", "{{.RestartCount}}"); database != "1" || host != "0" {
		t.Errorf("the engine has started Postgres again %s times, and w3host %s times", database, host)
	}
	if out := d.w3host(t, "ctl", "exit"); !strings.Contains(out, "docker compose stop w3host") {
		t.Errorf("who stops the host is not told that it comes back: %s", out)
	}

	d.up(t, "v2.0.0", "compose.yaml")
	if n := d.games(t); n != 1 {
		t.Errorf("after a new image the log has %d games", n)
	}
	d.tool.run(t, "down")
	if left := d.dockerd.run(t, "ps", "--all", "--quiet"); left != "" {
		t.Errorf("containers are left: %s", left)
	}

	d.dockerd.run(t, "tag", "w3host", "w3host-fdstore")
	d.up(t, "v2.0.0", "compose.yaml:compose.fdstore.yaml")
	if n := d.games(t); n != 1 {
		t.Errorf("after everything was down the log has %d games", n)
	}
	game = d.play(t, "0.5")
	d.up(t, "v3.0.0", "compose.yaml:compose.fdstore.yaml")
	game(t)
	d.wait(t, "the second game is in the log", func() bool { return d.games(t) == 2 })
	d.tool.run(t, "down", "--volumes")
	if left := d.dockerd.run(t, "volume", "ls", "--quiet"); left != "" {
		t.Errorf("volumes are left: %s", left)
	}
}

// deploy makes the clone, and the images that would come from a registry.
func deploy(t *testing.T) *deployment {
	t.Helper()
	engine, err := startDockerd()
	if err != nil {
		tier.Unable(t, "needs a Docker engine: %v", err)
	}
	d := &deployment{dockerd: engine, dir: t.TempDir(), bots: filepath.Join(t.TempDir(), "w3host")}
	d.tool = tool{name: engine.name, dir: engine.dir, in: d.dir, always: append(engine.always, "compose")}
	if version, err := d.tool.try(t, "version", "--short"); err != nil || !recent(version) {
		tier.Missing(t, "needs Docker Compose 2.24: %s %v", version, err)
	}
	if os.Getenv("W3HOST_TEST_PGBIN") == "" {
		tier.Missing(t, "needs Postgres for its image (scripts/with-postgres.sh)")
	}
	engine.bases(t)
	engine.makeImage(t, "postgres:17-alpine", postgres)
	if err := copySource(d.dir); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(d.dir, "config.toml"), []byte(readFile(t, "config.toml.example")))
	for _, dir := range []string{"maps", "scripts"} {
		if err := os.MkdirAll(filepath.Join(d.dir, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// recent tells whether a version of Compose has all that compose.yaml uses.
func recent(version string) bool {
	var major, minor int
	_, err := fmt.Sscanf(strings.TrimPrefix(version, "v"), "%d.%d", &major, &minor)
	return err == nil && (major > 2 || major == 2 && minor >= 24)
}

// up brings everything up with these files, and the program as this version.
func (d *deployment) up(t *testing.T, version, files string) {
	t.Helper()
	env := strings.Replace(readFile(t, ".env.example"), "POSTGRES_PASSWORD=", "POSTGRES_PASSWORD=secret", 1)
	// All players come from the address of the engine's bridge.
	env += fmt.Sprintf("\nVERSION=%s\nCOMPOSE_FILE=%s\nW3HOST_LOBBY_COUNTDOWN=0\nW3HOST_LIMITS_EXEMPT=127.0.0.0/8,::1/128,172.16.0.0/12\n", version, files)
	write(t, filepath.Join(d.dir, ".env"), []byte(env))
	d.tool.run(t, "up", "--detach", "--build")
	d.wait(t, "w3host answers", func() bool {
		_, err := d.tool.try(t, "exec", "--no-TTY", "w3host", "/w3host", "health")
		return err == nil
	})
	if out := d.w3host(t, "version"); out != "w3host "+version {
		t.Errorf("%s was deployed; w3host version prints %q", version, out)
	}
}

// play begins a game of ten bots through the published port; what it returns waits for its
// end, which must be well.
func (d *deployment) play(t *testing.T, minutes string) func(*testing.T) {
	t.Helper()
	cmd := d.inside(d.bots, "bots", "--minutes", minutes)
	progress, w := io.Pipe()
	var verdict strings.Builder
	cmd.Stdout, cmd.Stderr = &verdict, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait(); _ = w.Close() }() // with the bots
	for lines := bufio.NewScanner(progress); lines.Scan(); {
		t.Log(lines.Text())
		if strings.Contains(lines.Text(), "the game runs") {
			go func() { _, _ = io.Copy(io.Discard, progress) }() // as above
			return func(t *testing.T) {
				t.Helper()
				if err := <-ended; err != nil || !strings.Contains(verdict.String(), "all went well: 10 bots played 1 game") {
					t.Errorf("the game was disturbed: %v\n%s%s", err, verdict.String(), d.logs(t))
				}
				t.Log(regexp.MustCompile(`longest .*`).FindString(verdict.String()))
			}
		}
	}
	t.Fatalf("no game: %v\n%s%s", <-ended, verdict.String(), d.logs(t))
	return nil
}

func (d *deployment) logs(t *testing.T) string {
	t.Helper()
	out, _ := d.tool.try(t, "logs", "--tail", "40")
	return out
}

func (d *deployment) w3host(t *testing.T, args ...string) string {
	t.Helper()
	return d.tool.run(t, append([]string{"exec", "--no-TTY", "w3host", "/w3host"}, args...)...)
}

// games is how many were played to their end, as the log says.
func (d *deployment) games(t *testing.T) (n int) {
	t.Helper()
	var games []struct {
		Players int
		Ended   string
	}
	out, err := d.tool.try(t, "exec", "--no-TTY", "w3host", "/w3host", "game", "list", "--json")
	if err != nil {
		return 0 // the database may be on its way back
	}
	if err := json.Unmarshal([]byte(out), &games); err != nil {
		t.Fatal(err)
	}
	for _, g := range games {
		if g.Players == 10 && g.Ended == "finished" {
			n++
		}
	}
	return n
}

func (d *deployment) inspect(t *testing.T, container, what string) string {
	t.Helper()
	return d.dockerd.run(t, "inspect", "--format", what, container)
}

func (d *deployment) wait(t *testing.T, what string, is func() bool) {
	t.Helper()
	for until := time.Now().Add(2 * patience); !is(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("it does not come to this: %s\n%s", what, d.logs(t))
		}
	}
}
