//go:build unix

package spool

import (
	"errors"
	"fmt"
	"os"
)

// syncDir makes a new name in dir survive a power cut.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err == nil {
		err = errors.Join(d.Sync(), d.Close())
	}
	if err != nil {
		return fmt.Errorf("sync the spool directory: %w", err)
	}
	return nil
}
