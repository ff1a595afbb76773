// Package journal writes the inputs of running games to files, from which `w3host game rerun` executes them
// again. Because a game is deterministic, a journal reproduces every packet that the host sent.
//
// Journal is the journal of one game, Files the writer for all games, and Memory an in-memory copy with which
// another process can take a game over. Package host creates a Journal per game. The game loop never waits
// for the disk: if writing fails or is too slow, the journal is abandoned and the game continues.
package journal

import (
	"fmt"
	"path/filepath"
	"time"

	"w3host/game"
	"w3host/internal/disk"
	"w3host/internal/heartbeat"
)

const (
	// blockSize is the number of bytes after which a journal is written to disk.
	blockSize = 4 << 10
	// checkEvery is the number of inputs between two checksums in a journal.
	checkEvery = 4096
)

// Options holds the journal settings of the [log] section.
type Options struct {
	Dir string // folder of the journals; "" disables them
	// KeepAll keeps the journals of all finished games. Otherwise only games that desynced or crashed, or
	// whose owner asked for it, are kept.
	KeepAll bool
	// Heart makes the blocks of all games be written together, once a second. If nil, each block is written
	// immediately.
	Heart *heartbeat.Heart
	Disk  disk.Disk // nil means disk.System
}

// Memory receives a copy of a running game's journal entry by entry, so that the game can survive the
// process.
type Memory interface {
	Write(head []byte)
	Input([]byte) // an input, before the game processes it
	Sum(uint32)   // checksum of all outputs so far
}

// Journal records the inputs of one game. It belongs to the game's goroutine; the disk is written by the
// goroutine of Files.
type Journal struct {
	to     *Files // nil if no file is written
	mem    Memory // nil if the game ends with the process
	name   string // file name
	file   *file  // nil if no file is written
	enc    game.Journal
	buf    []byte
	sum    uint32
	inputs int
	keep   bool
}

// Begin starts the journal with the game's configuration and the outputs of game.New. Both to and mem may be
// nil.
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

// NewName returns a new file name for the journal of a game ID.
func NewName(game uint32) string {
	return fmt.Sprintf("game-%d-%s"+suffix, game, time.Now().UTC().Format("20060102-150405"))
}

// Resume returns the journal of a game that was rebuilt from written, its entries so far. enc and sum are the
// encoder and checksum after those entries. The file is written again from its start.
func Resume(to *Files, mem Memory, name string, written []byte, enc game.Journal, sum uint32, keep bool) Journal {
	j := Journal{mem: mem, name: name, enc: enc, sum: sum, keep: keep}
	if to != nil {
		j.Attach(to, game.WithoutNotes(written))
	}
	return j
}

// Attach starts a file for a journal that has none, with the entries written so far.
func (j *Journal) Attach(to *Files, written []byte) {
	if j.to = to; to != nil {
		j.keep = j.keep || to.keepsAll()
		j.file = &file{name: j.name}
		j.send(job{data: written})
	}
}

// Name returns the file name.
func (j *Journal) Name() string { return j.name }

// Input records an input. Call it before the game processes the input.
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

// Output adds the outputs of the last input to the checksum.
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

// Keep marks the file to be kept after the game.
func (j *Journal) Keep() { j.keep = true }

// Forget stops copying to memory.
func (j *Journal) Forget() { j.mem = nil }

// Release ends the journal without keeping the file, because another process continues the game and writes it
// from its start.
func (j *Journal) Release() {
	j.keep = false
	j.End(false)
}

// Kept reports whether the file will be kept.
func (j *Journal) Kept() bool { return j.keep }

// End ends the journal and returns the path of the file if it is kept, otherwise "". whole means that the
// game ended regularly; the journal then ends with a checksum.
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

// send queues a block for writing. If the queue is full, it abandons the file.
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
