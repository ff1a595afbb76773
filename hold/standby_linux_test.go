//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"strings"
	"testing"
	"time"
)

// A standby goes on with everything when the host has died, and with nothing otherwise.
func TestHolderStandby(t *testing.T) {
	for name, c := range map[string]struct {
		do, next string
		code     int
		given    string
	}{
		"the host dies":                    {"put:2 serve standby pause:600 put:1 kill", "ready news:2 has serve end exit:5", 5, "0 2 +1 go0"},
		"the host dies before it served":   {"put:1 standby pause:600 exit:4", "ready wait", 4, "0 1"},
		"the standby dies":                 {"serve standby pause:600 standby pause:2000 standby pause:600 end exit:6", "kill", 6, "0 0 0"},
		"both die":                         {"put:1 serve standby pause:800 kill;;has end exit:7", "ready pause:200 kill", 7, "0 1 1"},
		"the host dies before it is ready": {"put:1 serve standby pause:600 kill;;has end exit:7", "wait", 7, "0 1 1"},
		"the standby dies at once":         {"put:1 serve standby pause:600 kill;;has end exit:7", "ready news:1 kill", 7, "0 1 go0 1"},
		"the standby hangs":                {"put:1 serve standby pause:1800 kill;;has end exit:7", "ready pause:2200 news:1 exit:9", 7, "0 1 1"},
		"the host ends in order":           {"serve standby pause:600 end exit:3", "ready wait", 3, "0 0"},
		"an upgrade comes":                 {"put:1 serve standby pause:600 upgrade news:1 done exit:0", "ready news:1 serve end exit:5", 5, "0 1 1 handover0 go0"},
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

// TestStandbyProcess is the first of these with real processes.
func TestStandbyProcess(t *testing.T) {
	code, given, err := serve(t, "put:2 serve standby pause:600 put:1 kill", nil, "HOLD_TEST_NEXT=ready news:2 has serve end exit:5")
	if err != nil || code != 5 || strings.Join(given, " ") != "0 2 +1 go0" {
		t.Errorf("exit code %d, given %v, %v", code, given, err)
	}
}
