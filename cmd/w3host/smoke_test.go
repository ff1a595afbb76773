package main

import (
	"slices"
	"strings"
	"testing"

	"w3host/internal/tier"
)

// smokes are the tests that start w3host processes in the quick tier, too. All other tests
// with processes belong to the full tier: to cover more here, extend one of the smokes.
var smokes = []string{
	"TestServe",                     // a map download, a game of bots, the game log, a replay
	"TestStopInTheMiddleOfAGame",    // SIGTERM
	"TestReload",                    // SIGHUP
	"TestCtlDrivesALobby",           // w3host ctl
	"TestConsoleOnATerminal",        // the console
	"TestWindowOfAFirstStart",       // the web console
	"TestGamesOutliveTheHost",       // w3host serve --supervise, kill -9
	"TestStandby",                   // the same with a standby
	"TestUpgrade",                   // to other programs, in the middle of games
	"TestTwoHostsInOneFolder",       // Postgres
	"TestPortInUse",                 // a host that cannot start
	"TestFaultsAreReportedTogether", // faults of the configuration
}

// TestSmokesAreFew keeps the quick tier quick.
func TestSmokesAreFew(t *testing.T) {
	if len(smokes) > 12 {
		t.Errorf("%d tests start processes in the quick tier: at most a dozen may", len(smokes))
	}
}

// needsProcess skips a test that starts processes in the quick tier, unless it is a smoke.
func needsProcess(t *testing.T) {
	t.Helper()
	if name, _, _ := strings.Cut(t.Name(), "/"); !slices.Contains(smokes, name) {
		tier.All(t, "needs processes")
	}
}
