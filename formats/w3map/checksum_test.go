package w3map_test

import (
	"bytes"
	"crypto/sha1"
	"errors"
	"hash/crc32"
	"io"
	"math/bits"
	"strings"
	"testing"

	"w3host/formats/mpq"
	"w3host/formats/w3map"
	"w3host/formats/w3map/builtin"
	"w3host/protocol/w3gs"
)

// piece is the hash of the specification, written as plainly as it stands there.
func piece(data string) uint32 {
	v := uint32(0)
	for len(data) >= 4 {
		v = bits.RotateLeft32(v^(uint32(data[0])|uint32(data[1])<<8|uint32(data[2])<<16|uint32(data[3])<<24), 3)
		data = data[4:]
	}
	for i := range len(data) {
		v = bits.RotateLeft32(v^uint32(data[i]), 3)
	}
	return v
}

// classic is the checksum over pieces in the rules of 1.0 to 1.31.
func classic(common, blizzard string, files ...string) uint32 {
	v := bits.RotateLeft32(piece(common)^piece(blizzard), 3)
	v = bits.RotateLeft32(v^0x03F1379E, 3)
	for _, f := range files {
		v = bits.RotateLeft32(v^piece(f), 3)
	}
	return v
}

// mapOf is the built-in map with other files than its own to hash.
func mapOf(t testing.TB, files map[string]string) []byte {
	t.Helper()
	contents := map[string][]byte{}
	for name, content := range files {
		contents[name] = []byte(content)
	}
	return repacked(t, 3, mpq.AddOptions{}, contents)
}

func read(t testing.TB, data []byte, version w3gs.Version, scripts *w3map.Scripts) *w3map.Map {
	t.Helper()
	m, err := w3map.Read(bytes.NewReader(data), int64(len(data)), "a.w3x", w3map.Options{Version: version, Scripts: scripts})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const (
	common   = "common\r\n+"
	blizzard = "blizzard\r\n"
	mark     = "\x9E\x37\xF1\x03"
)

func scripts(t testing.TB) *w3map.Scripts {
	t.Helper()
	s, err := w3map.NewScripts([]byte(common), []byte(blizzard))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestChecksumByTheFilesOfTheMap(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		sum   uint32
		sha   string // what is hashed
		warns string
	}{
		"a script": {
			map[string]string{"war3map.j": "script"},
			classic(common, blizzard, "script"), common + blizzard + mark + "script", "",
		},
		"all files, in their order": {
			map[string]string{
				"war3map.j": "j", "war3map.w3e": "e2", "war3map.wpm": "wpm", "war3map.doo": "doo.", "war3map.w3u": "w3u..",
				"war3map.w3b": "w3b", "war3map.w3d": "w3d", "war3map.w3a": "w3a", "war3map.w3q": "w3q", "war3map.w3t": "not hashed",
			},
			classic(common, blizzard, "j", "e2", "wpm", "doo.", "w3u..", "w3b", "w3d", "w3a", "w3q"),
			common + blizzard + mark + "je2wpmdoo.w3u..w3bw3dw3aw3q", "",
		},
		"an empty file is none": {
			map[string]string{"war3map.j": "j", "war3map.w3e": ""},
			classic(common, blizzard, "j"), common + blizzard + mark + "j", "",
		},
		"the script in its folder": {
			map[string]string{`scripts\war3map.j`: "folder"},
			classic(common, blizzard, "folder"), common + blizzard + mark + "folder", "",
		},
		"the script in both places": {
			map[string]string{`scripts\war3map.j`: "folder", "war3map.j": "root"},
			classic(common, blizzard, "root"), common + blizzard + mark + "root", "",
		},
		"an empty script in the first place": {
			map[string]string{`scripts\war3map.j`: "folder", "war3map.j": ""},
			classic(common, blizzard, "folder"), common + blizzard + mark + "folder", "",
		},
		"its own common.j": {
			map[string]string{"war3map.j": "j", `Scripts\Common.j`: "own\n"},
			classic("own\n", blizzard, "j"), "own\n" + blizzard + mark + "j", "",
		},
		"its own blizzard.j": {
			map[string]string{"war3map.j": "j", `scripts\blizzard.j`: "own"},
			classic(common, "own", "j"), common + "own" + mark + "j", "",
		},
		"no script": {
			map[string]string{"war3map.w3e": "e"},
			classic(common, blizzard, "e"), common + blizzard + mark + "e", "no script",
		},
		"Lua before its time": {
			map[string]string{"war3map.lua": "lua"},
			classic(common, blizzard), common + blizzard + mark, "Lua",
		},
	} {
		data := mapOf(t, c.files)
		m := read(t, data, 26, scripts(t))
		if want := sha1.Sum([]byte(c.sha)); !m.HasChecksum || m.Checksum != c.sum || !m.HasSHA1 || m.SHA1 != want {
			t.Errorf("%s: got %08x %x, want %08x %x", name, m.Checksum, m.SHA1, c.sum, want)
		}
		if m.Size != uint32(len(data)) || m.CRC32 != crc32.ChecksumIEEE(data) {
			t.Errorf("%s: size %d, CRC %08x", name, m.Size, m.CRC32)
		}
		if text := strings.Join(m.Warnings, " "); (text == "") != (c.warns == "") || !strings.Contains(text, c.warns) {
			t.Errorf("%s: warnings %q", name, m.Warnings)
		}
	}
}

func TestRulesByVersion(t *testing.T) {
	data := mapOf(t, map[string]string{"war3map.j": "script", "war3map.w3e": "terrain", "war3map.lua": "lua"})
	lua := mapOf(t, map[string]string{"war3map.lua": "lua", "war3map.w3e": "terrain"})
	lit := mapOf(t, map[string]string{"war3map.j": "script", "war3map.w3e": "terrain", "war3map.w3l": "lights"})
	old := classic(common, blizzard, "script", "terrain")
	pieces := sha1.Sum([]byte(common + blizzard + mark + "script" + "terrain"))
	a, b := strings.Repeat("a", 1024), strings.Repeat("b", 1024) // pieces of 1.32, which leaves out what is behind them
	long := mapOf(t, map[string]string{"war3map.j": a + "+", "war3map.w3e": a + b + "end", "war3map.wpm": b, "war3map.doo": "short"})
	cut := piece(a + "+")
	for _, full := range []string{a, b, b} {
		cut = bits.RotateLeft32(cut^piece(full), 3)
	}
	reforged := func(script string) uint32 { return bits.RotateLeft32(piece(script)^piece("terrain"), 3) }
	for _, c := range []struct {
		version w3gs.Version
		data    []byte
		sum     uint32
		sha     *[20]byte
	}{
		{7, data, old, nil},
		{22, data, old, nil},
		{23, data, old, &pieces},
		{26, data, old, &pieces},
		{29, data, old, &pieces},
		{30, data, old, new(sha1.Sum(data))},
		{31, data, old, new(sha1.Sum(data))},
		{31, lua, classic(common, blizzard, "lua", "terrain"), new(sha1.Sum(lua))},
		{32, data, piece("script"), new(sha1.Sum(data))}, // the terrain is shorter than a piece
		{32, lua, piece("lua"), new(sha1.Sum(lua))},
		{32, long, cut, new(sha1.Sum(long))},
		{33, data, reforged("script"), new(sha1.Sum(data))},
		{33, lua, reforged("lua"), new(sha1.Sum(lua))},
		{w3gs.VersionTwo, data, reforged("script"), new(sha1.Sum(data))},
		{w3gs.VersionTwo, lit, reforged("script"), new(sha1.Sum(lit))},
		{w3gs.VersionThree, data, reforged("script"), new(sha1.Sum(data))}, // as before, without lights
		{w3gs.VersionThree, lit, bits.RotateLeft32(reforged("script")^piece("lights"), 3), new(sha1.Sum(lit))},
	} {
		m := read(t, c.data, c.version, scripts(t))
		if !m.HasChecksum || m.Checksum != c.sum || m.HasSHA1 != (c.sha != nil) || c.sha != nil && m.SHA1 != *c.sha {
			t.Errorf("%v: got %08x %x, want %08x %x", c.version, m.Checksum, m.SHA1, c.sum, c.sha)
		}
		if !m.Complete() || m.MissingScripts() != "" {
			t.Errorf("%v: something is missing: %s", c.version, m.MissingScripts())
		}
	}
}

func TestWithoutScriptsOfTheGame(t *testing.T) {
	files := map[string]string{"war3map.j": "script"}
	m := read(t, mapOf(t, files), 26, nil)
	if m.HasChecksum || m.HasSHA1 || m.CRC32 == 0 || m.Name == "" {
		t.Errorf("all but the checksums is known: %+v", m)
	}
	for _, way := range []string{"common.j and blizzard.j", "War3Patch.mpq", "a.toml"} {
		if !strings.Contains(m.MissingScripts(), way) {
			t.Errorf("%q does not say %s", m.MissingScripts(), way)
		}
	}
	if m := read(t, mapOf(t, files), 30, nil); m.HasChecksum || !m.HasSHA1 {
		t.Errorf("1.30 needs no scripts for the SHA-1: %+v", m)
	}
	if m := read(t, mapOf(t, files), 32, nil); !m.Complete() {
		t.Errorf("1.32 needs no scripts: %+v", m)
	}
	files[`scripts\common.j`], files[`scripts\blizzard.j`] = "own c", "own b"
	if m := read(t, mapOf(t, files), 26, nil); !m.Complete() || m.Checksum != classic("own c", "own b", "script") {
		t.Errorf("the map's own scripts are enough: %+v", m)
	}
}

// A file that cannot be unpacked is left out, as in older hosts; what was hashed of it does not count.
func TestDamagedFiles(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 1024) // four sectors
	damage := func(name string) []byte {
		w := mpq.NewWriter([]byte("HM3W"))
		whole := mapOf(t, map[string]string{"war3map.j": "script"})
		a, err := mpq.Open(bytes.NewReader(whole), int64(len(whole)))
		if err != nil {
			t.Fatal(err)
		}
		info, _ := a.ReadFile("war3map.w3i")
		for file, content := range map[string]string{"war3map.w3i": string(info), "war3map.j": "script"} {
			if file == name {
				continue
			}
			if err := w.Add(file, []byte(content), mpq.AddOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Add(name, []byte(long), mpq.AddOptions{SectorCRC: true}); err != nil {
			t.Fatal(err)
		}
		out, err := w.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		return spoil(t, out, name)
	}
	m := read(t, damage("war3map.w3e"), 26, scripts(t))
	if want := classic(common, blizzard, "script"); m.Checksum != want || len(m.Warnings) != 1 || !strings.Contains(m.Warnings[0], "war3map.w3e") {
		t.Errorf("got %08x, want %08x; warnings %q", m.Checksum, want, m.Warnings)
	}
	if want := sha1.Sum([]byte(common + blizzard + mark + "script")); m.SHA1 != want {
		t.Error("the SHA-1 has some of the damaged file in it")
	}
	if m := read(t, damage("war3map.j"), 26, scripts(t)); m.HasChecksum || len(m.Warnings) != 2 {
		t.Errorf("a script that cannot be read leaves no checksum: %08x, %q", m.Checksum, m.Warnings)
	}
}

// spoil changes a byte so that the beginning of the file can still be unpacked, the whole cannot.
func spoil(t *testing.T, data []byte, name string) []byte {
	t.Helper()
	for at := len(data) - 1; at > 512; at-- {
		bad := bytes.Clone(data)
		bad[at] ^= 0x55
		a, err := mpq.Open(bytes.NewReader(bad), int64(len(bad)))
		if err != nil || !a.Has(name) || !a.Has("war3map.w3i") {
			continue
		}
		f, err := a.Open(name)
		if err != nil {
			continue
		}
		if n, err := io.Copy(io.Discard, f); err != nil && n > 0 {
			if _, err := a.ReadFile("war3map.w3i"); err == nil {
				return bad
			}
		}
	}
	t.Fatal("no byte to spoil")
	return nil
}

func TestScriptsThatAreSpoilt(t *testing.T) {
	for _, c := range []struct {
		common, blizzard string
		want             string
		is               error
	}{
		{"a\nb\n", blizzard, "common.j has LF line ends", w3map.ErrLineEnds},
		{common, "a\nb\n", "blizzard.j has LF line ends", w3map.ErrLineEnds},
		{"", blizzard, "common.j is empty", nil},
		{common, "", "blizzard.j is empty", nil},
	} {
		_, err := w3map.NewScripts([]byte(c.common), []byte(c.blizzard))
		if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%v does not say %q", err, c.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	archive := func(name string, size int) []byte {
		w := mpq.NewWriter(nil)
		if err := w.Add(name, make([]byte, size), mpq.AddOptions{Store: true}); err != nil {
			t.Fatal(err)
		}
		data, err := w.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, c := range []struct {
		data []byte
		is   error
		text string
	}{
		{nil, w3map.ErrNotMap, "empty"},
		{[]byte("no archive at all"), w3map.ErrNotMap, "no MPQ archive"},
		{archive("sound.wav", 1), w3map.ErrNotMap, "without war3map.w3i"},
		{archive("war3campaign.w3f", 1), w3map.ErrNotMap, "campaign"},
		{archive("war3map.w3i", 1), w3map.ErrDamaged, "ends too early"},
		{archive("war3map.w3i", 33<<20), w3map.ErrDamaged, "claims 34603008 bytes"},
	} {
		_, err := w3map.Read(bytes.NewReader(c.data), int64(len(c.data)), "a.w3x", w3map.Options{})
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%v does not say %q", err, c.text)
		}
	}
	if _, err := w3map.Read(bytes.NewReader(nil), 5<<30, "a.w3x", w3map.Options{}); !errors.Is(err, w3map.ErrNotMap) {
		t.Errorf("a file of 5 GiB: %v", err)
	}
}

func TestProgressCountsTheFile(t *testing.T) {
	_, data := builtin.Map()
	data = append(bytes.Clone(data), make([]byte, 1<<20)...)
	sum := 0
	_, err := w3map.Read(bytes.NewReader(data), int64(len(data)), "a.w3x", w3map.Options{Progress: func(n int) { sum += n }})
	if err != nil || sum != len(data) {
		t.Errorf("counted %d of %d bytes: %v", sum, len(data), err)
	}
}
