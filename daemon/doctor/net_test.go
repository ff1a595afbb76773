package doctor

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"w3host/config"
	"w3host/lan"
	"w3host/protocol/w3gs"
)

// Multicast is tried when an entry is for 1.30 to 2.0, whatever the version of the host.
func TestMulticast(t *testing.T) {
	for text, want := range map[string]string{
		"": "not needed: no lobby is for 1.30 to 2.0",
		"[lan]\nenabled = false\n[host]\nversion = \"2.0\"":                                   "not needed",
		"[host]\nversion = \"1.36\"":                                                          "sent and received on lo",
		"[[autohost]]\n[[autohost]]\nname = \"new\"\nversion = \"1.36\"":                      "sent and received on lo",
		"[host]\nversion = \"1.36\"\n[[autohost]]\nversion = \"1.26\"\nversions = [\"1.27\"]": "not needed",
	} {
		file := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.Host.Listen = "127.0.0.1:0"
		if f := checkMulticast(t.Context(), c); !strings.Contains(f.Detail, want) || f.Remedy != "" {
			t.Errorf("%s\n%+v, want %s", text, f, want)
		}
	}
	c := config.Default()
	c.Host.Version, c.Host.Listen = 36, "192.0.2.77:6112" // no address of this machine
	if f := checkMulticast(t.Context(), c); !strings.Contains(f.Detail, "cannot see the lobbies") || !strings.Contains(f.Remedy, "5353") {
		t.Errorf("without a network: %+v", f)
	}
}

// TestLocalPort: who holds the port of 3.0 is no fault, since clients here are told unasked.
func TestLocalPort(t *testing.T) {
	c := config.Default()
	if f := checkLocalPort(t.Context(), c); !strings.Contains(f.Detail, "not needed") {
		t.Errorf("for %v: %+v", c.Host.Version, f)
	}
	c.Host.Version, c.Host.Listen = w3gs.VersionThree, "127.0.0.1:0"
	held, err := net.ListenPacket("udp4", fmt.Sprintf("127.0.0.1:%d", lan.LocalPort))
	if err == nil {
		defer held.Close() // else another program has it, which is as good
	}
	if f := checkLocalPort(t.Context(), c); !strings.Contains(f.Detail, "lobbies are announced every second") || f.Remedy != "" {
		t.Errorf("while it is held: %+v", f)
	}
}
