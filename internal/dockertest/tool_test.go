package dockertest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// tool runs one builder's commands.
type tool struct {
	name   string
	always []string // flags of every call
	dir    string   // for its temporary files
	in     string   // the folder where it is run; empty: this one
}

func (x tool) try(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(x.name, slices.Concat(x.always, args)...)
	cmd.Dir, cmd.Env = x.in, append(os.Environ(), "TMPDIR="+x.dir, "DOCKER_BUILDKIT=1")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s%s", x.name, args[0], err, out, errs.String())
	}
	return strings.TrimSpace(string(out)), err
}

func (x tool) run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := x.try(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}
