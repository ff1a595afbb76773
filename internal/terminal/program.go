package terminal

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Program is how the user started this program, for hints they can type.
var Program = typed(os.Args[0])

// cachedRun matches the folder in which Go 1.24 and later keep the programs that "go run" has built.
var cachedRun = regexp.MustCompile(`^[0-9a-f]{64}-d$`)

// typed returns the words that the user typed for this program: under "go run" arg0 is a file in Go's
// own folders.
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
