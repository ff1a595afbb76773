package dockertest

import (
	"encoding/json"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"w3host/internal/tier"
)

// What compose.metrics.yaml mounts fits together: Prometheus asks where the host answers, Grafana asks
// Prometheus, and finds the board.
func TestComposeMetrics(t *testing.T) {
	base, over := readCompose(t, "compose.yaml"), readCompose(t, "compose.metrics.yaml")
	w3host, prometheus, grafana := over.Services["w3host"], over.Services["prometheus"], over.Services["grafana"]
	_, port, err := net.SplitHostPort(settings(t, base, over).Web.Metrics)
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(append(w3host.Ports, base.Services["w3host"].Ports...), func(p string) bool { return strings.Contains(p, port) }) {
		t.Error("everybody reads the metrics")
	}
	for name, s := range over.Services {
		for _, p := range s.Ports {
			if !strings.HasPrefix(p, "127.0.0.1:") {
				t.Errorf("%s is published to everybody: %s", name, p)
			}
		}
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			_, named := over.Volumes[from]
			if _, err := os.Stat(filepath.Join(root, from)); err != nil && !named {
				t.Errorf("%s mounts %s, which is not there", name, v)
			}
		}
	}

	var scrape struct {
		Jobs []struct {
			Name   string                       `yaml:"job_name"`
			Static []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	readYAML(t, "deploy/prometheus/prometheus.yml", &scrape)
	if len(scrape.Jobs) != 1 || scrape.Jobs[0].Name != "w3host" || !slices.Equal(scrape.Jobs[0].Static[0].Targets, []string{"w3host:" + port}) {
		t.Errorf("the host answers at w3host:%s; Prometheus asks %+v", port, scrape)
	}
	if !slices.Contains(prometheus.Volumes, "./deploy/prometheus:/etc/prometheus:ro") { // where its image looks
		t.Errorf("%q", prometheus.Volumes)
	}

	var sources struct {
		Sources []struct{ UID, Type, URL string } `yaml:"datasources"`
	}
	readYAML(t, "deploy/grafana/provisioning/datasources/prometheus.yml", &sources)
	u, err := url.Parse(sources.Sources[0].URL)
	if _, ok := over.Services[u.Hostname()]; err != nil || !ok || !slices.Contains(prometheus.Ports, "127.0.0.1:"+u.Port()+":"+u.Port()+"/tcp") {
		t.Errorf("Grafana asks %s: %v", u, err)
	}
	var providers struct {
		Providers []struct {
			Type    string
			Options struct{ Path string }
		}
	}
	readYAML(t, "deploy/grafana/provisioning/dashboards/w3host.yml", &providers)
	board := providers.Providers[0].Options.Path + "/w3host.json"
	if !slices.Contains(grafana.Volumes, "./deploy/grafana/w3host.json:"+board+":ro") || grafana.Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"] != board {
		t.Errorf("Grafana looks for %s among %q", board, grafana.Volumes)
	}
	var dashboard struct {
		Templating struct{ List []struct{ Type, Query any } }
	}
	decode(t, readFile(t, "deploy/grafana/w3host.json"), &dashboard)
	if first := dashboard.Templating.List[0]; first.Type != "datasource" || first.Query != sources.Sources[0].Type {
		got, _ := json.Marshal(dashboard.Templating)
		t.Errorf("the board asks a %s: %s", sources.Sources[0].Type, got)
	}
}

func readYAML(t *testing.T, name string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(readFile(t, name)), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// Prometheus itself reads its configuration, where it is installed.
func TestPrometheusAccepts(t *testing.T) {
	promtool := tier.Program(t, "promtool", "prometheus")
	tool{name: promtool}.run(t, "check", "config", filepath.Join(root, "deploy/prometheus/prometheus.yml"))
}
