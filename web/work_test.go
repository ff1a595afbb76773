package web

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// As many work at once as there are places, however many come.
func TestPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		places, at, most := make(Semaphore, 4), atomic.Int32{}, atomic.Int32{}
		for range 20 {
			go places.Take(t.Context(), func() {
				most.Store(max(most.Load(), at.Add(1)))
				time.Sleep(time.Second)
				at.Add(-1)
			})
		}
		time.Sleep(time.Minute)
		if most.Load() != 4 {
			t.Errorf("%d at once", most.Load())
		}
	})
}
