package web

import (
	"context"

	"w3host/internal/background"
)

// working has a place for what takes a core for more than a moment: a page that is made, a password that
// is checked. With one at a time the other cores are left to the games, however much is asked of the window.
var working = make(chan struct{}, 1)

// Work does something in the background when its turn has come; false: the caller did not wait for it.
func Work(ctx context.Context, do func()) bool {
	select {
	case working <- struct{}{}:
		defer func() { <-working }()
		background.Do(do)
		return true
	case <-ctx.Done():
		return false
	}
}
