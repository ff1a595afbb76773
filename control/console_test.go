package control

import (
	"context"
	"strings"
	"testing"

	"w3host/internal/testkit"
)

// TestConsoleStopsTheHost: an operator who stops the host reads that it stops and no error, although the console sees the
// end of the host before its command is done.
func TestConsoleStopsTheHost(t *testing.T) {
	o := &Operator{lines: make(chan request), done: make(chan struct{})}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var log testkit.Log
	c := &Console{in: strings.NewReader("exit\n"), Log: &log}
	read := make(chan struct{})
	go func() {
		c.read(ctx, o)
		close(read)
	}()
	r := <-o.lines
	r.by.Reply("The host is shutting down.")
	stop()
	<-read
	r.done()
	if log.String() != "The host is shutting down.\n" {
		t.Errorf("the console shows %q", log.String())
	}
}
