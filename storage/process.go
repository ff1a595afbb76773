package storage

import (
	"fmt"
	"os"
	"strings"
)

// processStartTime returns the start time of a process in ticks since boot. Together with the pid it identifies a
// process until the next boot. It returns "" if there is no such process, or on systems other than Linux,
// where the pid alone has to suffice.
func processStartTime(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 20 {
		return ""
	}
	return fields[19]
}
