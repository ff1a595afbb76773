package heartbeat

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestBeat: each listener gets a beat; one that is busy gets one beat for all that it missed.
func TestBeat(t *testing.T) {
	var h Heart
	a, stopA := h.Listen(Every)
	b, stopB := h.Listen(Every)
	defer stopB()
	h.Beat(time.Time{})
	<-a
	h.Beat(time.Time{})
	<-a
	if n := len(b); n != 1 {
		t.Errorf("%d beats wait for a busy listener, want 1", n)
	}
	c, stopC := h.Listen(5 * Every)
	defer stopC()
	for i := range 11 {
		if h.Beat(time.Unix(int64(i), 0)); (len(c) > 0) != (i%5 == 0) {
			t.Errorf("beat %d: %d values for a listener that wants every fifth", i, len(c))
		}
		for len(c) > 0 {
			<-c
		}
	}
	<-a
	stopA()
	h.Beat(time.Time{})
	if n := len(a); n != 0 {
		t.Errorf("a listener that has stopped got %d beats", n)
	}
}

// TestNil: a nil Heart beats once a second.
func TestNil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h *Heart
		beats, stop := h.Listen(Every)
		defer stop()
		began := time.Now()
		for range 3 {
			<-beats
		}
		if took := time.Since(began); took != 3*Every {
			t.Errorf("three beats took %v", took)
		}
	})
}
