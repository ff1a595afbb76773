package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
)

// compare measures all subjects, one after another or at once, and prints medians and ranges. Every other
// round uses the opposite order, because the first subject of a round pays up to 15 % more.
func (b *bench) compare(subjects []subject, games int) error {
	all := make([][]figures, len(subjects))
	for round := range b.rounds {
		measured := make([]figures, len(subjects))
		var g errgroup.Group
		for i := range subjects {
			if round%2 == 1 {
				i = len(subjects) - 1 - i
			}
			if g.Go(func() (err error) {
				measured[i], err = b.measureSteady(subjects[i], games)
				return err
			}); !b.atOnce {
				if err := g.Wait(); err != nil {
					return err
				}
			}
		}
		if err := g.Wait(); err != nil {
			return err
		}
		for i, f := range measured {
			all[i] = append(all[i], f)
		}
	}
	for i, s := range subjects {
		for round := range all[i] {
			all[i][round].ratio = all[i][round].cpu / all[len(all)-1][round].cpu
		}
		fmt.Printf("| %d | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", games, s.name,
			shown(all[i], 1, func(f figures) float64 { return f.cpu }),
			shown(all[i], 2, func(f figures) float64 { return f.ratio }),
			shown(all[i], 1, func(f figures) float64 { return f.slices }),
			shown(all[i], 1, func(f figures) float64 { return f.sleeps }),
			shown(all[i], 1, func(f figures) float64 { return f.memory }),
			shown(all[i], 2, func(f figures) float64 { return f.middle }),
			shown(all[i], 2, func(f figures) float64 { return f.late }),
			shown(all[i], 2, func(f figures) float64 { return f.latest }),
			shown(all[i], 2, func(f figures) float64 { return f.stall }),
			shown(all[i], 0, func(f figures) float64 { return f.missed }))
	}
	return nil
}

// measureSteady repeats a measurement until the machine was steady during it.
func (b *bench) measureSteady(s subject, games int) (f figures, err error) {
	runtime.LockOSThread() // processes started here end with their thread
	for range tries {
		if f, err = b.measure(s, games); err != nil {
			return f, fmt.Errorf("%s with %d games: %w", s.name, games, err)
		}
		fmt.Fprintf(os.Stderr, "%d games, %s: %.1f µs, %.1f slices and %.1f sleeps per turn, p50 %.2f ms, p99 %.2f ms, longest %.2f ms, stall %.2f ms\n", games, s.name, f.cpu, f.slices, f.sleeps, f.middle, f.late, f.latest, f.stall)
		if b.steady == 0 || f.stall <= b.steady.Seconds()*1000 {
			break
		}
	}
	return f, nil
}

// shown formats the median, with the range if there is one.
func shown(list []figures, digits int, of func(figures) float64) string {
	var values []float64
	for _, f := range list {
		values = append(values, of(f))
	}
	low, middle, high := spread(values)
	if low == high {
		return fmt.Sprintf("%.*f", digits, middle)
	}
	return fmt.Sprintf("%.*f (%.*f–%.*f)", digits, middle, digits, low, digits, high)
}

// spread returns the minimum, median and maximum.
func spread(values []float64) (low, middle, high float64) {
	slices.Sort(values)
	return values[0], values[len(values)/2], values[len(values)-1]
}
