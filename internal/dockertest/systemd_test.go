package dockertest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mostExposed is the level that systemd may see the unit at, in tenths.
const mostExposed = "17"

// The unit is one that systemd takes, and its paths are those that
// docs/deployment.md tells people to make.
func TestSystemdUnit(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "deploy", "w3host.service"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(filepath.Join(root, "docs", "deployment.md"))
	if err != nil {
		t.Fatal(err)
	}
	unit := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(key, "#") {
			unit[key] = value
		}
	}
	program, arguments, _ := strings.Cut(unit["ExecStart"], " ")
	arguments, supervised := strings.CutPrefix(arguments, "serve --supervise ")
	config := strings.TrimPrefix(arguments, "--config ")
	environment := strings.TrimPrefix(unit["EnvironmentFile"], "-")
	if unit["WorkingDirectory"] != "/var/lib/"+unit["StateDirectory"] || unit["User"] == "root" || unit["Restart"] != "on-failure" || unit["ExecReload"] != program+" ctl reload "+arguments || !supervised || unit["KillMode"] != "mixed" || unit["OOMPolicy"] != "continue" || unit["FileDescriptorStoreMax"] == "" || unit["NotifyAccess"] != "main" {
		t.Errorf("the unit is %v", unit)
	}
	for _, want := range []string{
		"install w3host " + filepath.Dir(program) + "/\n", "config.toml.example " + config + "\n", "/dev/null " + environment + "\n",
		"--home-dir " + unit["WorkingDirectory"], "nologin " + unit["User"] + "\n",
	} {
		if !strings.Contains(string(doc), want) {
			t.Errorf("docs/deployment.md lacks %q, which the unit needs", want)
		}
	}

	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skipf("SKIP: needs systemd-analyze: %v", err)
	}
	copied := filepath.Join(t.TempDir(), "w3host.service")
	if err := os.WriteFile(copied, bytes.ReplaceAll(text, []byte(program), []byte(analyze)), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), analyze, "verify", copied).CombinedOutput()
	if err != nil || strings.Contains(string(out), "w3host.service:") {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
	out, err = exec.CommandContext(t.Context(), analyze, "security", "--offline=true", "--threshold="+mostExposed, copied).CombinedOutput()
	if err != nil {
		t.Errorf("systemd-analyze security: %v\n%s", err, out)
	}
}
