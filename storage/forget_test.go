package storage_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"w3host/storage"
	"w3host/storage/storagetest"
)

// names that databases fold in their own ways, or that hold signs of patterns.
var foldedNames = []string{"Arger", "Ärger", "ÆØÅ", "李明", "Ünal%_!", "ΣΊΣΥΦΟΣ"}

// TestForgetEverywhere: a name is found in every row of a long table, whatever its letters.
func TestForgetEverywhere(t *testing.T) {
	t.Parallel()
	const rows = 2*2000 + 1 // the last alone in its part
	for kind, database := range storagetest.Databases {
		t.Run(kind, func(t *testing.T) {
			url := database(t)
			db := storagetest.Open(t, url)
			seq := uint64(1)
			for _, name := range foldedNames {
				for _, detail := range []string{name, strings.ToLower(name) + " and " + strings.ToUpper(name), "x" + name + "x"} {
					b := storage.Batch{HostID: hostA, Run: runA1}
					for range rows / 9 {
						b.Records = append(b.Records, storage.SequencedRecord{Seq: seq, Record: storage.AdminAction{At: after(0), Who: "root", Detail: detail}})
						seq++
					}
					if err := db.Apply(t.Context(), b); err != nil {
						t.Fatal(err)
					}
				}
			}
			for _, name := range foldedNames {
				f, err := db.Forget(t.Context(), strings.ToUpper(name))
				if err != nil {
					t.Fatal(name, err)
				}
				if n := raw(t, url, "SELECT count(*) FROM audit WHERE detail = '"+f.Token+"' OR detail = '"+f.Token+" and "+f.Token+"'"); n != 2*(rows/9) {
					t.Errorf("%s: %d rows are changed, want %d", name, n, 2*(rows/9))
				}
				if n := raw(t, url, "SELECT count(*) FROM audit WHERE detail = 'x"+name+"x'"); n != rows/9 {
					t.Errorf("%s: %d rows with the name inside of a word are kept, want %d", name, n, rows/9)
				}
			}
		})
	}
}

// TestForgetInReports: reports of maps write a space and a backslash of a name with a backslash before it.
func TestForgetInReports(t *testing.T) {
	t.Parallel()
	const name, reported = `Bob \ Two`, `init pid 1 Bob\ \\\ Two`
	for kind, database := range storagetest.Databases {
		t.Run(kind, func(t *testing.T) {
			db := storagetest.Open(t, database(t))
			k := storage.NewGameKey()
			write(t, db, storage.GameCreated{Game: k}, storage.PlayerJoined{Game: k, PID: 2, Name: name},
				storage.MapReports{Game: k, Sender: 2, Reports: []storage.MapReport{{File: "MMD.Dat", Mission: "val:1", Key: reported}}},
				storage.GameEnded{Game: k, At: after(0), How: storage.EndFinished})
			f, err := db.Forget(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			g, err := db.ReportedGame(t.Context(), k)
			if want := "init pid 1 " + f.Token; err != nil || g.Reports[0].Reports[0].Key != want {
				t.Errorf("%+v, %v, want %s", g.Reports, err, want)
			}
		})
	}
}

// TestForgetInLittleMemory: the memory does not grow with the tables. A name with an umlaut took all of them at once.
func TestForgetInLittleMemory(t *testing.T) {
	url := storagetest.SQLite(t)
	db := storagetest.Open(t, url)
	raw(t, url, fmt.Sprintf(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150000)
		INSERT INTO audit (run, seq, at, who, realm, via, action, target, detail, refused)
		SELECT '%s', i, '2026-01-01T00:00:00.000Z', 'Ann', '', 'console', 'say', '', 'urger urger urger urger urger urger urger urger urger urger', '' FROM n`, runA1))
	runtime.GC()
	var base, now runtime.MemStats
	runtime.ReadMemStats(&base)
	peak := base.HeapInuse
	stop, done := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
				runtime.ReadMemStats(&now)
				peak = max(peak, now.HeapInuse)
			}
		}
	}()
	_, err := db.Forget(t.Context(), "Ürger")
	close(stop)
	<-done
	if grown := (peak - base.HeapInuse) >> 20; grown > 40 {
		t.Errorf("the heap grew by %d MiB (%v)", grown, err)
	}
}
