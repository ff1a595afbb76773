package metrics

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"w3host/game"
	"w3host/host"
	"w3host/internal/tier"
	"w3host/protocol/w3gs"
	"w3host/storage"
	gamesync "w3host/sync"
)

func options() Options {
	return Options{
		Groups: []string{"page", "api", "file", "other"}, Version: "test", Totals: func() host.Totals {
			return host.Totals{Lobbies: 1, Games: 2, LobbyPlayers: 3, GamePlayers: 4, Missing: 5}
		},
		Records: func() storage.RecorderStats { return storage.RecorderStats{Waiting: 6, DBDown: true} },
		Realms:  func() map[string]bool { return map[string]bool{"home": true} }, DataDir: ".",
		Observers: map[string]Standing{"pages": stands(7, 8), "webhooks": stands(0, 0)},
		Watchers:  map[string]Standing{"page": stands(9, 10), "program": stands(0, 0)},
	}
}

func stands(now int, lost uint64) Standing { return func() (int, uint64) { return now, lost } }

func scrape(m *Metrics) string {
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

// facts are of each kind that is counted, of a player of that name.
func facts(name string) []game.Fact {
	p := game.Player{PID: 1, Name: name}
	return []game.Fact{
		&game.Joined{Player: p}, &game.JoinRefused{Name: name, Reason: w3gs.RejectFull}, &game.JoinRefused{Reason: 99},
		&game.LeftLobby{Player: p, RTT: 30 * time.Millisecond}, &game.LeftGame{Player: p}, &game.LinkLost{Player: p, Wait: time.Minute},
		&game.LinkLost{Player: p}, &game.LinkResumed{Player: p}, &game.Dropped{Player: p}, &game.Dropped{Player: p, By: name},
		&gamesync.Turn{Late: 3 * time.Millisecond, Increment: 100}, &gamesync.Turn{Late: 100 * time.Millisecond, Increment: 100},
		&gamesync.Lag{Stood: 2 * time.Second, Players: []gamesync.Lagger{
			{Name: name, Waited: 1, Cause: gamesync.CauseHost}, {Name: name, Waited: 2, Cause: gamesync.CauseConnection},
		}},
		&gamesync.Lag{}, &gamesync.Desync{}, &game.DownloadEnded{Player: p, Bytes: 1000, Complete: true}, &game.DownloadEnded{Player: p},
		&game.Over{Over: gamesync.Over{How: gamesync.EndAllLeft}}, &game.Over{Over: gamesync.Over{How: gamesync.EndReason(name)}},
	}
}

// Ten thousand players are as many series as none.
func TestSeries(t *testing.T) {
	m := New(options())
	series := func() (n int) {
		for line := range strings.Lines(scrape(m)) {
			if !strings.HasPrefix(line, "#") {
				n++
			}
		}
		return n
	}
	before, o := series(), m.Observe(0, "")
	for i := range 10_000 {
		for _, f := range facts(fmt.Sprint("player", i)) {
			o.Observe(&game.Stamped{Fact: f})
		}
	}
	for _, group := range []string{"page", "api", "file", "other", "player1"} {
		for status := range 700 {
			m.Request(group, status, time.Second)
		}
	}
	after := series()
	if after > 400 || after-before > 5 { // the runtime adds a few
		t.Errorf("%d series, %d before the players came", after, before)
	}
	t.Logf("%d series", after)
	text := scrape(m)
	for _, want := range []string{
		"w3host_turns_total 20000", "w3host_turns_missed_total 10000", `w3host_joins_total{result="joined"} 10000`,
		`w3host_joins_total{result="full"} 10000`, `w3host_joins_total{result="other"} 10000`, `w3host_lag_screens_total{cause="connection"} 10000`,
		`w3host_lag_screens_total{cause="host"} 10000`, "w3host_desyncs_total 10000", `w3host_downloads_total{result="failed"} 10000`,
		`w3host_drops_total{reason="kicked"} 10000`, `w3host_reconnects_total{result="lost"} 10000`, `w3host_games_ended_total{reason="all_left"} 10000`,
		`w3host_games_ended_total{reason="other"} 10000`, "w3host_lobbies 1", "w3host_games 2", `w3host_players{phase="game"} 4`,
		`w3host_observer_queue_length{observer="pages"} 7`, `w3host_observer_lost_total{observer="pages"} 8`,
		`w3host_http_request_duration_seconds_bucket{class="3xx",group="api",le="0.5"} 0`, `w3host_http_request_duration_seconds_bucket{class="4xx",group="api",le="2.5"} 100`,
		`w3host_watchers{kind="page"} 9`, `w3host_watchers_dropped_total{kind="page"} 10`,
		"w3host_lobbies_missing 5", "w3host_records_waiting 6", "w3host_database_up 0", `w3host_realm_up{realm="home"} 1`,
		`w3host_turn_lateness_seconds_bucket{le="0.005"} 10000`, "w3host_player_rtt_seconds_count 10000", "w3host_map_sent_bytes_total 1e+07",
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("there is no %s", want)
		}
	}
	if strings.Contains(text, "player1") {
		t.Error("a player is in a label")
	}
}

func TestNames(t *testing.T) {
	problems, err := testutil.GatherAndLint(New(options()).registry)
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, namespace) {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// A fact costs a game no memory.
func TestCountingAllocatesNothing(t *testing.T) {
	o := New(options()).Observe(0, "")
	for _, f := range facts("Ann") {
		s := game.Stamped{Fact: f}
		if n := testing.AllocsPerRun(100, func() { o.Observe(&s) }); n > 0 {
			t.Errorf("%T: %v allocations", f, n)
		}
	}
}

func BenchmarkTurn(b *testing.B) {
	o, s := New(options()).Observe(0, ""), game.Stamped{Fact: &gamesync.Turn{Late: time.Millisecond, Increment: 100}}
	for b.Loop() {
		o.Observe(&s)
	}
}

// What alerts and the dashboard ask for is there from the start.
func TestAlertsAndDashboardNameMetrics(t *testing.T) {
	text := scrape(New(options()))
	for _, file := range []string{"../../deploy/prometheus/alerts.yml", "../../deploy/grafana/w3host.json"} {
		asked, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		names := regexp.MustCompile(`w3host_\w+`).FindAllString(string(asked), -1)
		if len(names) < 10 {
			t.Errorf("%s names %d metrics", file, len(names))
		}
		for _, name := range names {
			if !regexp.MustCompile(`(?m)^` + name + `[ {]`).MatchString(text) {
				t.Errorf("%s asks for %s, which is not there", file, name)
			}
		}
	}
}

func TestAlerts(t *testing.T) {
	promtool := tier.Program(t, "promtool", "prometheus")
	if out, err := exec.Command(promtool, "test", "rules", "../../deploy/prometheus/alerts_test.yml").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestAgain: what the process before has counted is not counted twice.
func TestAgain(t *testing.T) {
	m := New(options())
	own := func() (lines []string) {
		for line := range strings.Lines(scrape(m)) {
			if strings.HasPrefix(line, "w3host_") && !strings.HasPrefix(line, "w3host_disk_") && !strings.HasPrefix(line, "w3host_thread_") { // which change meanwhile
				lines = append(lines, line)
			}
		}
		return lines
	}
	before, o := own(), m.Observe(0, "")
	for _, f := range facts("Ann") {
		o.Observe(&game.Stamped{Fact: f, Again: true})
	}
	if after := own(); !slices.Equal(after, before) {
		t.Errorf("%q\nwere\n%q", after, before)
	}
}
