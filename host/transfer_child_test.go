package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"w3host/bots"
	"w3host/protocol/w3gs"
)

// Bots in the process of the host would take its goroutines' turns at the
// processors, and their lateness would look like the host's. Here they run in a
// process of their own, which is the test binary again.

// childEnv tells the test binary that it is such a process, and what to do.
const childEnv = "W3HOST_TEST_TRANSFER_CHILD"

// childOrder is what one process of bots does.
type childOrder struct {
	Addr     string
	GameID   uint32 // 0 guesses the first lobbies
	EntryKey uint32
	Version  w3gs.Version
	Games    int
	Players  int
	Play     time.Duration
	Chat     time.Duration
	Prefix   string
	Dir      string // download the map into it …
	Again    bool   // … again and again
}

// childReport is what it answers.
type childReport struct {
	Rounds, Downloads, GamesRun int
	OK                          bool // of the last round, like what follows
	Jitter, OwnLate, Chat       bots.Summary
	Outcomes                    map[bots.Outcome]int

	Trouble string
	Faults  []string
}

// TestTransferChild is the other process; by itself it has nothing to do.
func TestTransferChild(t *testing.T) {
	text := os.Getenv(childEnv)
	if text == "" {
		t.Skip("only for the other transfer tests")
	}
	var order childOrder
	if err := json.Unmarshal([]byte(text), &order); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() { // ends when the parent closes the pipe
		_, _ = os.Stdin.Read(make([]byte, 1))
		stop()
	}()
	var sum childReport
	for round := 0; round == 0 || order.Again && ctx.Err() == nil; round++ {
		sum.add(order.run(ctx, round))
	}
	if err := json.NewEncoder(os.Stderr).Encode(sum); err != nil {
		t.Fatal(err)
	}
}

// run is one round of bots. Those who download leave when all have the map.
func (o *childOrder) run(ctx context.Context, round int) (report bots.Report, err error) {
	opts := bots.Options{
		Addr: o.Addr, GameID: o.GameID, EntryKey: o.EntryKey, Version: o.Version, Games: o.Games, Players: o.Players,
		Play: o.Play, ChatEvery: o.Chat, NamePrefix: o.Prefix, LoadTime: 500 * time.Millisecond,
	}
	if o.Dir == "" {
		return bots.Run(ctx, opts)
	}
	dir := filepath.Join(o.Dir, strconv.Itoa(round))
	defer os.RemoveAll(dir)
	opts.NoStart, opts.Conduct = true, downloads(dir)
	ctx, done := context.WithCancel(ctx)
	defer done()
	go func() { // ends with the round
		for ctx.Err() == nil {
			if files, _ := filepath.Glob(filepath.Join(dir, "*.w3x")); len(files) == o.Players {
				done()
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return bots.Run(ctx, opts)
}

func (r *childReport) add(b bots.Report, err error) {
	if err != nil {
		r.Trouble = err.Error()
	}
	r.Downloads += len(b.Downloads)
	if len(b.Downloads) == b.Bots {
		r.Rounds++
	}
	for _, f := range b.Faults {
		r.Faults = append(r.Faults, f.String())
	}
	r.GamesRun, r.OK, r.Outcomes = b.GamesRun, b.OK, b.Outcomes
	r.Jitter, r.OwnLate, r.Chat = b.Jitter, b.OwnLate, b.ChatDelay
}

// child is a running process of bots.
type child struct {
	t      testing.TB
	cmd    *exec.Cmd
	stdin  interface{ Close() error }
	stderr bytes.Buffer
}

func startChild(t testing.TB, order childOrder) *child {
	t.Helper()
	text, err := json.Marshal(order)
	if err != nil {
		t.Fatal(err)
	}
	c := &child{t: t, cmd: exec.Command(os.Args[0], "-test.run=^TestTransferChild$")}
	c.cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	c.cmd.Stderr = &c.stderr
	if c.stdin, err = c.cmd.StdinPipe(); err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
	})
	return c
}

// report stops the bots if told to, and waits for what they saw.
func (c *child) report(stop bool) (r childReport) {
	c.t.Helper()
	if stop {
		_ = c.stdin.Close()
	}
	if err := c.cmd.Wait(); err != nil {
		c.t.Fatalf("bots: %v\n%s", err, c.stderr.String())
	}
	if err := json.Unmarshal(c.stderr.Bytes(), &r); err != nil {
		c.t.Fatalf("bots: %v\n%s", err, c.stderr.String())
	}
	if len(r.Faults) > 0 || r.Trouble != "" {
		c.t.Errorf("bots: %s %v", r.Trouble, r.Faults)
	}
	return r
}

// order sends bots into the lobby of the transfers.
func (r *transferRig) order(players int) childOrder {
	return childOrder{
		Addr: r.host.Addr().String(), GameID: r.game.ID(), EntryKey: r.game.EntryKey(), Version: 26, Games: 1, Players: players,
	}
}
