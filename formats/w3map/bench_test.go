package w3map_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"w3host/formats/mpq"
	"w3host/formats/w3map"
	"w3host/formats/w3map/builtin"
	"w3host/protocol/w3gs"
)

// largeMap is what a grown map is like: 16 MB, most of them pictures, models and music that are packed already, and
// some ten megabytes of script, terrain and object data packed to less than a third.
func largeMap(tb testing.TB) []byte {
	tb.Helper()
	const size = 16_000_000
	random := rand.New(rand.NewPCG(1, 2))
	_, small := builtin.Map()
	a, err := mpq.Open(bytes.NewReader(small), int64(len(small)))
	if err != nil {
		tb.Fatal(err)
	}
	w := mpq.NewWriter(small[:512])
	packed := 0
	add := func(name string, data []byte, opts mpq.AddOptions) {
		if err := w.Add(name, data, opts); err != nil {
			tb.Fatal(err)
		}
	}
	for _, name := range []string{"war3map.w3i", "war3map.wts", "war3map.shd"} {
		data, err := a.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		add(name, data, mpq.AddOptions{})
	}
	var script bytes.Buffer
	for i := 0; script.Len() < 2_500_000; i++ {
		fmt.Fprintf(&script, "function Trig_Spell_%d_Actions takes nothing returns nothing\r\n", i)
		for range random.IntN(20) {
			fmt.Fprintf(&script, "    call UnitDamageTargetBJ(udg_Hero[%d], GetEnumUnit(), %d.00, ATTACK_TYPE_MAGIC, DAMAGE_TYPE_FIRE)\r\n    set udg_Count = udg_Count + %d\r\n",
				random.IntN(100), random.IntN(1000), random.IntN(9))
		}
		script.WriteString("endfunction\r\n")
	}
	add("war3map.j", script.Bytes(), mpq.AddOptions{})
	objects := func(n int) []byte { // records of words, most of them small or seen before
		var b []byte
		for len(b) < n {
			b = append(b, "Ahwd\x00\x00\x00\x00\x05\x00\x00\x00aub1\x03\x00\x00\x00"...)
			b = fmt.Appendf(b, "A%03d deals %d damage to all enemies within %d.", random.IntN(999), random.IntN(500), random.IntN(900))
			b = binary.LittleEndian.AppendUint64(b, random.Uint64()>>40)
		}
		return b
	}
	terrain := make([]byte, 0, 1_650_000)
	for len(terrain) < cap(terrain) {
		terrain = append(terrain, byte(random.IntN(4)), 0x20, 0, 0x60, byte(random.IntN(6)), byte(random.IntN(18)), 0xF2)
	}
	add("war3map.w3e", terrain, mpq.AddOptions{})
	add("war3map.wpm", bytes.Repeat([]byte("\x40\x40\x40\x40\x40\xCE\xCE"), 500_000), mpq.AddOptions{})
	for name, n := range map[string]int{
		"war3map.doo": 800_000, "war3map.w3u": 500_000, "war3map.w3b": 50_000, "war3map.w3d": 20_000, "war3map.w3a": 900_000,
		"war3map.w3q": 60_000, "war3map.w3t": 200_000,
	} {
		add(name, objects(n), mpq.AddOptions{})
	}
	data, err := w.Bytes()
	if err != nil {
		tb.Fatal(err)
	}
	packed = len(data)
	for i := 0; packed < size; i++ {
		n := min(size-packed, 100_000+random.IntN(900_000))
		imported := make([]byte, n)
		for j := range imported {
			imported[j] = byte(random.Uint32())
		}
		add(fmt.Sprintf(`war3mapImported\file%d.mp3`, i), imported, mpq.AddOptions{Store: true})
		packed += n
	}
	if data, err = w.Bytes(); err != nil {
		tb.Fatal(err)
	}
	return data
}

// The bytes that are counted are those of the map file.
func BenchmarkRead(b *testing.B) {
	data := largeMap(b)
	scripts, err := w3map.NewScripts(bytes.Repeat([]byte("native\r\n"), 20_000), bytes.Repeat([]byte("function\r\n"), 45_000))
	if err != nil {
		b.Fatal(err)
	}
	for _, version := range []w3gs.Version{26, 30} {
		b.Run(version.String(), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				m, err := w3map.Read(bytes.NewReader(data), int64(len(data)), "a.w3x", w3map.Options{Version: version, Scripts: scripts})
				if err != nil || !m.Complete() {
					b.Fatal(m, err)
				}
			}
		})
	}
}
