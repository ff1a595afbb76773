package watch

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"w3host/formats/replay"
	"w3host/protocol/w3gs"
	"w3host/record/recording"
	"w3host/spectate"
)

const (
	// lookEvery is the interval at which a growing recording is read.
	lookEvery = time.Second
	// offerEvery is the interval at which Offer checks whether enough of a game is recorded.
	offerEvery = 2 * time.Second
	// batch is the maximum number of records that are passed to the loop at once.
	batch = 1000
)

// ErrEarly is returned while the file contains too little of a game.
var ErrEarly = errors.New("the game has only just begun: it can be watched a little later")

// Show is a game that can be watched. Its recording is in memory while somebody watches it.
type Show struct {
	Number, Key uint32 // the game id, and the key of clients that join from the LAN
	Version     w3gs.Version
	File        string
	Delay       time.Duration // behind a game that is played
	Most        int           // viewers; 0: as many as may watch at all
	// Tape returns an empty recording with the settings from the beginning of the file.
	Tape func(*replay.Reader) (*spectate.Recording, error)

	tape     *spectate.Recording
	viewers  int
	stop     context.CancelFunc
	watching atomic.Int32 // viewers, without those who only read why they may not
}

// Watching returns the number of spectators.
func (show *Show) Watching() int { return int(show.watching.Load()) }

// part reports whether the game is still being played.
func (show *Show) part() bool { return recording.IsPart(show.File) }

// Offer adds a running game once enough of it is recorded, and then calls ready on the server's
// loop. The returned function removes the game again; its spectators stay.
func (s *Server) Offer(show *Show, ready func()) (withdraw func()) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() { // ends when the game is shown or taken back
		defer s.rescue("a game cannot be watched", func() {})
		for {
			_, err := Start(show.File)
			if err == nil {
				s.Call(func() {
					if ctx.Err() == nil {
						s.shows[show.Number] = show
						ready()
					}
				})
				return
			}
			if !errors.Is(err, ErrEarly) && !errors.Is(err, os.ErrNotExist) {
				s.opts.Log.Warn().Err(err).Str("file", show.File).Msg("a game cannot be watched")
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(offerEvery):
			}
		}
	}()
	return func() {
		cancel()
		s.Remove(show)
	}
}

// Add adds a game.
func (s *Server) Add(show *Show) { s.Call(func() { s.shows[show.Number] = show }) }

// Remove removes a game from the list. Its spectators stay.
func (s *Server) Remove(show *Show) { s.Call(func() { delete(s.shows, show.Number) }) }

// load starts reading the recording, unless it is being read already.
func (s *Server) load(show *Show) error {
	if show.tape != nil {
		return nil
	}
	f, err := show.open()
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	in := &reading{server: s, show: show, ctx: ctx, file: f}
	r, err := in.start()
	if err == nil {
		in.tape, err = show.Tape(r)
	}
	if err != nil {
		stop()
		return errors.Join(err, f.Close())
	}
	show.tape, show.stop = in.tape, stop
	go in.run(r) // ends with ctx, or with the record
	return nil
}

// Start reads the beginning of a recording. It returns ErrEarly while the file contains too little.
func Start(file string) (*replay.Reader, error) {
	show := Show{File: file}
	f, err := show.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return (&reading{show: &show, file: f}).start()
}

// unload frees the recording after the last spectator has left.
func (s *Server) unload(show *Show) {
	if show.viewers--; show.viewers == 0 {
		show.stop()
		show.tape = nil
	}
}

// open opens the recording. The file is renamed when the game ends.
func (show *Show) open() (*os.File, error) {
	f, err := os.Open(show.File)
	if errors.Is(err, os.ErrNotExist) {
		return os.Open(recording.FinalOf(show.File))
	}
	return f, err
}

// over reports whether the recording is complete.
func (show *Show) over() bool {
	if !show.part() {
		return true
	}
	_, err := os.Stat(show.File)
	return err != nil
}

// reading reads the recording of a show on a goroutine of its own.
type reading struct {
	server *Server
	show   *Show
	tape   *spectate.Recording
	ctx    context.Context
	file   *os.File
	batch  []replay.Record
	begun  bool // behind the start, which is read at once
	early  bool // the start is not whole
}

func (in *reading) start() (*replay.Reader, error) {
	r, err := replay.NewReader(replay.Follow(in.file, in.wait))
	if in.early {
		return nil, ErrEarly
	}
	in.begun = true
	return r, err
}

// noFurther is the log message for an error in a recording. Its spectators stay, but see nothing
// new.
const noFurther = "the record of a game is shown no further"

func (in *reading) run(r *replay.Reader) {
	defer in.file.Close()
	defer in.server.rescue(noFurther, func() { in.deliver(true) })
	for rec, err := range r.Records() {
		if err != nil {
			if in.ctx.Err() == nil {
				in.server.opts.Log.Warn().Err(err).Str("file", in.show.File).Msg("the record of a game ends early")
			}
			break
		}
		own := *rec
		own.Commands, own.Checksum = slices.Clone(rec.Commands), slices.Clone(rec.Checksum)
		if in.batch = append(in.batch, own); len(in.batch) == batch {
			in.deliver(false)
		}
	}
	in.deliver(true)
}

// wait waits for more of the recording. It returns false when the game is over.
func (in *reading) wait() bool {
	if over := in.show.over(); over || !in.begun {
		in.early = !over
		return false
	}
	in.deliver(false)
	select {
	case <-in.ctx.Done():
		return false
	case <-time.After(lookEvery):
		return true
	}
}

// deliver passes the records read to the loop.
func (in *reading) deliver(end bool) {
	records := in.batch
	in.batch = nil
	if in.ctx.Err() != nil || len(records) == 0 && !end {
		return
	}
	in.server.Wait(func() { // so that no more than a batch waits
		defer in.server.rescue(noFurther, in.tape.End)
		for i := range records {
			in.tape.Add(&records[i])
		}
		if in.show.part() {
			in.tape.Hold(in.server.Now(), in.show.Delay)
		}
		if end {
			in.tape.End()
		}
	})
}
