package terminal

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Program is the command by which the user started this program, for hints to type.
var Program = typed(os.Args[0])

// cachedRun matches the cache folder of programs built by "go run" in Go 1.24 and later.
var cachedRun = regexp.MustCompile(`^[0-9a-f]{64}-d$`)

// typed returns the command that the user typed. With "go run", arg0 is a file in one of Go's own folders.
func typed(arg0 string) string {
	dir := filepath.Dir(arg0)
	if strings.Contains(filepath.ToSlash(dir), "/go-build") || cachedRun.MatchString(filepath.Base(dir)) {
		return "go run ./cmd/w3host"
	}
	if strings.ContainsRune(arg0, ' ') {
		return `"` + arg0 + `"`
	}
	return arg0
}
