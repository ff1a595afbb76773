package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"w3host/formats/replay"
	"w3host/record/recording"
)

// repair implements `w3host replay repair`. The repaired file replaces the old one only when it is complete. A ".part"
// file of a crashed host also gets its final name.
func (c *replayCall) repair() error {
	name := c.names[0]
	if recording.IsPart(name) && c.output == "" {
		done, err := recording.Finish(name)
		if err != nil {
			return failed(name, plainError(err))
		}
		return c.repaired(strings.TrimSuffix(name, ".part"), done)
	}
	src, err := os.Open(name)
	if err != nil {
		return failed(name, plainError(err))
	}
	defer src.Close()
	to := cmp.Or(c.output, name)
	var done *replay.Repaired
	err = writeFile(to, c.output != "", 0o644, func(f *os.File) (err error) {
		if done, err = replay.Repair(src, f); err == nil && len(done.Faults) == 0 {
			err = errWhole
		}
		return err
	})
	switch {
	case errors.Is(err, errWhole):
		fmt.Fprintf(c.stdout, "%s: complete, nothing to repair\n", name)
		return nil
	case err != nil:
		return failed(name, err)
	}
	return c.repaired(to, done)
}

func (c *replayCall) repaired(to string, done *replay.Repaired) error {
	fmt.Fprintf(c.stdout, "%s: repaired, %s of the game was saved", to, clock(done.Kept.Milliseconds()))
	if done.Lost > 0 {
		fmt.Fprintf(c.stdout, ", %s is lost", clock(done.Lost.Milliseconds()))
	}
	fmt.Fprintln(c.stdout)
	for _, fault := range done.Faults {
		fmt.Fprintf(c.stdout, "  was: %s\n", fault)
	}
	return nil
}

var errWhole = errors.New("the replay is complete")

func (c *replayCall) anonymise() error {
	if c.output == "" {
		return usageError{errors.New("--output FILE is missing: anonymise does not change the replay itself")}
	}
	name := c.names[0]
	r, src, err := readReplay(name)
	if err != nil {
		return failed(name, err)
	}
	defer src.Close()
	err = writeFile(c.output, true, 0o644, func(f *os.File) error { return replay.Anonymise(r, f, c.keepChat) })
	if err != nil {
		return failed(name, err)
	}
	fmt.Fprintf(c.stdout, "%s: wrote the replay without names\n", c.output)
	return nil
}

// writeFile writes a temporary file and renames it to name when it is complete. If fresh is set, name must not exist
// yet; otherwise an existing file keeps its mode.
func writeFile(name string, fresh bool, mode os.FileMode, write func(*os.File) error) error {
	if _, err := os.Lstat(name); fresh && err == nil {
		return fmt.Errorf("%s already exists; choose another --output", name)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return fmt.Errorf("cannot create a file in %s: %w", filepath.Dir(name), path.Err)
	}
	defer os.Remove(f.Name())
	if stat, err := os.Stat(name); err == nil {
		mode = stat.Mode().Perm()
	}
	err = errors.Join(write(f), f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return plainError(os.Rename(f.Name(), name))
}
