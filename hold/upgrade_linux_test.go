//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"strings"
	"testing"
	"time"
)

// A host whose loop stands still is killed, and another one started; one that was stopped is not.
func TestWatch(t *testing.T) {
	for name, c := range map[string]struct {
		do    string
		code  int
		given string
	}{
		"a loop that stands still":              {"put:2 serve alive wait;end exit:4", 4, "0 2"},
		"one that hangs and was never watched":  {"serve pause:3000 end exit:5", 5, "0"},
		"one that goes on":                      {"serve alive pause:1200 alive pause:1200 alive end exit:6", 6, "0"},
		"one that was stopped, as by debuggers": {"serve alive stop:3000 alive end exit:7", 7, "0"},
		"one that does not come to serve again": {"put:1 serve kill;wait;serve end exit:8", 8, "0 1 1"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakes{do: c.do, beat: 200 * time.Millisecond}
			code, err := serveFakes(t, f, nil)
			if err != nil || code != c.code || strings.Join(f.given, " ") != c.given {
				t.Errorf("exit code %d, given %v, %v", code, f.given, err)
			}
		})
	}
}

// An upgrade replaces the host by one that has everything, or nothing happens and the host
// is told why.
func TestHolderUpgrade(t *testing.T) {
	for name, c := range map[string]struct {
		do, next string
		code     int
		given    string
	}{
		"both get what is put": {
			"put:3 serve upgrade pause:500 drop:2 put:1 news:1 done exit:0", "news:2 ready news:1 serve end exit:5", 5, "0 3 -2 +1 handover0 go0",
		},
		"the host before has an hour left":  {"put:1 serve upgrade news:1 done pause:600 exit:9", "ready news:1 serve end exit:5", 5, "0 1 handover0 go0"},
		"one that hangs":                    {"serve upgrade news:1 end exit:6", "wait", 6, "0 0 refused0:the_new_program_hangs:_it_has_said_nothing_for_2s"},
		"one that dies when it is to go on": {"put:2 serve upgrade news:1 done exit:0;;;has end exit:7", "ready news:1 kill", 7, "0 2 handover0 go0 2"},
		"the host dies meanwhile":           {"put:2 serve upgrade pause:100 kill;;has end exit:7", "wait", 7, "0 2 2"},
		"the host never hands over":         {"put:2 serve alive upgrade news:1 wait;;;has end exit:7", "ready wait", 7, "0 2 handover0 2"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakes{do: c.do, next: c.next, beat: 200 * time.Millisecond}
			code, err := serveFakes(t, f, nil)
			if err != nil || code != c.code || strings.Join(f.given, " ") != c.given {
				t.Errorf("exit code %d, given %v, %v", code, f.given, err)
			}
		})
	}
}

// The same with real processes.
func TestUpgradeProcess(t *testing.T) {
	for name, c := range map[string]struct {
		do, next, path string
		code           int
		given          string
	}{
		"both get what is put": {
			"put:3 serve upgrade pause:500 drop:2 put:1 news:1 done exit:0", "news:2 ready news:1 serve end exit:5", "", 5,
			"3 -2 +1 handover0 go0",
		},
		"a program that is not there": {"serve upgrade news:1 end exit:6", "", "/nowhere", 6, "0 refused0:cannot_start_a_host:_fork/exec_/nowhere:_no_such_file_or_directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, given, err := serve(t, c.do, nil, "HOLD_TEST_NEXT="+c.next, "HOLD_TEST_PATH="+c.path)
			if err != nil || code != c.code || !strings.HasSuffix(strings.Join(given, " "), c.given) {
				t.Errorf("exit code %d, given %v, %v", code, given, err)
			}
		})
	}
}
