// Package journal writes the inputs of games into files, from which w3host game
// rerun plays them again.
package journal

import (
	"fmt"
	"path/filepath"
	"time"

	"w3host/game"
)

const (
	// blockSize is how many bytes of a journal go to the disk at once.
	blockSize = 4 << 10
	// checkEvery is how many inputs lie between two sums in a journal.
	checkEvery = 4096
)

// Options are the [log] settings of journals.
type Options struct {
	Dir string // empty for none
	// KeepAll keeps the journals of all games that are over, not only of those that desynced or
	// crashed, or whose owner asked for it.
	KeepAll bool
}

// Memory takes the journal of a running game, entry by entry, so that the game outlives the process.
type Memory interface {
	Write(head []byte)
	Input([]byte) // which is about to be stepped
	Sum(uint32)   // of all orders so far
}

// Journal writes down the inputs of one game. The bytes go to the disk on a
// goroutine that all games share.
type Journal struct {
	to     *Files // nil: no file is written
	mem    Memory // nil: the game ends with the process
	name   string // of the file
	file   *file  // nil: none is written
	enc    game.Journal
	buf    []byte
	sum    uint32
	inputs int
	keep   bool
}

// Begin takes the game's configuration and the outputs of game.New. The file and the
// memory may both be nil.
func (j *Journal) Begin(to *Files, mem Memory, cfg *game.Config, out *game.Out) error {
	if to == nil && mem == nil {
		return nil
	}
	buf, err := j.enc.Begin(nil, cfg)
	if err != nil {
		return err
	}
	j.to, j.mem, j.buf, j.sum, j.keep = to, mem, buf, out.Sum(0), to.keepsAll()
	j.name = NewName(cfg.ID)
	if to != nil {
		j.file = &file{name: j.name}
	}
	if mem != nil {
		mem.Write(buf)
		mem.Sum(j.sum)
	}
	return nil
}

// NewName is that of the file of a game's journal.
func NewName(game uint32) string {
	return fmt.Sprintf("game-%d-%s"+suffix, game, time.Now().UTC().Format("20060102-150405"))
}

// Resume goes on with the journal of a game that was made again: its file is written anew
// from memory.
func Resume(to *Files, mem Memory, name string, written []byte, enc game.Journal, sum uint32, keep bool) Journal {
	j := Journal{mem: mem, name: name, enc: enc, sum: sum, keep: keep}
	if to != nil {
		j.Attach(to, game.WithoutNotes(written))
	}
	return j
}

// Attach begins the file of a journal that has none, with all that was written so far.
func (j *Journal) Attach(to *Files, written []byte) {
	if j.to = to; to != nil {
		j.keep = j.keep || to.keepsAll()
		j.file = &file{name: j.name}
		j.send(job{data: written})
	}
}

// Name is that of the file.
func (j *Journal) Name() string { return j.name }

// Input records an input before the machine takes it.
func (j *Journal) Input(now time.Duration, in *game.Input) {
	if j.to == nil && j.mem == nil {
		return
	}
	from := len(j.buf)
	j.buf = j.enc.Append(j.buf, now, in)
	if j.mem != nil {
		j.mem.Input(j.buf[from:])
	}
}

// Output adds the outputs of that input to the checksum.
func (j *Journal) Output(out *game.Out) {
	if j.to == nil && j.mem == nil {
		return
	}
	j.sum = out.Sum(j.sum)
	if j.mem != nil {
		j.mem.Sum(j.sum)
	}
	if j.to == nil {
		j.buf = j.buf[:0]
		return
	}
	if j.inputs++; j.inputs%checkEvery == 0 {
		j.buf = j.enc.Check(j.buf, j.sum)
	}
	if len(j.buf) >= blockSize {
		j.send(job{data: j.buf})
		j.buf = j.to.block()
	}
}

// Keep has the file kept when the game is over.
func (j *Journal) Keep() { j.keep = true }

// Forget ends the copy in memory.
func (j *Journal) Forget() { j.mem = nil }

// Leave ends the journal: another process goes on with the game, and writes it anew.
func (j *Journal) Leave() {
	j.keep = false
	j.End(false)
}

// Kept reports whether it is to be kept.
func (j *Journal) Kept() bool { return j.keep }

// End returns the name of the file if it is kept; whole: the game has ended in order.
func (j *Journal) End(whole bool) string {
	if j.to == nil {
		return ""
	}
	if whole {
		j.buf = j.enc.Check(j.buf, j.sum)
	}
	j.send(job{data: j.buf, end: true, keep: j.keep})
	to := j.to
	j.to, j.buf = nil, nil
	if !j.keep || j.file.lost.Load() {
		return ""
	}
	return filepath.Join(to.opts.Dir, j.name)
}

// send gives a block to the disk. If there is no room for it, the file is given up; the game goes on.
func (j *Journal) send(b job) {
	b.file = j.file
	if !b.file.lost.Load() && j.to.put(b) {
		return
	}
	b.file.lost.Store(true)
	if b.end {
		j.to.put(job{file: b.file, end: true})
	}
}
