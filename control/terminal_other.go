//go:build !unix

package control

import (
	"context"
	"os"
)

func inForeground(*os.File) bool { return true }

// onHangup does nothing: this system has no SIGHUP.
func onHangup(context.Context, func()) {}
