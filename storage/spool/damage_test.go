package spool_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"w3host/storage/spool"
)

const damageCases = 10_000

// damaged is a file after an accident, and the bytes of the original that it
// hit: [from, to) of each pair, where from = to is a cut between two bytes.
type damaged struct {
	text []byte
	hit  [][2]int
}

var accidents = map[string]func(r *rand.Rand, text []byte) damaged{
	"flip": func(r *rand.Rand, text []byte) damaged {
		d := damaged{text: bytes.Clone(text)}
		for range 1 + r.IntN(5) {
			at := r.IntN(len(text))
			d.text[at] ^= 1 << r.IntN(8)
			d.hit = append(d.hit, [2]int{at, at + 1})
		}
		return d
	},
	"cut out": func(r *rand.Rand, text []byte) damaged {
		from, to := span(r, len(text))
		return damaged{slices.Concat(text[:from], text[to:]), [][2]int{{from, to}}}
	},
	"cut off": func(r *rand.Rand, text []byte) damaged {
		at := r.IntN(len(text))
		return damaged{text[:at], [][2]int{{at, len(text)}}}
	},
	"zeros": func(r *rand.Rand, text []byte) damaged {
		from, to := span(r, len(text))
		return damaged{slices.Concat(text[:from], make([]byte, to-from), text[to:]), [][2]int{{from, to}}}
	},
	"swapped": func(r *rand.Rand, text []byte) damaged {
		at := []int{r.IntN(len(text)), r.IntN(len(text)), r.IntN(len(text)), r.IntN(len(text))}
		slices.Sort(at)
		a, b, c, d := at[0], at[1], at[2], at[3]
		return damaged{
			slices.Concat(text[:a], text[c:d], text[b:c], text[a:b], text[d:]),
			[][2]int{{a, a}, {b, b}, {c, c}, {d, d}},
		}
	},
	"doubled": func(r *rand.Rand, text []byte) damaged {
		from, to := span(r, len(text))
		d := damaged{text: slices.Concat(text[:to], text[from:])}
		if !bytes.Contains(text[from:to], []byte{'\n'}) { // a part of one record
			d.hit = [][2]int{{from, to}}
		}
		return d
	},
}

func span(r *rand.Rand, n int) (from, to int) {
	from = r.IntN(n)
	return from, from + 1 + r.IntN(min(n-from, 1+r.IntN(n)))
}

// Whatever happens to a file, what was not hit is found, in order and once, and
// nothing is found that was not written. What is lost is told.
func TestRandomDamage(t *testing.T) {
	const records = 40
	var text []byte
	ends := []int{0} // of the text up to the brace of each record, line break apart
	for seq := uint64(1); seq <= records; seq++ {
		text = line(seq).Append(text)
		ends = append(ends, len(text))
	}
	names := []string{"flip", "cut out", "cut off", "zeros", "swapped", "doubled"}
	kept, lost := 0, 0
	for n := range damageCases {
		r := rand.New(rand.NewPCG(uint64(n), 10))
		name := names[n%len(names)]
		d := accidents[name](r, text)
		c := spool.Parse(d.text)
		got := numbers(t, c)
		for seq := uint64(1); seq <= records; seq++ {
			if _, found := slices.BinarySearch(got, seq); !found && !d.touches(ends[seq-1], ends[seq]-1) {
				t.Fatalf("case %d (%s, %v): record %d is lost, which was not hit", n, name, d.hit, seq)
			}
		}
		if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Fatalf("case %d (%s): found %v", n, name, got)
		}
		tail := len(got) == 0 || got[0] != 1 || got[len(got)-1] != records // then only the database's position tells
		if len(got) < records && !tail && c.Missing != records-len(got) {
			t.Fatalf("case %d (%s): %d records lost, %+v", n, name, records-len(got), c.Missing)
		}
		kept, lost = kept+len(got), lost+records-len(got)
	}
	t.Logf("%d accidents to %d records each: %d records found, %d hit", damageCases, records, kept, lost)
}

// touches says whether the accident hit a byte of text[from:to] or cut between
// two of them.
func (d damaged) touches(from, to int) bool {
	for _, h := range d.hit {
		if h[0] < to && h[1] > from {
			return true
		}
	}
	return false
}
