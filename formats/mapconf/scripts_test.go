package mapconf_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"w3host/formats/mapconf"
	"w3host/formats/mpq"
	"w3host/formats/w3map"
)

func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func archive(t *testing.T, files map[string]string) string {
	t.Helper()
	w := mpq.NewWriter(nil)
	for name, content := range files {
		if err := w.Add(name, []byte(content), mpq.AddOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	data, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestFindScripts(t *testing.T) {
	key := func(common, blizzard string) string {
		s, err := w3map.NewScripts([]byte(common), []byte(blizzard))
		if err != nil {
			t.Fatal(err)
		}
		return s.Key()
	}
	const c, b, c2, b2 = "c\r\n", "b\r\n", "c2\r\n", "b2\r\n"
	game := map[string]string{
		"War3.mpq":      archive(t, map[string]string{`Scripts\common.j`: "roc\r\n", `Scripts\Blizzard.j`: "roc\r\n"}),
		"war3x.MPQ":     archive(t, map[string]string{`Scripts\common.j`: "tft\r\n", `Scripts\Blizzard.j`: b2}),
		"War3Patch.mpq": archive(t, map[string]string{`Scripts\common.j`: c2}),
	}
	for name, test := range map[string]struct {
		files map[string]string
		want  string // key
		from  string
	}{
		"two files":              {map[string]string{"common.j": c, "blizzard.j": b}, key(c, b), "."},
		"in any case":            {map[string]string{"Common.J": c, "BLIZZARD.j": b}, key(c, b), "."},
		"of an unpacked game":    {map[string]string{"Scripts/common.j": c, "Scripts/Blizzard.j": b}, key(c, b), "Scripts"},
		"of the version":         {map[string]string{"common.j": c, "blizzard.j": b, "1.26/common.j": c2, "1.26/blizzard.j": b2}, key(c2, b2), "1.26"},
		"of another version":     {map[string]string{"common.j": c, "blizzard.j": b, "1.23/common.j": c2, "1.23/blizzard.j": b2}, key(c, b), "."},
		"of one with the same":   {map[string]string{"common.j": c, "blizzard.j": b, "1.24/common.j": c2, "1.24/blizzard.j": b2}, key(c2, b2), "1.24"},
		"of the game's archives": {game, key(c2, b2), "."},
	} {
		dir := lay(t, test.files)
		scripts, from, err := mapconf.FindScripts(dir, 26)
		if err != nil || scripts.Key() != test.want || from != filepath.Join(dir, test.from) {
			t.Errorf("%s: %v %s %v", name, scripts.Key(), from, err)
		}
	}
}

func TestScriptsThatCannotBeUsed(t *testing.T) {
	const c, b = "c\r\n", "b\r\n"
	for name, test := range map[string]struct {
		files map[string]string
		is    error
		text  string
	}{
		"nothing":         {nil, mapconf.ErrNoScripts, "War3Patch.mpq"},
		"one file":        {map[string]string{"common.j": c}, nil, "no blizzard.j"},
		"the other":       {map[string]string{"blizzard.j": b}, nil, "no common.j"},
		"line feeds":      {map[string]string{"common.j": c, "blizzard.j": "b\n"}, w3map.ErrLineEnds, "blizzard.j has LF line ends"},
		"empty":           {map[string]string{"common.j": "", "blizzard.j": b}, nil, "common.j is empty"},
		"half an archive": {map[string]string{"War3.mpq": archive(t, map[string]string{`Scripts\common.j`: c})}, mapconf.ErrNoScripts, "1.26"},
		"no archive":      {map[string]string{"War3.mpq": "text"}, mpq.ErrFormat, "War3.mpq"},
	} {
		_, _, err := mapconf.FindScripts(lay(t, test.files), 26)
		if err == nil || test.is != nil && !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v does not say %q", name, err, test.text)
		}
	}
	if _, _, err := mapconf.FindScripts(filepath.Join(t.TempDir(), "nowhere"), 26); !errors.Is(err, mapconf.ErrNoScripts) {
		t.Errorf("no folder: %v", err)
	}
}
