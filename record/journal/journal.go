// Package journal writes the inputs of games into files, from which w3host game
// rerun plays them again.
package journal

import (
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"w3host/game"
)

const (
	// blockSize is how many bytes of a journal go to the disk at once.
	blockSize = 4 << 10
	// blocksWaiting is how many of all games may wait for the disk. A journal that
	// does not fit is given up; its game goes on.
	blocksWaiting = 2048
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
	enc    game.Journal
	buf    []byte
	sum    uint32
	inputs int
	keep   bool
	lost   bool // the disk did not keep up
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
	if mem != nil {
		mem.Write(buf)
		mem.Sum(j.sum)
	}
	return nil
}

// NewName is that of the file of a game's journal.
func NewName(game uint32) string {
	return fmt.Sprintf("game-%d-%s.journal.gz", game, time.Now().UTC().Format("20060102-150405"))
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
		j.send(job{name: j.name, data: written})
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
		j.send(job{name: j.name, data: j.buf})
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
	j.send(job{name: j.name, data: j.buf, end: true, keep: j.keep})
	to := j.to
	j.to, j.buf = nil, nil
	if !j.keep || j.lost {
		return ""
	}
	return filepath.Join(to.opts.Dir, j.name)
}

func (j *Journal) send(b job) {
	if j.lost {
		b.data, b.keep = nil, false
	}
	select {
	case j.to.jobs <- b:
	default:
		j.lost = true
	}
}

// job is a block of a journal for the disk.
type job struct {
	name      string
	data      []byte
	end, keep bool
}

// Files writes the journals of all games. Those under way have names that end
// in .part: a file that a killed host leaves behind can be run again, up to where it
// was cut.
type Files struct {
	opts  Options
	log   zerolog.Logger
	jobs  chan job
	open  map[string]bool // of journals with a file; false: given up
	zip   *gzip.Writer    // of all files: each block is a member of its own
	done  chan struct{}
	spare chan []byte // blocks to use again
}

// Open begins to write journals, and keeps those that a killed host has left, except
// those of games that go on. It returns nil if no folder is set.
func Open(opts Options, log zerolog.Logger, goOn ...string) *Files {
	if opts.Dir == "" {
		return nil
	}
	f := &Files{opts: opts, log: log, jobs: make(chan job, blocksWaiting), open: map[string]bool{}, done: make(chan struct{}), spare: make(chan []byte, 64)}
	f.zip, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is one that exists
	f.rescue(goOn)
	go f.run() // ends with close
	return f
}

func (f *Files) keepsAll() bool { return f != nil && f.opts.KeepAll }

func (f *Files) block() []byte {
	select {
	case b := <-f.spare:
		return b
	default:
		return make([]byte, 0, blockSize+512)
	}
}

// rescue keeps the journals of a killed host: their end is missing, but the rest can
// be run.
func (f *Files) rescue(goOn []string) {
	parts, _ := filepath.Glob(filepath.Join(f.opts.Dir, "*.part"))
	for _, part := range parts {
		if slices.Contains(goOn, strings.TrimSuffix(filepath.Base(part), ".part")) {
			continue
		}
		if err := os.Rename(part, strings.TrimSuffix(part, ".part")); err != nil {
			f.log.Warn().Err(err).Msg("cannot keep the journal of a killed host")
		}
	}
}

// Close writes the waiting data.
func (f *Files) Close() {
	if f != nil {
		close(f.jobs)
		<-f.done
	}
}

func (f *Files) run() {
	defer close(f.done)
	for j := range f.jobs {
		if err := f.take(j); err != nil {
			f.log.Warn().Err(err).Str("file", filepath.Join(f.opts.Dir, j.name)).Msg("cannot write the journal of a game; the game goes on")
			if !j.end {
				f.open[j.name] = false
			}
		}
		if cap(j.data) >= blockSize {
			select {
			case f.spare <- j.data[:0]:
			default:
			}
		}
	}
}

// take writes a block. No file stays open between two: hosts have many games and
// few descriptors. A journal that ends within its first block and is not kept
// never sees the disk.
func (f *Files) take(j job) error {
	known, given := f.open[j.name]
	part := filepath.Join(f.opts.Dir, j.name+".part")
	if j.end {
		defer delete(f.open, j.name)
	}
	switch {
	case given && !known, j.end && !j.keep && !given:
		return nil
	case j.end && !j.keep:
		return os.Remove(part)
	}
	if err := os.MkdirAll(f.opts.Dir, 0o750); err != nil {
		return err
	}
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if !given { // the part written by the process before may lack its end
		flags |= os.O_TRUNC
	}
	file, err := os.OpenFile(part, flags, 0o600)
	if err != nil {
		return err
	}
	f.open[j.name] = true
	f.zip.Reset(file)
	_, err = f.zip.Write(j.data)
	if err = errors.Join(err, f.zip.Close(), file.Close()); err != nil || !j.end {
		return err
	}
	return os.Rename(part, filepath.Join(f.opts.Dir, j.name))
}
