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

	"w3host/internal/disk"
)

const (
	hostIDFile = "host-id"
	statusFile = "status.json"
)

// hostID returns the id of the host that owns dir. It creates a new one if there is none or if it was damaged
// by a full disk or a crash.
func hostID(on disk.Disk, dir string, log zerolog.Logger) (string, error) {
	path := filepath.Join(dir, hostIDFile)
	b, err := on.ReadFile(path)
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
	return id, writeHostID(on, dir, id)
}

func writeHostID(on disk.Disk, dir, id string) error {
	if err := replaceFile(on, filepath.Join(dir, hostIDFile), []byte(id+"\n")); err != nil {
		return fmt.Errorf("write the host id: %w", err)
	}
	return nil
}

// Status is a running host's report about its Recorder. It is written to status.json beside the spool at
// every heartbeat.
type Status struct {
	At     time.Time     `json:"at"`
	Host   string        `json:"host"`
	ID     string        `json:"host_id"`
	Run    string        `json:"run"`
	Ended  bool          `json:"ended,omitempty"` // the run ended regularly, whether the database knows it or not
	PID    int           `json:"pid"`
	Since  string        `json:"since,omitempty"`  // start time of the process, in ticks since boot
	Listen string        `json:"listen,omitempty"` // address on which players join
	Stats  RecorderStats `json:"records"`
}

// writeStatus writes the status file. This also detects whether the spool's disk is writable while there is
// nothing to record. On a full disk it overwrites the existing file in place. The file is rewritten at each
// start and not synced: the Go runtime's monitor wakes some fifty times while a slow disk syncs.
func (r *Recorder) writeStatus() {
	path := filepath.Join(r.opts.Dir, statusFile)
	err := disk.Replace(r.opts.Disk, path, r.status(), false)
	r.statusDown.Store(err != nil)
	if err != nil {
		r.log.Debug().Err(err).AnErr("in_place", overwrite(r.opts.Disk, path, r.status())).Msg("cannot write the status file")
	}
}

func (r *Recorder) status() []byte {
	h := r.Host()
	text, _ := json.MarshalIndent(Status{At: time.Now().UTC(), Host: h.Name, ID: h.ID, Run: h.Run, Ended: r.ended.Load(), PID: os.Getpid(), Since: processStartTime(os.Getpid()), Listen: r.listen.Load().(string), Stats: r.Stats()}, "", "  ") // cannot fail: numbers and strings only
	return append(text, '\n')
}

// overwrite writes text over an existing file in place, which works on a full disk.
func overwrite(on disk.Disk, path string, text []byte) error {
	f, err := on.OpenFile(path, os.O_WRONLY, 0)
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

// ReadStatus returns the last status of the host that owns the spool in dir.
func ReadStatus(dir string) (s Status, err error) { return readStatus(disk.System, dir) }

func readStatus(on disk.Disk, dir string) (s Status, err error) {
	text, err := on.ReadFile(filepath.Join(dir, statusFile))
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	return s, err
}

// here reports whether the process that wrote the status is running on this machine, or in this container.
func (s *Status) here() bool { return s.PID != 0 && !s.Ended && s.Since == processStartTime(s.PID) }

// StatusHere returns the status and spool folder of the host running on this machine: dir or an alternative
// to it (see RecorderOptions.AllowAlternateDir). If none is running, it returns the status in dir.
func StatusHere(dir string) (Status, string, error) {
	for n := 1; n <= mostSpools; n++ {
		if s, err := ReadStatus(alternateDir(dir, n)); err == nil && s.here() {
			return s, alternateDir(dir, n), nil
		}
	}
	s, err := ReadStatus(dir)
	return s, dir, err
}

// mostSpools is the maximum number of alternative spool folders.
const mostSpools = 64

// alternateDir returns the n-th spool folder: dir, dir-2, dir-3 and so on.
func alternateDir(dir string, n int) string {
	if n == 1 {
		return dir
	}
	return fmt.Sprintf("%s-%d", filepath.Clean(dir), n)
}

// Listens records the address on which players join, for readers of the status. It does not wait for the disk.
func (r *Recorder) Listens(at string) {
	r.listen.Store(at)
	notify(r.statusWanted)
}

// Dir returns the spool folder in use, and its number among the alternatives, counted from 1.
func (r *Recorder) Dir() (dir string, number int) { return r.opts.Dir, r.opts.number }

// replaceFile replaces a file atomically and durably.
func replaceFile(on disk.Disk, path string, text []byte) error {
	return disk.Replace(on, path, text, true)
}
