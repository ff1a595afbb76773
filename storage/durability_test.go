//go:build unix

package storage_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"w3host/internal/tier"
	"w3host/storage"
	"w3host/storage/storagetest"

	"w3host/internal/testkit"
)

// childVariable makes the test program a host that records until it is killed:
// it holds the URL of the database, a line break, and the directory of the spool.
const childVariable = "W3HOST_TEST_RECORDING_CHILD"

func TestMain(m *testing.M) {
	if where := os.Getenv(childVariable); where != "" {
		url, dir, _ := strings.Cut(where, "\n")
		record(url, dir)
		return
	}
	goleak.VerifyTestMain(m)
}

// beatEvery is the time between heartbeats in tests and short: three of them tell a host that is dead.
const beatEvery = 100 * time.Millisecond

func newRecorder(t testing.TB, db *storage.Store, dir string) (*storage.Recorder, *testkit.Log) {
	t.Helper()
	log := new(testkit.Log)
	rec, err := storage.NewRecorder(db, storage.RecorderOptions{Dir: dir, Name: "test", Log: zerolog.New(log), Heartbeat: beatEvery})
	if err != nil {
		t.Fatal(err)
	}
	return rec, log
}

// drain closes the recorder and checks that nothing is left of its spool.
func drain(t testing.TB, rec *storage.Recorder, dir string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := rec.Close(ctx); err != nil {
		t.Error(err)
	}
	if s := rec.Stats(); s.Waiting != 0 || s.Lost.Total() != 0 || s.SpoolSize != 0 {
		t.Errorf("after Close: %+v", s)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "0*.jsonl")); len(left) != 0 {
		t.Errorf("the spool is not empty: %v", left)
	}
}

// Two hundred games of ten players, in the full tier, end within one second: all rows are there.
func TestManyGamesEndAtOnce(t *testing.T) {
	t.Parallel()
	const players, lines = 10, 2
	games := tier.Pick(20, 200)
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			db, dir := storagetest.Open(t, database(t)), t.TempDir()
			rec, _ := newRecorder(t, db, dir)
			keys := make([]storage.GameKey, games)
			var wg sync.WaitGroup
			began := time.Now()
			for i := range keys {
				keys[i] = storage.NewGameKey()
				wg.Go(func() {
					time.Sleep(time.Second * time.Duration(i) / time.Duration(games) / 2)
					playGame(rec, keys[i], players, lines)
				})
			}
			wg.Wait()
			recorded := time.Since(began)
			drain(t, rec, dir)
			n := rec.Stats().Recorded
			t.Logf("%d records in %v, in the database after %v", n, recorded.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
			if want := uint64(games * (3 + players*(5+lines))); n != want {
				t.Errorf("%d records, want %d", n, want)
			}
			for _, k := range keys {
				if err := checkGame(t.Context(), db, k, players, lines); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// Postgres crashes in the middle of 20 running games and comes back: nothing
// is lost, nothing doubled, no turn waits. W3HOST_TEST_OUTAGE=1m makes it last.
func TestPostgresCrashesUnderGames(t *testing.T) {
	outage := 5 * time.Second
	if s := os.Getenv("W3HOST_TEST_OUTAGE"); s != "" {
		var err error
		if outage, err = time.ParseDuration(s); err != nil {
			t.Fatal(err)
		}
	}
	server := storagetest.NewServer(t)
	db, dir := storagetest.Open(t, server.URL), t.TempDir()
	rec, log := newRecorder(t, db, dir)
	games := startGames(rec, 20)
	testkit.Eventually(t, "records reach the database before the crash", func() bool { return rec.Stats().Applied > 0 })
	server.Stop()
	time.Sleep(outage)
	if s := rec.Stats(); !s.DBDown || s.Waiting == 0 || s.SpoolSize == 0 {
		t.Errorf("during the outage: %+v", s)
	}
	server.Start()
	testkit.Eventually(t, "records reach the database again", func() bool { return !rec.Stats().DBDown })
	games.End()
	drain(t, rec, dir)
	if worst, _ := games.Report(t); worst > 250*time.Millisecond {
		t.Errorf("Record took up to %v", worst)
	}
	for i, k := range games.Keys {
		g, err := db.Game(t.Context(), k)
		if err == nil {
			err = checkLines(g, games.Lines[i])
		}
		if err != nil {
			t.Error(err)
		}
	}
	for _, said := range []string{"they wait in the spool", "accepts records again"} {
		if n := strings.Count(log.String(), said); n < 1 || n > 3 {
			t.Errorf("the log says %d times %q", n, said)
		}
	}
}

// record is the child: games that print what they have recorded.
func record(url, dir string) {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	db, err := storage.Open(context.Background(), url, storage.Options{})
	fail(err)
	rec, err := storage.NewRecorder(db, storage.RecorderOptions{Dir: dir, Name: "child", Log: zerolog.Nop()})
	fail(err)
	key := storage.NewGameKey()
	rec.Record(storage.GameCreated{Game: key, At: time.Now(), Name: "killed"})
	for n := 0; ; n++ {
		rec.Record(chatLine(key, n))
		fmt.Println(key, n+1, time.Now().UnixNano())
		time.Sleep(2 * time.Millisecond)
	}
}

// A host is killed with -9 again and again. Of each run all is there but the
// last tenth of a second, once, and its game is closed as crashed.
func TestKill(t *testing.T) {
	tier.All(t, "kills processes")
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			url, dir := database(t), t.TempDir()
			db := storagetest.Open(t, url)
			var losses []time.Duration
			for run := range 5 {
				key, printed := killed(t, url, dir, time.Duration(run+1)*300*time.Millisecond)
				rec, _ := newRecorder(t, db, dir)
				crashed := func() bool {
					g, err := db.Game(t.Context(), key)
					return err == nil && g.Ended == storage.EndCrashed
				}
				for range 500 { // until it is sure that the killed run does not go on
					if crashed() {
						break
					}
					time.Sleep(10 * time.Millisecond)
				}
				drain(t, rec, dir)
				g, err := db.Game(t.Context(), key)
				if errors.Is(err, storage.ErrNotFound) {
					g, err = &storage.GameDetail{Game: storage.Game{Ended: storage.EndCrashed}}, nil
				}
				if err != nil {
					t.Fatal(err)
				}
				if err := checkLines(g, len(g.Chat)); err != nil {
					t.Error(err)
				}
				if g.Ended != storage.EndCrashed {
					t.Errorf("the game ended as %q", g.Ended)
				}
				lost := time.Duration(0)
				if n := len(g.Chat); n < len(printed) {
					lost = printed[len(printed)-1].Sub(printed[n])
				}
				losses = append(losses, lost)
				t.Logf("run %d: %d records, %d of them stored, the last %v lost", run, len(printed), len(g.Chat), lost)
			}
			// The worst of five says more about what else this machine does.
			slices.Sort(losses)
			if median := losses[len(losses)/2]; median > 100*time.Millisecond {
				t.Errorf("the last %v are lost", median)
			}
		})
	}
}

// killed runs a child for so long after its first record, kills it, and tells
// its game and when each line was recorded.
func killed(t *testing.T, url, dir string, live time.Duration) (key storage.GameKey, at []time.Time) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childVariable+"="+url+"\n"+dir)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	lines := bufio.NewReader(out)
	for {
		var text string
		var n int
		var ns int64
		s, err := lines.ReadString('\n')
		if err == io.EOF {
			break
		}
		if _, err := fmt.Sscan(s, &text, &n, &ns); err != nil {
			t.Fatalf("the child says %q: %v", s, err)
		}
		once.Do(func() {
			time.AfterFunc(live, func() { _ = child.Process.Kill() })
			if key, err = storage.ParseGameKey(text); err != nil {
				t.Error(err)
			}
		})
		at = append(at, time.Unix(0, ns))
	}
	_ = child.Wait() // killed, as asked
	if len(at) == 0 {
		t.Fatal("the child recorded nothing")
	}
	return key, at
}
