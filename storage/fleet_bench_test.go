package storage_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"w3host/fleet"
	"w3host/storage"
	"w3host/storage/storagetest"
)

var fleetBench = flag.Int("fleet-hosts", 0, "hosts of TestFleetLoad; 0: it is skipped")

// So many hosts, each with up to 100 lobbies of five minutes of 100 entries, beat once a second for
// 20 seconds over 50 connections, as through a pooler. The client's share of the machine is counted, too:
//
//	scripts/with-postgres.sh go test ./storage -run FleetLoad -fleet-hosts 1000 -v
func TestFleetLoad(t *testing.T) {
	if *fleetBench == 0 {
		t.Skip("SKIPPED: it takes minutes; -fleet-hosts says how many hosts there are")
	}
	const lasts, entries, each, connections = 20 * time.Second, 100, 100, 50
	url := storagetest.Postgres(t)
	var pools []storage.Pool
	for i := range entries {
		pools = append(pools, storage.Pool{Name: fmt.Sprintf("entry/%d", i), Leases: *fleetBench * each / entries})
	}
	var fleets []*storage.Fleet
	for range connections {
		fleets = append(fleets, openFleet(t, url))
	}
	if err := fleets[0].Define(t.Context(), pools); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var took []time.Duration
	takes, failed, lost := 0, 0, 0
	var all sync.WaitGroup
	var seats []*seat
	for i := range *fleetBench {
		s, _ := settle(t, fleets[i%connections])
		seats = append(seats, s)
	}
	began := time.Now()
	for i, s := range seats {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 2))
			time.Sleep(rand.N(time.Second))
			for time.Since(began) < lasts {
				for _, l := range s.Held() {
					if r.IntN(300) == 0 {
						s.Give(l)
					}
				}
				var wants []fleet.Want
				for range 8 {
					wants = append(wants, fleet.Want{Pool: pools[r.IntN(entries)].Name, Most: min(10, each-len(s.Held())), Highest: 1 << 20})
				}
				sent := time.Now()
				b := s.Beat(sent.Sub(began), wants, fleet.Load{Places: len(s.Held())})
				a, _, err := s.f.Beat(t.Context(), s.id, &b)
				mu.Lock()
				took = append(took, time.Since(sent))
				if err != nil {
					s.Failed()
					failed++
				} else {
					c := s.Answered(sent.Sub(began), time.Since(began), &b, &a)
					takes, lost = takes+len(c.Taken), lost+len(c.Lost)
				}
				mu.Unlock()
				time.Sleep(time.Until(sent.Add(fleet.Every)))
			}
		})
	}
	all.Wait()
	slices.Sort(took)
	at := func(p float64) time.Duration { return took[int(float64(len(took)-1)*p)].Round(100 * time.Microsecond) }
	t.Logf("%d hosts: %d beats, %d leases taken, %d lost, %d failed; p50 %v, p99 %v, longest %v",
		*fleetBench, len(took), takes, lost, failed, at(.5), at(.99), at(1))
}
