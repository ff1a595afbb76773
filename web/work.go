package web

import (
	"context"

	"w3host/internal/background"
)

// Places bound how many do something at once.
type Places chan struct{}

// Take does something when there is a place; false: the caller did not wait for one.
func (p Places) Take(ctx context.Context, do func()) bool {
	select {
	case p <- struct{}{}:
		defer func() { <-p }()
		do()
		return true
	case <-ctx.Done():
		return false
	}
}

// working has a place for what takes a core for more than a moment: a page that is made, a password that
// is checked. With one at a time the other cores are left to the games, however much is asked of the window.
var working = make(Places, 1)

// Work does something in the background when its turn has come; false: the caller did not wait for it.
func Work(ctx context.Context, do func()) bool {
	return working.Take(ctx, func() { background.Do(do) })
}
