//go:build windows

package spool

// syncDir has nothing to do: NTFS writes names through its own journal, and
// directories cannot be synced.
func syncDir(string) error { return nil }
