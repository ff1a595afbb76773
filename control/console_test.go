package control

import (
	"context"
	"strings"
	"testing"
	"time"

	"w3host/internal/testkit"
)

// Who stops the host at the console reads that it stops, and nothing else.
func TestConsoleStopsTheHost(t *testing.T) {
	s := newStage(t, map[string]map[string]bool{})
	ctx, stop := context.WithCancel(t.Context())
	s.operator.opts.Stop = func() {
		stop()
		time.Sleep(50 * time.Millisecond) // the console hears of the end before the command is done
	}
	var log testkit.Log
	c := &Console{in: strings.NewReader("exit\n"), Log: &log}
	c.read(ctx, s.operator)
	if log.String() != "The host is shutting down.\n" {
		t.Errorf("the console shows %q", log.String())
	}
}
