package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"w3host/internal/terminal"
)

const (
	barPatience = time.Second // no bar for work that takes less time
	barEvery    = 100 * time.Millisecond
	barWidth    = 40
)

// mapBar is a progress bar in bytes. It draws only on a terminal. Its methods may be called concurrently.
type mapBar struct {
	w     io.Writer // nil if the output is not a terminal
	start time.Time

	mu          sync.Mutex
	done, total int64
	drawn       time.Time
}

func newMapBar(w io.Writer) *mapBar {
	b := &mapBar{start: time.Now()}
	if terminal.Is(w) {
		b.w = w
	}
	return b
}

// add counts n more bytes as done.
func (b *mapBar) add(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done += int64(n)
	b.draw()
}

func (b *mapBar) set(done, total int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done, b.total = max(b.done, done), total
	b.draw()
}

func (b *mapBar) draw() {
	now := time.Now()
	if b.w == nil || now.Sub(b.start) < barPatience || now.Sub(b.drawn) < barEvery || b.total <= 0 {
		return
	}
	b.drawn = now
	fmt.Fprint(b.w, "\r"+drawBar(b.done, b.total))
}

// clear erases the bar.
func (b *mapBar) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.drawn.IsZero() {
		fmt.Fprint(b.w, "\r\x1b[K")
		b.drawn = time.Time{}
	}
}

func drawBar(done, total int64) string {
	done = min(done, total)
	filled := int(done * barWidth / total)
	unit, shift := "MB", 20
	if total < 1<<20 {
		unit, shift = "KB", 10
	}
	return fmt.Sprintf("[%s%s] %3d %%  %d of %d %s", strings.Repeat("#", filled), strings.Repeat(".", barWidth-filled),
		done*100/total, done>>shift, total>>shift, unit)
}
