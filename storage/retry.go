package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"w3host/internal/disk"
	"w3host/storage/spool"
)

// SpoolState describes the contents of a spool.
type SpoolState struct {
	Dir        string        `json:"dir"`
	Waiting    []*spool.File `json:"waiting"`
	Quarantine []*spool.File `json:"quarantine"`
	Rejected   int           `json:"rejected"` // records refused by the database
	Host       *Status       `json:"host,omitempty"`
}

// InspectSpool examines a spool. The host that owns it may be running.
func InspectSpool(dir string) (s SpoolState, err error) {
	s.Dir = dir
	if s.Waiting, s.Quarantine, err = spool.Inspect(dir); err != nil {
		return s, err
	}
	for _, name := range []string{rejectedFile, retryFile} {
		c, err := spool.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return s, err
		}
		s.Rejected += len(c.Lines) + c.Damaged
	}
	if status, err := ReadStatus(dir); err == nil {
		s.Host = &status
	}
	return s, nil
}

// retryFile is the name of rejected.jsonl during a retry, because the running host may reject more records
// meanwhile.
const retryFile = "rejected.retry.jsonl"

// Retry stores the records that the database refused, and lines of quarantined files that a person has fixed.
// Records that are refused again stay where they are. An interrupted retry is continued by the next call.
func Retry(ctx context.Context, db *Store, dir string) (stored, refused int, err error) {
	r := retry{db: db, dir: dir, runs: map[string]retryRun{}}
	id, err := os.ReadFile(filepath.Join(dir, hostIDFile))
	if err != nil {
		return 0, 0, fmt.Errorf("no host has used this spool: %w", err)
	}
	r.host = strings.TrimSpace(string(id))
	err = r.rejected(ctx)
	_, aside, inspectErr := spool.Inspect(dir)
	for _, f := range aside {
		if err == nil {
			err = r.mended(ctx, f.Path)
		}
	}
	return r.stored, r.refused, errors.Join(err, inspectErr)
}

type retry struct {
	db              *Store
	dir, host       string
	runs            map[string]retryRun
	stored, refused int
}

// retryRun is a new run under which a record is stored, because the position of its original run is already
// past it.
type retryRun struct {
	id   string
	last uint64
}

// put stores one record. refusal explains why the database refused it.
func (r *retry) put(ctx context.Context, l spool.Line) (refusal, err error) {
	rec, err := decodeLine(l)
	if err != nil {
		r.refused++
		return err, nil
	}
	run := r.runs[l.Run]
	if run.id == "" || l.Seq <= run.last {
		run.id = NewGameKey().String()
	}
	run.last = l.Seq
	r.runs[l.Run] = run
	err = r.db.Apply(ctx, Batch{HostID: r.host, Run: run.id, Records: []SequencedRecord{{l.Seq, rec}}})
	switch {
	case errors.Is(err, ErrRejected):
		r.refused++
		return err, nil
	case err == nil:
		r.stored++
	}
	return nil, err
}

func (r *retry) rejected(ctx context.Context) error {
	path, again := filepath.Join(r.dir, rejectedFile), filepath.Join(r.dir, retryFile)
	if _, err := os.Stat(again); errors.Is(err, fs.ErrNotExist) {
		if err := os.Rename(path, again); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("take %s: %w", path, err)
		}
	}
	text, err := os.ReadFile(again)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the refused records: %w", err)
	}
	var failed error // the remaining lines are kept unchanged
	for line := range bytes.Lines(text) {
		back := bytes.TrimSpace(line)
		if c := spool.Parse(line); failed == nil && len(c.Lines) == 1 {
			var refusal error
			if refusal, failed = r.put(ctx, c.Lines[0]); failed == nil {
				back = nil
			}
			if refusal != nil {
				back = rejectedLine(c.Lines[0], refusal)
			}
		}
		if len(back) > 0 {
			if err := appendLine(disk.System, path, back); err != nil {
				return fmt.Errorf("put a refused record back: %w", err)
			}
		}
	}
	return errors.Join(failed, os.Remove(again))
}

// mended stores the fixed lines of a file and restores their checksums.
func (r *retry) mended(ctx context.Context, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read a file in quarantine: %w", err)
	}
	var sealed []byte
	for line := range bytes.Lines(text) {
		if c := spool.Parse(line); len(c.Lines) == 1 && c.Lines[0].Mended {
			refusal, err := r.put(ctx, c.Lines[0])
			if err != nil {
				return err
			}
			if refusal == nil {
				line = c.Lines[0].Append(nil)
			}
		}
		sealed = append(sealed, line...)
	}
	if bytes.Equal(sealed, text) {
		return nil
	}
	return replaceFile(disk.System, path, sealed)
}
