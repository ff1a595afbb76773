package w3map_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"w3host/formats/mpq"
	"w3host/formats/w3map"
	"w3host/formats/w3map/builtin"
	"w3host/protocol/w3gs"
)

// repacked is the built-in map's list of players with other files, stored as they say.
func repacked(t testing.TB, shift uint16, opts mpq.AddOptions, files map[string][]byte) []byte {
	t.Helper()
	_, data := builtin.Map()
	a, err := mpq.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	info, err := a.ReadFile("war3map.w3i")
	if err != nil {
		t.Fatal(err)
	}
	w := mpq.NewWriter([]byte("HM3W"))
	w.Shift = shift
	if files["war3map.w3i"] == nil {
		if err := w.Add("war3map.w3i", info, mpq.AddOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range files {
		if err := w.Add(name, data, opts); err != nil {
			t.Fatal(err)
		}
	}
	out, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What unpacks to more than any real map is refused, and what is large but packs like a map is not.
func TestMapsThatUnpackToTooMuch(t *testing.T) {
	files := map[string][]byte{"war3map.j": make([]byte, 9<<20)}
	bomb := repacked(t, 0, mpq.AddOptions{}, files)
	_, err := w3map.Read(bytes.NewReader(bomb), int64(len(bomb)), "a.w3x", w3map.Options{Scripts: scripts(t)})
	if !errors.Is(err, w3map.ErrTooMuch) || !errors.Is(err, w3map.ErrDamaged) {
		t.Errorf("18,000 sectors in %d bytes: %v", len(bomb), err)
	}
	real := repacked(t, 0, mpq.AddOptions{Store: true}, files)
	if m := read(t, real, 26, scripts(t)); !m.Complete() {
		t.Errorf("9 MB in %d bytes: %q", len(real), m.Warnings)
	}
}

func TestMeter(t *testing.T) {
	m := w3map.NewMeter(1 << 20)
	sector := make([]byte, 16<<20)
	for i := range 5 {
		if _, err := m.Write(sector); err != nil {
			t.Fatalf("sector %d of 80 MB: %v", i+1, err)
		}
	}
	if _, err := m.Write(nil); !errors.Is(err, w3map.ErrTooMuch) || !errors.Is(m.Err(), w3map.ErrTooMuch) {
		t.Errorf("an empty sector after 80 MB: %v", err)
	}
}

// Clients before 1.30 look for the sectors of a file and know no other.
func TestScriptAsSingleUnit(t *testing.T) {
	script := map[string][]byte{"war3map.j": bytes.Repeat([]byte("function main\r\n"), 1000)}
	unit := repacked(t, 3, mpq.AddOptions{SingleUnit: true}, script)
	stored := repacked(t, 3, mpq.AddOptions{SingleUnit: true, Store: true}, script)
	hidden := repacked(t, 3, mpq.AddOptions{SingleUnit: true, Store: true, Encrypt: true}, script)
	const says = "war3map.j is stored as a single unit, which clients before 1.30 cannot read"
	for _, c := range []struct {
		name    string
		data    []byte
		version w3gs.Version
		warns   bool
	}{
		{"packed", unit, 26, true},
		{"packed", unit, 29, true},
		{"packed", unit, 30, false},
		{"stored: all sectors are where they would be", stored, 26, false},
		{"stored, encrypted with one key", hidden, 26, true},
		{"in sectors", repacked(t, 3, mpq.AddOptions{}, script), 26, false},
	} {
		m := read(t, c.data, c.version, scripts(t))
		if got := strings.Contains(strings.Join(m.Warnings, "\n"), says); got != c.warns {
			t.Errorf("%s, for %v: %q", c.name, c.version, m.Warnings)
		}
	}
}

func TestScriptThatWritesAProgram(t *testing.T) {
	for _, c := range []struct {
		file  string
		warns bool
	}{{`Hero\\ann.txt`, false}, {`..\\evil.bat`, true}} {
		script := "function main takes nothing returns nothing\r\n    call PreloadGenEnd(\"" + c.file + "\")\r\nendfunction\r\n"
		m := read(t, repacked(t, 3, mpq.AddOptions{}, map[string][]byte{"war3map.j": []byte(script)}), 26, scripts(t))
		if got := strings.Contains(strings.Join(m.Warnings, "\n"), `writes the file "..\\evil.bat"`); got != c.warns {
			t.Errorf("%s: %q", c.file, m.Warnings)
		}
	}
}

func TestMapWithoutAScript(t *testing.T) {
	lua := repacked(t, 3, mpq.AddOptions{}, map[string][]byte{"war3map.lua": []byte("lua")})
	for _, version := range []w3gs.Version{26, 31, 32, 100} {
		m := read(t, mapOf(t, nil), version, scripts(t))
		if got, want := m.Warnings, []string{"The map has no script (war3map.j): no game can start it."}; !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", version, got, want)
		}
		if m := read(t, lua, version, scripts(t)); version >= 31 && len(m.Warnings) > 0 {
			t.Errorf("%v, with a script in Lua: %q", version, m.Warnings)
		}
	}
}

// Texts that nobody would read are cut off, and only those that the map refers to are kept.
func TestLongTexts(t *testing.T) {
	var texts bytes.Buffer
	fmt.Fprintf(&texts, "STRING 1\n{\n%s\n}\n", strings.Repeat("é", 5000))
	for i := 2; texts.Len() < 7<<20; i++ {
		fmt.Fprintf(&texts, "STRING %d{}\n", i)
	}
	m := read(t, repacked(t, 15, mpq.AddOptions{}, map[string][]byte{"war3map.wts": texts.Bytes(), "war3map.j": []byte("j")}), 26, scripts(t))
	if m.Name != strings.Repeat("é", 4096) || len(m.Warnings) != 1 || !strings.Contains(m.Warnings[0], "longer than 8192 bytes") {
		t.Errorf("%d bytes, %q", len(m.Name), m.Warnings)
	}
	large := repacked(t, 15, mpq.AddOptions{}, map[string][]byte{"war3map.wts": bytes.Repeat([]byte("\r"), 9<<20), "war3map.j": []byte("j")})
	m = read(t, large, 26, scripts(t))
	if m.Name != "TRIGSTR_001" || len(m.Warnings) != 1 || !strings.Contains(m.Warnings[0], "war3map.wts claims 9437184 bytes") {
		t.Errorf("%q, %q", m.Name, m.Warnings)
	}
}

func TestShown(t *testing.T) {
	for s, want := range map[string]string{
		"plain é 神.w3x": "plain é 神.w3x", "a\x1b[1m": `a\x1b[1m`, "a\nb\tc\x00": `a\nb\tc\x00`, "\xca\xd0": `\xca\xd0`,
		"\u202eab\u0085": `\u202eab\u0085`, "\uFFFD": "\uFFFD", "": "",
	} {
		if got := w3map.Shown(s); got != want {
			t.Errorf("%q is shown as %s, want %s", s, got, want)
		}
	}
}

// badDisk fails once, at one of its reads.
type badDisk struct {
	*bytes.Reader
	until int
}

var errDisk = errors.New("input/output error")

func (d *badDisk) ReadAt(p []byte, off int64) (int, error) {
	if d.until--; d.until == 0 {
		return 0, errDisk
	}
	return d.Reader.ReadAt(p, off)
}

// A disk that fails is never taken for a map that is damaged or lacks something, whichever read fails.
func TestDiskFails(t *testing.T) {
	_, data := builtin.Map()
	reads := 0
	for ; ; reads++ {
		disk := &badDisk{bytes.NewReader(data), reads + 1}
		m, err := w3map.Read(disk, int64(len(data)), "a.w3x", w3map.Options{Scripts: scripts(t)})
		if disk.until > 0 {
			break
		}
		if m != nil || !errors.Is(err, errDisk) || errors.Is(err, w3map.ErrDamaged) {
			t.Errorf("read %d fails: %v, map %t", reads+1, err, m != nil)
		}
	}
	if reads < 4 {
		t.Errorf("%d reads", reads)
	}
}
