package storage

import (
	"fmt"
	"os"
	"strings"
)

// startOf is when a process began, in ticks since the machine did; empty: there is none of that
// number here, or the system is not Linux: then the number has to do. With its number it names
// a process for as long as the machine runs.
func startOf(pid int) string {
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
