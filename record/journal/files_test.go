package journal

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"w3host/internal/heartbeat"
)

// small are files with small bounds, on a disk that has enough room.
func small(t *testing.T, b bounds) (f *Files, log *bytes.Buffer) {
	t.Helper()
	log = new(bytes.Buffer)
	f = newFiles(Options{Dir: t.TempDir()}, zerolog.New(log))
	f.bounds = b
	f.space = func(string) (uint64, bool) { return 1 << 40, true }
	return f, log
}

var roomy = bounds{waiting: 1 << 20, file: 1 << 20, files: 100, folder: 1 << 30, free: 1 << 30}

// noise is data that does not compress.
func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// write writes a journal at once, and returns the name of the file if it is kept.
func write(f *Files, number int, data []byte) string {
	j := Journal{name: fmt.Sprintf("game-%03d%s", number, suffix), keep: true}
	j.Attach(f, data)
	drain(f)
	name := j.End(false)
	drain(f)
	return name
}

// drain does what run does, on the goroutine of the test.
func drain(f *Files) {
	for len(f.jobs) > 0 {
		f.process(<-f.jobs)
	}
}

func names(t *testing.T, f *Files) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(f.opts.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// Blocks that wait for a disk that stands still are bounded by their bytes: the journals that do not fit are given
// up. When the disk moves again, the others are whole.
func TestBytesThatWait(t *testing.T) {
	f, _ := small(t, roomy)
	const games, each = 60, 100 << 10
	all := make([]Journal, games)
	for i := range all {
		all[i] = Journal{name: fmt.Sprint(i, suffix), keep: true}
		all[i].Attach(f, make([]byte, each))
	}
	if n := f.waiting.Load(); n > roomy.waiting || n < roomy.waiting-each {
		t.Errorf("%d bytes wait, of %d", n, roomy.waiting)
	}
	drain(f)
	kept := 0
	for i := range all {
		if all[i].End(false) != "" {
			kept++
		}
	}
	drain(f)
	if list := names(t, f); kept != int(roomy.waiting/each) || len(list) != kept || slices.ContainsFunc(list, func(s string) bool { return strings.HasSuffix(s, partSuffix) }) {
		t.Errorf("%d journals are kept; there are %v", kept, list)
	}
	if n := f.waiting.Load(); n != 0 {
		t.Errorf("%d bytes wait at the end", n)
	}
}

// Whoever brings a whole journal waits for its room, but not for ever.
func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &Files{bounds: roomy}
		f.waiting.Store(roomy.waiting)
		began := time.Now()
		time.AfterFunc(3*time.Second, func() { f.waiting.Store(0) })
		if f.Await(1000, 10*time.Second); time.Since(began) > 3*time.Second+awaitEvery {
			t.Errorf("room after 3 s: waited %v", time.Since(began))
		}
		f.waiting.Store(roomy.waiting)
		began = time.Now()
		if f.Await(1000, 10*time.Second); time.Since(began) != 10*time.Second {
			t.Errorf("no room: waited %v", time.Since(began))
		}
	})
}

// A file that grows over its bound is removed, and its game is told that there is none.
func TestFileBound(t *testing.T) {
	b := roomy
	b.file = 50 << 10
	f, log := small(t, b)
	j := Journal{name: "long" + suffix, keep: true}
	j.Attach(f, nil)
	for range 20 {
		j.send(job{data: noise(4 << 10)})
		drain(f)
	}
	if name := j.End(true); name != "" {
		t.Errorf("%s is kept", name)
	}
	drain(f)
	if list := names(t, f); len(list) != 0 || strings.Count(log.String(), "is abandoned") != 1 || f.parts != 0 {
		t.Errorf("there are %v, %d bytes count as written; the log: %s", list, f.parts, log)
	}
	file := write(f, 1, make([]byte, 60<<10)) // of the compressed bytes
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if z, err := gzip.NewReader(in); err != nil {
		t.Error(err)
	} else if data, err := io.ReadAll(z); err != nil || len(data) != 60<<10 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

// The newest files are kept, as many as may be and as far as their bytes fit.
func TestFolderBound(t *testing.T) {
	b := roomy
	b.files, b.folder = 5, 100<<10
	f, _ := small(t, b)
	at := time.Now().Add(-time.Hour)
	last := func(n int, data []byte) (list []string) {
		for i := range n {
			name := write(f, i, data)
			_ = os.Chtimes(name, at, at.Add(time.Duration(i)*time.Second))
			list = append(list, filepath.Base(name))
		}
		return list
	}
	want := last(9, noise(1000))[4:]
	if list := names(t, f); !slices.Equal(list, want) {
		t.Errorf("there are %v, want %v", list, want)
	}
	if last(9, noise(40<<10)); f.kept > b.folder || len(names(t, f)) != 2 {
		t.Errorf("there are %v, %d bytes", names(t, f), f.kept)
	}
	open := make([]Journal, 5) // files under way count, and kept ones make room
	for i := range open {
		open[i] = Journal{name: fmt.Sprint("open-", i, suffix), keep: true}
		open[i].Attach(f, noise(40<<10))
		drain(f)
	}
	total := int64(0)
	for _, name := range names(t, f) {
		info, _ := os.Stat(filepath.Join(f.opts.Dir, name))
		total += info.Size()
	}
	if total > b.folder+40<<10 {
		t.Errorf("%d bytes in %v", total, names(t, f))
	}
}

// Nothing is written while the disk has little room, and again when it has more.
func TestFreeSpace(t *testing.T) {
	f, log := small(t, roomy)
	free := uint64(1<<30 - 1)
	f.space = func(string) (uint64, bool) { return free, true }
	if name := write(f, 1, noise(1000)); name != "" || len(names(t, f)) != 0 {
		t.Errorf("%v is kept", names(t, f))
	}
	if !strings.Contains(log.String(), "1023 MiB free") {
		t.Errorf("the log says %s", log)
	}
	free, f.askedAt = 1<<30, time.Time{}
	if name := write(f, 2, noise(1000)); name == "" || len(names(t, f)) != 1 {
		t.Errorf("with room: %v", names(t, f))
	}
}

// Blocks that come after Close are ignored, and a disk that hangs holds up the end for a bounded time.
func TestClose(t *testing.T) {
	f := Open(Options{Dir: t.TempDir()}, zerolog.Nop())
	j := Journal{name: "late" + suffix, keep: true}
	j.Attach(f, noise(1000))
	f.Close(t.Context())
	f.Close(t.Context())
	j.send(job{data: noise(1000)})
	other := Journal{name: "new" + suffix}
	other.Attach(f, noise(1000))
	if name := other.End(true); name != "" {
		t.Errorf("%s is kept", name)
	}
	if list := names(t, f); len(list) != 1 || list[0] != "late"+suffix+partSuffix {
		t.Errorf("there are %v", list)
	}
	synctest.Test(t, func(t *testing.T) {
		f := newFiles(Options{Dir: "nowhere"}, zerolog.Nop())
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		if f.Close(ctx); time.Since(began) != time.Second {
			t.Errorf("returned after %v", time.Since(began))
		}
	})
}

// TestBlocksWaitForTheBeat: blocks of all games are written together at a beat; the end of a journal
// and a full half of the queue do not wait.
func TestBlocksWaitForTheBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heart heartbeat.Heart
		f := newFiles(Options{Dir: t.TempDir(), Heart: &heart}, zerolog.Nop())
		f.space = func(string) (uint64, bool) { return 1 << 40, true }
		f.bounds = roomy
		go f.run() // ends with Close
		defer f.Close(t.Context())
		put := func(j *Journal, n int) { j.send(job{data: make([]byte, n)}) }
		waits := func(when string, want bool) {
			t.Helper()
			if synctest.Wait(); (f.waiting.Load() > 0) != want {
				t.Errorf("%s: %d bytes are waiting", when, f.waiting.Load())
			}
		}
		var a, b Journal
		for _, j := range []*Journal{&a, &b} {
			j.name, j.keep = "game"+suffix, true
			j.Attach(f, make([]byte, 1))
			put(j, blockSize)
		}
		waits("before the beat", true)
		heart.Beat(time.Now())
		waits("after the beat", false)
		put(&a, int(roomy.waiting)/2+1)
		waits("with half of the bytes", false)
		put(&a, 1)
		waits("with one byte", true)
		b.End(false)
		waits("after the end of a journal", false)
	})
}
