package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// crowd is a process of bots that play games of one host.
type crowd struct {
	cmd *exec.Cmd
	out bytes.Buffer
}

// begin starts bots for the given number of games and returns when all games have started.
func (b *bench) begin(port, games, players int, length time.Duration, flags ...string) (*crowd, error) {
	c := &crowd{cmd: exec.Command(filepath.Join(b.dir, "w3host"), append([]string{
		"bots", "--addr", local(port), "--players", strconv.Itoa(players), "--games", strconv.Itoa(games),
		"--minutes", strconv.FormatFloat(length.Minutes(), 'f', -1, 64), "--json",
	}, flags...)...)}
	c.cmd.Stdout = &c.out
	said, err := c.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := b.start(c.cmd); err != nil {
		return nil, err
	}
	if err := awaitGames(said, games); err != nil {
		c.stop()
		return nil, err
	}
	return c, nil
}

// wait waits for the bots to finish and returns their report.
func (c *crowd) wait() (report botsReport, err error) {
	_ = c.cmd.Wait() // errors are in the report; against the floor many are expected
	if err := json.Unmarshal(c.out.Bytes(), &report); err != nil {
		return report, fmt.Errorf("the bots' report: %w: %s", err, c.out.String())
	}
	return report, nil
}

func (c *crowd) stop() { _, _ = c.cmd.Process.Kill(), c.cmd.Wait() }
