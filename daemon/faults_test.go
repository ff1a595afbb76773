package daemon

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"w3host/config"
	"w3host/daemon/logging"
	"w3host/formats/w3map/builtin"
	"w3host/host/takeover"
	"w3host/internal/testkit"
)

// What keeps a host from listening is told apart, each with its own way out.
func TestListenFaults(t *testing.T) {
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	for listen, want := range map[string]string{
		taken.Addr().String(): "address already in use; another program uses the port",
		"192.0.2.1:7000":      "this machine does not have that address; use 0.0.0.0", // TEST-NET-1
		"nosuch.invalid:7000": `the name "nosuch.invalid" has no address`,
	} {
		_, err := takeover.Listen(nil, listen, "")
		if err == nil {
			t.Fatalf("%s: no error", listen)
		}
		if got := ListenFault(listen, err).Error(); !strings.Contains(got, want) || !strings.Contains(got, fmt.Sprintf("host.listen = %q: ", listen)) {
			t.Errorf("%s: %s, want %s", listen, got, want)
		}
	}
	// Tests run as root, for whom no port is privileged.
	denied := &net.OpError{Op: "listen", Net: "tcp4", Err: os.NewSyscallError("bind", syscall.EACCES)}
	got := ListenFault("0.0.0.0:80", fmt.Errorf("listen on 0.0.0.0:80: %w", denied)).Error()
	if want := `host.listen = "0.0.0.0:80": bind: permission denied; ports below 1024 need root or CAP_NET_BIND_SERVICE; choose another with --listen`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestFolderFaults(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	c.Database.URL, c.Database.Spool = "sqlite:file/w3host.db", "file/spool"
	faults := checkFolders(c).(interface{ Unwrap() []error }).Unwrap()
	if len(faults) != 2 {
		t.Fatalf("%v", faults)
	}
	for i, want := range []string{
		`database.url = "sqlite:file/w3host.db": the folder ` + filepath.Join(here, "file") + " cannot be created: not a directory; let the user ",
		`database.spool = "file/spool": the folder ` + filepath.Join(here, "file", "spool") + " cannot be created: not a directory; let the user ",
	} {
		if !strings.HasPrefix(faults[i].Error(), want) {
			t.Errorf("%s, want %s…", faults[i], want)
		}
	}
	c = config.Default()
	if err := checkFolders(c); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob("data/.*"); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestWarnsOfIPv6(t *testing.T) {
	c := config.Default()
	c.LAN.Enabled = false
	for listen, warns := range map[string]bool{"[::1]:0": true, "127.0.0.1:0": false, "[::]:0": false} {
		h, err := net.Listen("tcp", listen)
		if err != nil {
			t.Skip("no IPv6 here:", err)
		}
		var log testkit.Log
		welcome(c, h.Addr().(*net.TCPAddr).AddrPort(), testMaps(t, c), logging.ForPeople(&log, 0))
		_ = h.Close()
		if got := strings.Contains(log.String(), "use IPv4"); got != warns {
			t.Errorf("%s: %s", listen, log.String())
		}
		for line := range strings.Lines(log.String()) {
			if len(line) > 101 {
				t.Errorf("too long: %s", line)
			}
		}
	}
}

func testMaps(t *testing.T, c config.Config) *Maps {
	t.Helper()
	maps, err := openMaps(t.Context(), c, "", logging.ForPeople(new(testkit.Log), 0))
	if err != nil {
		t.Fatal(err)
	}
	return maps
}

// The banner names what each entry hosts and what the real game needs, and no map that
// no lobby has.
func TestWelcomeNamesWhatIsHosted(t *testing.T) {
	t.Chdir(t.TempDir())
	name, data := builtin.Map()
	for _, file := range []string{"maps/one.w3x", "maps/fun/two.w3x", "maps/fun/three.w3x"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o750), os.WriteFile(file, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	text := `[lobby]
name = "nobody's"
[[realm]]
name = "Northrend"
address = "127.0.0.1:1"
account = "host"
password = "x"
[[autohost]]
name = "first"
map = "one"
autostart = 2
[[autohost]]
name = "second"
maps = ["fun/", "one"]
owner = ""
autostart = -1
`
	if err := os.WriteFile("config.toml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load("config.toml", nil)
	if err != nil {
		t.Fatal(err)
	}
	var log testkit.Log
	welcome(c, netip.MustParseAddrPort("0.0.0.0:6112"), testMaps(t, c), logging.ForPeople(&log, 0))
	flat := strings.Join(strings.Fields(log.String()), " ")
	for _, want := range []string{
		"hosting on 0.0.0.0:6112", `"first": one.w3x, starts with 2 players `,
		`"second": three.w3x and 2 more, starts when an admin types !start`,
		"Warcraft III 1.26, Local Area Network or the list of games on Northrend", "clients refuse one.w3x until the game's common.j and blizzard.j are in ",
		"bots --players 2",
	} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %q in\n%s", want, log.String())
		}
	}
	for _, not := range []string{name, "nobody's"} {
		if strings.Contains(flat, not) {
			t.Errorf("%q is hosted by no entry:\n%s", not, log.String())
		}
	}
}
