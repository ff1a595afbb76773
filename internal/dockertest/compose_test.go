package dockertest

import (
	"bytes"
	"cmp"
	"maps"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"w3host/config"
	"w3host/internal/tier"
)

// composeFile has the keys that the project uses; any other is an error, so
// that a misspelt one does not pass for a setting.
type composeFile struct {
	Name     string
	Services map[string]service
	Volumes  map[string]any
}

type service struct {
	Image string
	Build struct {
		Context string
		Args    map[string]string
	}
	Restart     string
	Command     []string
	PullPolicy  string                                `yaml:"pull_policy"`
	NetworkMode string                                `yaml:"network_mode"`
	DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
	Ports       []string
	EnvFile     []struct {
		Path     string
		Required bool
	} `yaml:"env_file"`
	Environment map[string]string
	Volumes     []string
	ReadOnly    bool `yaml:"read_only"`
	Tmpfs       []string
	CapDrop     []string `yaml:"cap_drop"`
	SecurityOpt []string `yaml:"security_opt"`
	StopGrace   string   `yaml:"stop_grace_period"`
	StopSignal  string   `yaml:"stop_signal"`
	Logging     struct{ Driver string }
	Healthcheck struct {
		Test              []string
		Interval, Timeout string
		Retries           int
		Disable           bool
		StartPeriod       string `yaml:"start_period"`
	}
}

func readCompose(t *testing.T, name string) (f composeFile) {
	t.Helper()
	decoder := yaml.NewDecoder(strings.NewReader(readFile(t, name)))
	decoder.KnownFields(true)
	if err := decoder.Decode(&f); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return f
}

// readEnvExample gives its variables, those in comments too.
func readEnvExample(t *testing.T) (set, offered map[string]string) {
	t.Helper()
	set, offered = map[string]string{}, map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^(#?)([A-Z][A-Z0-9_]*)=(.*)$`).FindAllStringSubmatch(readFile(t, ".env.example"), -1) {
		if m[1] == "" {
			set[m[2]] = m[3]
		}
		offered[m[2]] = m[3]
	}
	return set, offered
}

var interpolation = regexp.MustCompile(`\$\{(\w+)[^}]*\}`)

// interpolate does it as compose does: ${NAME}, ${NAME:-default}, ${NAME:?error}.
func interpolate(t *testing.T, text string, env map[string]string) string {
	t.Helper()
	return os.Expand(text, func(expression string) string {
		name, rest, _ := strings.Cut(expression, ":")
		if env[name] == "" && strings.HasPrefix(rest, "?") {
			t.Errorf("%s is not set: %s", name, rest[1:])
		}
		return cmp.Or(env[name], strings.TrimPrefix(rest, "-"))
	})
}

// settings is the configuration that w3host finds in its container.
func settings(t *testing.T, files ...composeFile) config.Config {
	t.Helper()
	_, env := readEnvExample(t) // all that is offered must work
	env["POSTGRES_PASSWORD"] = "secret"
	inside := map[string]string{}
	for name, value := range env {
		inside[name] = value
	}
	for _, f := range files {
		for name, value := range f.Services["w3host"].Environment {
			inside[name] = interpolate(t, value, env)
		}
	}
	if inside["PGPASSWORD"] != "secret" {
		t.Error("the host does not get the password of the database")
	}
	var environ []string
	for name, value := range inside {
		environ = append(environ, name+"="+value)
	}
	c, err := config.Load("", environ)
	if err == nil {
		err = c.Validate()
	}
	if err != nil {
		t.Errorf("the host would not start: %v", err)
	}
	return c
}

func TestComposeFitsTheImage(t *testing.T) {
	f := readCompose(t, "compose.yaml")
	w3host, c := f.Services["w3host"], settings(t, f)
	image := wanted()

	for exposed := range image.ExposedPorts {
		port, proto, _ := strings.Cut(exposed, "/")
		if !slices.Contains(w3host.Ports, port+":"+port+"/"+proto) {
			t.Errorf("%s is exposed but not published under the same number", exposed)
		}
	}
	_, tcp, _ := net.SplitHostPort(c.Host.Listen)
	for _, port := range []string{tcp + "/tcp", strconv.Itoa(c.LAN.Port) + "/udp"} {
		if _, ok := image.ExposedPorts[port]; !ok {
			t.Errorf("the host uses port %s, which the image does not expose", port)
		}
	}
	_, window, _ := net.SplitHostPort(c.Web.Listen)
	if !slices.Contains(w3host.Ports, "127.0.0.1:"+window+":"+window+"/tcp") || slices.ContainsFunc(w3host.Ports, func(p string) bool { return strings.HasPrefix(p, window) }) {
		t.Errorf("the window at %s is not for this machine, or not only: %v", c.Web.Listen, w3host.Ports)
	}
	mounted := map[string]bool{}
	for _, v := range w3host.Volumes {
		parts := strings.Split(v, ":")
		mounted[parts[1]] = true
		if v == "./"+config.DefaultFile+":/"+config.DefaultFile+":ro" && image.WorkingDir == "/" {
			continue // a file, which the host finds where it starts
		}
		if _, ok := image.Volumes[parts[1]]; !ok {
			t.Errorf("%s: the image has no such volume", v)
		}
		if _, named := f.Volumes[parts[0]]; !named && !strings.HasPrefix(parts[0], "./") {
			t.Errorf("volume %s is not declared", parts[0])
		}
		if readOnly := len(parts) == 3 && parts[2] == "ro"; readOnly == (parts[1] == "/data") {
			t.Errorf("%s: only /data is to be written to", v)
		}
	}
	for v := range image.Volumes {
		if !mounted[v] {
			t.Errorf("nothing is mounted at %s", v)
		}
	}
	for _, dir := range []string{c.Maps.Dir, c.Maps.Scripts, c.Host.DataDir, filepath.Dir(c.SpoolDir())} {
		if inside := filepath.ToSlash(filepath.Join(image.WorkingDir, dir)); !mounted[inside] {
			t.Errorf("the host uses %s, which is no volume", inside)
		}
	}
	if w3host.Build.Context != "." || w3host.Restart == "" || !w3host.ReadOnly || !slices.Equal(w3host.CapDrop, []string{"ALL"}) {
		t.Errorf("w3host is not built here, not restarted or not locked down: %+v", w3host)
	}
	if w3host.Healthcheck.Test != nil {
		t.Error("the health check of w3host is the image's")
	}
}

func TestComposeDatabase(t *testing.T) {
	f := readCompose(t, "compose.yaml")
	u, err := url.Parse(settings(t, f).Database.URL)
	if err != nil {
		t.Fatal(err)
	}
	db, ok := f.Services[u.Hostname()]
	if !ok {
		t.Fatalf("database.url = %s: there is no service %s", u, u.Hostname())
	}
	if got, want := db.Environment["POSTGRES_USER"]+"/"+db.Environment["POSTGRES_DB"], u.User.Username()+u.Path; got != want {
		t.Errorf("the host wants %s, the service makes %s", want, got)
	}
	if len(db.Healthcheck.Test) < 2 || f.Services["w3host"].DependsOn[u.Hostname()].Condition != "service_healthy" {
		t.Error("the host does not wait for a healthy database")
	}
	if len(db.Volumes) == 0 || db.Restart == "" {
		t.Error("the database does not survive a restart")
	}
	if len(db.Ports) > 0 {
		t.Errorf("the database is reachable from outside: %v", db.Ports)
	}
}

// A fault ends "docker compose up": what looks for it sees what the host sees, once.
func TestComposeChecksFirst(t *testing.T) {
	f := readCompose(t, "compose.yaml")
	check, w3host := f.Services["check"], f.Services["w3host"]
	if check.Image != w3host.Image || check.PullPolicy != "never" || check.Restart != "" || !slices.Equal(check.Command, []string{"--check"}) {
		t.Errorf("%+v", check)
	}
	if !slices.Equal(check.EnvFile, w3host.EnvFile) || !maps.Equal(check.Environment, w3host.Environment) || !slices.Equal(check.Volumes, w3host.Volumes) {
		t.Errorf("other settings are checked than w3host has: %+v", check)
	}
	if w3host.DependsOn["check"].Condition != "service_completed_successfully" {
		t.Error("the host starts with a fault, and again and again")
	}
}

// Compose itself is asked where it is installed.
func TestComposeAccepts(t *testing.T) {
	tier.All(t, "needs Docker Compose")
	if out, err := exec.CommandContext(t.Context(), "docker", "compose", "version").CombinedOutput(); err != nil {
		tier.Missing(t, "needs Docker Compose: %v: %s", err, bytes.TrimSpace(out))
	}
	for _, files := range [][]string{{"compose.yaml"}, {"compose.yaml", "compose.lan.yaml"}, {"compose.yaml", "compose.fdstore.yaml"}, {"compose.yaml", "compose.metrics.yaml"}, {"deploy/fleet/swarm.yaml"}} {
		args := []string{"compose"}
		for _, f := range files {
			args = append(args, "-f", f)
		}
		cmd := exec.CommandContext(t.Context(), "docker", append(args, "config", "--quiet")...)
		cmd.Dir, cmd.Env = root, append(os.Environ(), "POSTGRES_PASSWORD=secret")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", files, err, out)
		}
	}
}

// On the machine's own network there is neither the bridge's name service nor
// a published port.
func TestComposeOnTheLAN(t *testing.T) {
	over := readCompose(t, "compose.lan.yaml")
	w3host := over.Services["w3host"]
	if w3host.NetworkMode != "host" || len(w3host.Ports) > 0 {
		t.Errorf("w3host is not on the network of the machine: %+v", w3host)
	}
	base := readCompose(t, "compose.yaml")
	for name := range over.Services {
		if _, ok := base.Services[name]; !ok {
			t.Errorf("compose.lan.yaml changes the service %s, which compose.yaml does not have", name)
		}
	}
	base.Services["w3host"].Environment["PGPASSWORD"] = "secret"
	c := settings(t, base, over)
	if listen := net.ParseIP(strings.Split(c.Web.Listen, ":")[0]); listen == nil || !listen.IsLoopback() || c.Web.Insecure {
		t.Errorf("the window is open to the LAN: %+v", c.Web)
	}
	u, err := url.Parse(c.Database.URL)
	if err != nil {
		t.Fatal(err)
	}
	if want := u.Host + ":5432/tcp"; !slices.Contains(over.Services["postgres"].Ports, want) || u.Hostname() != "127.0.0.1" {
		t.Errorf("the host asks %s; published is %v", u.Host, over.Services["postgres"].Ports)
	}
}

// The fdstore owns the ports, and is not made anew when the host is. Its socket is where both
// look for it.
func TestComposeFDStore(t *testing.T) {
	base, over := readCompose(t, "compose.yaml").Services["w3host"], readCompose(t, "compose.fdstore.yaml").Services
	store, w3host := over["fdstore"], over["w3host"]
	if w3host.NetworkMode != "service:fdstore" || len(w3host.Ports) > 0 || !slices.Equal(store.Ports, base.Ports) || w3host.DependsOn["fdstore"].Condition == "" {
		t.Errorf("the ports are not the fdstore's: %+v", over)
	}
	if store.Build.Context != "" || store.Image == base.Image || w3host.StopSignal != "SIGKILL" {
		t.Errorf("a new image ends the games: %+v", over)
	}
	socket := store.Command[len(store.Command)-1]
	if !slices.Equal(w3host.Command, append(wanted().Cmd, "--fdstore", socket)) || !slices.Equal(store.Volumes, w3host.Volumes) || !strings.HasSuffix(store.Volumes[0], ":"+filepath.Dir(socket)) {
		t.Errorf("the host does not find the socket %s: %+v", socket, over)
	}
	if !store.ReadOnly || !slices.Equal(store.CapDrop, base.CapDrop) || !slices.Equal(store.SecurityOpt, base.SecurityOpt) {
		t.Errorf("the fdstore is not locked down: %+v", store)
	}
}

// Passwords come from .env, which stays out of git and out of the image.
func TestSecretsAreNotInFiles(t *testing.T) {
	for _, name := range []string{"compose.yaml", "compose.lan.yaml", "compose.fdstore.yaml", "compose.metrics.yaml"} {
		for serviceName, s := range readCompose(t, name).Services {
			for variable, value := range s.Environment {
				if strings.Contains(variable, "PASSWORD") && !strings.HasPrefix(value, "${POSTGRES_PASSWORD:?") {
					t.Errorf("%s: %s has %s in clear", name, serviceName, variable)
				}
				if u, err := url.Parse(value); err == nil && u.User != nil {
					if _, has := u.User.Password(); has {
						t.Errorf("%s: %s has a password in %s", name, serviceName, variable)
					}
				}
			}
		}
		_, offered := readEnvExample(t)
		for _, m := range interpolation.FindAllStringSubmatch(readFile(t, name), -1) {
			if _, ok := offered[m[1]]; !ok {
				t.Errorf("%s uses %s, which .env.example does not explain", name, m[1])
			}
		}
	}
	if set, _ := readEnvExample(t); set["POSTGRES_PASSWORD"] != "" {
		t.Error(".env.example has a password that people would keep")
	}
	if !slices.Contains(strings.Split(readFile(t, ".gitignore"), "\n"), "/.env") {
		t.Error(".gitignore does not name /.env")
	}
}
