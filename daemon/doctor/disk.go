package doctor

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize"

	"w3host/config"
	"w3host/internal/diskspace"
)

// leastFree is the free space below which a host is about to lose replays and records.
const leastFree = 500 << 20

// checkSpool tries to write to the spool.
func checkSpool(_ context.Context, c config.Config) Finding {
	return checkFolder(c.SpoolDir(), "records cannot wait in", "database.spool", "")
}

// checkReplays tries to write to the folder of replays.
func checkReplays(_ context.Context, c config.Config) Finding {
	if !c.Replays.Enabled {
		return fine("not needed: replays.enabled is false")
	}
	return checkFolder(c.Replays.Dir, "games cannot be recorded in", "replays.dir", ", or lower replays.keep_bytes")
}

// checkFolder writes to a folder and looks at the free space of its disk.
func checkFolder(dir, cannot, key, or string) Finding {
	if err := writable(dir); err != nil {
		return fine("%s %s: %v", cannot, dir, err).but("free some space there or let the host write there%s, or set %s", or, key)
	}
	free, _, known := diskspace.Of(existing(dir))
	if !known {
		return fine("%s can be written", dir)
	}
	f := fine("%s can be written, %s are free", dir, humanize.Bytes(free))
	if free < leastFree {
		return f.but("free some space on that disk%s, or set %s to another one", or, key)
	}
	return f
}

// existing is the folder, or the nearest one above it that exists.
func existing(dir string) string {
	if full, err := filepath.Abs(dir); err == nil {
		dir = full
	}
	for {
		if _, err := os.Stat(dir); err == nil || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// writable writes a file into a folder, or into the nearest existing one above it, and
// removes it: on a full disk an empty one can still be made.
func writable(dir string) error {
	f, err := os.CreateTemp(existing(dir), ".w3host-doctor-*")
	if err != nil {
		return err
	}
	_, err = f.Write(bytes.Repeat([]byte{' '}, 64<<10))
	return errors.Join(err, f.Sync(), f.Close(), os.Remove(f.Name()))
}
