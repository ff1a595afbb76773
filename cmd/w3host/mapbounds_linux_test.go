package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/formats/mpq"
	"w3host/formats/w3map/builtin"
	"w3host/internal/tier"
)

// buildProgram makes w3host as people run it: the race detector of a test takes ten times the memory. The flags are those of a
// release, which scripts/test.sh has compiled before.
func buildProgram(t *testing.T) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "w3host")
	cmd := exec.Command("go", "build", "-trimpath", "-o", to, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return to
}

// taken is what a call took: the most memory that was resident, in bytes, and the time of the processor.
type taken struct {
	peak int64
	cpu  time.Duration
	out  string
}

// measure runs the program and asks the kernel for its peak until it ends. The peak of wait4 would do if it did not count
// this process before exec.
func measure(t *testing.T, program string, args ...string) taken {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Dir = t.TempDir()
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { // ends with the program
		defer close(done)
		_ = cmd.Wait() // maps that are refused give an exit code
	}()
	var u taken
	for {
		if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)); err == nil {
			if _, after, ok := strings.Cut(string(status), "VmHWM:"); ok {
				var kB int64
				if _, err := fmt.Sscan(after, &kB); err == nil {
					u.peak = max(u.peak, kB<<10)
				}
			}
		}
		select {
		case <-done:
			u.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			u.out = out.String()
			return u
		case <-time.After(time.Millisecond):
		}
	}
}

// TestHostileMapsTakeLittle: whatever a file claims, identifying it takes less than 64 MB above its own size, and not long.
func TestHostileMapsTakeLittle(t *testing.T) {
	tier.All(t, "builds the program")
	t.Parallel()
	const most, hugeSize = 64 << 20, 256 << 20
	program := buildProgram(t)
	decisive := func(f forgedFile) (all []forgedFile) {
		for _, name := range strings.Fields("war3map.j war3map.w3e war3map.wpm war3map.doo war3map.w3u war3map.w3b war3map.w3d war3map.w3a war3map.w3q") {
			f.name = name
			all = append(all, f)
		}
		return all
	}
	unzippable := func(n int) []byte { return bytes.Repeat([]byte("\x01\x02\x03\x04"), n/4) }
	info := func(name int) []byte {
		_, data := builtin.Map()
		a, err := mpq.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		own, err := a.ReadFile("war3map.w3i")
		if err != nil {
			t.Fatal(err)
		}
		return append(append(bytes.Clone(own[:12]), bytes.Repeat([]byte("N"), name)...), own[12:]...)
	}
	texts := func(text []byte) []forgedFile {
		var parts [][]byte
		for part := range slices.Chunk(text, largestSector) {
			parts = append(parts, zipped(t, part))
		}
		return []forgedFile{{"war3map.wts", sectors(parts...), len(text), exists | packed}}
	}
	entries := func(n int) []byte {
		var b bytes.Buffer
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "STRING %d{}\n", i)
		}
		return b.Bytes()[:n]
	}
	decoys := func() []byte { // each header claims tables of the whole file
		data := bytes.Repeat(append([]byte("MPQ\x1A\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x02\x00\x00\x00\x02\x00\x00\xFF\xFF\xFF\x0F\xFF\xFF\xFF\x0F"),
			make([]byte, 480)...), 20<<20/512)
		return append(data[:len(data):len(data)], forgeMap(t, 3, forgedFile{"war3map.j", []byte("script"), 6, exists})...)
	}
	limit := func(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
	for _, c := range []struct {
		name string
		verb string
		data []byte
		cpu  time.Duration
	}{
		{"one sector of 256 MB, shift 22", "info", forgeMap(t, oversizedShift, decisive(forgedFile{data: sectors(zippedZeros(t, hugeSize>>20)), size: hugeSize, flags: exists | packed})...), limit(1)},
		{"a single unit of 256 MB", "info", forgeMap(t, 3, decisive(forgedFile{data: zippedZeros(t, hugeSize>>20), size: hugeSize, flags: exists | packed | unit})...), limit(1)},
		{"a single unit of bzip2 of 45 MB", "info", forgeMap(t, 3, append(decisive(forgedFile{data: bzip2Zeros, size: 45 << 20, flags: exists | packed | unit}), forgedFile{"padding", make([]byte, 1<<20), 1 << 20, exists})...), limit(1)},
		{"16 MiB sectors of zlib", "info", forgeMap(t, largestShift, decisive(forgedFile{data: equalSectors(16, zippedZeros(t, largestSector>>20)), size: hugeSize, flags: exists | packed})...), limit(5)},
		{"16 MiB sectors of bzip2", "info", forgeMap(t, largestShift, append(decisive(forgedFile{data: equalSectors(16, bzip2Zeros), size: hugeSize, flags: exists | packed}), forgedFile{"padding", make([]byte, 1<<20), 1 << 20, exists})...), limit(5)},
		{"16 MiB sectors that are full", "info", forgeMap(t, largestShift, decisive(forgedFile{data: unzippable(32 << 20), size: 32 << 20, flags: exists})...), limit(5)},
		{"20,000 sectors of bzip2 in each file", "info", forgeMap(t, 0, decisive(forgedFile{data: equalSectors(20_000, bzip2Small), size: 20_000 * 512, flags: exists | packed})...), limit(10)},
		{"20,000 sectors of zlib in each file", "info", forgeMap(t, 0, decisive(forgedFile{data: equalSectors(20_000, zipped(t, make([]byte, 512))), size: 20_000 * 512, flags: exists | packed})...), limit(10)},
		{"texts of 31 MB of CR", "info", forgeMap(t, largestShift, texts(bytes.Repeat([]byte("\r"), 31<<20))...), limit(1)},
		{"texts of 8 MB of CR", "info", forgeMap(t, largestShift, texts(bytes.Repeat([]byte("\r"), 8<<20))...), limit(1)},
		{"millions of texts", "info", forgeMap(t, largestShift, texts(entries(31<<20))...), limit(1)},
		{"700,000 texts", "info", forgeMap(t, largestShift, texts(entries(8<<20))...), limit(1)},
		{"a name of 30 MB", "info", forgeMap(t, largestShift, forgedFile{"war3map.w3i", info(30 << 20), len(info(30 << 20)), exists}), limit(1)},
		{"a name of 30 MB in the texts", "info", forgeMap(t, largestShift, texts(append([]byte("STRING 1\n{\n"), bytes.Repeat([]byte("N"), 30<<20)...))...), limit(1)},
		{"a name of 900 kB", "info", forgeMap(t, largestShift, forgedFile{"war3map.w3i", info(900_000), len(info(900_000)), exists}), limit(1)},
		{"headers everywhere", "info", decoys(), limit(5)},
		{"a list of 240 MB", "verify", forgeMap(t, 3, forgedFile{"(listfile)", equalSectors(240<<20>>12, zipped(t, bytes.Repeat([]byte("war3map.j\n"), 410)[:4096])), 240 << 20, exists | packed}), limit(2)},
		{"a list of one name of 240 MB", "verify", forgeMap(t, 3, forgedFile{"(listfile)", equalSectors(240<<20>>12, zipped(t, bytes.Repeat([]byte("n"), 4096))), 240 << 20, exists | packed}), limit(2)},
		{"a listed file of 256 MB", "verify", forgeMap(t, largestShift, forgedFile{"(listfile)", []byte("model.mdx"), 9, exists},
			forgedFile{"model.mdx", equalSectors(16, zippedZeros(t, largestSector>>20)), hugeSize, exists | packed}), limit(3)},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			file, call := filepath.Join(dir, "a.w3x"), []string{"map", c.verb, dir, "--version", "1.32"} // which needs no scripts
			if c.verb == "info" {
				call[2] = file
			}
			put := func(data []byte) {
				write(t, file, data)
			}
			_, real := builtin.Map()
			put(real)
			base := measure(t, program, call...)
			put(c.data)
			got := measure(t, program, call...)
			above, cpu := got.peak-base.peak, got.cpu-base.cpu
			t.Logf("%4d MB above the %d of a small map, %.2f s; a file of %d kB: %.300q", above>>20, base.peak>>20, cpu.Seconds(), len(c.data)>>10, got.out)
			if above > most+int64(len(c.data)) {
				t.Errorf("%d MB for a file of %d kB", above>>20, len(c.data)>>10)
			}
			if cpu > c.cpu {
				t.Errorf("%v for a file of %d kB, want %v", cpu, len(c.data)>>10, c.cpu)
			}
			if len(got.out) > 40_000 {
				t.Errorf("%d bytes were printed", len(got.out))
			}
		})
	}
}
