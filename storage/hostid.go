package storage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rs/zerolog"
)

const (
	hostIDFile = "host-id"
	statusFile = "status.json"
)

// hostID reads the id of the host that owns dir. Where there is none, or one
// that a full disk or a crash has spoilt, the host gets a new one.
func hostID(dir string, log zerolog.Logger) (string, error) {
	path := filepath.Join(dir, hostIDFile)
	b, err := os.ReadFile(path)
	if err == nil {
		if id, err := ParseGameKey(strings.TrimSpace(string(b))); err == nil && !id.IsZero() {
			return id.String(), nil
		}
		log.Error().Str("file", path).Msg("the file contains no host id: this host now has a new id, " +
			"and open games of the old id are closed as crashed within minutes")
	} else if !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read the host id: %w", err)
	}
	id := NewGameKey().String()
	return id, writeHostID(dir, id)
}

func writeHostID(dir, id string) error {
	if err := replaceFile(filepath.Join(dir, hostIDFile), []byte(id+"\n")); err != nil {
		return fmt.Errorf("write the host id: %w", err)
	}
	return nil
}

// Status is the report of a running host about its Recorder, in status.json beside
// the spool, with every heartbeat.
type Status struct {
	At     time.Time     `json:"at"`
	Host   string        `json:"host"`
	ID     string        `json:"host_id"`
	Run    string        `json:"run"`
	Ended  bool          `json:"ended,omitempty"` // the run, in an orderly way, whether the database knows or not
	PID    int           `json:"pid"`
	Since  string        `json:"since,omitempty"`  // the process began, in ticks of the machine
	Listen string        `json:"listen,omitempty"` // where the host takes joins
	Stats  RecorderStats `json:"records"`
}

// writeStatus also finds out whether the spool's disk can be written while there is
// nothing to record. On a full disk the file that is there is written over. The file is written anew at each start
// and is not synced: the monitor of Go's runtime wakes some fifty times while a slow disk syncs.
func (r *Recorder) writeStatus() {
	path := filepath.Join(r.opts.Dir, statusFile)
	err := replace(path, r.status(), func(*os.File) error { return nil })
	r.statusDown.Store(err != nil)
	if err != nil {
		r.log.Debug().Err(err).AnErr("in_place", overwrite(path, r.status())).Msg("cannot write the status file")
	}
}

func (r *Recorder) status() []byte {
	h := r.Host()
	text, _ := json.MarshalIndent(Status{At: time.Now().UTC(), Host: h.Name, ID: h.ID, Run: h.Run, Ended: r.ended.Load(), PID: os.Getpid(), Since: startOf(os.Getpid()), Listen: r.listen.Load().(string), Stats: r.Stats()}, "", "  ") // numbers and texts only
	return append(text, '\n')
}

// overwrite puts a text into the place that a file has already, which a full disk
// allows.
func overwrite(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	old, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	if short := int(old.Size()) - len(text); short > 0 {
		text = append(text, bytes.Repeat([]byte{' '}, short)...)
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// ReadStatus reads the last status of the host that owns a spool.
func ReadStatus(dir string) (s Status, err error) {
	text, err := os.ReadFile(filepath.Join(dir, statusFile))
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	return s, err
}

// here reports whether the process that has written the status runs on this machine, or in this
// container.
func (s *Status) here() bool { return s.PID != 0 && !s.Ended && s.Since == startOf(s.PID) }

// StatusHere reads the status of the host that runs here, and names its spool: dir, or one
// beside it (see RecorderOptions.Beside). Without one it is what dir has.
func StatusHere(dir string) (Status, string, error) {
	for n := 1; n <= mostSpools; n++ {
		if s, err := ReadStatus(spoolBeside(dir, n)); err == nil && s.here() {
			return s, spoolBeside(dir, n), nil
		}
	}
	s, err := ReadStatus(dir)
	return s, dir, err
}

// mostSpools may stand beside each other.
const mostSpools = 64

// spoolBeside is the n-th spool: dir, dir-2, dir-3 …
func spoolBeside(dir string, n int) string {
	if n == 1 {
		return dir
	}
	return fmt.Sprintf("%s-%d", filepath.Clean(dir), n)
}

// Listens says where the host takes joins, for readers of the status.
func (r *Recorder) Listens(at string) {
	r.listen.Store(at)
	r.writeStatus()
}

// Dir is the spool that the Recorder has taken, and Number which it is, from 1.
func (r *Recorder) Dir() (dir string, number int) { return r.opts.Dir, r.opts.number }

// replaceFile writes a file so that it is whole, or the old one, after a crash
// or on a full disk.
func replaceFile(path string, text []byte) error { return replace(path, text, (*os.File).Sync) }

// replace is replaceFile with another way to have the system keep the text, or none.
func replace(path string, text []byte, sync func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.new")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, sync(f), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
