package mpq

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"w3host/internal/tier"
)

// What smpq 1.6 can do, from its --help, less what it packs sound with, and LZMA and sparse data, which the game does not
// read.
var (
	smpqCompressions = []string{"none", "IMPLODE", "PKWARE", "ZLIB", "BZIP2", "ZLIB+PKWARE", "BZIP2+PKWARE"}
	smpqFlags        = map[string][]string{
		"plain":       nil,
		"encrypted":   {"-E"},
		"fixed key":   {"-E", "-F"},
		"sector crc":  {"-S"},
		"all":         {"-E", "-F", "-S"},
		"single unit": {"-U"},
	}
)

// TestReadsWhatSmpqWrites packs files with an independent packer in each way that it knows for files and reads them
// back.
func TestReadsWhatSmpqWrites(t *testing.T) {
	smpq := tier.Program(t, "smpq", "smpq")
	dir := t.TempDir()
	samples := sampleFiles()
	var names []string
	for name, data := range samples {
		names = append(names, name)
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, version := range []string{"1", "2", "3", "4"} {
		for _, compression := range smpqCompressions {
			for label, flags := range smpqFlags {
				if version != "1" && (label == "encrypted" || label == "fixed key" || label == "sector crc") {
					continue // the same code reads them, and "all" has all three
				}
				t.Run("version "+version+"/"+compression+"/"+label, func(t *testing.T) {
					t.Parallel()
					packed := filepath.Join(t.TempDir(), "packed.mpq")
					args := append([]string{"-c", "-q", "-M", version, "-C", compression}, flags...)
					run(t, dir, smpq, append(append(args, packed), names...)...)
					raw, err := os.ReadFile(packed)
					if err != nil {
						t.Fatal(err)
					}
					a := open(t, raw)
					if got := len(a.Names()); got != len(names) {
						t.Errorf("Names gives %d names, want %d", got, len(names))
					}
					for _, name := range names {
						if slices.Contains(flags, "-S") && version != "4" { // which has sums of another sort, elsewhere
							checkSums(t, a, name)
						}
						got, err := a.ReadFile(name)
						if err != nil {
							t.Error(err)
							continue
						}
						if !bytes.Equal(got, samples[name]) {
							t.Errorf("%s: %d bytes, want %d, which differ from byte %d on", name, len(got), len(samples[name]), firstDifference(got, samples[name]))
						}
					}
				})
			}
		}
	}
}

// checkSums makes sure that the checksums of sectors were found and are right: wrong ones would be passed over.
func checkSums(t *testing.T, a *Archive, name string) {
	t.Helper()
	f, err := a.Open(name)
	if err != nil {
		t.Error(err)
		return
	}
	had := f.checks != nil
	if _, err := io.Copy(io.Discard, f); err != nil {
		t.Error(err)
	}
	if f.b.flags&flagSectorCRC != 0 && (!had || f.checks == nil) {
		t.Errorf("%s: no checksums (found: %v)", name, had)
	}
}

func run(t *testing.T, dir, program string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
	}
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// sampleFiles are the kinds of data that make packers do different things. They are the same on every run.
func sampleFiles() map[string][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	text := []byte(strings.Repeat("call TriggerRegisterTimerEvent(gg_trg_Melee, 0.10, true)\r\n", 50))
	for i := range 1000 {
		text = append(text, "set udg_value"+strings.Repeat("x", i%7)+" = "+string(rune('0'+i%10))+"\r\n"...)
	}
	var mixed []byte
	for range 200 {
		mixed = append(append(mixed, random(40)...), make([]byte, r.IntN(300))...)
	}
	return map[string][]byte{
		"war3map.j":    text,
		"random.bin":   random(20_001),
		"zeros.bin":    make([]byte, 70_003),
		"mixed.bin":    mixed,
		"one.txt":      {'a'},
		"sector.bin":   bytes.Repeat([]byte("0123456789abcdef"), 256), // exactly 4096 bytes
		"mono.wav":     wave(1, 12_000, r),
		"stereo.wav":   wave(2, 12_001, r),
		"doubled.data": bytes.Repeat(random(700), 40),
	}
}

// wave is a sound file of sines and noise.
func wave(channels, samples int, r *rand.Rand) []byte {
	n := samples * channels * 2
	out := append([]byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00"), byte(channels), 0)
	le := binary.LittleEndian
	le.PutUint32(out[4:], uint32(36+n))
	out = le.AppendUint32(out, 22050)
	out = le.AppendUint32(out, uint32(22050*channels*2))
	out = le.AppendUint16(out, uint16(channels*2))
	out = le.AppendUint16(out, 16)
	out = le.AppendUint32(append(out, "data"...), uint32(n))
	for i := range samples {
		for c := range channels {
			v := 9000*math.Sin(float64(i)/float64(20+9*c)) + r.NormFloat64()*200
			out = le.AppendUint16(out, uint16(int16(v)))
		}
	}
	return out
}
