//go:build !linux

// Command floor is the least that a game host can do, for comparison. It needs
// the epoll of Linux.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "floor: runs on Linux only")
	os.Exit(2)
}
