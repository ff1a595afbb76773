package threads

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// read returns the usage of each thread of a process by thread ID.
func read(pid int) map[string]Usage {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	all := make(map[string]Usage, len(tasks))
	for _, task := range tasks {
		schedstat, err1 := os.ReadFile(filepath.Join(task, "schedstat"))
		status, err2 := os.ReadFile(filepath.Join(task, "status"))
		fields := strings.Fields(string(schedstat)) // time on a CPU, time waiting for one, number of slices
		if err1 != nil || err2 != nil || len(fields) < 3 {
			continue // the thread has ended
		}
		var u Usage
		u.Slices, _ = strconv.ParseUint(fields[2], 10, 64)
		_, rest, _ := strings.Cut(string(status), "\nvoluntary_ctxt_switches:")
		u.Sleeps, _ = strconv.ParseUint(strings.Fields(rest + " 0")[0], 10, 64)
		all[filepath.Base(task)] = u
	}
	return all
}
