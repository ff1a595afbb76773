package replay

import "errors"

// Errors for invalid files; test for them with errors.Is.
var (
	ErrNotReplay = errors.New("not a Warcraft III replay")
	ErrTruncated = errors.New("the file is truncated")
	ErrDamaged   = errors.New("the file is damaged")
)
