package host

import (
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"w3host/game"
)

const (
	// journalBlock is how many bytes of a journal go to the disk at once.
	journalBlock = 4 << 10
	// journalBlocks is how many may wait for the disk, of all games together. A
	// journal that does not fit is given up; its game goes on.
	journalBlocks = 2048
	// checkEvery is how many inputs lie between two sums in a journal.
	checkEvery = 4096
)

// JournalOptions say which games leave a journal behind.
type JournalOptions struct {
	Dir  string // empty for none
	Keep JournalKeep
}

// JournalKeep says which journals are kept when their games are over.
type JournalKeep uint8

// Journals to keep.
const (
	KeepFaults JournalKeep = iota // of games that desynced or crashed, or whose owner asked for it
	KeepAll
)

// journal writes down the inputs of one game. The bytes go to the disk on a
// goroutine that all games share.
type journal struct {
	to     *journals // nil: nothing is written
	name   string    // of the file
	enc    game.Journal
	buf    []byte
	sum    uint32
	inputs int
	keep   bool
	lost   bool // the disk did not keep up
}

// begin takes the game's configuration and what New has brought about.
func (j *journal) begin(to *journals, cfg *game.Config, out *game.Out) error {
	if to == nil {
		return nil
	}
	buf, err := j.enc.Begin(nil, cfg)
	if err != nil {
		return err
	}
	j.to, j.buf, j.sum, j.keep = to, buf, out.Sum(0), to.opts.Keep == KeepAll
	j.name = fmt.Sprintf("game-%d-%s.journal.gz", cfg.ID, time.Now().UTC().Format("20060102-150405"))
	return nil
}

// input writes an input down before the machine takes it.
func (j *journal) input(now time.Duration, in *game.Input) {
	if j.to != nil {
		j.buf = j.enc.Append(j.buf, now, in)
	}
}

// output takes note of what came of it.
func (j *journal) output(out *game.Out) {
	if j.to == nil {
		return
	}
	j.sum = out.Sum(j.sum)
	if j.inputs++; j.inputs%checkEvery == 0 {
		j.buf = j.enc.Check(j.buf, j.sum)
	}
	if len(j.buf) >= journalBlock {
		j.send(journalJob{name: j.name, data: j.buf})
		j.buf = j.to.block()
	}
}

// end says whether the file is kept, and returns its name then.
func (j *journal) end(whole bool) string {
	if j.to == nil {
		return ""
	}
	if whole {
		j.buf = j.enc.Check(j.buf, j.sum)
	}
	j.send(journalJob{name: j.name, data: j.buf, end: true, keep: j.keep})
	to := j.to
	j.to, j.buf = nil, nil
	if !j.keep || j.lost {
		return ""
	}
	return filepath.Join(to.opts.Dir, j.name)
}

func (j *journal) send(job journalJob) {
	if j.lost {
		job.data, job.keep = nil, false
	}
	select {
	case j.to.jobs <- job:
	default:
		j.lost = true
	}
}

// journalJob is a block of a journal for the disk.
type journalJob struct {
	name      string
	data      []byte
	end, keep bool
}

// journals writes the journals of all games. Those under way have names that end
// in .part: what a killed host leaves behind can be run again, up to where it
// was cut.
type journals struct {
	opts  JournalOptions
	h     *Host
	jobs  chan journalJob
	open  map[string]bool // of journals with a file; false: given up
	zip   *gzip.Writer    // of all files: each block is a member of its own
	done  chan struct{}
	spare chan []byte // blocks to use again
}

func newJournals(h *Host, opts JournalOptions) *journals {
	if opts.Dir == "" {
		return nil
	}
	s := &journals{opts: opts, h: h, jobs: make(chan journalJob, journalBlocks), open: map[string]bool{}, done: make(chan struct{}), spare: make(chan []byte, 64)}
	s.zip, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is one that exists
	s.rescue()
	go s.run() // ends with close
	return s
}

func (s *journals) block() []byte {
	select {
	case b := <-s.spare:
		return b
	default:
		return make([]byte, 0, journalBlock+512)
	}
}

// rescue keeps what a host that was killed has left: the end of such a journal is
// missing, and the rest can be run again.
func (s *journals) rescue() {
	parts, _ := filepath.Glob(filepath.Join(s.opts.Dir, "*.part"))
	for _, part := range parts {
		if err := os.Rename(part, strings.TrimSuffix(part, ".part")); err != nil {
			s.h.log.Warn().Err(err).Msg("journal of a killed host cannot be kept")
		}
	}
}

func (s *journals) close() {
	if s != nil {
		close(s.jobs)
		<-s.done
	}
}

func (s *journals) run() {
	defer close(s.done)
	for job := range s.jobs {
		if err := s.take(job); err != nil {
			s.h.log.Warn().Err(err).Str("file", filepath.Join(s.opts.Dir, job.name)).Msg("journal of a game cannot be written; the game goes on")
			if !job.end {
				s.open[job.name] = false
			}
		}
		select {
		case s.spare <- job.data[:0]:
		default:
		}
	}
}

// take writes a block. No file stays open between two: hosts have many games and
// few descriptors. A journal that ends within its first block and is not kept
// never sees the disk.
func (s *journals) take(job journalJob) error {
	known, given := s.open[job.name]
	part := filepath.Join(s.opts.Dir, job.name+".part")
	if job.end {
		defer delete(s.open, job.name)
	}
	switch {
	case given && !known, job.end && !job.keep && !given:
		return nil
	case job.end && !job.keep:
		return os.Remove(part)
	}
	if err := os.MkdirAll(s.opts.Dir, 0o750); err != nil {
		return err
	}
	f, err := os.OpenFile(part, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	s.open[job.name] = true
	s.zip.Reset(f)
	_, err = s.zip.Write(job.data)
	if err = errors.Join(err, s.zip.Close(), f.Close()); err != nil || !job.end {
		return err
	}
	return os.Rename(part, filepath.Join(s.opts.Dir, job.name))
}
