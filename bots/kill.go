package bots

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// killAgain is the pause between checks while a kill that is due has to wait for the next host process.
const killAgain = 50 * time.Millisecond

// kill kills the host's process every Options.KillEvery until ctx ends, and returns how often it did. Whatever started
// the host must start it again. A kill waits until a game has gone on after the previous kill: otherwise a slow machine
// would never get to play. Kills that waited do not shift later ones.
func (r *run) kill(ctx context.Context) (kills int) {
	if r.opts.Kill == "" {
		return 0
	}
	for due := time.Now().Add(r.opts.KillEvery); sleep(ctx, time.Until(due)); due = due.Add(r.opts.KillEvery) {
		for r.wentOn.Load() != r.killed.Load() {
			if !sleep(ctx, killAgain) {
				return kills
			}
		}
		pid, err := killOnce(r.opts.Kill)
		for errors.Is(err, os.ErrProcessDone) && sleep(ctx, killAgain) {
			pid, err = killOnce(r.opts.Kill)
		}
		if errors.Is(err, os.ErrProcessDone) {
			return kills // ctx ended while no host was running
		}
		if err != nil {
			r.problem(fmt.Errorf("cannot kill the host: %w", err))
			return kills
		}
		r.killed.Store(int64(r.now()))
		kills++
		r.log.Info().Int("pid", pid).Msg("killed the host")
	}
	return kills
}

// killOnce kills the process whose number is in the file.
func killOnce(file string) (pid int, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	number := strings.TrimSpace(string(text))
	if number == "" {
		return 0, os.ErrProcessDone // the file is being written
	}
	if pid, err = strconv.Atoi(number); err != nil {
		return 0, fmt.Errorf("%s has no process number: %w", file, err)
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return pid, err
	}
	return pid, p.Kill()
}
