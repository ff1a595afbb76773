//go:build !unix

package main

import (
	"context"
	"os"
)

func inForeground(*os.File) bool { return true }

// onHangup has nothing to wait for: this system has no such signal.
func onHangup(context.Context, func()) {}
