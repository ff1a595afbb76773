package spool

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

// syncDir makes new file names in dir survive a power cut. On Windows it does nothing: NTFS journals names,
// and directories cannot be synced.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err == nil {
		err = errors.Join(d.Sync(), d.Close())
	}
	if err != nil {
		return fmt.Errorf("sync the spool directory: %w", err)
	}
	return nil
}
