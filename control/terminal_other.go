//go:build !unix

package control

import (
	"context"
	"os"
)

func inForeground(*os.File) bool { return true }

// onHangup has nothing to wait for: this system has no such signal.
func onHangup(context.Context, func()) {}
