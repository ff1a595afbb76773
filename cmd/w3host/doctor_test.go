package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"w3host/internal/openfiles"
	"w3host/internal/realmtest"
	"w3host/internal/testkit"
)

// doctorConfig writes a configuration with which all is well, and the scripts
// that it needs.
func doctorConfig(t *testing.T) (dir, file string) {
	t.Helper()
	dir = t.TempDir()
	scripts := filepath.Join(dir, "scripts")
	if err := os.Mkdir(scripts, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"common.j", "blizzard.j"} {
		write(t, filepath.Join(scripts, name), "globals\r\nendglobals\r\n")
	}
	file = filepath.Join(dir, "config.toml")
	text := fmt.Sprintf("[host]\nlisten = \"127.0.0.1:0\"\ndata_dir = %q\n[lan]\nport = %d\n[maps]\ndir = %q\nscripts = %q\n[autohost]\nmax_games = 10\n[limits]\nunjoined = 16\n",
		filepath.Join(dir, "data"), testkit.FreePort(t), filepath.Join(dir, "maps"), scripts)
	write(t, file, text)
	return dir, file
}

// Where all is well each check says so, nothing is changed, and the exit code
// is 0.
func TestDoctorFindsNothing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems do not broadcast on loopback")
	}
	dir, file := doctorConfig(t)
	code, out, _ := shell(t, "doctor", "--config", file)
	if code != exitOK || strings.Contains(out, "✗") || strings.Count(out, "✓ ") != 14 {
		t.Errorf("exit %d:\n%s", code, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "data")); err == nil {
		t.Error("it has created the folder data")
	}
}

// Each fault is found, has a remedy, and makes the exit code 1. The others
// are still looked at.
func TestDoctorFindsFaults(t *testing.T) {
	taken, err := net.Listen("tcp4", "127.0.0.1:0") // takes connections, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	udp, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	_, udpPort, _ := net.SplitHostPort(udp.LocalAddr().String())
	notMap := filepath.Join(t.TempDir(), "maps")
	if err := os.Mkdir(notMap, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(notMap, "broken.w3x"), "no map")
	for _, tt := range []struct{ what, set, remedy string }{
		{"configuration", "W3HOST_GAME_LATENCY=1ms", "config.toml.example"},
		{"configuration", "W3HOST_GAME_LATENZY=1ms", "config.toml.example"},
		{"scripts", "W3HOST_MAPS_SCRIPTS=/nowhere", "common.j"},
		{`map of "w3host game"`, "W3HOST_MAPS_SCRIPTS=/nowhere", "common.j"},
		{`map of "w3host game"`, "W3HOST_LOBBY_MAP=nowhere", "w3host map list"},
		{"maps folder", "W3HOST_MAPS_DIR=" + notMap, "map verify"},
		{"TCP port", "W3HOST_HOST_LISTEN=" + taken.Addr().String(), "another port"},
		{"TCP port", "W3HOST_HOST_LISTEN=203.0.113.77:0", "host.listen"},
		{"UDP port", "W3HOST_LAN_PORT=" + udpPort, "lan.port"},
		{"broadcast", "W3HOST_HOST_LISTEN=203.0.113.77:0", "lan.broadcast"},
		{"open files", "W3HOST_LIMITS_UNJOINED=1048576", "ulimit -n"},
		{"database", "W3HOST_DATABASE_URL=mysql://x", "database.url"},
		{"database", "W3HOST_DATABASE_URL=postgres://nobody@127.0.0.1:1/x?connect_timeout=1", "database.url"},
		{"database", "W3HOST_DATABASE_URL=sqlite:/dev/null/w3host.db", "database.url"},
		{"spool", "W3HOST_DATABASE_SPOOL=/dev/null/spool", "database.spool"},
		{"replays", "W3HOST_REPLAYS_DIR=/dev/null/replays", "replays.dir"},
	} {
		t.Run(tt.what+" "+tt.set, func(t *testing.T) {
			_, file := doctorConfig(t)
			key, value, _ := strings.Cut(tt.set, "=")
			t.Setenv(key, value)
			if most, known := openfiles.Limit(); tt.what == "open files" && (!known || most > 1<<20) {
				t.Skip("more files may be open here than any configuration needs")
			}
			code, out, stderr := shell(t, "doctor", "--config", file)
			if code != exitFailed {
				t.Errorf("exit %d", code)
			}
			_, after, found := strings.Cut(out, "✗ "+tt.what+": ")
			_, remedy, _ := strings.Cut(after, "→ ")
			remedy, _, _ = strings.Cut(remedy, "\n")
			if !found || !strings.Contains(remedy, tt.remedy) || !strings.Contains(out, "✓ clock") {
				t.Errorf("want a fault of the %s with %q as its remedy:\n%s%s", tt.what, tt.remedy, out, stderr)
			}
		})
	}
	if code, _, stderr := shell(t, "doctor", "--dance"); code != exitUsage || !strings.Contains(stderr, "dance") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// Each entry's maps and each realm have a line.
func TestDoctorLooksAtEntriesAndRealms(t *testing.T) {
	realm, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer realm.Close()
	dir, file := doctorConfig(t)
	maps, _ := mapFolder(t)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("[autohost]\nmax_games = 10\n"), nil, 1)
	text = append(text, fmt.Sprintf(`
[[autohost]]
name = "good"
maps = [%q, "*"]
rotation = "vote"
autostart = 20
[[autohost]]
name = "bad"
maps = [%[1]q, "nowhere", "none/"]
[[realm]]
name = "up"
address = %q
account = "host"
password = "secret"
[[realm]]
name = "down"
address = "127.0.0.1:1"
account = "host"
password = "secret"
[[realm]]
name = "unknown"
address = "realm.invalid:6112"
account = "host"
password = "secret"
`, filepath.Join(maps, "one.w3x"), realm.Addr())...)
	write(t, file, text)
	t.Setenv("W3HOST_MAPS_DIR", maps)
	_, out, _ := shell(t, "doctor", "--config", file)
	for _, want := range []string{
		`✓ map of "good": one.w3x, checksum `, `(autostart = 20 counts as `, `; * with `, `✗ map of "bad": `, `"nowhere"`, `no map in "none/"`,
		"✓ realm up: " + realm.Addr().String(), "✗ realm down: 127.0.0.1:1 (127.0.0.1): ", "firewall",
		"✗ realm unknown: ", "correct address of [[realm]] unknown",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("missing %s in\n%s", want, out)
		}
	}
	if strings.Contains(out, "secret") {
		t.Error("the password is shown")
	}
	if _, err := os.Stat(filepath.Join(dir, "data")); err == nil {
		t.Error("it has created the folder data")
	}
}

// A host that runs is no fault.
func TestDoctorBesideAHost(t *testing.T) {
	h := startHost(t, "")
	_, file := doctorConfig(t)
	t.Setenv("W3HOST_HOST_LISTEN", h.addr)
	t.Setenv("W3HOST_LAN_ENABLED", "false")
	if code, out, _ := shell(t, "doctor", "--config", file); code != exitOK || !strings.Contains(out, "a host is running") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}

// With --realms it asks each realm where players are sent, and with a wrong password says what the realm says.
func TestDoctorAsksRealms(t *testing.T) {
	s := realmtest.Start(t)
	s.Register("HostBot", realmPassword)
	_, file := doctorConfig(t)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for password, want := range map[string]string{
		realmPassword: `✓ realm Home: players are sent to 127\.0\.0\.1:\d+, which can be reached only from the realm's own network`,
		"wrong":       `✗ realm Home: .*password`,
	} {
		realm := fmt.Sprintf("[[realm]]\nname = \"Home\"\naddress = %q\naccount = \"HostBot\"\npassword = %q\n", s.Addr(), password)
		write(t, file, append(text, realm...))
		_, out, _ := shell(t, "doctor", "--realms", "--config", file)
		if flat := strings.Join(strings.Fields(out), " "); !regexp.MustCompile(want).MatchString(flat) {
			t.Errorf("%s: no %s in\n%s", password, want, out)
		}
	}
	testkit.Eventually(t, "the lobby is listed no more", func() bool { return len(s.Games()) == 0 })
}
