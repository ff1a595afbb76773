package spool

import "fmt"

// syncDir makes new file names in the folder survive a power cut.
func (s *Spool) syncDir() error {
	if err := s.disk.SyncDir(s.dir); err != nil {
		return fmt.Errorf("sync the spool directory: %w", err)
	}
	return nil
}
