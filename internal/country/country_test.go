package country

import (
	"bytes"
	"flag"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"
)

// write makes a file of the values of networks.
func write(t testing.TB, values map[string]mmdbtype.Map) string {
	t.Helper()
	tree, err := mmdbwriter.New(mmdbwriter.Options{DatabaseType: "Test-Country", IncludeReservedNetworks: true})
	if err != nil {
		t.Fatal(err)
	}
	for network, value := range values {
		_, prefix, err := net.ParseCIDR(network)
		if err != nil {
			t.Fatal(err)
		}
		if err := tree.Insert(prefix, value); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if _, err := tree.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "country.mmdb")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func iso(code string) mmdbtype.Map { return mmdbtype.Map{"iso_code": mmdbtype.String(code)} }

var update = flag.Bool("update", false, "write testdata/one.mmdb, where 203.0.113.0/24 is in DE")

// TestOne reads the file that tests of other packages use.
func TestOne(t *testing.T) {
	const file = "testdata/one.mmdb"
	if *update {
		data, err := os.ReadFile(write(t, map[string]mmdbtype.Map{"203.0.113.0/24": {"country": iso("DE")}}))
		if err == nil {
			err = os.WriteFile(file, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	f, err := Read(file)
	if err != nil || f.Of(netip.MustParseAddr("203.0.113.1")) != "DE" {
		t.Error(err)
	}
}

// TestOf reads what several publishers write.
func TestOf(t *testing.T) {
	f, err := Read(write(t, map[string]mmdbtype.Map{
		"203.0.113.0/24":  {"country": iso("DE"), "registered_country": iso("FR")},
		"198.51.100.0/24": {"country_code": mmdbtype.String("CN"), "country": mmdbtype.String("China")},
		"192.0.2.0/24":    {"registered_country": iso("US")},
		"2001:db8::/32":   {"country": iso("NL")},
		"192.88.99.0/24":  {"country": iso("a name")},
	}))
	if err != nil {
		t.Fatal(err)
	}
	for addr, want := range map[string]string{
		"203.0.113.9": "DE", "::ffff:203.0.113.9": "DE", "198.51.100.1": "CN", "192.0.2.200": "US",
		"2001:db8:1::2": "NL", "10.0.0.1": "", "fe80::1%eth0": "", "192.88.99.1": "",
	} {
		if got := f.Of(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s is in %q, want %q", addr, got, want)
		}
	}
	if got := f.Of(netip.Addr{}); got != "" {
		t.Errorf("no address is in %q", got)
	}
}

// TestDamaged: a file that is cut or changed anywhere is refused, or finds nothing; it ends no program.
func TestDamaged(t *testing.T) {
	path := write(t, map[string]mmdbtype.Map{"203.0.113.0/24": {"country": iso("DE")}})
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	try := func(data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if f, err := Read(path); err == nil {
			f.Of(netip.MustParseAddr("203.0.113.9"))
		}
	}
	for i := range whole {
		try(whole[:i])
		changed := bytes.Clone(whole)
		changed[i] ^= 0xFF
		try(changed)
	}
	if _, err := Read(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a file that is not there was read")
	}
}

func BenchmarkOf(b *testing.B) {
	f, err := Read(write(b, map[string]mmdbtype.Map{"203.0.113.0/24": {"country": iso("DE")}}))
	if err != nil {
		b.Fatal(err)
	}
	addr := netip.MustParseAddr("203.0.113.9")
	for b.Loop() {
		f.Of(addr)
	}
}
