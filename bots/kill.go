package bots

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// kill kills the host's process again and again, as nothing else would, until ctx ends, and
// returns how often it did. The program that started the host has to start it again.
func (r *run) kill(ctx context.Context) (kills int) {
	if r.opts.Kill == "" {
		return 0
	}
	for sleep(ctx, r.opts.KillEvery) {
		pid, err := killOnce(r.opts.Kill)
		if errors.Is(err, os.ErrProcessDone) {
			continue // the next host is not there yet
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

// killOnce kills the process whose number is in a file.
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
