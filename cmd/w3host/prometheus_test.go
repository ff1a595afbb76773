package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"w3host/internal/testkit"
	"w3host/internal/tier"
)

// A real Prometheus with the configuration of deploy/prometheus scrapes a host, has the alerts, of which none
// fires, and answers what the board of deploy/grafana asks.
func TestPrometheus(t *testing.T) {
	t.Parallel()
	program := tier.Program(t, "prometheus", "prometheus")
	metrics, window := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t)), fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	cmd := processCommand(t, t.TempDir(), "--listen", "127.0.0.1:0", "--lan=false")
	cmd.Env = append(cmd.Env, "W3HOST_WEB_METRICS_LISTEN="+metrics)
	start(t, cmd)

	dir := t.TempDir()
	for _, name := range []string{"prometheus.yml", "alerts.yml"} {
		text, err := os.ReadFile(filepath.Join("../../deploy/prometheus", name))
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.NewReplacer("w3host:6181", metrics, "15s", "200ms").Replace(string(text))
		write(t, filepath.Join(dir, name), changed)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	server := exec.Command(program, "--config.file", filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path", filepath.Join(dir, "data"), "--web.listen-address", window)
	server.Stderr = log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	testkit.Eventually(t, "Prometheus has scraped the host", func() bool {
		found, err := askPrometheus(window, `up{job="w3host"} == 1 and on (instance) w3host_build_info`)
		return err == nil && len(found) == 1
	})
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	text, err := os.ReadFile("../../deploy/grafana/w3host.json")
	if err == nil {
		err = json.Unmarshal(text, &board)
	}
	if err != nil || len(board.Panels) < 5 {
		t.Fatal(len(board.Panels), err)
	}
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			query := strings.ReplaceAll(target.Expr, "$instance", ".*")
			testkit.Eventually(t, p.Title+" has something to show: "+query, func() bool {
				found, err := askPrometheus(window, query)
				return err == nil && len(found) > 0
			})
		}
	}
	time.Sleep(time.Second) // some evaluations
	if firing, err := askPrometheus(window, `ALERTS{alertstate="firing"}`); err != nil || len(firing) > 0 {
		t.Errorf("%s, %v", firing, err)
	}
}

// askPrometheus returns what a query finds.
func askPrometheus(addr, query string) ([]json.RawMessage, error) {
	res, err := http.Get("http://" + addr + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var answer struct {
		Error string
		Data  struct{ Result []json.RawMessage }
	}
	err = json.NewDecoder(res.Body).Decode(&answer)
	if err == nil && answer.Error != "" {
		err = fmt.Errorf("%s: %s", query, answer.Error)
	}
	return answer.Data.Result, err
}
