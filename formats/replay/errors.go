package replay

import "errors"

// Faults of a file. Test with errors.Is.
var (
	ErrNotReplay = errors.New("not a Warcraft III replay")
	ErrTruncated = errors.New("the file ends too early")
	ErrDamaged   = errors.New("the file is damaged")
)
