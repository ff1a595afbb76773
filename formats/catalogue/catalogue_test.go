package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"w3host/formats/catalogue"
	"w3host/formats/w3map"
	"w3host/formats/w3map/builtin"
)

// quick are options under which files need not lie still for long.
var quick = catalogue.Options{Settle: 20 * time.Millisecond, Interval: 10 * time.Millisecond}

func put(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
}

// named is the built-in map under another name, of the same length.
func named(name string) []byte {
	_, data := builtin.Map()
	return append(data[:len(data):len(data)], name...) // a tail behind the archive does no harm
}

func open(t testing.TB, dir string, opts catalogue.Options) *catalogue.Catalogue {
	t.Helper()
	c, err := catalogue.Open(t.Context(), dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestScanListsAllMapsAndTheirFaults(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.w3x"), named("a"))
	put(t, filepath.Join(dir, "sub", "deep", "B.W3M"), named("b"))
	put(t, filepath.Join(dir, "broken.w3x"), []byte("HM3W"))
	put(t, filepath.Join(dir, "readme.txt"), []byte("no map"))
	put(t, filepath.Join(dir, ".hidden.w3x"), named("c"))
	c := open(t, dir, quick)
	var got []string
	for _, e := range c.Files() {
		got = append(got, fmt.Sprintf("%s %t", e.File, e.Fault == nil))
		if (e.Map == nil) != (e.Fault != nil) {
			t.Errorf("%s: either a map or a fault, not %v and %v", e.File, e.Map, e.Fault)
		}
	}
	if want := "a.w3x true, broken.w3x false, sub/deep/B.W3M true"; strings.Join(got, ", ") != want {
		t.Errorf("got %q, want %q", strings.Join(got, ", "), want)
	}
	if e, err := c.Find("broken"); err == nil || !strings.Contains(err.Error(), w3map.ErrNotMap.Error()) {
		t.Errorf("a broken map is found with its fault, not %v %v", e, err)
	}
}

func TestOpenSaysThatTheFolderIsMissing(t *testing.T) {
	_, err := catalogue.Open(t.Context(), filepath.Join(t.TempDir(), "nowhere"), quick)
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("got %v", err)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{"DotA v6.83d.w3x", "DotA v6.83.w3x", "sub/Footmen Frenzy.w3x", "other/footmen.w3x", "x.w3m"} {
		put(t, filepath.Join(dir, file), named(file))
	}
	put(t, filepath.Join(dir, "x.toml"), []byte(`name = "|cFFFF0000Castle|r |cff00FF00Fight|r"`))
	c := open(t, dir, quick)
	for query, want := range map[string]string{
		"6.83d":                  "DotA v6.83d.w3x",
		"dota V6.83":             "DotA v6.83.w3x", // exactly, though it is a part of the other
		"DOTA V6.83D.W3X":        "DotA v6.83d.w3x",
		"frenzy":                 "sub/Footmen Frenzy.w3x",
		`sub\footmen frenzy.w3x`: "sub/Footmen Frenzy.w3x",
		"footmen":                "other/footmen.w3x", // the name of a file, without its ending
		"castle fight":           "x.w3m",
		"|cffabcdefcastle|r":     "x.w3m",
		"dota":                   "ambiguous",
		"footmen fr3nzy":         "none",
		"":                       "none",
	} {
		e, err := c.Find(query)
		got := "none"
		var many *catalogue.AmbiguousError
		switch {
		case errors.As(err, &many):
			got = "ambiguous"
			if len(many.Files) != 2 || !strings.Contains(err.Error(), "DotA v6.83d.w3x") {
				t.Errorf("%q: the candidates are missing in %q", query, err)
			}
		case err == nil:
			got = e.File
		case !errors.Is(err, catalogue.ErrNotFound):
			t.Errorf("%q: %v", query, err)
		}
		if got != want {
			t.Errorf("%q finds %s, want %s (%v)", query, got, want, err)
		}
	}
}

func TestFileBesideTheMap(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.w3x"), named("a"))
	put(t, filepath.Join(dir, "a.toml"), []byte(`chekcsum = "0badcafe"`))
	c := open(t, dir, quick)
	if e := c.Files()[0]; e.Fault == nil || !strings.Contains(e.Fault.Error(), `did you mean "checksum"`) {
		t.Errorf("an unknown key is a fault, not %v", e.Fault)
	}
	put(t, filepath.Join(dir, "a.toml"), []byte(`checksum = "0badcafe"`))
	if news, err := c.Scan(t.Context()); !news || err != nil {
		t.Fatal(news, err)
	}
	if e := c.Files()[0]; e.Fault != nil || e.Map.Checksum != 0x0badcafe || !e.Map.HasChecksum {
		t.Errorf("got %v %+v", e.Fault, e.Map)
	}
	if err := os.Remove(filepath.Join(dir, "a.toml")); err != nil {
		t.Fatal(err)
	}
	if news, err := c.Scan(t.Context()); !news || err != nil {
		t.Fatal(news, err)
	}
	if e := c.Files()[0]; e.Fault != nil || e.Map.HasChecksum {
		t.Errorf("the checksum went with the file, but there is %v %+v", e.Fault, e.Map)
	}
}

func TestWatchSeesFilesComeChangeAndGo(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir, quick)
	ctx, stop := context.WithCancel(t.Context())
	news, done := make(chan struct{}, 100), make(chan error)
	go func() { done <- c.Watch(ctx, nil, func() { news <- struct{}{} }) }()
	wait := func() {
		t.Helper()
		select {
		case <-news:
		case <-time.After(10 * time.Second):
			t.Fatal("nothing was noticed")
		}
	}
	put(t, filepath.Join(dir, "a.w3x"), named("a"))
	wait()
	first := c.Files()[0].Map.CRC32
	if err := os.WriteFile(filepath.Join(dir, "a.w3x"), named("another"), 0o644); err != nil { // now
		t.Fatal(err)
	}
	wait() // it went, or was read anew
	for len(c.Files()) == 0 {
		wait()
	}
	if c.Files()[0].Map.CRC32 == first {
		t.Error("the new content was not read")
	}
	if err := os.Remove(filepath.Join(dir, "a.w3x")); err != nil {
		t.Fatal(err)
	}
	wait()
	if n := len(c.Files()); n != 0 {
		t.Errorf("%d maps are left", n)
	}
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Watch ended with %v", err)
	}
}

// A file that grows is not there until it has not changed for a while, even if what there is of it would do.
func TestGrowingFileIsNotReadHalf(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir, catalogue.Options{Settle: time.Hour})
	path := filepath.Join(dir, "a.w3x")
	write := func(data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Scan(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := len(c.Files()); n != 0 {
			t.Fatalf("%d maps while the file grows", n)
		}
	}
	whole := named("whole")
	write(whole[:1000])
	write(whole[:2000])
	write(whole)
	past := time.Now().Add(-2 * time.Hour) // as time passes
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the first look sees that it is not as it was
		if _, err := c.Scan(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if e := c.Files(); len(e) != 1 || e[0].Fault != nil || e[0].Size != int64(len(whole)) {
		t.Errorf("got %+v", e)
	}
}

func TestCache(t *testing.T) {
	dir := t.TempDir()
	opts := quick
	opts.Cache = filepath.Join(t.TempDir(), "data", "maps.json")
	opts.Report = func(err error) { t.Error(err) }
	path := filepath.Join(dir, "a.w3x")
	put(t, path, named("a"))
	put(t, filepath.Join(dir, "broken.w3x"), []byte("HM3W"))
	cold := open(t, dir, opts).Files()

	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, make([]byte, info.Size())) // what is in the file no longer matters
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	warm := open(t, dir, opts).Files()
	if len(warm) != 2 || warm[0].Fault != nil || warm[1].Fault == nil {
		t.Fatalf("warm: %+v", warm)
	}
	if fmt.Sprintf("%+v", *cold[0].Map) != fmt.Sprintf("%+v", *warm[0].Map) {
		t.Errorf("cold %+v\nwarm %+v", *cold[0].Map, *warm[0].Map)
	}
	if cold[1].Fault.Error() != warm[1].Fault.Error() {
		t.Errorf("cold %v\nwarm %v", cold[1].Fault, warm[1].Fault)
	}

	opts.Version = 27 // other rules: read anew
	if e := open(t, dir, opts).Files(); e[0].Fault == nil {
		t.Error("the cache was believed for another version of the game")
	}
}

// With new scripts checksums are computed anew; without scripts they stay.
func TestCacheAndScripts(t *testing.T) {
	scripts := func(text string) *w3map.Scripts {
		s, err := w3map.NewScripts([]byte(text+"\r\n"), []byte("\r\n"))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.w3x"), named("a"))
	opts := quick
	opts.Cache = filepath.Join(t.TempDir(), "maps.json")
	if m := open(t, dir, opts).Files()[0].Map; m.HasChecksum {
		t.Error("a checksum without scripts")
	}
	opts.Scripts = scripts("one")
	first := open(t, dir, opts).Files()[0].Map
	opts.Scripts = scripts("two")
	second := open(t, dir, opts).Files()[0].Map
	if !first.HasChecksum || !second.HasChecksum || first.Checksum == second.Checksum {
		t.Errorf("checksums %08x and %08x", first.Checksum, second.Checksum)
	}
	opts.Scripts = nil
	if m := open(t, dir, opts).Files()[0].Map; !m.HasChecksum || m.Checksum != second.Checksum {
		t.Error("the checksum was forgotten with the scripts")
	}
}

// A new time alone does not make a map new, other bytes of the same number do.
func TestSameBytesUnderANewTime(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.w3x")
	put(t, path, named("a"))
	opts := quick
	opts.Cache = filepath.Join(t.TempDir(), "maps.json")
	first := open(t, dir, opts).Files()[0]
	past := time.Now().Add(-time.Minute)
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
	same := open(t, dir, opts).Files()[0]
	if same.Map.CRC32 != first.Map.CRC32 || same.ModTime.Equal(first.ModTime) {
		t.Errorf("got %+v", same)
	}
	put(t, path, named("b"))
	if changed := open(t, dir, opts).Files()[0]; changed.Map.CRC32 == first.Map.CRC32 {
		t.Error("other bytes, same CRC-32")
	}
}

func TestDamagedCacheIsReportedAndReplaced(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.w3x"), named("a"))
	opts := quick
	opts.Cache = filepath.Join(t.TempDir(), "maps.json")
	put(t, opts.Cache, []byte("{"))
	var reports []error
	opts.Report = func(err error) { reports = append(reports, err) }
	for range 2 {
		if e := open(t, dir, opts).Files(); len(e) != 1 {
			t.Errorf("got %+v", e)
		}
	}
	if len(reports) != 1 || !strings.Contains(reports[0].Error(), opts.Cache) {
		t.Errorf("reports: %v", reports)
	}
}

// A folder that is gone is reported once while it is watched, and again when it goes again.
func TestMissingFolderIsReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "maps")
		put(t, filepath.Join(dir, "a.w3x"), named("a"))
		opts, reports := quick, new(atomic.Int32)
		opts.Report = func(error) { reports.Add(1) }
		c := open(t, dir, opts)
		ctx, stop := context.WithCancel(t.Context())
		go func() { _ = c.Watch(ctx, nil, func() {}) }() // ends with ctx
		move := func(from, to string) {
			if err := os.Rename(from, to); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * opts.Interval)
			synctest.Wait()
		}
		move(dir, dir+"-away")
		if n := reports.Load(); n != 1 {
			t.Errorf("%d reports of a folder that is not there", n)
		}
		move(dir+"-away", dir)
		move(dir, dir+"-away")
		if n := reports.Load(); n != 2 {
			t.Errorf("%d reports of a folder that went twice", n)
		}
		stop()
		synctest.Wait()
	})
}
