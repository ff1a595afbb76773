package w3map_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/bits"
	"os"
	"path/filepath"
	"testing"

	"w3host/formats/w3map"
)

// testdata is where real maps lie on machines that have them; see the README there.
const testdata = "../../../shared/testdata"

type reference struct {
	File     string
	Size     uint32
	CRC32    string  `json:"crc32"`
	Checksum *string `json:"checksum_wire_bytes"`
	SHA1     *string `json:"sha1"`
	W3I      struct {
		Format                                   uint32
		Name, Author                             string
		PlayableWidth, PlayableHeight            uint16
		Flags                                    w3map.Flags
		Melee, FixedPlayerSettings, CustomForces bool
		Players                                  []struct {
			ID    uint32 `json:"id"`
			Type  w3map.PlayerType
			Race  w3map.PlayerRace
			Flags uint32
		}
		Forces []struct{ Flags, Players uint32 }
	} `json:"w3i"`
}

func references(t testing.TB) []reference {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(testdata, "maps", "reference.json"))
	if err != nil {
		t.Skipf("SKIP: needs real maps: %v", err)
	}
	var refs []reference
	if err := json.Unmarshal(data, &refs); err != nil {
		t.Fatal(err)
	}
	return refs
}

func gameScripts(t testing.TB) *w3map.Scripts {
	t.Helper()
	var data [2][]byte
	for i, name := range []string{"common.j", "blizzard.j"} {
		var err error
		if data[i], err = os.ReadFile(filepath.Join(testdata, "scripts-1.26", name)); err != nil {
			t.Skipf("SKIP: needs scripts of the game: %v", err)
		}
	}
	scripts, err := w3map.NewScripts(data[0], data[1])
	if err != nil {
		t.Fatal(err)
	}
	return scripts
}

func readFile(t testing.TB, path string, opts w3map.Options) (*w3map.Map, error) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return w3map.Read(f, stat.Size(), path, opts)
}

// Two independent host executableExtensions computed the references.
func TestReferences(t *testing.T) {
	scripts := gameScripts(t)
	for _, want := range references(t) {
		t.Run(want.File, func(t *testing.T) {
			m, err := readFile(t, filepath.Join(testdata, "maps", want.File), w3map.Options{Scripts: scripts})
			if want.Checksum == nil {
				if !errors.Is(err, w3map.ErrNotMap) {
					t.Fatalf("got error %v, want ErrNotMap", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			crc, _ := hex.DecodeString(want.CRC32)
			wire, _ := hex.DecodeString(*want.Checksum)
			same(t, "file", m.File, want.File)
			same(t, "path", m.Path, `Maps\Download\`+want.File)
			same(t, "size", m.Size, want.Size)
			same(t, "crc32", m.CRC32, number(crc))
			same(t, "checksum", m.Checksum, bits.ReverseBytes32(number(wire)))
			same(t, "sha1", hex.EncodeToString(m.SHA1[:]), *want.SHA1)
			same(t, "has", m.HasChecksum && m.HasSHA1, true)
			same(t, "format", m.Format, want.W3I.Format)
			same(t, "name", m.Name, want.W3I.Name)
			same(t, "author", m.Author, want.W3I.Author)
			same(t, "width", m.Width, want.W3I.PlayableWidth)
			same(t, "height", m.Height, want.W3I.PlayableHeight)
			same(t, "flags", m.Flags, want.W3I.Flags)
			same(t, "melee", m.Melee, want.W3I.Melee)
			same(t, "fixed settings", m.FixedSettings, want.W3I.FixedPlayerSettings)
			same(t, "custom forces", m.CustomForces, want.W3I.CustomForces)
			same(t, "players", len(m.Players), len(want.W3I.Players))
			for i, p := range want.W3I.Players {
				same(t, "player number", m.Players[i].Number, p.ID)
				same(t, "player type", m.Players[i].Type, p.Type)
				same(t, "player race", m.Players[i].Race, p.Race)
				same(t, "player start", m.Players[i].FixedStart, p.Flags&1 != 0)
			}
			same(t, "forces", len(m.Forces), len(want.W3I.Forces))
			for i, f := range want.W3I.Forces {
				same(t, "force flags", m.Forces[i].Flags, f.Flags)
				same(t, "force players", m.Forces[i].Players, f.Players)
			}
		})
	}
}

// The same files in other packings are the same map to a client. Only size and CRC-32 differ.
func TestPackingDoesNotMatter(t *testing.T) {
	scripts := gameScripts(t)
	want, err := readFile(t, filepath.Join(testdata, "maps", "(2)EchoIsles.w3x"), w3map.Options{Scripts: scripts})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"syn-bzip2.w3x", "syn-enc-fixkey-sectorcrc-implode.w3x"} {
		m, err := readFile(t, filepath.Join(testdata, "maps", name), w3map.Options{Scripts: scripts})
		if err != nil {
			t.Fatal(err)
		}
		same(t, name+": checksum", m.Checksum, want.Checksum)
		same(t, name+": sha1", m.SHA1, want.SHA1)
		same(t, name+": name", m.Name, want.Name)
		same(t, name+": warnings", len(m.Warnings), 0)
	}
}

func number(b []byte) uint32 {
	var n uint32
	for _, c := range b {
		n = n<<8 | uint32(c)
	}
	return n
}

func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// TestChecksumOf132 compares with the checksum that a real game of 1.32 gave.
func TestChecksumOf132(t *testing.T) {
	path := filepath.Join(testdata, "maps", "(4)adrenaline.w3m")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("SKIP: %v", err)
	}
	m, err := readFile(t, path, w3map.Options{Version: 32})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "checksum", m.Checksum, 0x1002b878)
	same(t, "sha1", hex.EncodeToString(m.SHA1[:4]), "df1b3e17")
}
