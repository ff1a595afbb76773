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

// leastFree is the free space in bytes below which a host is likely to lose replays and records.
const leastFree = 500 << 20

// checkSpool checks that the spool can be written.
func checkSpool(_ context.Context, c config.Config) Finding {
	return checkFolder(c.SpoolDir(), "cannot keep records in", "database.spool", "")
}

// checkReplays checks that the folder of replays can be written.
func checkReplays(_ context.Context, c config.Config) Finding {
	if !c.Replays.Enabled {
		return fine("not needed: replays.enabled is false")
	}
	return checkFolder(c.Replays.Dir, "cannot record games in", "replays.dir", ", or lower replays.keep_bytes")
}

// checkFolder writes to a folder and checks the free space of its disk.
func checkFolder(dir, cannot, key, or string) Finding {
	if err := writable(dir); err != nil {
		return fine("%s %s: %v", cannot, dir, err).but("free some space there or let the host write there%s, or set %s", or, key)
	}
	free, _, known := diskspace.Of(existing(dir))
	if !known {
		return fine("%s is writable", dir)
	}
	f := fine("%s is writable, with %s free", dir, humanize.Bytes(free))
	if free < leastFree {
		return f.but("free some space on that disk%s, or set %s to another one", or, key)
	}
	return f
}

// existing returns dir, or its nearest parent that exists.
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

// writable writes and removes a file in a folder, or in its nearest existing parent. The file is not empty, because
// empty files can be created on a full disk.
func writable(dir string) error {
	f, err := os.CreateTemp(existing(dir), ".w3host-doctor-*")
	if err != nil {
		return err
	}
	_, err = f.Write(bytes.Repeat([]byte{' '}, 64<<10))
	return errors.Join(err, f.Sync(), f.Close(), os.Remove(f.Name()))
}
