package main

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// Work comes in pieces as long as a page takes to make, of several at the same time.
const (
	burners = 4
	piece   = 2 * time.Millisecond
)

// burn takes a part of the processors, in cores, until standard input ends.
func burn(share float64) {
	every := time.Duration(float64(burners*piece) / share)
	for range burners {
		go func() { // ends with the process
			for range time.Tick(every) {
				for began := time.Now(); time.Since(began) < piece; {
				}
			}
		}()
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// burnElsewhere has a process of its own do that, ahead of others or not.
func (b *bench) burnElsewhere(share float64, ahead bool) (stop func(), err error) {
	cmd := exec.Command("/proc/self/exe", "--burn", strconv.FormatFloat(max(share, 0.01), 'f', 3, 64))
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	other := *b
	other.ahead = ahead
	return func() { _ = in.Close(); _ = cmd.Wait() }, other.start(cmd)
}
